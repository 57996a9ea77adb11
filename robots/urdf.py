"""A description's URDF (or MJCF) as Pinocchio reads it, refused in one line where it makes no robot."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pinocchio as pin

from handhold.robots.errors import DescriptionError
from handhold.robots.model_file import ModelFile
from handhold.robots.mounting import Mounts, mount_geometry, mount_models
from handhold.robots.native_errors import NativeErrors, catch_native_errors

MAX_URDF_SIZE = 20_000_000
"""Size beyond which a URDF is refused [bytes]."""

_HEAVIEST, _FURTHEST = 1e6, 1e3
# Density of water [kg/m^3], near that of robots' links, and the part of a ball's inertia below which there is none.
_WATER, _MIN_INERTIA = 1000.0, 1e-6
# Mass of a link whose URDF gives it none [kg].
_SMALL_MASS = 0.01


def build_full_model(
    file: ModelFile, base_rpy: tuple[float, float, float] = (0.0, 0.0, 0.0), mounts: Mounts = ()
) -> pin.Model:
    """Build the model of all that a URDF has, free flyer first.

    Args:
        file: The URDF or MJCF.
        base_rpy: Orientation of the model's base frame in the root link's: roll, pitch, yaw [rad].
        mounts: Copies of the URDF that make the robot (see ``mount_models``); none where it is the robot.

    Raises:
        DescriptionError: It cannot be read, or has masses or placements that no robot has.
    """
    if file.path.stat().st_size > MAX_URDF_SIZE:
        raise _refuse(file, f"{file.path} is larger than {MAX_URDF_SIZE} bytes")
    with catch_native_errors() as native:
        model, problem = _build(file, mounts)
    # urdfdom leaves out an inertia that it cannot read, says so, and goes on
    problem = _find_reason(native) or problem
    if model is None or problem:
        raise _refuse(file, f"pinocchio cannot read {file.path} ({problem})")
    native.pass_on()
    _check_base(file, model)
    _check_masses(file, model)
    _check_ranges(file, model)
    _fill_missing_inertias(model)
    _repair_impossible_inertias(model)
    if any(base_rpy):
        _turn_base(model, pin.rpy.rpyToMatrix(*base_rpy))
    return model


def load_geometry(full: pin.Model, file: ModelFile, kind: pin.GeometryType, mounts: Mounts = ()) -> pin.GeometryModel:
    """Load the meshes of a full model, each with its axes as its link has them.

    Args:
        full: The model (see ``build_full_model``).
        file: Its URDF or MJCF.
        kind: Visual or collision geometry.
        mounts: Copies of the URDF that make it.

    Raises:
        DescriptionError: A mesh is not there or cannot be read.
    """
    geometry, problem = None, ""
    with catch_native_errors() as native:
        try:
            geometry = _build_geometry(full, file, kind, mounts)
        except (ValueError, RuntimeError, IndexError) as error:
            problem = str(error)
    if geometry is None:
        folder = (*file.folders, file.path.parent)[0]
        problem = f"its meshes cannot be read ({_shorten(problem) or _find_reason(native)})"
        raise DescriptionError(file.source, "urdf.package_root", problem, f"put them below {folder}")
    native.pass_on()
    for item in geometry.geometryObjects:
        item.placement = item.placement * _mesh_axes_to_link(item.meshPath)
    return geometry


def _shorten(problem: str) -> str:
    """Return what a library's exception says, on one line, without where in its sources."""
    return " ".join(problem.partition("message:")[2].split() or problem.split())


def _refuse(file: ModelFile, problem: str, key: str = "urdf.path") -> DescriptionError:
    kind = "MJCF" if file.is_mjcf else "URDF"
    return DescriptionError(file.source, key, _shorten(problem), f"mend the {kind}")


def _build(file: ModelFile, mounts: Mounts) -> tuple[pin.Model | None, str]:
    try:
        if mounts:
            return mount_models(_build_arm(file), mounts), ""
        if file.is_mjcf:
            return pin.buildModelFromMJCF(str(file.path)), ""
        return pin.buildModelFromUrdf(str(file.path), pin.JointModelFreeFlyer()), ""
    except (ValueError, RuntimeError, IndexError) as error:
        return None, _shorten(str(error))


def _build_arm(file: ModelFile) -> pin.Model:
    """Build what is mounted, its root link fixed to the universe."""
    if file.is_mjcf:
        raise ValueError("an MJCF cannot be mounted: give a URDF")
    return pin.buildModelFromUrdf(str(file.path))


def _build_geometry(full: pin.Model, file: ModelFile, kind: pin.GeometryType, mounts: Mounts) -> pin.GeometryModel:
    if file.is_mjcf:
        return pin.buildGeomFromMJCF(full, str(file.path), kind)
    folders = [str(folder) for folder in (*file.folders, file.path.parent)]
    if mounts:
        arm = _build_arm(file)
        return mount_geometry(full, pin.buildGeomFromUrdf(arm, str(file.path), kind, package_dirs=folders), arm, mounts)
    return pin.buildGeomFromUrdf(full, str(file.path), kind, package_dirs=folders)


