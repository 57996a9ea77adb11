"""Which control of viser's page a message is for, and whether this page may use it so."""

from __future__ import annotations

from typing import Protocol

import viser

from handhold.app.page_messages import ButtonHold, Camera, CommandTrigger, ControlUpdate, DragUpdate, RuledMessage
from handhold.devices.browser_pages import Pages

WATCHES = "only the page that drives may do this"
UNKNOWN = "no such control"
DISABLED = "a control that is disabled or hidden"
VALUE = "an attribute or a value that a page must not set"
_REACH = 100.0
"""How far from the world's origin a hand may be put [m]."""
_ROUNDING = 1e-9


class _Control(Protocol):
    disabled: bool
    visible: bool


class PageRules:
    """Judges the messages of pages by the controls that are on the page now.

    viser has no public way from the name in a message to its handle; the tables that it looks names up in are used here and
    nowhere else.
    """

    def __init__(self, server: viser.ViserServer, pages: Pages) -> None:
        self._server = server
        self._pages = pages

    def judge(self, page: int, message: RuledMessage) -> str:
        """Return why a message of a page is refused, or ``""``."""
        if isinstance(message, Camera):
            return ""
        if isinstance(message, ControlUpdate):
            return self._judge_update(page, message)
        if isinstance(message, ButtonHold):
            return self._judge_hold(page, message)
        if isinstance(message, CommandTrigger):
            return self._judge_command(page, message)
        return self._judge_drag(page, message.name, message.position if isinstance(message, DragUpdate) else ())

    def _judge_update(self, page: int, message: ControlUpdate) -> str:
        control = self._find_control(page, message.uuid)
        if isinstance(control, str):
            return control
        if list(message.updates) != ["value"]:
            return VALUE
        value = message.updates["value"]
        if isinstance(control, viser.GuiButtonHandle):
            return "" if value is True else VALUE
        if isinstance(control, viser.GuiSliderHandle) and not isinstance(value, bool):
            return "" if control.min - _ROUNDING <= value <= control.max + _ROUNDING else VALUE
        return VALUE

    def _judge_hold(self, page: int, message: ButtonHold) -> str:
        control = self._find_control(page, message.uuid)
        if isinstance(control, str):
            return control
        held = isinstance(control, viser.GuiButtonHandle) and message.frequency in control._hold_callback_freqs
        return "" if held else VALUE

    def _judge_command(self, page: int, message: CommandTrigger) -> str:
        command = self._server.gui._command_handle_from_uuid.get(message.uuid)
        if command is None:
            return UNKNOWN
        if command.disabled:
            return DISABLED
        return "" if self._pages.may_use(page, command) else WATCHES

    def _judge_drag(self, page: int, name: str, position: tuple[float, ...]) -> str:
        gizmo = self._server.scene._handle_from_transform_controls_name.get(name)
        if gizmo is None:
            return UNKNOWN
        if not gizmo.visible:
            return DISABLED
        if any(abs(number) > _REACH for number in position):
            return VALUE
        return "" if self._pages.may_use(page, gizmo) else WATCHES

    def _find_control(self, page: int, uuid: str) -> _Control | str:
        """Return a control that this page may use now, or why there is none."""
        own = self._server.get_clients().get(page)
        control = own.gui._gui_input_handle_from_uuid.get(uuid) if own is not None else None
        shared = self._server.gui._gui_input_handle_from_uuid.get(uuid)
        if control is None and shared is not None and not self._pages.may_use(page, shared):
            return WATCHES
        control = control or shared
        if control is None:
            return UNKNOWN
        return DISABLED if control.disabled or not control.visible else control
