"""A headset as the operator's device, and what he sees in it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from handhold.app.host.pulses import find_interface_pulses
from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig
from handhold.app.session.process import say as say_to_people
from handhold.app.station.console import TakeInput
from handhold.app.station.headset_view import HeadsetView
from handhold.app.station.reopening import Reopening
from handhold.app.station.settings_file import SettingsKeeper, default_settings_file, load_settings
from handhold.app.station.worn_suit import HEADSET
from handhold.devices.control_names import HandsControlNames
from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceError, SessionEnded
from handhold.devices.openxr.device import OpenXrDevice
from handhold.devices.openxr.session import GraphicsBinding
from handhold.devices.operator_input import OperatorInput
from handhold.devices.operator_sample import OperatorSample
from handhold.devices.suits.three_points import ThreePointPerson
from handhold.render.composition.warm_up import warm_up
from handhold.render.elements.hud import describe_stops
from handhold.render.elements.stage import Stage
from handhold.render.errors import ContextNotAvailable, RenderError
from handhold.render.gl.context import make_context
from handhold.render.gl.driver import draws_by_processor, name_driver
from handhold.render.gl.egl import EglContext
from handhold.render.gl.eye import Eye
from handhold.render.gl.glx import GlxContext
from handhold.render.gl.renderer import Renderer
from handhold.render.gl.target import Target
from handhold.render.meshes import COARSE_TOLERANCE, load_link_meshes
from handhold.render.openxr.headset import Headset
from handhold.render.openxr.mirror import PERIOD, SLOW_PERIOD, Mirror
from handhold.render.openxr.swapchain import COLOR_FORMATS, choose_format
from handhold.render.snapshot import Snapshot
from handhold.render.streams import CameraViews
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

FRAME_PATIENCE = 0.02
"""How long a frame may keep the operator's samples waiting [s]: headsets of 60 Hz and more never take that long."""

MAX_FROZEN = 0.5
"""How long the operator may see the same frame and drive [s]: four frames of a processor that draws."""


