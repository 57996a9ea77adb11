"""What values out of a log must be like before a control cycle may see them: a log may come from anybody."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import Any

import numpy as np

from handhold.app.errors import AppError
from handhold.devices.operator_input import OperatorInput
from handhold.perception.surface import Surface, find_fault
from handhold.robots.model import RobotModel
from handhold.robots.robot import RobotState

MAX_PERIOD = 1.0
"""Control period beyond which a cycle is refused [s]."""

_STICK = (2,)


class ValueUnfit(AppError):
    """A value of a log cannot have been recorded."""


def check_sample(sample: OperatorInput) -> None:
    """Check a sample of the operator; what its numbers are is for the cycle to judge, as it was when it was recorded.

    Raises:
        ValueUnfit: A stick has not two axes.
    """
    if any(not _is_array(hand.stick, _STICK) for hand in (sample.left, sample.right)):
        raise ValueUnfit("a stick has not two axes")


def check_surfaces(surfaces: tuple[Surface, ...]) -> None:
    """Check surfaces.

    Raises:
        ValueUnfit: One is no polygon in a plane, or has a number that is none.
    """
    for surface in surfaces:
        if fault := find_fault(surface):
            raise ValueUnfit(fault)


def check_state(state: RobotState, like: RobotState) -> None:
    """Check that a state is of the same robot as another.

    Raises:
        ValueUnfit: An array has another shape or type.
    """
    for name, array in _list_arrays(state):
        if not _is_array(array, getattr(like, name).shape):
            raise ValueUnfit(f"{name} of a state has another shape or type than at the start")


def check_period(dt: float) -> None:
    """Check a control period [s].

    Raises:
        ValueUnfit: It is none.
    """
    if not 0.0 < dt <= MAX_PERIOD:
        raise ValueUnfit(f"a control period of {dt:g} s")


def check_start(state: RobotState, model: RobotModel) -> None:
    """Check that a start is one of a robot.

    Raises:
        ValueUnfit: It is another robot's, or has a number that is none.
    """
    shapes = {
        "q": (model.nq,),
        "v": (model.nv,),
        "joint_torques": (model.n,),
        "contact_wrenches": (len(model.effectors), 6),
    }
    arrays = dict(_list_arrays(state))
    unlike = [name for name, shape in shapes.items() if not _is_array(arrays[name], shape)]
    # A robot need not measure its grippers.
    counts = ((0,), (len(model.description.grippers),))
    unlike += [name for name in ("gripper_closings", "gripper_forces") if arrays[name].shape not in counts]
    if unlike:
        name = model.description.name
        raise ValueUnfit(f"{unlike[0]} of its start is not that of {name}; was it recorded with another description?")
    if not math.isfinite(state.time) or not all(np.isfinite(array).all() for array in arrays.values()):
        raise ValueUnfit("its start has a NaN or an infinity in it")


def _list_arrays(state: RobotState) -> list[tuple[str, np.ndarray]]:
    values: list[tuple[str, Any]] = [(field.name, getattr(state, field.name)) for field in fields(state)]
    return [(name, value) for name, value in values if isinstance(value, np.ndarray)]


def _is_array(array: np.ndarray, shape: tuple[int, ...]) -> bool:
    return array.dtype == np.float64 and array.shape == shape
