"""How a robot stands, as the search for candidates is told: values of its own, which can go to another process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handhold.retarget.bracing.seiko.seiko import Seiko


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class HeldPosture:
    """A reference that stands still while places for a hand are looked for.

    Attributes:
        q: Configuration, shape ``(nq,)``.
        effectors: Indices of the effectors in contact.
        contact_poses: Poses in world that the contacts must have, shape ``(effectors, 4, 4)``; those of the effectors in
            contact count.
        normals: Outward normals in world of the surfaces under point contacts, unit, shape ``(effectors, 3)``.
        min_forces: Minimum normal forces of the contacts, shape ``(effectors,)`` [N].
        position_com: Where the centre of mass is to be seen from above, in world, shape ``(2,)`` [m]: margins are of there.
    """

    q: np.ndarray
    effectors: tuple[int, ...]
    contact_poses: np.ndarray
    normals: np.ndarray
    min_forces: np.ndarray
    position_com: np.ndarray


def hold_posture(seiko: Seiko, position_com: np.ndarray | None = None) -> HeldPosture:
    """Copy what a search needs to know of a reference.

    Args:
        seiko: The reference, with its contacts; it is left alone.
        position_com: Where its centre of mass is to be, shape ``(2,)`` [m]; where it is if None.
    """
    terms = seiko.terms
    com = seiko.kinematics.position_com_in_world[:2] if position_com is None else position_com
    return HeldPosture(
        q=seiko.q.copy(),
        effectors=seiko.stance.effectors,
        contact_poses=terms.poses.copy(),
        normals=terms.normals.copy(),
        min_forces=terms.min_forces.copy(),
        position_com=np.array(com),
    )
