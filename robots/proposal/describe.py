"""A first description of a humanoid from its URDF alone, with remarks on what was guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from handhold.robots.description import (
    MIN_LEG_JOINTS,
    Effector,
    Margins,
    RobotDescription,
    Scales,
    SelfCollisions,
    Walking,
)
from handhold.robots.model import RobotModel
from handhold.robots.proposal.anatomy import Anatomy, Limb, find_anatomy
from handhold.robots.proposal.cameras import find_camera
from handhold.robots.proposal.clearances import INFLUENCE_DISTANCE, MIN_DISTANCE, keep_apart, list_bodies, list_pairs
from handhold.robots.proposal.effectors import find_soles, propose_feet, propose_hands
from handhold.robots.proposal.errors import NotProposed
from handhold.robots.proposal.findings import Findings
from handhold.robots.proposal.gait import propose_gait
from handhold.robots.proposal.limits import find_limits
from handhold.robots.proposal.posture import NamedLimb, Posture, find_posture
from handhold.robots.proposal.remarks import Remark, list_remarks
from handhold.robots.proposal.source import Source, load_source
from handhold.robots.urdf_source import UrdfSource

CONTROLLER_MARGIN, REFERENCE_MARGIN = 0.25, 0.5
"""Insets as ratios of the smallest half length of a sole [-]."""
_MAX_MARGINS = (0.015, 0.035)
_TORQUE_SCALE = 0.9
_NO_LICENSE = "NOASSERTION"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A first description, and what is to be known of it.

    Attributes:
        description: The description.
        remarks: What was guessed, or left out, in the order of the description's keys.
    """

    description: RobotDescription
    remarks: tuple[Remark, ...]


def propose(urdf: UrdfSource, output: Path, rng: np.random.Generator) -> Proposal:
    """Propose the description of a humanoid.

    Args:
        urdf: Where its URDF or MJCF is, as its description says it.
        output: File that the description will be in.
        rng: Where the starts of the posture's search are drawn from.

    Raises:
        RobotError: The file cannot be read, or is not that of a humanoid; says what.
    """
    file = replace(urdf.find_model_file(str(output)), source=str(urdf.find(str(output))))
    anatomy = _find_anatomy(load_source(file), file.source)
    source = load_source(file, anatomy.base_rpy)
    soles = find_soles(source, anatomy)
    effectors = propose_feet(source, anatomy, soles)
    hands, found = propose_hands(source, anatomy)
    findings = Findings(
        source=source, anatomy=anatomy, soles=soles, hands=tuple(found), limits=find_limits(source.model, anatomy)
    )
    description = _draft(urdf, output, findings, [*effectors, *hands])
    posture = _pose(description, findings, rng)
    description = description.model_copy(update={"posture": posture.angles})
    collisions, near = _keep_apart(description, findings)
    walking = _walk(description, findings, posture)
    description = description.model_copy(update={"self_collision": collisions, "walking": walking})
    return Proposal(description=description, remarks=list_remarks(description, findings, posture, near))


def _find_anatomy(source: Source, name: str) -> Anatomy:
    points = [source.place_points(joint) for joint in range(source.model.njoints)]
    return find_anatomy(source.model, source.positions, points, name)


def _draft(urdf: UrdfSource, output: Path, findings: Findings, effectors: list[Effector]) -> RobotDescription:
    """Return the description as far as it needs no posture."""
    source, limits = findings.source, findings.limits
    min_half_length = min(min(sole.half_lengths) for sole in findings.soles)
    camera = find_camera(source)
    return RobotDescription(
        name=_name(source, output),
        title=(source.model.name or output.stem).replace("_", " ").strip() or output.stem,
        license=_NO_LICENSE,
        urdf=urdf,
        base_rpy=_round_rpy(findings.anatomy.base_rpy),
        locked_joints=limits.locked,
        effectors=tuple(effectors),
        trunk=_list_trunk(findings),
        margins=Margins(
            controller=round(min(CONTROLLER_MARGIN * min_half_length, _MAX_MARGINS[0]), 3),
            reference=round(min(REFERENCE_MARGIN * min_half_length, _MAX_MARGINS[1]), 3),
        ),
        scales=Scales(torque=_TORQUE_SCALE, velocity=limits.velocity_scale),
        velocity_limits=limits.velocities,
        torque_limits=limits.torques,
        cameras=() if camera is None else (camera,),
        source=str(output),
    )


def _name(source: Source, output: Path) -> str:
    """Return a name for the command line: the description's file has it."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", output.stem).strip("-._")
    return name or source.file.path.stem


def _round_rpy(rpy: tuple[float, float, float]) -> tuple[float, float, float]:
    roll, pitch, yaw = (round(angle, 6) + 0.0 for angle in rpy)
    return roll, pitch, yaw


def _list_trunk(findings: Findings) -> tuple[str, ...]:
    """Return the links besides the base that shoulders and hips are on."""
    model, anatomy = findings.source.model, findings.anatomy
    joints = [model.parents[anatomy.legs[0].joints[0]]]
    if anatomy.arms is not None:
        joints.append(model.parents[anatomy.arms[0].joints[0]])
    return tuple(findings.source.find_link(int(joint)).name for joint in dict.fromkeys(joints) if joint > 1)


def _pose(description: RobotDescription, findings: Findings, rng: np.random.Generator) -> Posture:
    anatomy = findings.anatomy
    legs = tuple(_name_limb(findings, leg, k) for k, leg in enumerate(anatomy.legs))
    arms = tuple(_name_limb(findings, arm, 2 + k) for k, arm in enumerate(anatomy.arms or ()))
    return find_posture(RobotModel(description), legs, arms, rng)


def _name_limb(findings: Findings, limb: Limb, effector: int) -> NamedLimb:
    """Return a limb by the names of those of its joints that move."""
    source, locked = findings.source, findings.limits.locked
    joints = tuple(joint for joint in limb.joints if source.model.names[joint] not in locked)
    if not joints:
        raise NotProposed(
            source.file.source, f"no joint of the limb that ends in {source.model.names[limb.joints[-1]]} has a range"
        )
    return NamedLimb(
        joints=tuple(source.model.names[joint] for joint in joints), middle=source.find_middle(joints), effector=effector
    )


def _keep_apart(description: RobotDescription, findings: Findings) -> tuple[SelfCollisions, tuple[str, ...]]:
    anatomy = findings.anatomy
    chest = 1 if anatomy.arms is None else int(findings.source.model.parents[anatomy.arms[0].joints[0]])
    bodies = list_bodies(findings.source, anatomy, chest)
    settings = SelfCollisions(
        bodies=bodies,
        pairs=list_pairs(bodies),
        least_distance=MIN_DISTANCE,
        influence_distance=INFLUENCE_DISTANCE,
    )
    return keep_apart(description.model_copy(update={"self_collision": settings}))


def _walk(description: RobotDescription, findings: Findings, posture: Posture) -> Walking | None:
    """Return how the robot walks, or None for legs with too few joints."""
    if min(len(leg.joints) for leg in findings.anatomy.legs) < MIN_LEG_JOINTS:
        return None
    left, right = findings.soles
    inset = description.margins.reference
    model = RobotModel(description)
    names = [findings.source.model.names[joint] for leg in findings.anatomy.legs for joint in leg.joints]
    slowest = min(float(model.velocity_limits[model.joint_names.index(name)]) for name in names if name in model.joint_names)
    return propose_gait(posture.legs, float(left.centre[1] - right.centre[1]), left, min(inset, 0.03), slowest)
