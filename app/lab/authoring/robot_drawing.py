"""The parts of a robot's picture: shaded shapes, soles, hands, frames, joints and the centre of mass, seen along one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.app.lab.authoring.robot_hulls import Facets, build_facets
from handhold.app.lab.authoring.robot_posture import NEAR_LIMIT, list_near_limits
from handhold.robots.model import RobotModel

SOLE, HAND, JOINT, LIMIT = "#0b6fb8", "#d9730d", "#3d4852", "#c0182b"

_DARKEST, _LIGHTEST = np.array([0.60, 0.64, 0.69]), np.array([0.93, 0.945, 0.96])
_AXES = ("#d62728", "#2ca02c", "#1f5fd6")
_AXIS_LENGTH, _NORMAL_LENGTH = 0.035, 0.075  # as parts of the robot's height [-]


@dataclass(frozen=True, slots=True)
class View:
    """A side that a robot is seen from.

    Attributes:
        title: The side, for people.
        right: The axis of the world that is to the right.
        up: The axis of the world that is upwards on the paper.
        toward: The direction towards who looks, shape ``(3,)``.
    """

    title: str
    right: int
    up: int
    toward: tuple[float, float, float]

    def project(self, points: np.ndarray) -> np.ndarray:
        """Return points of the world, shape ``(..., 3)``, on the paper, shape ``(..., 2)`` [m]."""
        return np.asarray(points)[..., [self.right, self.up]]


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Posture:
    """A robot in its nominal posture, all in world.

    Attributes:
        model: The robot.
        facets: Its shapes.
        effectors: Poses of the contact frames, shape ``(effectors, 4, 4)``.
        joints: Positions of the joints, shape ``(n, 3)`` [m].
        com: Centre of mass, shape ``(3,)`` [m].
        near: Names of the joints near a limit.
    """

    model: RobotModel
    facets: Facets
    effectors: np.ndarray
    joints: np.ndarray
    com: np.ndarray
    near: tuple[str, ...]

    @property
    def points(self) -> np.ndarray:
        """Points between which the picture lies, shape ``(k, 3)`` [m]."""
        return np.vstack([self.facets.corners.reshape(-1, 3), self.effectors[:, :3, 3], self.joints, np.zeros((1, 3))])

    @property
    def height(self) -> float:
        """Height of all that is drawn [m]."""
        return float(np.ptp(self.points[:, 2]))


def pose_robot(model: RobotModel) -> Posture:
    """Place a robot in its nominal posture."""
    q, data = model.q_nominal, model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, q)
    return Posture(
        model=model,
        facets=build_facets(model, q),
        effectors=model.effector_poses(q),
        joints=np.array([pose.translation for pose in data.oMi][2:]).reshape(-1, 3),
        com=pin.centerOfMass(model.pinocchio, data, q).copy(),
        near=tuple(list_near_limits(model, q[None, 7:], NEAR_LIMIT)),
    )


def draw_facets(axes: Any, view: View, facets: Facets) -> None:
    """Draw what faces the onlooker, the furthest first."""
    from matplotlib.collections import PolyCollection

    toward = np.array(view.toward)
    ahead = facets.normals @ toward > 0.0
    corners, normals = facets.corners[ahead], facets.normals[ahead]
    order = np.argsort((corners @ toward).mean(axis=1))
    # Light from above the onlooker's right shoulder.
    light = toward + 0.9 * np.eye(3)[view.up] + 0.5 * np.eye(3)[view.right]
    shade = np.clip(0.4 + 0.6 * normals[order] @ (light / np.linalg.norm(light)), 0.0, 1.0)[:, None]
    colours = _DARKEST + shade * (_LIGHTEST - _DARKEST)
    # Edges in the faces' own colour close the seams between them.
    axes.add_collection(
        PolyCollection(list(view.project(corners[order])), facecolors=colours, edgecolors=colours, linewidths=0.3)
    )


def draw_effectors(axes: Any, view: View, posture: Posture, chosen: list[int]) -> None:
    """Draw soles as rectangles, balls of feet and hands as circles, and their frames with the contact normal as an arrow."""
    from matplotlib.patches import Circle, Polygon

    for index in chosen:
        effector, pose = posture.model.effectors[index], posture.effectors[index]
        colour = HAND if effector.hand else SOLE
        centre = view.project(pose[:3, 3])
        if effector.half_lengths is not None:
            corners = np.array([[1, 1, 0], [1, -1, 0], [-1, -1, 0], [-1, 1, 0]]) * [*effector.half_lengths, 0.0]
            corners = corners @ pose[:3, :3].T + pose[:3, 3]
            axes.add_patch(Polygon(view.project(corners), fc=f"{colour}40", ec=colour, lw=2.5, zorder=5, joinstyle="round"))
        else:
            axes.add_patch(
                Circle((float(centre[0]), float(centre[1])), effector.radius, fc=f"{colour}40", ec=colour, lw=2.0, zorder=5)
            )
        normal = view.project(pose[:3, 3] + _NORMAL_LENGTH * posture.height * pose[:3, 2])
        axes.annotate("", normal, centre, zorder=6, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8})
        for axis in range(3):
            tip = view.project(pose[:3, 3] + _AXIS_LENGTH * posture.height * pose[:3, axis])
            axes.plot(*np.stack([centre, tip]).T, color=_AXES[axis], lw=1.6, zorder=7, solid_capstyle="round")


def draw_joints(axes: Any, view: View, posture: Posture) -> None:
    """Draw where the joints are, those near a limit in red."""
    projected = view.project(posture.joints)
    near = np.array([name in posture.near for name in posture.model.joint_names], dtype=bool)
    axes.scatter(*projected[~near].T, s=13, color=JOINT, edgecolors="white", linewidths=0.6, zorder=8)
    axes.scatter(*projected[near].T, s=42, color=LIMIT, edgecolors="white", linewidths=0.8, zorder=9)


def draw_com(axes: Any, view: View, posture: Posture) -> None:
    """Draw the centre of mass, and where it is over the ground."""
    com, ground = view.project(posture.com), view.project(posture.com * [1.0, 1.0, 0.0])
    axes.plot(*np.stack([com, ground]).T, color="black", lw=0.9, ls=(0, (4, 3)), zorder=6)
    axes.scatter(*com, s=70, color="white", edgecolors="black", linewidths=1.4, zorder=8)
    axes.scatter(*com, s=14, color="black", marker="+", linewidths=1.2, zorder=9)