def _check_ranges(file: ModelFile, model: pin.Model) -> None:
    for name, joint in zip(model.names, model.joints, strict=True):
        if joint.nq == 1 and model.lowerPositionLimit[joint.idx_q] > model.upperPositionLimit[joint.idx_q]:
            raise _refuse(file, f"the lower limit of joint '{name}' is above its upper one")


def _mesh_axes_to_link(file: str) -> pin.SE3:
    """Return the turn from a mesh's axes to its link's: a COLLADA file says which axis is up, and Pinocchio ignores it."""
    if Path(file).suffix.lower() != ".dae":
        return pin.SE3.Identity()
    # The asset element comes first in a COLLADA file.
    with Path(file).open("rb") as opened:
        up = re.search(rb"<up_axis>\s*([XYZ])_UP", opened.read(65536))
    # COLLADA's default is y.
    if up is not None and up[1] == b"Z":
        return pin.SE3.Identity()
    return pin.SE3(pin.utils.rotate("x", 0.5 * np.pi), np.zeros(3))


def _find_reason(native: NativeErrors) -> str:
    """Return the first error that urdfdom has reported, without where in its sources."""
    reported = (line.removeprefix("Error:").strip() for line in native.lines if line.startswith("Error:"))
    return next(reported, "")


def _check_base(file: ModelFile, model: pin.Model) -> None:
    if model.njoints < 2 or model.joints[1].shortname() != "JointModelFreeFlyer":
        raise _refuse(file, "its first joint is no free flyer: the robot is bolted to the world")


def _check_masses(file: ModelFile, model: pin.Model) -> None:
    for name, inertia, placement in zip(model.names, model.inertias, model.jointPlacements, strict=True):
        values = np.array([inertia.mass, *inertia.lever, *inertia.inertia.ravel()])
        if not np.isfinite(values).all() or not 0.0 <= inertia.mass <= _HEAVIEST or np.abs(values[1:]).max() > _HEAVIEST:
            raise _refuse(file, f"the mass or inertia of what {name} carries is none ({inertia.mass:g} kg)")
        if not np.abs(placement.homogeneous).max() <= _FURTHEST:
            raise _refuse(file, f"{name} is further than {_FURTHEST:g} m from the joint before it")
    if not pin.computeTotalMass(model) > 0.0:
        raise _refuse(file, "the robot has no mass")


def give_mass(model: pin.Model) -> None:
    """Make links without a mass, between the axes of a ball joint, small balls of water: engines know no massless link."""
    radius = (0.75 * _SMALL_MASS / (np.pi * _WATER)) ** (1.0 / 3.0)
    for inertia in list(model.inertias)[1:]:
        if inertia.mass == 0.0:
            inertia.mass = _SMALL_MASS
            inertia.lever = np.zeros(3)
            inertia.inertia = 0.4 * _SMALL_MASS * radius**2 * np.eye(3)


def _fill_missing_inertias(model: pin.Model) -> None:
    """Give links whose URDF has a mass but no rotational inertia that of a ball of water of their mass."""
    for inertia in list(model.inertias)[1:]:
        radius = (0.75 * inertia.mass / (np.pi * _WATER)) ** (1.0 / 3.0)
        ball = 0.4 * inertia.mass * radius**2
        if np.linalg.eigvalsh(inertia.inertia)[0] < _MIN_INERTIA * ball:
            inertia.inertia = ball * np.eye(3)


def _repair_impossible_inertias(model: pin.Model) -> None:
    """Make inertias that no body can have, the nearest that one has.

    With the second moments of the mass along the principal axes, s_i = (I_1 + I_2 + I_3) / 2 - I_i, a body has s_i >= 0.
    """
    for inertia in list(model.inertias)[1:]:
        moments, axes = np.linalg.eigh(inertia.inertia)
        second = 0.5 * moments.sum() - moments
        if second.min() < 0.0:
            second = np.maximum(second, _MIN_INERTIA * second.max())
            inertia.inertia = axes @ np.diag(second.sum() - second) @ axes.T


def _turn_base(model: pin.Model, rotation_base_to_root: np.ndarray) -> None:
    """Turn the base's own frame; all that is fixed to the base stays where it is."""
    turn = pin.SE3(rotation_base_to_root.T, np.zeros(3))
    base = 1
    model.inertias[base] = turn.act(model.inertias[base])
    for joint in model.children[base].tolist():
        model.jointPlacements[joint] = turn * model.jointPlacements[joint]
    for frame in model.frames:
        if frame.parentJoint == base and frame.type != pin.FrameType.JOINT:
            frame.placement = turn * frame.placement
