"""A process with an operator's headset and his robot, which lives one frame with each frame of the headset (in lockstep)."""

from __future__ import annotations

import base64
import ctypes
import sys
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from openxr_worker import Worker, serve

from handhold.app.host.cycle import Cycle
from handhold.app.host.footholds import find_start
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.scenarios.phrases import compute_turn_to_face
from handhold.app.lab.scenarios.walls import CLEARANCE, find_wall
from handhold.app.link.messages import Stamp, operator_codec
from handhold.app.session.config import SessionConfig
from handhold.app.station import headset_console
from handhold.app.station.headset_console import HeadsetConsole
from handhold.render.interface.view_state import find_items
from handhold.retarget.mode_profile import ModeOffer, ModeProfile
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

PERIOD = 1e-3  # [s]
PERIODS_A_FRAME = 17  # 60 Hz
TOUCHES = 50.0  # [N]: what a foot that stands bears at least


@dataclass(slots=True)
class LastPicture:
    """What the mirror's window has shown last, first row at the bottom."""

    pixels: np.ndarray


class SessionWorker(Worker):
    """What can be asked of the headset and the robot."""

    def __init__(self, in_robot_time: bool, world: str) -> None:
        self.in_robot_time = in_robot_time
        self.world = world
        self.model = load_model("talos")
        self.codec = operator_codec()
        about = load_world(world)
        self.surfaces = list_surfaces(about)
        self.robot = make_robot("mujoco", self.model, about)
        self.state = self.robot.reset(find_start(world, self.model))
        self.cycle = Cycle(self.model, self.state)
        self.hand = self.model.effector_of_hand("left")
        self.feet = [number for number, effector in enumerate(self.model.effectors) if effector.standing]
        self.last = LastPicture(np.zeros((1, 1, 4), dtype=np.uint8))
        self.snapshot: Any = None
        self.sample: Any = None
        self.changes: dict[str, Any] = {}
        self.draws = not in_robot_time

    def open(self) -> dict[str, Any]:
        config = SessionConfig(device="openxr", world=self.world, link_port=1, log_folder="", mirror=True)
        clock = (lambda: self.state.time) if self.in_robot_time else time.monotonic
        self.console = HeadsetConsole(None, config, clock, lambda words: print(words, file=sys.stderr))
        self.device = self.console._device
        self._watch_mirror()
        if self.in_robot_time:
            self._skip_eye_drawing()
        return {"done": True, "description": self.console.description}

    def _skip_eye_drawing(self) -> None:
        """Draw what both eyes see only where a picture is taken of it: fine meshes take a processor long."""
        painter = self.console._renderers[1]
        draw = painter.draw
        painter.draw = lambda target, eye: draw(target, eye) if self.draws else None

    def _watch_mirror(self) -> None:
        import glfw
        from OpenGL import GL

        swap_buffers = glfw.swap_buffers

        def read_and_swap(window: Any) -> None:
            width, height = glfw.get_framebuffer_size(window)
            self.last.pixels = np.empty((height, width, 4), dtype=np.uint8)
            GL.glReadPixels(0, 0, width, height, GL.GL_RGBA, GL.GL_UNSIGNED_BYTE, self.last.pixels)
            swap_buffers(window)

        glfw.swap_buffers = read_and_swap

    def live(self, frames: int) -> dict[str, Any]:
        """Let headset and robot live for some frames, and tell what the operator sees and what became of the robot."""
        for _ in range(frames):
            self.sample = self.console.read()
            self._live_a_frame()
        return self.describe()

    def _live_a_frame(self) -> None:
        # As the host gets it: packed and unpacked.
        received = self.codec.decode(
            self.codec.encode(self.sample, Stamp(run=1, sequence=self.sample.sequence, time=self.sample.time))
        ).payload
        for _ in range(PERIODS_A_FRAME):
            command, self.snapshot = self.cycle.step(received, self.state, self.surfaces, PERIOD)
            self.robot.send(command)
            self.robot.advance(PERIOD)
            self.state = self.robot.read()
        self.console.show(replace(self.snapshot, **self.changes))

    def guess_left_hand(self) -> dict[str, Any]:
        """Let the left hand be guessed (valid, not tracked) from now on, as headsets do with a controller they do not see."""
        import xr

        locate_space = xr.raw_functions.xrLocateSpace
        actions = self.device._actions._hands["left"]
        lost = {ctypes.addressof(space.contents) for space in (actions.grip._space, actions.aim._space)}

        def locate_space_guessing(space: Any, base: Any, at: Any, location: Any) -> Any:
            result = locate_space(space, base, at, location)
            if ctypes.addressof(space.contents) in lost:
                location._obj._location_flags &= 0b0011
            return result

        xr.raw_functions.xrLocateSpace = locate_space_guessing
        return {"done": True}

    def offer_mode(self, name: str) -> dict[str, Any]:
        """Let the wheel offer a mode that the robot's host does not have."""
        offered = ModeOffer(profile=ModeProfile(name=name, title=name.capitalize()))
        self.changes = {"modes": (*self.snapshot.modes, offered)}
        return {"done": True}

    def count(self) -> dict[str, Any]:
        """Count the headset's frames and the commands that the robot's host has refused."""
        count = self.console._headset.count
        refused = self.snapshot.counters.refused_commands
        return {"waited": count.waited, "drawn": count.drawn, "refused_commands": refused}

    def describe(self) -> dict[str, Any]:
        view, scene = self.console.view.state, self.console.view.scene
        texts: dict[str, list[str]] = {"WORLD": [], "HEAD": [], "LEFT_HAND": [], "RIGHT_HAND": [], "AHEAD": []}
        for label in scene.labels:
            texts[label.anchor.name].append(label.text)
        return {
            "texts": {anchor: "\n".join(lines) for anchor, lines in texts.items()},
            "robots": len(scene.robots),
            "wheel": None if view.wheel is None else view.wheel.page.name,
            "view": view.settings.view.name,
            "vignette": view.settings.vignette,
            "room": scene.transform_room_to_world.tolist(),
            "note": view.note,
            "told": {"trigger": self.sample.right.trigger, "menu": self.sample.right.buttons.menu},
            "focused": self.sample.focused,
            "tracked": self.sample.left.pose is not None,
            **self._describe_robot(),
        }

    def _describe_robot(self) -> dict[str, Any]:
        snapshot = self.snapshot
        if snapshot is None:
            return {}
        return {
            "mode": snapshot.mode,
            "stop": snapshot.stop,
            "engaged": snapshot.left.engaged,
            "waiting": snapshot.left.waiting,
            "limits": list(snapshot.report.active_constraints),
            "messages": list(snapshot.messages),
            "hand": self.model.effector_poses(snapshot.q)[self.hand, :3, 3].tolist(),
            "wanted": snapshot.reference.effector_poses[self.hand, :3, 3].tolist(),
            "contact": snapshot.left.contact,
            "support": None if snapshot.report.left.support is None else snapshot.report.left.support.normal_force,
            "base": snapshot.q[:2].tolist(),
            "feet": [abs(force) > TOUCHES for force in snapshot.contact_wrenches[self.feet, 2].tolist()],
            "height": float(snapshot.q[2]),
        }

    def find_way_to_wall(self) -> dict[str, Any]:
        """Tell how the robot's left hand gets before the wall ahead, its palm to it: a way [m] and a turn [rad] in world."""
        pose = self.snapshot.reference.effector_poses[self.hand]
        radius = self.model.effectors[self.hand].radius
        distance = find_wall(load_world(self.world)) - radius - CLEARANCE - float(pose[0, 3])
        return {"way": [distance, 0.0, 0.0], "turn": list(compute_turn_to_face(pose, (-1.0, 0.0, 0.0)))}

    def items(self) -> dict[str, Any]:
        """Tell what stands on the open wheel, clockwise from the top."""
        items = find_items(self.console.view.state, replace(self.snapshot, **self.changes))
        return {"titles": [item.title for item in items]}

    def resize_mirror(self, width: int, height: int) -> dict[str, Any]:
        import glfw

        glfw.set_window_size(self.console._mirror.window, width, height)
        return self.live(2)

    def picture(self) -> dict[str, Any]:
        """Answer with what the mirror shows: the left eye's picture with what is fixed to the head."""
        self.draws = True
        for _ in range(2):  # what waits to be shown may not have been drawn
            shown = self.console._mirror.shown
            while self.console._mirror.shown <= shown:
                self.live(1)
        self.draws = not self.in_robot_time
        pixels = self.last.pixels[::-1]
        image = base64.b64encode(pixels.tobytes()).decode()
        return {"image": image, "size": [pixels.shape[1], pixels.shape[0]]}

    def close(self) -> dict[str, Any]:
        self.console.close()
        self.robot.close()
        return {"done": True}


if __name__ == "__main__":
    words = sys.argv[2].split()
    fine = "fine" in words
    if fine:
        # For pictures to look at, which take long: the robot's own time tells how old they are.
        headset_console.draws_by_processor = lambda: False
    serve(SessionWorker(fine, words[1] if len(words) > 1 else "flat"))
