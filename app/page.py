"""The page in the browser, which shows the robot whatever the operator's device."""

from __future__ import annotations

from handhold.app.browser_server import make_server, stop_server
from handhold.app.session import SessionConfig
from handhold.render.browser import BrowserView
from handhold.render.snapshot import Snapshot
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world


class Page:
    """The page in the browser, which shows the robot whatever the device."""

    def __init__(self, config: SessionConfig) -> None:
        """Serve the page; it is empty until ``load``.

        Raises:
            PortBusy: The port is taken.
        """
        self.server = make_server(port=config.page_port)
        self.address = f"http://127.0.0.1:{self.server.get_port()}"
        self._view: BrowserView | None = None

    def load(self, config: SessionConfig) -> None:
        """Load the robot's meshes and put robot and world on the page."""
        self._view = BrowserView(self.server, load_model(config.robot), load_world(config.world))

    def show(self, snapshot: Snapshot) -> None:
        """Show a snapshot."""
        if self._view is not None:
            self._view.show(snapshot)

    def close(self) -> None:
        """Stop serving."""
        stop_server(self.server)
