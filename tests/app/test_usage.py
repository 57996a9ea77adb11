import re
from pathlib import Path

import pytest

from handhold.app.usage import WIDTH, list_commands, render_help, render_usage

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"


def test_the_page_of_commands_is_what_they_print() -> None:
    assert PAGE.read_text() == render_usage(), "write it anew: python -m handhold.app.usage >docs/commands.md"


@pytest.mark.parametrize("words", list_commands(), ids=" ".join)
def test_a_help_keeps_to_a_terminal_and_cuts_no_word(words: tuple[str, ...]) -> None:
    text = render_help(words)
    assert text.startswith(" ".join(("Usage: handhold", *words)))
    assert max(map(len, text.splitlines())) <= WIDTH
    assert "..." not in re.sub(r"\[ARGS\]\.\.\.|NAME\.\.\.|\}\.\.\.", "", text)


@pytest.mark.parametrize(("words", "unit"), [(("run",), "[s]"), (("scenario",), "[kg]"), (("motion", "play"), "[s]")])
def test_units_are_not_eaten_as_markup(words: tuple[str, ...], unit: str) -> None:
    assert unit in render_help(words)