class HeadsetConsole:
    """A headset; one that is lost is asked for again (``Reopening``), and until it is back nobody is there.

    Attributes:
        name: ``"openxr"``.
        stop_control: What stops the robot, in words.
        view: What the operator sees and has chosen.
        paced: Whether the last ``read`` has waited for a frame of the headset's.
    """

    name = "openxr"
    stop_control = "the controls that are told here and in the headset once it is worn, or the stop on the page"

    def __init__(
        self,
        _page: Page,
        config: SessionConfig,
        clock: Callable[[], float] = time.monotonic,
        say: Callable[[str], None] = say_to_people,
    ) -> None:
        """Open the headset; without pictures where this machine has no OpenGL and the runtime wants none.

        Args:
            config: The session.
            clock: What the ages of what is shown are told by [s].
            say: Tells people what becomes of the headset and of their settings.

        Raises:
            DeviceError: There is no runtime or no headset, or it wants pictures and there is no OpenGL.
            RobotError: Robot or world cannot be had.
            RenderError: OpenGL refuses something, or the runtime lends no texture that can be drawn into.
        """
        self._clock = clock
        self.paced = False
        self._say, self._reported_stops, self._reported_events_lost = say, "", 0
        file = default_settings_file()
        self._settings, self._settings_problem = load_settings(file)
        self._keeper = SettingsKeeper(file, lambda problem: say(f"station: {problem}"))
        self._reopening = Reopening(say)
        self._drawn_before = 0
        self._take_interim: TakeInput | None = None
        self._read_at = 0.0
        self._frames_seen, self._seen_at = 0, 0.0
        # Of the sample in the operator's own room: where the room stands in world changes with the view.
        self._wearer = ThreePointPerson() if config.suit == HEADSET else None
        self._headset: Headset | None = None
        self._mirror: Mirror | None = None
        self._renderers: tuple[Renderer, ...] = ()
        self._context = _make_context()
        self._device = OpenXrDevice(
            clock=time.monotonic,
            graphics=cast("GraphicsBinding | None", self._context),
            max_frame_rate=self._settings.refresh_rate,
        )
        try:
            self._device.open()
            self._prepare(config)
        except BaseException:
            self.close()
            raise

    def _prepare(self, config: SessionConfig) -> None:
        """Load what the pictures need."""
        model = load_model(config.robot)
        stage = Stage(model, load_world(config.world))
        warm_up(stage)
        self.view = HeadsetView(stage, self._settings)
        self.view.note_display(self._device.session.display)
        if self._context is None:
            return
        # A runtime without a usable texture is found out here, while another device can still take its place.
        choose_format(self._device.session, COLOR_FORMATS)
        self._coarse = draws_by_processor()
        head_painter = Renderer({})
        self._renderers = (head_painter,)
        if isinstance(self._context, GlxContext) and config.mirror is not False:
            period = SLOW_PERIOD if self._coarse else PERIOD
            self._mirror = Mirror(self._context, head_painter, time.monotonic, period)
        meshes = load_link_meshes(model, tolerance=COARSE_TOLERANCE if self._coarse else 0.0)
        robots = {model.description.name: meshes}
        painter = Renderer(robots, one_sided=self._coarse)
        self._renderers = (head_painter, painter)
        self._headset = Headset(
            self._device,
            painter,
            head_painter,
            lambda: self.view.compose(self._clock()),
            self._note_eye,
        )

    @property
    def description(self) -> str:
        """What the operator's device is, in words."""
        session = self._device.session
        words = f"headset '{session.system}' of {session.runtime}{self._describe_pictures()}"
        return f"{words}; {self._settings_problem}" if self._settings_problem else words

    def _describe_pictures(self) -> str:
        if self._headset is None:
            return "; no pictures in it, because there is no OpenGL"
        return f"; no graphics card ({name_driver()}), so that robots are drawn coarsely" if self._coarse else ""

    def read(self, take_interim: TakeInput | None = None) -> OperatorInput:
        """Draw the headset's next frame, and return the sample that follows it as the robot is to be told.

        Args:
            take_interim: Takes the sample that follows an eye's picture, where drawing takes long. With it a frame that does
                not come in time is drawn in a later call; without it the frame is waited for.

        Raises:
            SessionEnded: The operator has quit from the headset's menu.
            RenderError: The headset has never shown anything, and cannot.
        """
        if self._mirror is not None:
            self._mirror.poll()
        self._take_interim = take_interim
        return self._follow(self._read())

    def _follow(self, read: OperatorSample) -> OperatorInput:
        """Let the interface follow a sample; return it as the robot is to be told."""
        self._read_at = read.time
        before = self.view.state
        sample = self.view.follow(read, self._clock())
        for pulse in find_interface_pulses(before, self.view.state):
            self.pulse(pulse)
        if self.view.state.settings != before.settings:
            self._keeper.keep(self.view.state.settings)
        return sample if self._wearer is None else replace(sample, human=self._wearer.update(read))

    def _read(self) -> OperatorSample:
        self.paced = False
        try:
            if self._reopening.is_due(time.monotonic()):
                self._device.open()
                # It may be another headset than the one that was lost.
                self.view.note_display(self._device.session.display)
                self._reopening.note_opened()
            if self._reopening.is_open:
                return self._read_open()
        except SessionEnded:
            raise
        except (DeviceError, RenderError) as error:
            if isinstance(error, RenderError) and self._drawn == 0:
                raise
            self._close_lost_session(error)
        now = time.monotonic()
        return OperatorSample(time=now, device="openxr lost", sequence=int(now * 1e3), focused=False)

    def _read_open(self) -> OperatorSample:
        """Draw a frame of the session that is open and read it."""
        patience = None if self._take_interim is None else FRAME_PATIENCE
        self.paced = self._headset is not None and self._headset.pump(patience)
        sample = self._without_focus_if_frozen(self._device.read())
        self._report_lost_events(self._device.session.state.events_lost)
        if sample.focused:
            self._print_stops(self._device.control_names)
        if sample.focused and (self._headset is None or self._drawn > self._drawn_before):
            self._reopening.note_shown(sample.time)
        return sample

    def _without_focus_if_frozen(self, sample: OperatorSample) -> OperatorSample:
        """Return a sample of somebody who is not there, where the headset has gone on showing the same frame."""
        if self._headset is None:
            return sample
        if self._headset.count.waited != self._frames_seen or not self._device.session.wants_frames:
            self._frames_seen, self._seen_at = self._headset.count.waited, sample.time
        return replace(sample, focused=False) if sample.time - self._seen_at > MAX_FROZEN else sample

    def _note_eye(self, number: int, target: Target, eye: Eye) -> None:
        """Show an eye's picture at the desk, and sample the operator where drawing it has taken long.

        The robot takes a station whose samples stay away for a lost one, and a processor may draw a frame for as long.
        """
        if self._mirror is not None:
            self._mirror.take(number, target, eye)
        if self._take_interim is not None and time.monotonic() - self._read_at > FRAME_PATIENCE:
            self._take_interim(self._follow(self._without_focus_if_frozen(self._device.read(events=False))))

    def _report_lost_events(self, count: int) -> None:
        if count > self._reported_events_lost:
            self._say(
                f"station: the headset's runtime has lost {count - self._reported_events_lost} events; all is read again"
            )
        self._reported_events_lost = count

    def _print_stops(self, controls: HandsControlNames) -> None:
        """Show in the headset and at the desk what stops the robot, whenever other controls are bound."""
        self.view.name_controls(controls)
        stops = "; ".join(describe_stops(controls))
        if stops != self._reported_stops:
            self._reported_stops = stops
            self._say(f"station: {stops}")

    @property
    def _drawn(self) -> int:
        """Frames drawn in all sessions."""
        return 0 if self._headset is None else self._headset.count.drawn

    def _close_lost_session(self, error: Exception) -> None:
        """Close a session that is lost, or was never had, and what was drawn in it."""
        self._device.close()
        if self._headset is not None:
            self._headset.close()
        self.paced = False
        self._drawn_before = self._drawn
        self._reopening.note_loss(error, time.monotonic())

    def show_views(self, views: CameraViews) -> None:
        """Show it in the frames to come."""
        self.view.show_views(views)

    def show(self, snapshot: Snapshot) -> None:
        """Show the robot in the frames to come, with what is wrong at this end."""
        if self._keeper.problem:
            snapshot = replace(snapshot, messages=(*snapshot.messages, self._keeper.problem))
        self.view.show(snapshot, self._clock())

    def pulse(self, pulse: HapticPulse) -> None:
        """Send a haptic pulse, as strong as the operator has chosen."""
        if self._reopening.is_open:
            strength = self.view.state.settings.haptics
            self._device.pulse(replace(pulse, amplitude=strength * pulse.amplitude))

    def close(self) -> None:
        """Leave the headset, free what was drawn with, and keep the settings; one that fails keeps none of the others."""
        with contextlib.ExitStack() as stack:
            stack.callback(self._keeper.close)
            for part in (self._context, *self._renderers, self._mirror, self._headset, self._device):
                if part is not None:
                    stack.callback(part.close)


def _make_context() -> GlxContext | EglContext | None:
    try:
        return make_context()
    except ContextNotAvailable:
        return None
