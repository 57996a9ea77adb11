"""Regions, surfaces, steps, clouds and hands for the gallery."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from handhold.app.lab.gallery.postures import reach, turn
from handhold.render.interface.placement import place_wheel, rotate_about_vertical
from handhold.render.interface.wheel import Page, Wheel
from handhold.render.look_at import look_at
from handhold.render.streams import CloudFrame
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeOffer, ModeProfile
from handhold.retarget.mode_report import Candidate, Footstep, Lag, PersonReport, StabilityRegion
from handhold.retarget.motions.mode import MotionMode
from handhold.retarget.walking.mode import WalkingMode
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.worlds import Solid, load_world

WALL = 0.65
"""Where the face of the wall in front is in the world ``wall`` [m]."""

POINTS = 30_000
"""Points of a cloud."""

NECK = look_at(np.array([-0.86, 0.0, 2.3]), np.array([0.3, 0.0, 1.3]))
"""Pose of an eye in the third person that looks down at the robot."""

AHEAD = look_at(NECK[:3, 3], np.array([0.3, 0.0, 2.0]))
"""The same of one that looks ahead, at the wheel."""


_STEP = {"leg_left_2_joint": 0.45, "leg_left_3_joint": -0.5, "leg_left_4_joint": 0.6, "leg_left_5_joint": -0.1}


class Postures:
    """A robot in the postures that pictures need."""

    def __init__(self, model: RobotModel) -> None:
        self.model = model

    @cached_property
    def reaching(self) -> np.ndarray:
        """Both hands forward."""
        q = reach(self.model, self.model.q_nominal, "left", np.array([0.52, 0.22, 1.0]), "arm_left")
        return reach(self.model, q, "right", np.array([0.42, -0.3, 1.15]), "arm_right")

    @cached_property
    def braced(self) -> np.ndarray:
        """The left hand at the wall, leaning to it."""
        q = self.model.q_nominal.copy()
        q[7 + self.model.joint_names.index("torso_2_joint")] = 0.18
        return reach(self.model, q, "left", np.array([WALL - 0.05, 0.35, 1.2]), "arm_left")

    @cached_property
    def near_the_wall(self) -> np.ndarray:
        """The left hand 14 cm before the wall in front, and facing it."""
        return self._turn_hand(0.25)

    @cached_property
    def askew_at_the_wall(self) -> np.ndarray:
        """The same, the hand turned away."""
        return self._turn_hand(1.0)

    def _turn_hand(self, tilt: float) -> np.ndarray:
        q = reach(self.model, self.model.q_nominal, "left", np.array([WALL - 0.2, 0.35, 1.1]), "arm_left")
        back = np.array([-np.cos(tilt), np.sin(tilt), 0.0])
        return turn(self.model, q, "left", back, "arm_left")

    @cached_property
    def braced_reaching(self) -> np.ndarray:
        """Braced, and the right hand as far as it gets."""
        return reach(self.model, self.braced, "right", np.array([0.6, -0.35, 1.3]), "arm_right")

    @cached_property
    def stepping(self) -> np.ndarray:
        """One leg raised and to the side."""
        q = self.model.q_nominal.copy()
        for name, change in _STEP.items():
            q[7 + self.model.joint_names.index(name)] += change
        return q

    @cached_property
    def eye(self) -> tuple[float, float, float]:
        """Where the robot's eyes are in world, standing [m]."""
        x, y, z = self.model.q_nominal[:3].tolist()
        return (x + 0.09, y, z + 0.6)

    @cached_property
    def bending(self) -> np.ndarray:
        """Bent forward and aside, both hands before the body."""
        q = self.model.q_nominal.copy()
        for name, angle in (("torso_1_joint", 0.35), ("torso_2_joint", 0.3)):
            q[7 + self.model.joint_names.index(name)] = angle
        q = reach(self.model, q, "left", np.array([0.5, 0.45, 1.35]), "arm_left")
        return reach(self.model, q, "right", np.array([0.45, -0.2, 0.95]), "arm_right")

    def effector(self, q: np.ndarray, hand: str) -> np.ndarray:
        """Return the pose of a hand's effector in a posture, shape ``(4, 4)``."""
        return self.model.effector_poses(q)[self.model.effector_of_hand(hand) or 0]


