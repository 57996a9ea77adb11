"""Which stability-aware retargetings are switched on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from handhold.retarget.mode_report import Toggle


@dataclass(frozen=True, slots=True, kw_only=True)
class Retargeting:
    """What may change the operator's commands for the sake of stability; with neither they stay as they are [McCrory2024]_.

    Attributes:
        contact: A hand that comes near a surface is moved along it to where the region grows (eq. 14).
        posture: A posture in which the joints' torques limit the region is moved to where the margin grows (eq. 15).
    """

    contact: bool = False
    posture: bool = False


NOMINAL = Retargeting()
"""Neither."""


@cache
def list_toggles(choice: Retargeting) -> tuple[Toggle, ...]:
    """Return the operator's toggles of both, in the first person: what is moved is the operator's."""
    return (
        Toggle(name="contact", title="Move my hand to better contacts", on=choice.contact),
        Toggle(name="posture", title="Move my posture for balance", on=choice.posture),
    )


def turn_over(choice: Retargeting, name: str) -> Retargeting:
    """Return the choice with the toggle of a name, which is that of its attribute, turned over."""
    turned: dict[str, bool] = {name: not getattr(choice, name)}
    return replace(choice, **turned)
