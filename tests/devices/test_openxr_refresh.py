"""Which refresh rate a headset is asked for."""

from __future__ import annotations

import pytest

from handhold.devices.openxr.refresh import choose_rate

OFFERED = (72.0, 80.0, 89.99, 120.0)


@pytest.mark.parametrize(
    ("offered", "most", "chosen"),
    [
        (OFFERED, 0.0, 120.0),
        (OFFERED, 120.0, 120.0),
        (OFFERED, 100.0, 89.99),
        (OFFERED, 90.0, 89.99),
        (OFFERED, 80.0, 80.0),
        (OFFERED, 60.0, 72.0),
        ((), 0.0, 0.0),
        ((), 90.0, 0.0),
    ],
)
def test_the_highest_rate_within_what_the_operator_wants_is_chosen(
    offered: tuple[float, ...], most: float, chosen: float
) -> None:
    assert choose_rate(offered, most) == chosen
