"""Planes in points without order; and open3d, which finds them there, as the judge of those that are found in images."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import trimesh

from handhold.app.lab.benches.depth_rooms import D455, draw_depth_rooms
from handhold.app.main import run
from handhold.perception.cameras.point_cloud import make_point_cloud
from handhold.perception.planes.boundary import Patch, find_boundaries
from handhold.perception.planes.cloud_planes import BadCloud, find_cloud_surfaces, read_points
from handhold.perception.planes.plane_finder import PlaneFinder
from handhold.perception.surface import Surface, find_fault

MAX_DEPTH = 6.0
POINTS = 60_000


def make_room(random: np.random.Generator, noise: float = 0.002) -> np.ndarray:
    """Return points of a floor 2 m x 2 m and of a wall 2 m x 1.5 m behind it, in no order, with noise [m]."""
    u, v = random.uniform(0.0, 1.0, (2, 40_000))
    floor = np.column_stack([1.0 + 2.0 * u, 2.0 * v - 1.0, np.full_like(u, -1.2)])
    wall = np.column_stack([np.full_like(u, 3.0), 2.0 * u - 1.0, 1.5 * v - 1.2])
    points = np.vstack([floor, wall]) + random.normal(scale=noise, size=(80_000, 3))
    return random.permutation(points)


def test_planes_of_points_without_order_are_found_and_face_who_saw_them() -> None:
    floor, wall = find_cloud_surfaces(make_room(np.random.default_rng(0)), np.zeros(3))
    for surface, normal, distance, area in ((floor, (0, 0, 1), 1.2, 4.0), (wall, (-1, 0, 0), 3.0, 3.0)):
        assert find_fault(surface) == ""
        np.testing.assert_allclose(surface.pose[:3, :3] @ surface.pose[:3, :3].T, np.eye(3), atol=1e-12)
        assert np.linalg.det(surface.pose[:3, :3]) == pytest.approx(1.0)
        assert surface.pose[:3, 2] @ normal > np.cos(np.radians(0.5))
        assert -surface.pose[:3, 2] @ surface.pose[:3, 3] == pytest.approx(distance, abs=0.002)
        assert surface.area == pytest.approx(area, rel=0.1)
        x, y = surface.boundary.T
        assert 0.5 * (x * np.roll(y, -1) - y * np.roll(x, -1)).sum() == pytest.approx(surface.area)
        assert surface.quality > 0.9


@pytest.mark.parametrize("noise", [0.0, 1e-4, 1e-3])
def test_planes_that_are_exact_or_nearly_so_keep_their_points(noise: float) -> None:
    random = np.random.default_rng(3)
    turned = np.linalg.qr(random.normal(size=(3, 3)))[0]
    points = make_room(random, noise) @ turned.T
    surfaces = find_cloud_surfaces(points, np.zeros(3))
    assert [surface.area for surface in surfaces[:2]] == pytest.approx([4.0, 3.0], rel=0.1)
    assert min(surface.quality for surface in surfaces[:2]) > 0.85


@pytest.mark.parametrize("count", [0, 5])
def test_too_few_points_have_no_plane(count: int) -> None:
    assert find_cloud_surfaces(np.zeros((count, 3)), np.zeros(3)) == ()


def agrees(surface: Surface, patches: tuple[Patch, ...]) -> bool:
    """Whether one of the patches has the plane of a surface: within 2 deg, and 15 mm in its middle."""
    normal, middle = surface.pose[:3, 2], surface.pose[:3, 3]
    return any(
        normal @ patch.plane.normal > np.cos(np.radians(2.0))
        and abs(float(patch.plane.normal @ middle) + patch.plane.distance) < 0.015
        for patch in patches
    )


def test_what_open3d_finds_in_rooms_is_found_in_their_images_too() -> None:
    finder, agreed, patches_in_all = PlaneFinder(D455), [], 0
    for room in draw_depth_rooms(12, seed=1):
        patches = find_boundaries(finder.find(room.frame), MAX_DEPTH)
        cloud = make_point_cloud(room.frame, np.eye(4), POINTS)
        surfaces = find_cloud_surfaces(cloud.positions, np.zeros(3))
        agreed += [agrees(surface, patches) for surface in surfaces if surface.area > 0.2]
        patches_in_all += len(patches)
    # one of 38 is of two walls that it takes for one
    assert len(agreed) > 30
    assert np.mean(agreed) > 0.95
    assert patches_in_all > 2 * len(agreed)


def write_points(file: Path, points: np.ndarray) -> Path:
    np.savetxt(file, points, fmt="%.4f")
    return file


def test_the_planes_of_a_file_of_points_are_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    points = make_room(np.random.default_rng(1))
    points[::200], points[100::200] = np.nan, 1e12
    file = write_points(tmp_path / "room.xyz", points)
    assert run(["camera", str(file), "--json"]) == 0
    told = json.loads(capfd.readouterr().out)
    assert told["points"] == 79_200
    assert sorted(plane["distance"] for plane in told["planes"]) == pytest.approx([1.2, 3.0], abs=0.002)
    assert run(["camera", str(file)]) == 0
    assert "room.xyz: 2 planes in 79200 points" in capfd.readouterr().out


@pytest.mark.parametrize("encoding", ["binary", "ascii"])
@pytest.mark.parametrize("seed", range(60))
def test_a_damaged_file_has_points_or_is_refused(encoding: str, seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)
    data = bytearray(trimesh.PointCloud(random.normal(size=(300, 3))).export(file_type="ply", encoding=encoding))
    for at in random.integers(0, min(len(data), 600), 1 + seed % 6):
        data[at] = random.integers(256)
    (tmp_path / "room.ply").write_bytes(data if seed % 3 else data[: random.integers(len(data))])
    with suppress(BadCloud):
        assert np.isfinite(read_points(tmp_path / "room.ply")).all()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("room.ply", b"no cloud", "room.ply"),
        ("room.ply", b"", "room.ply"),
        ("room.ply", b"ply\nformat ascii 1.0\nelement vertex 9\n", "room.ply"),
        ("room.xyz", b"a b c\n", "room.xyz"),
        ("gone.ply", None, "gone"),
    ],
)
def test_a_file_that_is_no_cloud_is_refused_in_one_line(
    name: str, content: bytes | None, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    assert run(["camera", str(tmp_path / name)]) == 5
    out, err = capfd.readouterr()
    assert out == ""
    assert said in err
    assert len(err.strip().splitlines()) == 1
