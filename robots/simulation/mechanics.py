"""In what a simulated body differs from its model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Mechanics:
    """What a simulated body has that its model does not know of.

    Attributes:
        mass_ratios: Masses, and with them inertias, as parts of the model's, one a link (the base first), shape ``(links,)``;
            None for the model's own.
        joint_friction: Coulomb friction of every joint [Nm, prismatic: N].
        rotor_inertia: Inertia of every joint's rotor, seen at the joint [kg m^2]; prismatic joints have none.
        payload: Mass carried at the contact frame of an effector, by the effector's index [kg].
    """

    mass_ratios: np.ndarray | None = None
    joint_friction: float = 0.0
    rotor_inertia: float = 0.0
    payload: tuple[tuple[int, float], ...] = ()


AS_MODELLED = Mechanics()


def load_inertia(inertia: pin.Inertia, mass_ratio: float, payloads: list[tuple[float, np.ndarray]]) -> pin.Inertia:
    """Return a link's inertia with another mass, and with point masses ([kg], position in the link's frame [m]) on it."""
    loaded = pin.Inertia(mass_ratio * inertia.mass, inertia.lever, mass_ratio * inertia.inertia)
    for mass, position in payloads:
        loaded = loaded + pin.Inertia(mass, position, np.zeros((3, 3)))
    return loaded
