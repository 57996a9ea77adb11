r"""Key postures of one robot made those of another: the same displacements in its own size.

With the height h of a robot's base over its soles in the nominal posture, a length :math:`l_0` in the key postures of a robot
of :math:`h_0` becomes :math:`l = l_0 h / h_0`: a base that goes down goes down by the same part of its height, which is what
tells a squat from a fall (``robots/estimation/fall.py``). Times and angles stay; what is smaller goes more slowly.
"""

from __future__ import annotations

from handhold.retarget.motions.authoring.key_postures import KeyPosture, KeyPostures, Placement
from handhold.retarget.motions.errors import MotionFileError
from handhold.robots.model import RobotModel, load_model


def adapt_key_postures(keys: KeyPostures, model: RobotModel) -> KeyPostures:
    """Return key postures as a robot's own: in its size, without the joints of another robot, whose names and axes differ.

    Raises:
        MotionFileError: A key posture of another robot is told by its joints alone.
        DescriptionError: They are for another robot that is not known.
    """
    robot = model.description.name
    if keys.robot == robot:
        return keys
    for k, key in enumerate(keys.keys):
        if key.joints and not (key.effectors or key.pelvis):
            where = f"{keys.source}: keys.{k}"
            raise MotionFileError(where, f"the joints of {keys.robot} tell {robot} nothing", "place its hands or its pelvis")
    scale = float(model.q_nominal[2] / load_model(keys.robot).q_nominal[2]) if keys.scaled else 1.0
    adapted = tuple(_scale_key(key, scale) for key in keys.keys)
    return keys.model_copy(update={"robot": robot, "feet": _scale_all(keys.feet, scale), "keys": adapted})


def _scale_key(key: KeyPosture, scale: float) -> KeyPosture:
    """Return a key posture in another size, joints left out."""
    changes = {
        "pelvis": None if key.pelvis is None else _scale(key.pelvis, scale),
        "effectors": _scale_all(key.effectors, scale),
        "joints": {},
        "com": (scale * key.com[0], scale * key.com[1]),
    }
    return key.model_copy(update=changes)


def _scale_all(placements: dict[str, Placement], scale: float) -> dict[str, Placement]:
    return {name: _scale(placement, scale) for name, placement in placements.items()}


def _scale(placement: Placement, scale: float) -> Placement:
    x, y, z = placement.offset
    return placement.model_copy(update={"offset": (scale * x, scale * y, scale * z)})
