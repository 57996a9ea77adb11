"""Where everything is in the picture of the rooms: three floors of folders, rooms in rows, arrows as paths; all in px.

Rooms of a folder stand in a row, in the order in which most imports go to the right. Arcs above the row are imports to the
right, arcs below it those to the left: in a folder without them its rooms are floors of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from handhold.app.lab.architecture_rooms import FLOORS, Rooms

WIDTH = 2000
MARGIN = 16
CHANNEL = 48
"""Width of what arrows from the highest floor to the lowest pass: beside the middle floor and between its folders."""

GUTTER = 76
"""Height between floors."""

LEGEND = 70
"""Height below the lowest floor."""

TITLE = 34
"""Height of a folder's name."""

PADDING = 12
ROOM_HEIGHT = 46
ROOM_GAP = 10
MAX_ROOM_WIDTH = 130
HEAD = 7
"""Length of an arrow's head."""

ALONE_WIDTH = 540
"""Width of a folder that stands below a channel."""

_MIN_ARC, _ARC_RANGE, _LONG_SPAN = 16.0, 72.0, 5


@dataclass(frozen=True, slots=True)
class RoomBox:
    """A room.

    Attributes:
        room: Its name.
        x: Left edge.
        y: Upper edge.
        width: Width.
    """

    room: str
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class Arrow:
    """Imports of one room or folder from another.

    Attributes:
        path: SVG path, as long as the arrow without its head.
        number: Number of imports.
        against: Whether it goes to the left in a row of rooms.
    """

    path: str
    number: int
    against: bool = False


@dataclass(frozen=True, slots=True)
class FolderBox:
    """A folder at the top level.

    Attributes:
        name: Its name.
        floor: Its floor, counted from the highest one.
        x: Left edge.
        y: Upper edge.
        width: Width.
        height: Height.
        rooms: Its rooms, from left to right.
        arrows: Imports among them.
    """

    name: str
    floor: int
    x: float
    y: float
    width: float
    height: float
    rooms: tuple[RoomBox, ...]
    arrows: tuple[Arrow, ...]

    @property
    def center(self) -> float:
        """The middle of its width."""
        return self.x + 0.5 * self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height


@dataclass(frozen=True, slots=True)
class Building:
    """The whole picture.

    Attributes:
        height: Height of the picture.
        folders: Folders of all floors, from the highest one.
        arrows: Imports among the folders.
    """

    height: float
    folders: tuple[FolderBox, ...]
    arrows: tuple[Arrow, ...]


def lay_out(rooms: Rooms) -> Building:
    """Lay rooms out."""
    folders: list[FolderBox] = []
    y = float(MARGIN)
    for floor, spans in enumerate(_find_spans(rooms)):
        built = _build_floor(rooms, floor, spans, y)
        folders += built
        y = built[0].bottom + GUTTER
    boxes = {box.name: box for box in folders}
    return Building(y - GUTTER + LEGEND, tuple(folders), tuple(_connect_folders(rooms.between_folders(), boxes)))


def order_rooms(names: Sequence[str], imports: Mapping[tuple[str, str], int]) -> tuple[str, ...]:
    """Order rooms so that few imports go to the left: by what they import more than they are imported, then by exchanges."""

    def rank(name: str) -> tuple[int, str]:
        outgoing = sum(n for (importer, _), n in imports.items() if importer == name)
        incoming = sum(n for (_, imported), n in imports.items() if imported == name)
        return incoming - outgoing, name

    order = sorted(names, key=rank)
    swapped = True
    while swapped:
        swapped = False
        for i in range(len(order) - 1):
            left, right = order[i : i + 2]
            if imports.get((right, left), 0) > imports.get((left, right), 0):
                order[i : i + 2], swapped = (right, left), True
    return tuple(order)


def _find_spans(rooms: Rooms) -> tuple[dict[str, tuple[float, float]], ...]:
    """Return left edge and width of the folders of each floor."""
    (top,), (left, right), (first, alone, last) = FLOORS
    counts = {folder: len(rooms.within(folder)) for folder in (left, right)}
    inner = WIDTH - 2 * MARGIN - 3 * CHANNEL
    left_width = round(inner * counts[left] / sum(counts.values()))
    start = MARGIN + CHANNEL
    between = start + left_width + CHANNEL
    alone_x = between - 0.5 * CHANNEL - 0.5 * ALONE_WIDTH
    return (
        {top: (MARGIN, WIDTH - 2 * MARGIN)},
        {left: (start, left_width), right: (between, inner - left_width)},
        {
            first: (MARGIN, alone_x - PADDING - MARGIN),
            alone: (alone_x, ALONE_WIDTH),
            last: (alone_x + ALONE_WIDTH + PADDING, WIDTH - MARGIN - alone_x - ALONE_WIDTH - PADDING),
        },
    )


