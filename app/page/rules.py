"""Which control of viser's page a message is for, and whether this page may use it so."""

from __future__ import annotations

import viser

from handhold.app.page.messages import Camera, ControlUpdate, DragUpdate, PageAction, RuledMessage
from handhold.devices.browser.page_server import ONLY_THE_DRIVER, PageServer

UNKNOWN = "no such control"
DISABLED = "a control that is disabled or hidden"
VALUE = "an attribute or a value that a page must not set"
_REACH = 100.0
"""How far from the world's origin a hand may be put [m]."""
_ROUNDING = 1e-9


class PageRules:
    """Judges the messages of pages by the controls that are on the page now.

    viser has no public way from the name in a message to its handle; the tables that it looks names up in are used here and
    nowhere else.
    """

    def __init__(self, server: PageServer) -> None:
        self._server = server
        self._pages = server.pages

    def judge(self, page: int, message: RuledMessage) -> str:
        """Return why a message of a page is refused, or ``""``."""
        if isinstance(message, Camera):
            return ""
        if isinstance(message, PageAction):
            return self._server.actions.judge(page, message.name, held=message.held)
        if isinstance(message, ControlUpdate):
            return self._judge_update(page, message)
        return self._judge_drag(page, message.name, message.position if isinstance(message, DragUpdate) else ())

    def _judge_update(self, page: int, message: ControlUpdate) -> str:
        control = self._server.gui._gui_input_handle_from_uuid.get(message.uuid)
        if control is None:
            return UNKNOWN
        if not self._pages.may_use(page, control):
            return ONLY_THE_DRIVER
        if control.disabled or not control.visible:
            return DISABLED
        if list(message.updates) != ["value"] or not isinstance(control, viser.GuiSliderHandle):
            return VALUE
        value = message.updates["value"]
        return "" if control.min - _ROUNDING <= value <= control.max + _ROUNDING else VALUE

    def _judge_drag(self, page: int, name: str, position: tuple[float, ...]) -> str:
        gizmo = self._server.scene._handle_from_transform_controls_name.get(name)
        if gizmo is None:
            return UNKNOWN
        if not gizmo.visible:
            return DISABLED
        if any(abs(number) > _REACH for number in position):
            return VALUE
        return "" if self._pages.may_use(page, gizmo) else ONLY_THE_DRIVER
