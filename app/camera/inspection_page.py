"""What a camera sees, on a page in the browser."""

from __future__ import annotations

import html

from handhold.app.camera.inspection import Inspection
from handhold.app.camera.inspection_scene import CAMERA_POSE, make_scene
from handhold.app.page.document import PageFacts
from handhold.app.page.server import make_server, stop_server
from handhold.render.browser.scene import SceneNodes


class InspectionPage:
    """A page that shows the newest image.

    Attributes:
        server: Where the page comes from.
        address: Where a browser finds it.
    """

    def __init__(self, port: int = 0) -> None:
        """Serve the page.

        Args:
            port: Port to listen at, on this machine only; 0 lets the system choose one.

        Raises:
            PortBusy: The port is taken.
        """
        self.server = make_server(port=port, facts=PageFacts(has_robot=False))
        self.address = self.server.address
        self.server.gui.set_panel_label("Handhold: camera")
        self._words = self.server.gui.add_html("")
        # from behind the camera, over its shoulder
        self.server.initial_camera.position = (-0.8, -0.5, 1.9)
        self.server.initial_camera.look_at = (1.5, 0.0, float(CAMERA_POSE[2, 3]) - 0.3)
        self._nodes = SceneNodes(self.server)
        self._version = 0

    def show(self, inspection: Inspection) -> None:
        """Show an image in place of the last one."""
        self._version += 1
        with self.server.atomic():
            self._nodes.show(make_scene(inspection, self._version))
        self.say(inspection.summarize())

    def say(self, words: str) -> None:
        """Show words in the panel."""
        self._words.content = f'<div style="padding:0.4em 0.8em">{html.escape(words)}</div>'

    def close(self) -> None:
        """Stop serving."""
        stop_server(self.server)
