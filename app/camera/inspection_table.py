"""What a camera sees, in a window of the terminal that changes with every image."""

from __future__ import annotations

from rich.console import Console, Group
from rich.live import Live
from rich.table import Column, Table
from rich.text import Text

from handhold.app.camera.inspection import Inspection, describe_patch
from handhold.app.camera.planes_picture import choose_color

HEADERS = ("", "away [m]", "normal (x right, y down, z ahead)", "area [m2]", "corners")

RATE = 5.0
"""How often the window is drawn [Hz]."""


class InspectionTable:
    """A window of the terminal; where that is none, the last image is printed when it is closed."""

    def __init__(self, console: Console | None = None) -> None:
        self._live = Live(console=console, auto_refresh=True, refresh_per_second=RATE)
        self._live.start()

    def show(self, inspection: Inspection) -> None:
        """Show an image in place of the last one."""
        self._live.update(make_table(inspection))

    def say(self, words: str) -> None:
        """Show why no images come."""
        self._live.update(Text(words))

    def close(self) -> None:
        """Leave the last image where it is."""
        self._live.stop()


def make_table(inspection: Inspection) -> Group:
    """Make the table of an image's planes, each with its colour in pictures."""
    # as texts: of words rich takes what is in brackets for markup
    table = Table(*(Column(Text(words)) for words in HEADERS), box=None)
    for number, patch in enumerate(inspection.patches):
        red, green, blue = choose_color(number)
        figures = describe_patch(patch)
        table.add_row(
            Text("\u25a0", style=f"rgb({red},{green},{blue})"),
            f"{figures['distance']:.3f}",
            "({:+.3f}, {:+.3f}, {:+.3f})".format(*figures["normal"]),
            f"{figures['area']:.3f}",
            str(figures["corners"]),
        )
    return Group(Text(inspection.summarize()), table)
