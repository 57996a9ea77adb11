"""Meshes for drawing: where they are, which way they face, and that the cache never lies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh

from handhold.render import meshes as meshes_module
from handhold.render.fingers import number_fingers
from handhold.render.meshes import COARSE_TOLERANCE, PAGE_TOLERANCE, LinkMesh, load_link_meshes
from handhold.render.simplification import find_open_edges, simplify
from handhold.robots.model import RobotModel, load_model

SIMPLIFIED = 4e-3
"""How far simplifying for a page may move the outline of a link [m]: a pixel or two at arm's length."""


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def loaded(model: RobotModel, cache: Path) -> tuple[LinkMesh, ...]:
    return load_link_meshes(model, cache, tolerance=PAGE_TOLERANCE)


def test_simplified_links_keep_their_outline(model: RobotModel, loaded: tuple[LinkMesh, ...]) -> None:
    fingers = number_fingers(model)
    for joint in {mesh.joint for mesh in loaded}:
        exact = [
            geometry.placement.act(vertex)
            for geometry in model.visuals.geometryObjects
            if fingers.get(geometry.parentFrame, geometry.parentJoint) == joint
            and geometry.meshPath not in ("CYLINDER", "BOX")
            for vertex in np.asarray(geometry.geometry.vertices())
        ]
        drawn = np.concatenate([mesh.vertices for mesh in loaded if mesh.joint == joint])
        assert np.all(drawn.min(axis=0) <= np.min(exact, axis=0) + SIMPLIFIED)
        assert np.all(drawn.max(axis=0) >= np.max(exact, axis=0) - SIMPLIFIED)


def test_for_a_graphics_card_every_triangle_is_kept(model: RobotModel, cache: Path) -> None:
    meshes = load_link_meshes(model, cache)
    triangles = sum(geometry.geometry.num_tris for geometry in model.visuals.geometryObjects if "STL" in geometry.meshPath)
    assert sum(len(mesh.faces) for mesh in meshes) >= 0.99 * triangles  # those without area are not seen


def make_perforated_sheet() -> trimesh.Trimesh:
    """Return a flat sheet of 20 x 20 cm in cells of 1 cm, every other one of the middle left out."""
    ticks = np.arange(21) * 0.01
    vertices = np.array([(x, y, 0.0) for x in ticks for y in ticks])
    faces = []
    for i in range(20):
        for j in range(20):
            if not (4 <= i < 16 and 4 <= j < 16 and i % 2 and j % 2):
                a = 21 * i + j
                faces += [(a, a + 21, a + 22), (a, a + 22, a + 1)]
    return trimesh.Trimesh(vertices, faces)


@pytest.mark.parametrize("tolerance", [PAGE_TOLERANCE, COARSE_TOLERANCE])
def test_open_edges_stay_where_they_are(tolerance: float) -> None:
    sheet = make_perforated_sheet()
    simple = simplify(sheet, tolerance)
    assert len(simple.faces) < len(sheet.faces)
    assert np.linalg.norm(simple.bounds - sheet.bounds, axis=1).max() < 0.1 * tolerance
    assert measure_open_edges(simple) <= 1.001 * measure_open_edges(sheet)
    assert simple.area >= 0.99 * sheet.area


def measure_open_edges(mesh: trimesh.Trimesh) -> float:
    """Return the length of all open edges [m]."""
    return float(np.linalg.norm(np.diff(mesh.vertices[find_open_edges(mesh)], axis=1), axis=2).sum())


def test_mirrored_links_face_outward(model: RobotModel, loaded: tuple[LinkMesh, ...]) -> None:
    for name in ("leg_left_3_joint", "leg_right_3_joint", "arm_right_2_joint"):
        joint = model.pinocchio.getJointId(name)
        (mesh,) = [mesh for mesh in loaded if mesh.joint == joint]
        assert trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).volume > 0.0
        outward = np.einsum("ij,ij->i", mesh.vertices - mesh.vertices.mean(axis=0), mesh.normals)
        assert np.mean(outward > 0.0) > 0.6


def test_triangles_that_are_double_sided_face_both_ways_in_the_descriptions_color(cache: Path) -> None:
    icub = load_model("icub")
    meshes = load_link_meshes(icub, cache)
    assert {mesh.color[:3] for mesh in meshes} == {icub.description.color}
    for mesh in meshes:
        # To every triangle there is one that looks the other way: their areas add up to nothing.
        corners = mesh.vertices[mesh.faces].astype(float)
        areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        assert np.abs(areas.sum(axis=0)).max() < 1e-9 * len(areas)
        assert np.abs(mesh.normals.sum(axis=0)).max() < 1e-3 * len(mesh.normals)


def test_the_cache_gives_the_same_meshes(model: RobotModel, cache: Path, loaded: tuple[LinkMesh, ...]) -> None:
    shares: list[float] = []
    again = load_link_meshes(model, cache, tolerance=PAGE_TOLERANCE, progress=lambda _what, share: shares.append(share))
    assert shares == [0.0, 1.0]  # nothing was built
    assert len(again) == len(loaded)
    for new, old in zip(again, loaded, strict=True):
        assert (new.joint, new.color) == (old.joint, old.color)
        for field in ("vertices", "normals", "faces"):
            assert np.array_equal(getattr(new, field), getattr(old, field))


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 not a zip file"])
def test_a_damaged_cache_is_made_anew(model: RobotModel, tmp_path: Path, loaded: tuple[LinkMesh, ...], damage: bytes) -> None:
    load_link_meshes(model, tmp_path, tolerance=PAGE_TOLERANCE)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damage)
    assert len(load_link_meshes(model, tmp_path, tolerance=PAGE_TOLERANCE)) == len(loaded)
    assert file.stat().st_size > 100_000


def test_a_truncated_cache_is_made_anew(model: RobotModel, tmp_path: Path, loaded: tuple[LinkMesh, ...]) -> None:
    load_link_meshes(model, tmp_path, tolerance=PAGE_TOLERANCE)
    (file,) = tmp_path.iterdir()
    whole = file.stat().st_size
    with file.open("r+b") as stored:
        stored.truncate(whole // 2)
    assert len(load_link_meshes(model, tmp_path, tolerance=PAGE_TOLERANCE)) == len(loaded)
    assert file.stat().st_size == whole


def test_meshes_are_kept_by_what_they_were_made_of(model: RobotModel) -> None:
    before = meshes_module._key(model.description, 0.0)
    assert meshes_module._key(model.description, PAGE_TOLERANCE) != before
    assert meshes_module._key(load_model("g1").description, 0.0) != before


def test_a_cache_that_cannot_be_written_costs_only_time(
    model: RobotModel, tmp_path: Path, loaded: tuple[LinkMesh, ...]
) -> None:
    taken = tmp_path / "taken"
    taken.write_text("a file where the folder should be")
    assert len(load_link_meshes(model, taken, tolerance=PAGE_TOLERANCE)) == len(loaded)
