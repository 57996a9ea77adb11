"""A scene with everything in it, for timing: made by the same ``compose`` as what the operator sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.app.headset_view import HeadsetView
from handhold.app.standing import find_standing_posture
from handhold.devices.operator_input import HandInput, OperatorInput
from handhold.render.compose import complete, compose_world
from handhold.render.scene import Scene
from handhold.render.settings import Settings
from handhold.render.snapshot import (
    Candidate,
    Counters,
    Footstep,
    HandStatus,
    ModeStatus,
    Preview,
    Snapshot,
    StabilityRegion,
)
from handhold.render.stage import Stage
from handhold.render.streams import CloudFrame, PictureFrame, Streams
from handhold.render.view_state import ViewState
from handhold.retarget.bracing.mode import BracingMode
from handhold.robots.engines import make_robot
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.robot import RobotState
from handhold.robots.worlds import load_world

POINTS = 30_000
SURFACES = 10
SWAY = 0.2
"""How far the arms swing, so that robot and ghost are apart [rad]."""
PICTURE_SIZE = (480, 640, 3)


class EverythingShown:
    """A standing robot, its ghost and preview, surfaces, footsteps, a cloud and a picture, and an operator; all moving."""

    def __init__(self, model: RobotModel) -> None:
        """Let the robot stand."""
        state, self._snapshot = _make_snapshot(model)
        self._stage = Stage(model, load_world("flat"))
        self._view = HeadsetView(self._stage, Settings())
        self._world: tuple[Snapshot, Scene] | None = None
        self._arms = 7 + np.array([i for i, name in enumerate(model.joint_names) if name.startswith("arm")])
        self._q = state.q
        rng = np.random.default_rng(0)
        self._points = rng.uniform((0.5, -1.0, 0.0), (2.0, 1.0, 2.0), (POINTS, 3)).astype(np.float32)
        self._colors = rng.integers(0, 255, (POINTS, 3), dtype=np.uint8)
        self._picture = PictureFrame(image=rng.integers(0, 255, PICTURE_SIZE, dtype=np.uint8), version=0)

    def make_snapshot(self, number: int) -> Snapshot:
        """Return the snapshot of one cycle, in which arms and surfaces have moved."""
        q = self._q.copy()
        q[self._arms] += SWAY * np.sin(0.1 * number)
        candidates = tuple(_move(candidate, number) for candidate in self._snapshot.candidates)
        return replace(self._snapshot, cycle=number, time=0.01 * number, q=q, candidates=candidates)

    def make_sample(self, number: int) -> OperatorInput:
        """Return what the operator does in one frame: head and hands move."""
        sway = np.array([0.0, 0.02 * np.sin(0.1 * number), 0.0])
        left, right = (_place(np.array([0.4, side, 1.3]) + sway) for side in (0.2, -0.2))
        return OperatorInput(
            time=number / 60.0,
            sequence=number,
            head=_place(np.array([0.0, 0.0, 1.6]) + sway),
            left=HandInput(pose=left, aim=left, squeeze=1.0),
            right=HandInput(pose=right, aim=right),
        )

    def follow(self, sample: OperatorInput, snapshot: Snapshot) -> ViewState:
        """Let the interface follow the operator, and make what the robot is told; see ``HeadsetView``."""
        self._view.show(snapshot, sample.time)
        self._view.follow(sample, sample.time)
        return self._view.state

    def compose(self, snapshot: Snapshot, view: ViewState, number: int) -> Scene:
        """Compose the scene of a frame, what stands in the world only for a new snapshot, whose cloud is new as well.

        ``HeadsetView`` does the same, without cloud and picture.
        """
        if self._world is None or self._world[0] is not snapshot:
            self._world = (snapshot, compose_world(snapshot, view.settings, self._stage))
        cloud = CloudFrame(positions=self._points, colors=self._colors, version=snapshot.cycle)
        age = 1e-3 * (number % 20)
        streams = Streams(snapshot_age=age, cloud=cloud, cloud_age=age, picture=self._picture, picture_age=age)
        return complete(self._world[1], snapshot, view, streams)


def _move(candidate: Candidate, number: int) -> Candidate:
    pose = candidate.pose.copy()
    pose[0, 3] += 0.001 * (number % 7)
    return replace(candidate, pose=pose)


def _place(position: np.ndarray) -> pin.SE3:
    return pin.SE3(np.eye(3), position)


def _make_snapshot(model: RobotModel) -> tuple[RobotState, Snapshot]:
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    body.close()
    reference = BracingMode(model, make_solver("daqp")).enter(state)
    poses = reference.effector_poses
    limit = "friction of the left hand"
    region = StabilityRegion(vertices=reference.support_polygon, height=0.0, margin=0.04, edge=0, limit=limit)
    hands = {hand: poses[model.effector_of_hand(hand) or 0] for hand in ("left", "right")}
    return state, Snapshot(
        time=0.0,
        cycle=0,
        robot=model.description.name,
        mode="bracing",
        stop="",
        q=state.q,
        position_com_in_world=reference.position_com_in_world,
        contact_wrenches=reference.contact_wrenches,
        reference=reference,
        left=HandStatus(engaged=True, waiting="", target=hands["left"]),
        right=HandStatus(engaged=False, waiting="squeeze to move", target=hands["right"]),
        active_constraints=(limit, "torque of arm_left_4_joint"),
        messages=("near the limit of the left arm",),
        counters=Counters(),
        input_age=0.01,
        joint_torques=reference.joint_torques,
        region=region,
        candidates=tuple(_make_candidate(i) for i in range(SURFACES)),
        preview=Preview(title="brace", q=state.q, feasible=True, region=region),
        footsteps=tuple(Footstep(side=side, pose=np.eye(4), delay=0.5) for side in ("left", "right")),
        modes=(ModeStatus(name="walking", title="Walking", feasible=True),),
    )


def _make_candidate(number: int) -> Candidate:
    pose = np.eye(4)
    pose[:3, 3] = (1.0, 0.2 * number - 1.0, 0.9)
    corners = 0.09 * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    side = "left" if number % 2 else "right"
    return Candidate(pose=pose, boundary=corners, hand=side, gain=0.01 * number, chosen=number == 0, age=0.1)