def _build_floor(rooms: Rooms, floor: int, spans: Mapping[str, tuple[float, float]], y: float) -> list[FolderBox]:
    """Build the folders of a floor; their rooms are at one height."""
    imports = {name: rooms.between_rooms(name) for name in spans}
    orders = {name: order_rooms(rooms.within(name), imports[name]) for name in spans}
    rises = [
        (_find_rise(abs(span)), span < 0)
        for name in spans
        for span in (orders[name].index(b) - orders[name].index(a) for a, b in imports[name])
    ]
    above = max((rise for rise, against in rises if not against), default=0.0)
    below = max((rise for rise, against in rises if against), default=0.0)
    row = y + TITLE + above
    height = TITLE + above + ROOM_HEIGHT + below + PADDING
    built = []
    for name, (x, width) in spans.items():
        boxes = tuple(_place_rooms(orders[name], x, width, row))
        arcs = tuple(_draw_arcs(boxes, imports[name]))
        built.append(FolderBox(name, floor, x, y, width, height, boxes, arcs))
    return built


def _place_rooms(order: Sequence[str], x: float, width: float, y: float) -> Iterator[RoomBox]:
    pitch = (width - 2 * PADDING + ROOM_GAP) / len(order)
    room_width = min(pitch - ROOM_GAP, MAX_ROOM_WIDTH)
    for i, room in enumerate(order):
        yield RoomBox(room, x + PADDING + i * pitch + 0.5 * (pitch - ROOM_GAP - room_width), y, room_width)


def _find_rise(span: int) -> float:
    """Return how high an arc is that passes so many rooms."""
    return _MIN_ARC + _ARC_RANGE * (1.0 - _LONG_SPAN / (_LONG_SPAN + span - 1))


def _draw_arcs(boxes: Sequence[RoomBox], imports: Mapping[tuple[str, str], int]) -> Iterator[Arrow]:
    """Draw the imports between rooms of a row as arcs that cross none of the same rooms' other arcs."""
    places = {box.room: i for i, box in enumerate(boxes)}
    pairs = [(places[importer], places[imported], number) for (importer, imported), number in sorted(imports.items())]
    for against in (False, True):
        chosen = [pair for pair in pairs if (pair[1] < pair[0]) == against]
        ports = _find_ports(boxes, [(a, b) for a, b, _ in chosen])
        y, up = boxes[0].y + (ROOM_HEIGHT if against else 0), 1.0 if against else -1.0
        for a, b, number in chosen:
            control = y + up * 4.0 / 3.0 * _find_rise(abs(b - a))
            x0, x1 = ports[a, b], ports[b, a]
            end = y + up * HEAD
            yield Arrow(f"M{x0:.1f} {y:.1f}C{x0:.1f} {control:.1f} {x1:.1f} {control:.1f} {x1:.1f} {end:.1f}", number, against)


def _find_ports(boxes: Sequence[RoomBox], pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Return where arcs meet their rooms, by the room and the one at the other end; long arcs go around short ones."""
    ports = {}
    for i, box in enumerate(boxes):
        partners = [b if a == i else a for a, b in pairs if i in (a, b)]
        lefts = sorted((j for j in partners if j < i), reverse=True)
        for k, j in enumerate((*lefts, *sorted((j for j in partners if j > i), reverse=True))):
            ports[i, j] = box.x + box.width * (k + 1) / (len(partners) + 1)
    return ports


def _connect_folders(imports: Mapping[tuple[str, str], int], boxes: Mapping[str, FolderBox]) -> Iterator[Arrow]:
    """Connect folders: straight down through a channel where a floor lies between them, by curves from floor to floor."""
    for (importer, imported), number in imports.items():
        a, b = boxes[importer], boxes[imported]
        if a.floor == b.floor:
            yield Arrow(_go_across(a, b), number)
        elif a.floor == 0:
            x = b.center if b.floor == 1 else _find_channel(b, boxes)
            yield Arrow(_go_down(x, a.bottom, x, b.y - HEAD), number)
        else:
            sources = [(boxes[name].x, name) for name, other in imports if other == imported and boxes[name].floor == 1]
            targets = [(boxes[other].x, other) for name, other in imports if name == importer and boxes[other].floor == 2]
            x0 = _spread(a, (b.x, imported), targets)
            x1 = _spread(b, (a.x, importer), [*sources, (_find_channel(b, boxes), "")])
            yield Arrow(_go_down(x0, a.bottom, x1, b.y - HEAD), number)


def _find_channel(folder: FolderBox, boxes: Mapping[str, FolderBox]) -> float:
    """Return where an arrow from the highest floor arrives at a folder of the lowest: none of the middle floor is above it."""
    first, alone, _ = FLOORS[2]
    if folder.name == first:
        return MARGIN + 0.5 * CHANNEL
    return boxes[alone].center if folder.name == alone else WIDTH - MARGIN - 0.5 * CHANNEL


def _spread(folder: FolderBox, which: tuple[float, str], others: Sequence[tuple[float, str]]) -> float:
    """Return where one of several arrows meets a folder's edge, in the order of where they come from or go to."""
    return folder.x + folder.width * (sorted(others).index(which) + 1) / (len(others) + 1)


def _go_across(a: FolderBox, b: FolderBox) -> str:
    y = a.y + 0.5 * a.height
    x0, x1 = (a.x, b.x + b.width + HEAD) if b.x < a.x else (a.x + a.width, b.x - HEAD)
    return f"M{x0:.1f} {y:.1f}H{x1:.1f}"


def _go_down(x0: float, y0: float, x1: float, y1: float) -> str:
    middle = 0.5 * (y0 + y1)
    return f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
