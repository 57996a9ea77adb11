"""The balance of a stance, and of the other contacts while one is unloaded."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from handhold.retarget.bracing.seiko.balance import Balance
from handhold.retarget.bracing.seiko.contact_terms import ContactTerms


class BalanceTransfer:
    """Chooses what is to hold the DCM: the stance's balance, or that of the others once a contact is unloaded.

    Attributes:
        balance: Of the stance.
    """

    def __init__(self, balance: Balance, find: Callable[[tuple[int, ...]], Balance]) -> None:
        """Begin with a balance; ``find`` makes that of some of the stance's effectors."""
        self.balance = balance
        self._find = find
        # An unloaded contact, and the balance that will hold the DCM without it; None before there is one.
        self._without: tuple[int, Balance] | None = None

    def transfer(self, effector: int, others: tuple[int, ...], terms: ContactTerms, dcm: np.ndarray) -> bool:
        """Transfer the DCM to the balance of the other contacts, from the next step on while this one is unloaded.

        Args:
            effector: Index of the effector whose contact is being removed, and is unloaded.
            others: Those that stay.
            terms: What is asked of each contact.
            dcm: Divergent component of motion in world, shape ``(2,)`` [m].

        Returns:
            Whether the DCM is there, or could still be brought there without this contact.
        """
        if self._without is None or self._without[0] != effector:
            self._without = effector, self._find(others)
            self._without[1].update(terms)
        balance = self._without[1]
        return balance.edge is not None and balance.compute_slack(dcm) >= -balance.zmp_room

    def update(self, terms: ContactTerms) -> Balance:
        """Follow the posture, and return what is to hold the DCM in the step that comes next.

        Where nothing would hold the robot without the contact that goes, what holds it with it counts still.
        """
        self.balance.update(terms)
        if self._without is None or not terms.unloading[self._without[0]]:
            self._without = None
            return self.balance
        balance = self._without[1]
        balance.update(terms)
        return self.balance if balance.edge is None else balance
