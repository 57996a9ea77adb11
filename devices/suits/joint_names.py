"""Names that exporters give a person's joints, and which segment begins at each."""

from __future__ import annotations

from collections.abc import Sequence

from handhold.devices.tracked_human import Segment

_SIDES = (("Left", "LEFT"), ("Right", "RIGHT"))
_LIMBS = ("SHOULDER", "UPPER_ARM", "FOREARM", "HAND", "UPPER_LEG", "LOWER_LEG", "FOOT", "TOE")


def _both_sides(*names: str) -> dict[str, Segment]:
    """Return the names of both sides' joints, ``*`` standing for the side, in the order of ``_LIMBS``."""
    return {
        name.replace("*", word): Segment[f"{prefix}_{limb}"]
        for word, prefix in _SIDES
        for name, limb in zip(names, _LIMBS, strict=True)
        if name
    }


_ANIMATION = _both_sides("*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase")
_ENDS = {"Neck": Segment.NECK, "Head": Segment.HEAD}
_SHORT = {"Left": "L_", "Right": "R_"}


def _shorten(names: dict[str, Segment]) -> dict[str, Segment]:
    return {
        _SHORT[word] + name.removeprefix(word): segment
        for name, segment in names.items()
        for word in _SHORT
        if name.startswith(word)
    }


SCHEMES: tuple[dict[str, Segment], ...] = (
    # MVN's own export
    {"Hips": Segment.PELVIS, "Chest": Segment.L5, "Chest2": Segment.L3, "Chest3": Segment.T12, "Chest4": Segment.T8}
    | _ENDS
    | _both_sides("*Collar", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Toe"),
    # spines of three joints: MotionBuilder, Mixamo, LAFAN1
    {"Hips": Segment.PELVIS, "Spine": Segment.L5, "Spine1": Segment.T12, "Spine2": Segment.T8} | _ENDS | _ANIMATION,
    # spines of two: the climbing captures, and CMU's with one more below
    {"Hips": Segment.PELVIS, "Spine": Segment.L5, "Spine1": Segment.T8} | _ENDS | _ANIMATION,
    {"Hips": Segment.PELVIS, "LowerBack": Segment.L5, "Spine": Segment.T12, "Spine1": Segment.T8} | _ENDS | _ANIMATION,
    # SMPL's: hands begin at the wrist
    {"Pelvis": Segment.PELVIS, "Spine1": Segment.L5, "Spine2": Segment.T12, "Spine3": Segment.T8}
    | _ENDS
    | _shorten(_both_sides("*Collar", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Foot")),
    {"Pelvis": Segment.PELVIS, "Torso": Segment.L5, "Spine": Segment.T12, "Chest": Segment.T8}
    | _ENDS
    | _shorten(_both_sides("*Thorax", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle", "*Toe")),
)
"""Segments by the names of the joints at which they begin; what fits a file best counts, and the first of those."""

NEEDED = (
    *(Segment.PELVIS, Segment.T8),
    *(Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM, Segment.LEFT_HAND),
    *(Segment.RIGHT_UPPER_ARM, Segment.RIGHT_FOREARM, Segment.RIGHT_HAND),
    *(Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT),
    *(Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG, Segment.RIGHT_FOOT),
)
"""Segments without which nobody can be followed."""


def find_segments(names: Sequence[str]) -> dict[Segment, int]:
    """Return which joint each segment begins at, by the number of the joint; empty where the names fit nothing that is known.

    A prefix up to a colon is left out (``mixamorig:Hips``), and case, spaces and underscores do not matter.
    """
    places = {_simplify(name): index for index, name in reversed(list(enumerate(names)))}
    fits = [
        {segment: places[_simplify(name)] for name, segment in scheme.items() if _simplify(name) in places}
        for scheme in SCHEMES
    ]
    return max((fit for fit in fits if all(segment in fit for segment in NEEDED)), key=len, default={})


def _simplify(name: str) -> str:
    return name.rpartition(":")[2].replace("_", "").replace(" ", "").lower()
