"""A scene with everything in it, for timing: made by the same ``compose`` as what the operator sees."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pinocchio as pin

from handhold.app.host.standing import find_standing_posture
from handhold.app.station.headset_view import HeadsetView
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.composition.compose import complete, compose_world
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.elements.balance_disc import find_disc_view
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState
from handhold.render.scene import Scene
from handhold.render.snapshot import Counters, HandStatus, Snapshot
from handhold.render.streams import CloudFrame, PictureFrame, Streams
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeOffer
from handhold.retarget.mode_report import (
    Approach,
    Candidate,
    ContactState,
    Footstep,
    HandReport,
    ModeReport,
    Preview,
    StabilityRegion,
    Support,
)
from handhold.retarget.walking.mode import WalkingMode
from handhold.robots.model import RobotModel
from handhold.robots.qp import make_solver
from handhold.robots.robot import RobotState
from handhold.robots.simulation.engines import make_robot
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
        self._memory, self._interface_memory = ElementMemory(), ElementMemory()
        self._arms = 7 + np.array([i for i, name in enumerate(model.joint_names) if name.startswith("arm")])
        self._q = state.q
        rng = np.random.default_rng(0)
        self._points = rng.uniform((0.5, -1.0, 0.0), (2.0, 1.0, 2.0), (POINTS, 3)).astype(np.float32)
        self._colors = rng.integers(0, 255, (POINTS, 3), dtype=np.uint8)
        self._picture = PictureFrame(image=rng.integers(0, 255, PICTURE_SIZE, dtype=np.uint8), version=0)

    def enter(self, world: str, settings: Settings) -> None:
        """Go on in another world, with other choices of an operator who has just come."""
        self._stage = Stage(self._stage.model, load_world(world))
        self._view = HeadsetView(self._stage, settings)
        self._world = None

    def make_snapshot(self, number: int) -> Snapshot:
        """Return the snapshot of one cycle, in which arms and surfaces have moved."""
        q = self._q.copy()
        q[self._arms] += SWAY * np.sin(0.1 * number)
        candidates = tuple(_move(candidate, number) for candidate in self._snapshot.report.candidates)
        left = HandReport(approach=_make_approach(self._snapshot.left.target, number))
        report = replace(self._snapshot.report, left=left, candidates=candidates)
        return replace(self._snapshot, cycle=number, time=0.01 * number, q=q, report=report)

    def make_sample(self, number: int) -> OperatorSample:
        """Return what the operator does in one frame: hands move, which the head looks at."""
        sway = np.array([0.0, 0.02 * np.sin(0.1 * number), 0.0])
        left, right = (_make_pose(np.array([0.45, side, 1.45]) + sway) for side in (0.12, -0.12))
        return OperatorSample(
            time=number / 60.0,
            sequence=number,
            head=_make_pose(np.array([0.0, 0.0, 1.6]) + sway),
            left=HandSample(pose=left, aim=left, squeeze=1.0),
            right=HandSample(pose=right, aim=right),
        )

    def follow(self, sample: OperatorSample, snapshot: Snapshot) -> ViewState:
        """Let the interface follow the operator, and make what the robot is told; see ``HeadsetView``."""
        self._view.show(snapshot, sample.time)
        self._view.follow(sample, sample.time)
        return self._view.state

    def compose(self, snapshot: Snapshot, view: ViewState, number: int) -> Scene:
        """Compose the scene of a frame, what stands in the world only for a new snapshot, whose cloud is new as well.

        ``HeadsetView`` does the same, without cloud and picture.
        """
        if self._world is None or self._world[0] is not snapshot:
            disc_view = find_disc_view(view.trend, view.transform_room_to_world, view.ahead.heading)
            self._world = (snapshot, compose_world(snapshot, view.settings, self._stage, disc_view, self._memory))
        cloud = CloudFrame(positions=self._points, colors=self._colors, version=snapshot.cycle)
        age = 1e-3 * (number % 20)
        streams = Streams(snapshot_age=age, cloud=cloud, cloud_age=age, picture=self._picture, picture_age=age)
        return complete(self._world[1], snapshot, view, streams, memory=self._interface_memory)


def _move(candidate: Candidate, number: int) -> Candidate:
    pose = candidate.pose.copy()
    pose[0, 3] += 0.001 * (number % 7)
    return replace(candidate, pose=pose)


def _make_approach(hand: np.ndarray, number: int) -> Approach:
    """Return a wall ahead of a hand, to which it is askew."""
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = hand[:3, 3] + (0.15, 0.0, 0.0)
    axis = np.array([-0.6, 0.8, 0.0])
    return Approach(
        pose=pose,
        half_lengths=(0.02, 0.02),
        is_round=True,
        distance=0.12 + 0.001 * (number % 7),
        axis=axis,
        tilt=math.acos(0.6),
        max_tilt=0.7,
        obstacle="turn the hand, 53 deg off",
    )


def _make_pose(position: np.ndarray) -> pin.SE3:
    return pin.SE3(np.eye(3), position)


def _make_snapshot(model: RobotModel) -> tuple[RobotState, Snapshot]:
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    body.close()
    reference = BracingMode(model, make_solver("daqp")).enter(state).reference
    poses = reference.effector_poses
    limit = "friction of the left hand"
    region = StabilityRegion(vertices=reference.support_polygon, height=0.0, margin=0.04, edge=0, limit=limit)
    support = Support(normal_force=75.0, desired_force=74.0, max_force=200.0, friction_ratio=0.68, margin_gain=0.013)
    hands = {hand: poses[model.effector_of_hand(hand) or 0] for hand in ("left", "right")}
    return state, Snapshot(
        time=0.0,
        cycle=0,
        robot=model.description.name,
        mode="bracing",
        stop=Stop.NONE,
        q=state.q,
        position_com_in_world=reference.position_com_in_world,
        contact_wrenches=reference.contact_wrenches,
        reference=reference,
        left=HandStatus(engaged=True, waiting="", target=hands["left"]),
        right=HandStatus(
            engaged=False,
            waiting="squeeze to move",
            target=hands["right"],
            effector=model.effectors[model.effector_of_hand("right") or 0].name,
            contact=ContactState.LOADED,
        ),
        messages=("near the limit of the left arm",),
        counters=Counters(),
        input_age=0.01,
        joint_torques=reference.joint_torques,
        report=ModeReport(
            active_constraints=(limit, "torque of arm_left_4_joint"),
            region=region,
            preview=Preview(title="brace", q=state.q, feasible=True, region=region),
            footsteps=tuple(Footstep(side=side, pose=np.eye(4), delay=0.5) for side in ("left", "right")),
            candidates=tuple(_make_candidate(i) for i in range(SURFACES)),
            right=HandReport(support=support),
        ),
        modes=tuple(ModeOffer(profile=profile) for profile in (BracingMode.profile, WalkingMode.profile)),
    )


def _make_candidate(number: int) -> Candidate:
    pose = np.eye(4)
    pose[:3, 3] = (1.0, 0.2 * number - 1.0, 0.9)
    corners = 0.09 * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])
    side = "left" if number % 2 else "right"
    return Candidate(pose=pose, boundary=corners, hand=side, gain=0.01 * number, chosen=number == 0, age=0.1)
