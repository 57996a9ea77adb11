"""A scene with everything in it, for timing: made by the same ``compose`` as what the operator sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.standing import find_standing_posture
from handhold.render.compose import compose
from handhold.render.scene import Scene
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
    """A standing robot, its ghost and preview, surfaces, footsteps, a cloud and a picture; all moving."""

    def __init__(self, model: RobotModel) -> None:
        """Let the robot stand."""
        state, self._snapshot = _make_snapshot(model)
        self._stage = Stage(model, load_world("flat"))
        self._view = ViewState(placed=True)
        self._arms = 7 + np.array([i for i, name in enumerate(model.joint_names) if name.startswith("arm")])
        self._q = state.q
        rng = np.random.default_rng(0)
        self._points = rng.uniform((0.5, -1.0, 0.0), (2.0, 1.0, 2.0), (POINTS, 3)).astype(np.float32)
        self._colors = rng.integers(0, 255, (POINTS, 3), dtype=np.uint8)
        self._picture = PictureFrame(image=rng.integers(0, 255, PICTURE_SIZE, dtype=np.uint8), version=0)

    def make_snapshot(self, number: int) -> Snapshot:
        """Return the snapshot of one cycle."""
        q = self._q.copy()
        q[self._arms] += SWAY * np.sin(0.1 * number)
        return replace(self._snapshot, cycle=number, time=0.01 * number, q=q)

    def compose(self, snapshot: Snapshot) -> Scene:
        """Compose a scene, with a new cloud and other ages every time."""
        cloud = CloudFrame(positions=self._points, colors=self._colors, version=snapshot.cycle)
        age = 1e-3 * (snapshot.cycle % 20)
        streams = Streams(snapshot_age=age, cloud=cloud, cloud_age=age, picture=self._picture, picture_age=age)
        return compose(snapshot, self._view, streams, self._stage)


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
