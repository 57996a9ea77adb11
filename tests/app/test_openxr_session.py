"""A whole session in real time: a real OpenXR runtime, the station's process, the link, the host's process and its robot."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from monado import Controller, Headset, RemoteDriver, find_runtime_json, free_port, pose_at, runtime_environment

from handhold.app.link import StationLink
from handhold.app.session.config import SessionConfig
from handhold.app.session.process import start_process
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel, load_model

pytestmark = pytest.mark.alone

HANG = 500.0  # [s]: what takes longer hangs; a busy machine simulates slower than real time
FORWARD = 0.2  # [m]
FOLLOWING = 0.02  # [m]
HAND_SPEED = 0.15  # [m/s]
FRAME = 1.0 / 90.0  # [s]


class Operator:
    """Someone with a headset on, who watches the robot and takes the clutch again when it has opened."""

    def __init__(self, driver: RemoteDriver, link: StationLink, model: RobotModel) -> None:
        self._driver = driver
        self._link = link
        self._model = model
        self._effector = model.effector_of_hand("left")
        self._position = np.array([0.4, 0.3, 1.2])
        self.seen: Snapshot | None = None

    @property
    def engaged(self) -> bool:
        return self.seen is not None and self.seen.left.engaged

    @property
    def robot_hand(self) -> np.ndarray:
        """Where the simulated robot's hand is, by its measured joints and base [m]."""
        assert self.seen is not None
        return self._model.effector_poses(self.seen.q)[self._effector, :3, 3]

    def live(self, squeeze: float, velocity: float = 0.0) -> None:
        """Live for one frame, the left hand moving forward at a velocity [m/s]."""
        self._position = np.add(self._position, [velocity * FRAME, 0.0, 0.0])
        left = Controller(pose=pose_at(pin.SE3(np.eye(3), self._position)), squeeze=squeeze)
        self._driver.send(Headset(left=left))
        time.sleep(FRAME)
        self.seen = self._link.newest_snapshot() or self.seen

    @property
    def robot_time(self) -> float:
        """The robot's own time [s]."""
        assert self.seen is not None
        return self.seen.time

    def wait_for(self, condition: Callable[[], bool], squeeze: float) -> None:
        """Live until a condition holds; only what hangs fails."""
        deadline = time.monotonic() + HANG
        while not condition():
            assert time.monotonic() < deadline, self.seen and self.seen.messages
            self.live(squeeze)

    def let_live(self, squeeze: float, seconds: float, velocity: float = 0.0) -> None:
        """Live for a time of the robot's own [s]."""
        end = self.robot_time + seconds
        while self.robot_time < end:
            self.live(squeeze, velocity)

    def take_the_clutch(self) -> None:
        """Let go, and squeeze until the robot's hand is engaged, again and again."""
        while not self.engaged:
            self.let_live(0.0, 0.5)
            end = self.robot_time + 1.0
            self.wait_for(lambda end=end: self.engaged or self.robot_time > end, 1.0)


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    """An operator whose robot's host and station run, each in a process of its own."""
    config = SessionConfig(device="openxr", page_port=free_port(), link_port=free_port(), log_folder=str(tmp_path / "log"))
    port = free_port()
    environment = runtime_environment(find_runtime_json(), tmp_path, port)
    with contextlib.ExitStack() as stack:
        for module in ("handhold.app.host.program", "handhold.app.station.program"):
            command = [sys.executable, "-m", module]
            output = stack.enter_context((tmp_path / f"{module}.log").open("w"))
            process = stack.enter_context(start_process(command, config, env=environment, stdout=output, stderr=output))
            stack.callback(process.terminate)
        link = stack.enter_context(StationLink(config.link, time.monotonic))
        driver = RemoteDriver(port)
        stack.callback(driver.close)
        operator = Operator(driver, link, load_model(config.robot))
        operator.wait_for(lambda: operator.seen is not None, 0.0)
        yield operator


def test_an_operator_with_a_headset_moves_the_robots_hand_by_20_cm(operator: Operator) -> None:
    operator.let_live(0.0, 1.0)
    goal = operator.robot_hand[0] + FORWARD
    deadline = time.monotonic() + HANG
    while abs(goal - operator.robot_hand[0]) > FOLLOWING / 2:
        assert time.monotonic() < deadline, f"the hand is {goal - operator.robot_hand[0]:.3f} m away"
        operator.take_the_clutch()
        operator.live(1.0, HAND_SPEED * np.clip((goal - operator.robot_hand[0]) / FOLLOWING, -1.0, 1.0))

    operator.wait_for(lambda: not operator.engaged, 0.0)
    operator.let_live(0.0, 2.0)
    stayed = operator.robot_hand
    operator.let_live(0.0, 1.0, -HAND_SPEED)
    assert np.linalg.norm(operator.robot_hand - stayed) < FOLLOWING
    assert operator.seen is not None
    assert operator.seen.counters.refused_samples == 0