def look_from(x: float, y: float, z: float, *, target: tuple[float, float, float]) -> np.ndarray:
    """Return the pose of an eye at a place that looks at a target, shape ``(4, 4)``."""
    return look_at(np.array([x, y, z]), np.array(target))


def find_room(eye: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a room whose origin is on the floor below an eye, and the eye's pose in it, shape ``(4, 4)`` each."""
    room, head = np.eye(4), eye.copy()
    room[:2, 3] = eye[:2, 3]
    head[:2, 3] = 0.0
    return room, head


def make_region(margin: float, *, wide: bool = False) -> StabilityRegion:
    """Return a region of 18 vertices around the feet; a wide one reaches to a wall in front."""
    angles = np.linspace(0.0, 2.0 * np.pi, 18, endpoint=False) + 0.1
    reach_x, reach_y = (0.2, 0.17) if wide else (0.135, 0.155)
    vertices = np.stack([reach_x * np.cos(angles), reach_y * np.sin(angles)], axis=1)
    vertices *= (1.0 + 0.12 * np.cos(2.0 * angles + 0.5))[:, None]
    vertices[:, 0] += 0.08 if wide else 0.0
    limit = "left elbow torque" if wide else "left foot edge"
    return StabilityRegion(vertices=vertices, height=0.0, margin=margin, edge=16 if wide else 0, limit=limit)


def make_surface(hand: str, y: float, gain: float, *, chosen: bool = False) -> Candidate:
    """Return a surface on the wall in front."""
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = (WALL, y, 1.2)
    boundary = np.array([[-0.2, -0.22], [0.18, -0.25], [0.22, 0.2], [0.0, 0.27], [-0.2, 0.18]])
    return Candidate(pose=pose, boundary=boundary, hand=hand, gain=gain, chosen=chosen, age=0.1)


def make_steps() -> tuple[Footstep, ...]:
    """Return four steps ahead."""
    steps = []
    for number in range(4):
        pose = np.eye(4)
        angle = 0.08 * number
        pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        side = ("left", "right")[number % 2]
        pose[:3, 3] = (0.24 * (number + 1), (0.085 if side == "left" else -0.085) + 0.03 * number**1.5, 0.0)
        steps.append(Footstep(side=side, pose=pose, delay=0.4 + 0.8 * number))
    return tuple(steps)


def make_person(
    model: RobotModel, q: np.ndarray, beyond: tuple[float, float, float], *, following: bool = True
) -> PersonReport:
    """Return a person in a robot's posture, whose left hand is so far beyond the robot's [m]."""
    mapping, kinematics = find_mapping(model), EffectorKinematics(model)
    assert mapping is not None, "a humanoid"
    kinematics.update(q)
    joints, lag = kinematics.joint_poses[:, 3], np.array(beyond)
    neck = joints[[arm.shoulder for arm in mapping.arms]].mean(axis=0)
    points = [*joints[[1, mapping.turned[1]]], neck, neck + np.array([0.08, 0.0, 0.24])]
    for arm, off in zip(mapping.arms, (lag, np.zeros(3)), strict=True):
        chain = np.array([*joints[[arm.shoulder, arm.elbow, arm.wrist]], kinematics.poses[arm.hand, :3, 3]])
        points += [*(chain + np.outer((0.0, 0.3, 0.9, 1.0), off))]
    bones = [[0, 1], [1, 2], [2, 3], [2, 4], [4, 5], [5, 6], [6, 7], [2, 8], [8, 9], [9, 10], [10, 11]]
    distance = float(np.linalg.norm(lag))
    lags = (
        Lag(part="left hand", effector=mapping.arms[0].hand, point=7, distance=distance, limits=("arm_left_4_joint torque",)),
    )
    placed = np.array(points)
    return PersonReport(
        points=placed, hands=placed[7::4], bones=np.array(bones), lags=lags if distance else (), following=following
    )


def make_modes() -> tuple[ModeOffer, ...]:
    """Return modes, one of which cannot be entered."""
    return (
        ModeOffer(profile=BracingMode.profile),
        ModeOffer(profile=WalkingMode.profile),
        ModeOffer(profile=MotionMode.profile, obstacle="a hand is loaded"),
        ModeOffer(profile=ModeProfile(name="whole_body", title="Whole body"), obstacle="no suit is connected"),
    )


def make_wheel(page: Page, pointed: int) -> Wheel:
    """Return an open wheel before the eye of the third person."""
    return Wheel(hand="left", page=page, heading=page.value, pointed=pointed, pose=place_wheel(find_room(NECK)[1]))


def raise_hand(eye: np.ndarray, forward: float, left: float, up: float) -> np.ndarray:
    """Return the grip pose of a fist before an eye, its thumb up and ahead, shape ``(4, 4)``.

    Args:
        eye: Pose of the eye in world.
        forward: How far before it [m]; ahead and upright is where the eye looks to, seen from above.
        left: How far to its left [m].
        up: How far above it [m].
    """
    c, s = np.cos(0.9), np.sin(0.9)
    return _make_grip_pose(eye, (forward, left, up), np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]))


