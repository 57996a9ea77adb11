import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from handhold.app.lab.architecture_layout import HEAD, ROOM_HEIGHT, WIDTH, lay_out, order_rooms
from handhold.app.lab.architecture_picture import PICTURE, draw_rooms
from handhold.app.lab.architecture_rooms import FLOORS, Rooms, read_rooms

ROOT = Path(__file__).resolve().parents[2]
MAX_SIZE = 60_000  # [bytes]
WIDTH_OF_A_LETTER = 0.58  # of the size of the type, on average

SOURCES = {
    "app/main.py": "from handhold.app.link import start\nfrom handhold.robots import model\n",
    "app/link/__init__.py": "from handhold.app.link.seal import seal\n",
    "app/link/seal.py": "def f():\n    import handhold.app.main\n\nfrom ...robots.tasks.deep.pose import Pose\nimport os\n",
    "retarget/mode.py": "from handhold.robots.model import Model, load_model\n",
    "render/scene.py": "",
    "devices/device.py": "",
    "perception/surface.py": "",
    "robots/model.py": "from .tasks.deep import pose\n",
    "robots/tasks/deep/pose.py": "a = 1\nb = 2\n",
}


@pytest.fixture(scope="module")
def rooms() -> Rooms:
    return read_rooms(ROOT)


@pytest.fixture
def made_up(tmp_path: Path) -> Rooms:
    for name, source in SOURCES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    return read_rooms(tmp_path)


def test_the_picture_of_the_rooms_is_that_of_the_sources(rooms: Rooms) -> None:
    assert (ROOT / PICTURE).read_text() == draw_rooms(rooms), "draw it anew: python -m handhold.app.lab.architecture_picture"


def test_the_picture_is_small_and_well_formed(rooms: Rooms) -> None:
    text = draw_rooms(rooms)
    assert len(text.encode()) < MAX_SIZE
    assert "nan" not in text
    ElementTree.fromstring(text)


def test_every_room_and_every_folder_is_named_in_the_picture(rooms: Rooms) -> None:
    names = {room.rpartition("/")[2] for room in rooms.lines} | {folder for floor in FLOORS for folder in floor}
    assert names <= set(re.findall(r">([a-z_]+)<", draw_rooms(rooms)))


def test_imports_are_counted_between_the_rooms_of_their_modules(made_up: Rooms) -> None:
    assert made_up.imports == {
        ("app", "app/link"): 1,
        ("app", "robots"): 1,
        ("app/link", "app"): 1,
        ("app/link", "robots/tasks"): 1,
        ("retarget", "robots"): 1,
        ("robots", "robots/tasks"): 1,
    }
    assert made_up.between_folders() == {("app", "robots"): 2, ("retarget", "robots"): 1}


def test_folders_within_a_room_are_part_of_it(made_up: Rooms) -> None:
    assert made_up.within("robots") == ("robots", "robots/tasks")
    assert made_up.lines["robots/tasks"] == 2


def test_rooms_stand_in_the_order_in_which_they_import_each_other() -> None:
    imports = {("c", "a"): 3, ("a", "b"): 2, ("c", "b"): 1, ("b", "c"): 1}
    assert order_rooms(("a", "b", "c"), imports) == ("c", "a", "b")


def test_no_folders_and_no_rooms_overlap(rooms: Rooms) -> None:
    building = lay_out(rooms)
    for a, b in combinations(building.folders, 2):
        assert a.x + a.width < b.x or b.x + b.width < a.x or a.bottom < b.y or b.bottom < a.y, (a.name, b.name)
    for folder in building.folders:
        assert folder.x >= 0.0
        assert folder.x + folder.width <= WIDTH
        edges = [folder.x, *(x for box in folder.rooms for x in (box.x, box.x + box.width)), folder.x + folder.width]
        assert edges == sorted(edges)
        assert all(folder.y < box.y < folder.bottom - ROOM_HEIGHT for box in folder.rooms)


def test_names_fit_into_their_rooms(rooms: Rooms) -> None:
    for folder in lay_out(rooms).folders:
        for box in folder.rooms:
            assert 13 * WIDTH_OF_A_LETTER * len(box.room.rpartition("/")[2]) < box.width, box.room


def test_arcs_stay_within_their_folder(rooms: Rooms) -> None:
    for folder in lay_out(rooms).folders:
        for arrow in folder.arrows:
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", arrow.path)]
            start, control, end = numbers[1], numbers[3], numbers[-1]
            peak = start + 0.75 * (control - start)
            assert folder.y + 20 < peak < folder.bottom - 4, folder.name
            assert abs(end - start) == pytest.approx(HEAD, abs=0.2)
