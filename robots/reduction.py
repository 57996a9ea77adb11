"""A full model with joints held fixed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pinocchio as pin

_ASIDE = " (joint)"


def reduce_model(full: pin.Model, locked: list[int], reference: np.ndarray) -> pin.Model:
    """Return a model without some joints.

    Args:
        full: All joints.
        locked: Ids of the joints held fixed.
        reference: Configuration in which they are, shape ``(nq,)``.
    """
    with _names_apart(full):
        model = pin.buildReducedModel(full, locked, reference)
    _restore(model)
    return model


def reduce_geometry(
    full: pin.Model, geometry: pin.GeometryModel, locked: list[int], reference: np.ndarray
) -> pin.GeometryModel:
    """Return the geometry of a model without some joints (see ``reduce_model``)."""
    with _names_apart(full):
        _, reduced = pin.buildReducedModel(full, geometry, locked, reference)
    return reduced


@contextmanager
def _names_apart(model: pin.Model) -> Iterator[None]:
    """Rename joints that are called like a link: Pinocchio's reduction finds frames by their names alone."""
    links = {frame.name for frame in model.frames if frame.type == pin.FrameType.BODY}
    for joint in range(1, model.njoints):
        name = model.names[joint]
        if name in links:
            _rename(model, joint, name + _ASIDE)
    try:
        yield
    finally:
        _restore(model)


def _restore(model: pin.Model) -> None:
    for joint in range(1, model.njoints):
        _rename(model, joint, model.names[joint].removesuffix(_ASIDE))
    for frame in model.frames:
        frame.name = frame.name.removesuffix(_ASIDE)


def _rename(model: pin.Model, joint: int, name: str) -> None:
    before = model.names[joint]
    model.names[joint] = name
    for frame in model.frames:
        if frame.name == before and frame.type == pin.FrameType.JOINT:
            frame.name = name
