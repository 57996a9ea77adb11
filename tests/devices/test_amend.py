"""What is amended is what ``dataclasses.replace`` makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handhold.devices.amend import amend


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """Two numbers and a word."""

    number: float = 0.0
    count: int = 0
    word: str = ""


VALUES = {"number": st.floats(allow_nan=False), "count": st.integers(), "word": st.text()}


@given(st.builds(Sample, **VALUES), st.fixed_dictionaries({}, optional=VALUES))
def test_an_amended_value_is_one_with_attributes_replaced(sample: Sample, changes: dict[str, object]) -> None:
    assert amend(sample, **changes) == replace(sample, **changes)  # type: ignore[arg-type]


def test_an_attribute_that_is_not_there_is_refused() -> None:
    with pytest.raises(TypeError):
        amend(Sample(), weight=1.0)
