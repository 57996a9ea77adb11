"""A short motion that the tests of motions make themselves, and how to spoil it."""

from __future__ import annotations

import numpy as np

from handhold.retarget.motions.authoring.key_postures import KeyPosture, KeyPostures, Placement
from handhold.retarget.motions.motion import Motion

HUMANOIDS = ("talos", "g1", "icub")
FEET = ("left_foot", "right_foot")
LIFT = 0.03  # [m]


def make_step_keys(*, rise: float = 0.0, **changes) -> KeyPostures:
    """Return key postures of a left foot that is lifted and put down 4 cm ahead, so much higher [m]."""
    aside = 0.5 * rise  # past the other shank
    keys = (
        KeyPosture(time=0.0, bear=FEET),
        KeyPosture(time=1.6, bear=("right_foot",)),
        KeyPosture(time=2.0, effectors={"left_foot": Placement(offset=(0.02, aside, LIFT + rise))}),
        KeyPosture(time=2.4, bear=FEET, effectors={"left_foot": Placement(offset=(0.04, aside, rise))}),
        KeyPosture(time=4.2),
    )
    words = {"name": "short-step", "title": "A short step", "robot": "talos", "keys": keys, "source": "step.toml"}
    return KeyPostures(**(words | changes))


def bend(motion: Motion, column: int, amount: float, around: float, width: float = 0.4) -> np.ndarray:
    """Return a motion's postures with a smooth bump in one coordinate around a time [s]."""
    postures = motion.postures.copy()
    near = np.clip(1.0 - np.abs(motion.times - around) / width, 0.0, 1.0)
    postures[:, column] += amount * near**2 * (3.0 - 2.0 * near)
    return postures