def raise_wrist(eye: np.ndarray, forward: float, left: float, up: float) -> np.ndarray:
    """Return the grip pose of a left fist whose back is held before an eye as one reads a watch; see ``raise_hand``."""
    c, s = np.cos(0.75), np.sin(0.75)
    # the thumb comes to the wearer, the wrist is on the left, the back of the hand looks up to the eyes
    thumb, back, wrist = (-s, 0.0, -c), (-c, 0.0, s), (0.0, 1.0, 0.0)
    return _make_grip_pose(eye, (forward, left, up), np.column_stack([thumb, back, wrist]))


def _make_grip_pose(eye: np.ndarray, position: tuple[float, float, float], rotation: np.ndarray) -> np.ndarray:
    turn = rotate_about_vertical(float(np.arctan2(eye[1, 0], eye[0, 0])))
    pose = np.eye(4)
    pose[:3, :3] = turn @ rotation
    pose[:3, 3] = eye[:3, 3] + turn @ position
    return pose


def make_cloud(world: str) -> CloudFrame:
    """Return points on the faces of a world's boxes that a camera above would see, a little noisy."""
    random = np.random.default_rng(0)
    # What stands beside the robot its camera does not see.
    boxes = [solid for solid in load_world(world).solids if solid.shape == "box" and solid.position[0] > 0.0]
    areas = np.array([solid.size[1] * solid.size[2] + solid.size[0] * solid.size[1] for solid in boxes])
    counts = (POINTS * areas / areas.sum()).astype(int)
    parts = [_sample(solid, count, random) for solid, count in zip(boxes, counts.tolist(), strict=True)]
    positions = np.concatenate([part[0] for part in parts]) + random.normal(scale=0.003, size=(counts.sum(), 3))
    return CloudFrame(positions=positions.astype(np.float32), colors=np.concatenate([part[1] for part in parts]), version=1)


def _sample(solid: Solid, count: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return points on the front and the top of a box, and their colours."""
    coordinates = random.uniform(-0.5, 0.5, size=(count, 3))
    front = random.uniform(size=count) < solid.size[2] / (solid.size[0] + solid.size[2])
    coordinates[front, 0], coordinates[~front, 2] = -0.5, 0.5
    positions = coordinates * solid.size @ solid.to_se3().rotation.T + solid.position
    shade = 1.0 + 0.12 * np.sin(9.0 * coordinates[:, 1:2]) + random.normal(scale=0.05, size=(count, 1))
    return positions, np.clip(255.0 * np.array(solid.colour) * shade, 0, 255).astype(np.uint8)
