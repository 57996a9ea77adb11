"""A process with the console of a headset, which is asked as ``openxr_worker`` is."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from link_key import KEY
from openxr_worker import Worker, describe_hand, describe_pose, serve
from snapshots import make_snapshot

from handhold.app.link import LinkConfig, StationLink
from handhold.app.page.page import Page
from handhold.app.session.config import SessionConfig, find_free_port
from handhold.app.station import reopening
from handhold.app.station.headset_console import HeadsetConsole
from handhold.app.station.program import StationLoop
from handhold.devices.display import Display
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.render.errors import RenderError
from handhold.render.interface.view_state import find_items
from handhold.robots.model import load_model

MIN_RATE = 20.0  # [Hz]
WAIT = 0.2  # [s]: how long a loop that waits for the robot would do so in each frame


class FrameClock:
    """Counts the frames that a headset would miss if only what the station's thread waits for took time.

    Its time goes on by a period with each frame, and by whatever the thread sleeps elsewhere than in the runtime and in
    drawing: neither a slow processor that draws nor one that others use costs any of it.

    Attributes:
        missed: Frames that were due while the thread slept.
    """

    def __init__(self, rate: float) -> None:
        self._period = 1.0 / rate
        self.missed = 0
        self._excluded = False
        self._begin = self._read_clocks()

    @staticmethod
    def _read_clocks() -> tuple[int, float, float]:
        voluntary = resource.getrusage(resource.RUSAGE_THREAD).ru_nvcsw
        return voluntary, time.perf_counter(), time.thread_time()

    def resume(self) -> None:
        self._begin = self._read_clocks()

    def pause(self) -> None:
        """Count what was slept since the last ``resume``; a thread whose core was taken from it has not slept."""
        before, now = self._begin, self._read_clocks()
        if now[0] > before[0]:
            slept = (now[1] - before[1]) - (now[2] - before[2])
            self.missed += int(slept / self._period)

    def exclude(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Leave a function's time out, also where it is called within another that is left out."""

        def left_out(*arguments: Any, **options: Any) -> Any:
            if self._excluded:
                return function(*arguments, **options)
            self.pause()
            self._excluded = True
            try:
                return function(*arguments, **options)
            finally:
                self._excluded = False
                self.resume()

        return left_out

    def count(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Count a function's time within one that is left out."""

        def counted(*arguments: Any) -> Any:
            self._excluded = False
            self.resume()
            try:
                return function(*arguments)
            finally:
                self.pause()
                self._excluded = True

        return counted


def describe_human(human: TrackedHuman | None) -> dict[str, Any] | None:
    if human is None:
        return None
    places = {segment.name: human.positions[segment].tolist() for segment in Segment if human.tracked[segment]}
    return {"suit": human.suit, "quality": human.quality, "time": human.time, "places": places}


class ConsoleWorker(Worker):
    """What can be asked of the console."""

    def __init__(self) -> None:
        reopening.FIRST_PAUSE = 0.1  # [s]: tests do not wait as long as people
        self.said: list[str] = []
        self.stops: list[str] = []  # what is said of the controls that stop: anew whenever others are bound
        self.reads = 0
        self.attempts: list[float] = []  # [s], by the device's clock
        self.writing, self.going_on = threading.Event(), threading.Event()

    def open(self) -> dict[str, Any]:
        # What the operator wears comes by the environment, as the runtime does.
        suit = os.environ.get("HANDHOLD_TEST_SUIT", "none")
        config = SessionConfig(device="openxr", link_port=1, log_folder="", mirror=False, suit=suit)
        self.console = HeadsetConsole(None, config, say=self._note)
        self.device = self.console._device
        self._count_attempts()
        return {"done": True}

    def _note(self, line: str) -> None:
        (self.stops if "the robot STOPS" in line else self.said).append(line)

    def _count_attempts(self) -> None:
        open_device = self.device.open

        def count_and_open() -> None:
            self.attempts.append(time.monotonic())
            open_device()

        self.device.open = count_and_open

    def read(self) -> dict[str, Any]:
        sample = self.console.read()
        self.reads += 1
        return {
            "device": sample.device,
            "focused": sample.focused,
            "head": describe_pose(sample.head),
            "left": describe_hand(sample.left),
            "right": describe_hand(sample.right),
            "request": sample.request,
            "stop": sample.stop,
            "human": describe_human(sample.human),
            **self.count(),
        }

    def read_with_slow_eyes(self, frames: int, seconds: float) -> dict[str, Any]:
        """Read some frames, of each of which either eye takes so long [s]; tell what was sampled meanwhile."""
        painter = self.console._renderers[1]
        draw, interim = painter.draw, []

        def draw_slowly(target: Any, eye: Any) -> None:
            draw(target, eye)
            time.sleep(seconds)

        painter.draw = draw_slowly
        try:
            drawn = self.console._headset.count.drawn
            while self.console._headset.count.drawn < drawn + frames:
                self.console.read(interim.append)
        finally:
            painter.draw = draw
        return {"interim": len(interim), "focused": all(sample.focused for sample in interim)}

    def freeze_frames(self, frozen: bool) -> dict[str, Any]:
        """Let the runtime keep its next frame back, which it is waited for, or give it."""
        import xr

        if not frozen:
            self.thawed.set()
            return self.restore("xrWaitFrame")
        self.thawed = threading.Event()
        wait_frame, thawed = xr.raw_functions.xrWaitFrame, self.thawed

        def wait_long(session: Any, info: Any, state: Any) -> Any:
            thawed.wait()
            return wait_frame(session, info, state)

        xr.raw_functions.xrWaitFrame = wait_long
        return {"done": True}

    def read_for(self, seconds: float) -> dict[str, Any]:
        """Read for a time [s] as the station does; tell how old the last sample of one who is there was then [s]."""
        begin, times = time.monotonic(), []
        while time.monotonic() < begin + seconds:
            sample = self.console.read(lambda _: None)
            times += [sample.time - begin] if sample.focused else []
        return {"last_focused": max(times, default=0.0), "samples": len(times)}

    def count(self) -> dict[str, Any]:
        return {
            "reads": self.reads,
            "attempts": list(self.attempts),
            "drawn": self.console._headset.count.drawn,
            "said": list(self.said),
            "stops": list(self.stops),
            "display": self.console.view.state.display.value,
        }

    def live(self, seconds: float) -> dict[str, Any]:
        """Read for a time [s] as a station does, and for as many samples as a headset of 20 Hz gives in it, at least."""
        end, reads = time.monotonic() + seconds, self.reads + MIN_RATE * seconds
        while time.monotonic() < end or self.reads < reads:
            sample = self.read()
            if not self.console.paced:
                time.sleep(0.01)
        return sample

    def live_or_fail(self, seconds: float) -> dict[str, Any]:
        """Read for a time [s], or until nothing can be drawn."""
        try:
            return self.live(seconds)
        except RenderError as error:
            return {"error": type(error).__name__}

    def show(self, **changes: Any) -> dict[str, Any]:
        self.console.show(replace(make_snapshot(load_model("talos")), **changes))
        return {"done": True}

    def note_display(self, display: str) -> dict[str, Any]:
        """Let the headset have been another one, of a display of a name."""
        self.console.view.note_display(Display(display))
        return {"done": True}

    def texts(self) -> dict[str, Any]:
        self.console.read()
        return {"texts": " ".join(" ".join(label.text.split()) for label in self.console.view.scene.labels)}

    def items(self) -> dict[str, Any]:
        view = self.console.view
        return {"titles": [item.title for item in find_items(view.state, view._snapshot)]}

    def runtime(self, manifest: str) -> dict[str, Any]:
        """Let a runtime be found elsewhere, or nowhere, from now on."""
        os.environ["XR_RUNTIME_JSON"] = manifest
        return {"done": True}

    def offer_no_formats(self) -> dict[str, Any]:
        """Let the runtime have no texture that can be drawn into."""
        import xr

        def enumerate_none(_session: Any, _capacity: Any, count: Any, _formats: Any) -> Any:
            getattr(count, "_obj", count).value = 0
            return xr.Result.SUCCESS

        xr.raw_functions.xrEnumerateSwapchainFormats = enumerate_none
        return {"done": True}

    def stop_disk(self) -> dict[str, Any]:
        """Let the disk finish no write until it is told to go on."""
        fsync = os.fsync

        def slow_fsync(file: int) -> None:
            self.writing.set()
            self.going_on.wait()
            fsync(file)

        os.fsync = slow_fsync
        return {"done": True}

    def read_while_writing(self, number: int) -> dict[str, Any]:
        """Read until the disk is asked to write, and some samples more; tell whether it writes still."""
        while not self.writing.is_set():
            self.console.read()
        for _ in range(number):
            self.console.read()
        return {"writing": not self.going_on.is_set()}

    def start_disk(self) -> dict[str, Any]:
        """Let the disk go on."""
        self.going_on.set()
        return {"done": True}

    def count_gl(self) -> dict[str, Any]:
        """Count what OpenGL holds in the console's context."""
        from OpenGL import GL

        kinds = (GL.glIsTexture, GL.glIsBuffer, GL.glIsFramebuffer, GL.glIsRenderbuffer)
        return {kind.__name__: sum(bool(kind(name)) for name in range(1, 4000)) for kind in kinds}

    def close_and_count_gl(self) -> dict[str, Any]:
        """Close the console, and count what is left just before its context goes."""
        left: list[dict[str, Any]] = []
        close_context = self.console._context.close

        def count_and_close() -> None:
            left.append(self.count_gl())
            close_context()

        self.console._context.close = count_and_close
        self.console.close()
        return left[0]

    def station(self, port: int, frames: int, waiting: bool = False) -> dict[str, Any]:
        """Run the station's own loop for some frames, connected with a robot's host at a port.

        Args:
            port: Port of the link.
            frames: Frames to run for.
            waiting: Let the loop wait for the robot in each frame, as it must not.
        """
        if not hasattr(self, "link"):
            self.link = StationLink(LinkConfig(robot="talos", port=port, key=KEY), time.monotonic)
            self.page = Page(SessionConfig(link_port=port, log_folder="", page_port=find_free_port()))
        count = self.console._headset.count
        end, drawn = count.waited + frames, count.drawn
        clock = FrameClock(self.device.session.state.refresh_rate)
        with watching(clock, self.console), waiting_for_robot(self.link, waiting):
            StationLoop(self.console, self.page, self.link, lambda: None).run(lambda: count.waited >= end)
        return {"waited": frames, "drawn": count.drawn - drawn, "missed": clock.missed}

    def close(self) -> dict[str, Any]:
        if hasattr(self, "link"):
            self.link.close()
            self.page.close()
        self.console.close()
        return {"done": True}


@contextmanager
def watching(clock: FrameClock, console: HeadsetConsole) -> Iterator[None]:
    """Leave the runtime and drawing out of a frame clock's time, and nothing else."""
    headset, device, view = console._headset, console._device, console.view
    headset.pump, device.read = clock.exclude(headset.pump), clock.exclude(device.read)
    # asked for in the middle of a frame
    headset._find_scene = clock.count(headset._find_scene)
    try:
        clock.resume()
        yield
        clock.pause()
    finally:
        del headset.pump, device.read
        headset._find_scene = lambda: view.compose(time.monotonic())


@contextmanager
def waiting_for_robot(link: StationLink, waiting: bool) -> Iterator[None]:
    newest = link.newest_snapshot

    def wait_for_newest() -> Any:
        end = time.monotonic() + WAIT
        while (snapshot := newest()) is None and time.monotonic() < end:
            time.sleep(0.001)
        return snapshot

    if waiting:
        link.newest_snapshot = wait_for_newest
    try:
        yield
    finally:
        link.newest_snapshot = newest


if __name__ == "__main__":
    sys.setswitchinterval(1e-3)
    serve(ConsoleWorker())
