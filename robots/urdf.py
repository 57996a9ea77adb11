"""A description's URDF as Pinocchio reads it, refused in one line where it makes no robot."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.robots.description import RobotDescription
from handhold.robots.errors import DescriptionError
from handhold.robots.native_errors import NativeErrors, catch_native_errors

LARGEST_URDF = 20_000_000
"""Size beyond which a URDF is refused [bytes]."""

_HEAVIEST, _FURTHEST = 1e6, 1e3
# Density of water [kg/m^3], near that of robots' links, and the part of a ball's inertia below which there is none.
_WATER, _LEAST_INERTIA = 1000.0, 1e-6


def build_full_model(description: RobotDescription) -> pin.Model:
    """Build the model of all that the URDF has, free flyer first; its base looks along x.

    Raises:
        DescriptionError: The URDF is not there, cannot be read, or has masses or placements that no robot has.
    """
    file = description.urdf_file()
    if file.stat().st_size > LARGEST_URDF:
        raise _refuse(description, f"{file} is larger than {LARGEST_URDF} bytes")
    with catch_native_errors() as native:
        model, problem = _build(str(file))
    # urdfdom leaves out an inertia that it cannot read, says so, and goes on
    problem = _find_reason(native) or problem
    if model is None or problem:
        raise _refuse(description, f"pinocchio cannot read {file} ({problem})")
    native.pass_on()
    _check_masses(description, model)
    _fill_missing_inertias(model)
    if description.facing:
        _turn_base(model, description.facing)
    return model


def load_geometry(full: pin.Model, description: RobotDescription, kind: pin.GeometryType) -> pin.GeometryModel:
    """Load the meshes of a full model.

    Raises:
        DescriptionError: A mesh is not there or cannot be read.
    """
    urdf, folder = str(description.urdf_file()), str(description.share_folder())
    geometry, problem = None, ""
    with catch_native_errors() as native:
        try:
            geometry = pin.buildGeomFromUrdf(full, urdf, kind, package_dirs=[folder])
        except (ValueError, RuntimeError) as error:
            problem = str(error)
    if geometry is not None:
        native.pass_on()
        return geometry
    raise _refuse(description, f"its meshes cannot be read ({problem or _find_reason(native)})", key="urdf.package_root")


def _refuse(description: RobotDescription, problem: str, key: str = "urdf.path") -> DescriptionError:
    return DescriptionError(description.source, key, " ".join(problem.split()), "mend the URDF")


def _build(file: str) -> tuple[pin.Model | None, str]:
    try:
        return pin.buildModelFromUrdf(file, pin.JointModelFreeFlyer()), ""
    except (ValueError, RuntimeError) as error:
        return None, str(error)


def _find_reason(native: NativeErrors) -> str:
    """Return the first error that urdfdom has told of, without where in its sources."""
    told = (line.removeprefix("Error:").strip() for line in native.lines if line.startswith("Error:"))
    return next(told, "")


def _check_masses(description: RobotDescription, model: pin.Model) -> None:
    for name, inertia, placement in zip(model.names, model.inertias, model.jointPlacements, strict=True):
        values = np.array([inertia.mass, *inertia.lever, *inertia.inertia.ravel()])
        if not np.isfinite(values).all() or not 0.0 <= inertia.mass <= _HEAVIEST or np.abs(values[1:]).max() > _HEAVIEST:
            raise _refuse(description, f"the mass or inertia of what {name} carries is none ({inertia.mass:g} kg)")
        if not np.abs(placement.homogeneous).max() <= _FURTHEST:
            raise _refuse(description, f"{name} is further than {_FURTHEST:g} m from the joint before it")
    if not pin.computeTotalMass(model) > 0.0:
        raise _refuse(description, "the robot has no mass")


def _fill_missing_inertias(model: pin.Model) -> None:
    """Give links whose URDF has a mass but no rotational inertia that of a ball of water of their mass."""
    for inertia in list(model.inertias)[1:]:
        radius = (0.75 * inertia.mass / (np.pi * _WATER)) ** (1.0 / 3.0)
        ball = 0.4 * inertia.mass * radius**2
        if np.linalg.eigvalsh(inertia.inertia)[0] < _LEAST_INERTIA * ball:
            inertia.inertia = ball * np.eye(3)


def _turn_base(model: pin.Model, angle: float) -> None:
    """Turn the base's own frame by an angle about z; all that is fixed to the base stays where it is."""
    turn = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, -angle), np.zeros(3))
    base = 1
    model.inertias[base] = turn.act(model.inertias[base])
    for joint in model.children[base].tolist():
        model.jointPlacements[joint] = turn * model.jointPlacements[joint]
    for frame in model.frames:
        if frame.parentJoint == base and frame.type != pin.FrameType.JOINT:
            frame.placement = turn * frame.placement
