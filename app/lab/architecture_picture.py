"""The picture of the rooms in docs/architecture.md, drawn from the imports of the sources as SVG.

``python -m handhold.app.lab.architecture_picture`` draws it anew. Numbers of lines are rounded and arrows have few widths, so
that it changes where the rooms do, not with every line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from handhold.app.lab.architecture_layout import (
    HEAD,
    LEGEND,
    MARGIN,
    PADDING,
    ROOM_HEIGHT,
    TITLE,
    WIDTH,
    Arrow,
    FolderBox,
    RoomBox,
    lay_out,
)
from handhold.app.lab.architecture_rooms import Rooms, read_rooms
from handhold.app.session.commit import find_checkout

PICTURE = Path("docs/images/rooms.svg")
"""Where the picture is kept, from the root of the sources."""

_NAMESPACE = "http://www.w3.org/2000/svg"
_FONT = "Helvetica, Arial, sans-serif"
_STROKES = ((1, 0.9), (10, 1.6), (40, 2.6), (100, 4.0))
"""Least number of imports and width of their arrow [px]."""

_FILLS = ("#e0ecff", "#e2f7e8", "#fdf3d3")
_EDGES = ("#9dbdf0", "#93d6a8", "#e5c565")
_BARS = ("#5b8def", "#3fae66", "#d2a019")
"""Colours of the floors: folders, their edges, and how many lines a room has."""

_INK, _SOFT_INK = "#1e293b", "#5b6778"
_ALONG, _AGAINST, _BETWEEN = "#475569", "#c2410c", "#b3bfce"
"""Colours of arrows: along a row of rooms, against it, and between folders."""

_BAR_HEIGHT = 4.0
_ROOT = find_checkout()


def draw_rooms(rooms: Rooms) -> str:
    """Draw rooms as an SVG document."""
    building = lay_out(rooms)
    size = f'width="{WIDTH}" height="{building.height:g}"'
    pieces = [
        f'<svg xmlns="{_NAMESPACE}" {size} viewBox="0 0 {WIDTH} {building.height:g}" font-family="{_FONT}">',
        "<title>The rooms of the program and what they import of each other</title>",
        f"<defs>{''.join(_define_head(colour) for colour in (_ALONG, _AGAINST, _BETWEEN))}</defs>",
        f'<rect {size} fill="#ffffff"/>',
        *(_draw_arrow(arrow, _BETWEEN) for arrow in building.arrows),
        *(piece for folder in building.folders for piece in _draw_folder(folder, rooms)),
        *_draw_legend(building.height - LEGEND),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def _draw_folder(folder: FolderBox, rooms: Rooms) -> Iterator[str]:
    place = f'x="{folder.x:.1f}" y="{folder.y:.1f}" width="{folder.width:.1f}" height="{folder.height:.1f}"'
    yield f'<rect {place} rx="10" fill="{_FILLS[folder.floor]}" stroke="{_EDGES[folder.floor]}"/>'
    lines = sum(rooms.lines[box.room] for box in folder.rooms)
    x, y = folder.x + PADDING, folder.y + 0.5 * TITLE + 7
    # A folder of one room says it there.
    told = _tell_lines(lines) if len(folder.rooms) > 1 else ""
    soft = f'<tspan dx="8" font-size="12" font-weight="normal" fill="{_SOFT_INK}">{told}</tspan>' if told else ""
    yield f'<text x="{x:.1f}" y="{y:.1f}" font-size="17" font-weight="bold" fill="{_INK}">{folder.name}{soft}</text>'
    yield from (_draw_arrow(arrow, _AGAINST if arrow.against else _ALONG) for arrow in folder.arrows)
    largest = max(round(lines, -2) for lines in rooms.lines.values()) or 1
    for box in folder.rooms:
        yield from _draw_room(box, rooms.lines[box.room], largest, folder.floor)


def _draw_room(box: RoomBox, lines: int, largest: int, floor: int) -> Iterator[str]:
    """Draw a room: its name without the folder's, its lines, and a bar as long as they are many."""
    middle = box.x + 0.5 * box.width
    place = f'x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" height="{ROOM_HEIGHT}"'
    yield f'<rect {place} rx="5" fill="#ffffff" stroke="{_EDGES[floor]}"/>'
    name = box.room.rpartition("/")[2]
    yield _write(middle, box.y + 18, name, 13, _INK)
    yield _write(middle, box.y + 33, _tell_lines(lines), 11, _SOFT_INK)
    length = (box.width - 12) * round(lines, -2) / largest
    bar = f'x="{box.x + 6:.1f}" y="{box.y + ROOM_HEIGHT - 8:.1f}" width="{length:.1f}" height="{_BAR_HEIGHT:g}"'
    yield f'<rect {bar} rx="2" fill="{_BARS[floor]}"/>'


def _draw_legend(y: float) -> Iterator[str]:
    x, line = float(MARGIN), y + 26
    words = ("1 to 9", "10 to 39", "40 to 99", "100 imports and more")
    for (number, _), text in zip(_STROKES, words, strict=True):
        yield _draw_arrow(Arrow(f"M{x:.1f} {line:.1f}H{x + 30:.1f}", number), _BETWEEN)
        yield _write(x + 44, line + 4, text, 12, _SOFT_INK, "start")
        x += 128
    x, line = float(MARGIN), y + 50
    for colour, text in (
        (_ALONG, "from room to room"),
        (_AGAINST, "the other way in the same row"),
        (_BETWEEN, "from folder to folder, all rooms together"),
    ):
        yield _draw_arrow(Arrow(f"M{x:.1f} {line:.1f}H{x + 30:.1f}", 10), colour)
        yield _write(x + 44, line + 4, text, 12, _SOFT_INK, "start")
        x += 72 + 6.2 * len(text)


def _draw_arrow(arrow: Arrow, colour: str) -> str:
    width = max(stroke for least, stroke in _STROKES if arrow.number >= least)
    head = f'marker-end="url(#head-{colour[1:]})"'
    return f'<path d="{arrow.path}" fill="none" stroke="{colour}" stroke-width="{width:g}" {head}/>'


def _define_head(colour: str) -> str:
    """Define an arrow's head, as large on a thin arrow as on a thick one."""
    size = (
        f'markerUnits="userSpaceOnUse" markerWidth="{HEAD}" markerHeight="{HEAD + 1}" refX="0.5" refY="{0.5 * (HEAD + 1):g}"'
    )
    shape = f'<path d="M0 0L{HEAD} {0.5 * (HEAD + 1):g}L0 {HEAD + 1}z" fill="{colour}"/>'
    return f'<marker id="head-{colour[1:]}" {size} orient="auto">{shape}</marker>'


def _write(x: float, y: float, text: str, size: int, colour: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def _tell_lines(lines: int) -> str:
    """Say how many lines there are, to a hundred, or to ten where they are few."""
    return f"{round(lines, -2) / 1000:.1f}k lines" if lines >= 100 else f"{round(lines, -1)} lines"


def main(
    output: Annotated[Path, typer.Option(help="SVG file to write.")] = _ROOT / PICTURE,
) -> None:
    """Draw the rooms of this program and what they import of each other."""
    output.write_text(draw_rooms(read_rooms(_ROOT)), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
