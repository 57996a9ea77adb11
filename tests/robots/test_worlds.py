"""Worlds: one TOML file each, and every mistake in one named with its mend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from handhold.robots.errors import DescriptionError
from handhold.robots.worlds import FOOTHOLDS, known_worlds, list_parts, load_world

A_BOX = """
title = "A box"
[[solids]]
name = "box"
size = [0.2, 0.4, 0.6]
position = [1.0, 0.0, 0.3]
"""


def write(folder: Path, text: str) -> str:
    file = folder / "world.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_the_worlds_shipped_load_and_the_flat_one_is_the_default() -> None:
    assert set(known_worlds()) >= {"flat", "wall", "blocks", "table"}
    for name in known_worlds():
        assert load_world(name).title
    assert load_world() == load_world("flat")
    assert load_world("flat").solids == ()


def test_a_world_is_added_by_one_file(tmp_path: Path) -> None:
    world = load_world(write(tmp_path, A_BOX + "rpy = [0.0, 0.0, 1.5707963267948966]\n"))
    box = world.solids[0]
    assert box.half_size == (0.1, 0.2, 0.3)
    assert box.mass is None
    np.testing.assert_allclose(box.to_se3().rotation[:, 0], [0.0, 1.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(box.to_se3().translation, [1.0, 0.0, 0.3])


A_PART = """
mass = 1.0
[[solids]]
name = "lid"
part_of = "box"
size = [0.3, 0.5, 0.02]
position = [1.0, 0.0, 0.61]
mass = 0.2
"""


def test_a_solid_may_be_a_part_of_one_before_it(tmp_path: Path) -> None:
    world = load_world(write(tmp_path, A_BOX + A_PART))
    assert list_parts(world, 0) == [0, 1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (A_BOX + A_PART.replace('part_of = "box"', 'part_of = "lid"'), "must name a solid before it that has a mass"),
        (A_BOX + A_PART.replace('part_of = "box"', 'part_of = "bin"'), r"no part itself \(box\), not 'bin'"),
        (A_BOX + A_PART.replace("mass = 1.0\n", ""), "there is none"),
        (A_BOX + A_PART.replace("mass = 0.2\n", ""), "'lid' is a part of 'box' and needs a mass"),
    ],
    ids=["of itself", "of what is not there", "of what is fixed", "without a mass"],
)
def test_a_part_of_what_cannot_be_moved_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(DescriptionError, match=words):
        load_world(write(tmp_path, text))


def test_the_example_in_the_documentation_is_valid(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "robots" / "README.md").read_text(encoding="utf-8")
    world = load_world(write(tmp_path, page.split("```toml")[2].split("```")[0]))
    assert [solid.name for solid in world.solids] == ["ramp", "ball"]


def test_nothing_shipped_stands_where_the_robot_starts() -> None:
    # Where a robot with its arms down starts: soles, half a metre above them up to a man's shoulders, and a head. A step to
    # go up may lie before the toes.
    soles = np.meshgrid(np.linspace(-0.13, 0.13, 14), np.linspace(-0.3, 0.3, 11), np.linspace(0.01, 0.11, 5))
    body = np.meshgrid(np.linspace(-0.25, 0.25, 11), np.linspace(-0.3, 0.3, 11), np.linspace(0.12, 1.6, 30))
    head = np.meshgrid(np.linspace(-0.12, 0.12, 5), np.linspace(-0.12, 0.12, 5), np.linspace(1.6, 1.8, 5))
    points = np.concatenate([np.stack([axis.ravel() for axis in part], axis=1) for part in (soles, body, head)])
    for name in known_worlds():
        for solid in load_world(name).solids:
            if solid.name in FOOTHOLDS:
                continue  # what it starts on
            pose = solid.to_se3()
            local = (points - pose.translation) @ pose.rotation
            bounds = solid.half_size if solid.shape == "box" else [max(solid.half_size)] * 3
            assert not np.any(np.all(np.abs(local) < bounds, axis=1)), f"{name}: {solid.name}"


@pytest.mark.parametrize(
    ("change", "key", "words"),
    [
        (("size =", "sizes ="), "solids.0.sizes", "did you mean 'size'"),
        (('name = "box"\n', ""), "solids.0.name", "missing"),
        (("[0.2, 0.4, 0.6]", "[0.2, 0.4]"), "solids.0", "size of the box 'box' must be [x, y, z]"),
        (("[0.2, 0.4, 0.6]", "[0.2, -0.4, 0.6]"), "solids.0.size.1", "greater than 0"),
        (("[1.0, 0.0, 0.3]", "[1.0, nan, 0.3]"), "solids.0.position.1", "finite"),
        (("[1.0, 0.0, 0.3]", '"here"'), "solids.0.position", "tuple"),
        (("[1.0, 0.0, 0.3]", "[1.0, 0.0, 0.3]\nfriction = 0.0"), "solids.0.friction", "greater than 0"),
        (("[1.0, 0.0, 0.3]", '[1.0, 0.0, 0.3]\nshape = "cone"'), "solids.0.shape", "'box', 'sphere' or 'cylinder'"),
        (("[1.0, 0.0, 0.3]", '[1.0, 0.0, 0.3]\nshape = "sphere"'), "solids.0", "[radius]"),
        (('title = "A box"', 'titel = "A box"'), "titel", "did you mean 'title'"),
    ],
)
def test_a_mistake_names_the_file_the_key_and_the_mend(tmp_path: Path, change: tuple[str, str], key: str, words: str) -> None:
    file = write(tmp_path, A_BOX.replace(*change))
    with pytest.raises(DescriptionError) as caught:
        load_world(file)
    assert caught.value.source == file
    assert caught.value.key == key
    assert str(caught.value).startswith(f"{file}: {key}: ")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_solids_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="different names"):
        load_world(write(tmp_path, A_BOX + A_BOX.partition("\n")[2].partition("\n")[2]))


def test_an_unknown_world_names_those_there_are() -> None:
    with pytest.raises(DescriptionError, match=", ".join(known_worlds())):
        load_world("moon")


def test_a_missing_file_and_a_broken_one_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(DescriptionError, match="No such file"):
        load_world(str(tmp_path / "none.toml"))
    with pytest.raises(DescriptionError, match=r"not valid TOML.*line 1"):
        load_world(write(tmp_path, "title = here\n"))
