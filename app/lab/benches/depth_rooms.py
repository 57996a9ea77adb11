"""Random rooms before a depth camera, and which of their faces every pixel sees."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
from scipy import ndimage

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.rasteriser import NOTHING, Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box

D455 = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)

SIGMAS = (0.05, 0.25)
"""Noise of the disparity, from a good camera to a bad one [pixels]."""

NEAREST, FURTHEST = 0.3, 4.0
"""Depths that a camera may see a room at [m]: rooms with anything nearer are drawn again, walls are no further."""

_OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
"""Optical axes of a level camera that looks along x, as columns in world."""

_SAME_DIRECTION, _SAME_OFFSET = 1e-4, 1e-3
"""Two faces are one where their normals differ by no more [-], and their offsets [m]."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class DepthRoom:
    """A room as a camera sees it.

    Attributes:
        frame: What the camera measures.
        sigma: Noise of its disparity [pixels].
        faces: Face that every pixel sees, of those that can be measured there, from 1; 0 for none, shape as the image's.
        normals: Normals of the faces towards the camera, in its axes, shape ``(faces, 3)``; row 0 is face 1.
        distances: Distances of the camera from their planes, shape ``(faces,)`` [m].
        ranges: Depth of the pixels, shape as the image's [m]; infinite where nothing is seen.
    """

    frame: DepthFrame
    sigma: float
    faces: np.ndarray
    normals: np.ndarray
    distances: np.ndarray
    ranges: np.ndarray


def draw_depth_rooms(count: int, seed: int = 0, intrinsics: Intrinsics = D455) -> Iterator[DepthRoom]:
    """Draw so many random rooms."""
    rasteriser = Rasteriser(intrinsics)
    for number in range(count):
        random = np.random.default_rng((seed, number))
        yield _draw_room(rasteriser, random, number)


def _draw_room(rasteriser: Rasteriser, random: np.random.Generator, number: int) -> DepthRoom:
    while True:
        corners = _draw_boxes(random) @ _place_camera(random)
        # of a camera at the origin of these axes: boxes were placed about it
        rasteriser.clear()
        rasteriser.draw(corners.reshape(-1, 3, 3), np.repeat(np.arange(len(corners) * 6, dtype=np.int32), 2))
        w = rasteriser.inverse_depth
        if w.max() < 1.0 / NEAREST:
            break
    sigma = random.uniform(*SIGMAS)
    depth = StereoNoise(sigma=sigma).apply(w, rasteriser.intrinsics, random)
    quiet = StereoNoise(sigma=0.0, holes=0.0, flying=0.0).apply(w, rasteriser.intrinsics, random)
    seen = np.where(quiet > 0, rasteriser.faces, NOTHING)
    faces, normals, distances = _number_faces(seen, corners.reshape(-1, 3, 3))
    with np.errstate(divide="ignore"):
        ranges = np.where(w > 0.0, 1.0 / w, np.inf)
    frame = DepthFrame(time=float(number), number=number, depth=depth, unit=UNIT, intrinsics=rasteriser.intrinsics)
    return DepthRoom(frame=frame, sigma=sigma, faces=faces, normals=normals, distances=distances, ranges=ranges)


def _place_camera(random: np.random.Generator) -> np.ndarray:
    """Return the camera's optical axes as columns in world: it looks ahead and down, a little askew."""
    roll, pitch, yaw = random.uniform(-0.1, 0.1), random.uniform(0.1, 0.9), random.uniform(-0.5, 0.5)
    return np.asarray(pin.rpy.rpyToMatrix(roll, pitch, yaw)) @ _OPTICAL


def _draw_boxes(random: np.random.Generator) -> np.ndarray:
    """Return the corners of a room's boxes, the camera at the origin, z up, shape ``(boxes, 12, 3, 3)`` [m]."""
    height = random.uniform(0.9, 1.6)
    boxes = [_box((20.0, 20.0, 0.2), (0.0, 0.0, -0.1))]
    for _ in range(random.integers(1, 4)):
        boxes.append(_draw_wall(random))
    for kind in random.choice(4, size=2, replace=False):
        boxes += (_draw_overhang, _draw_table, _draw_stairs, _draw_ramp)[kind](random)
    for _ in range(random.integers(1, 4)):
        boxes.append(_draw_box(random))
    return np.array(boxes) - np.array([0.0, 0.0, height])


def _box(
    size: tuple[float, float, float],
    position: tuple[float, float, float],
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> np.ndarray:
    x, y, z = size
    return make_box((0.5 * x, 0.5 * y, 0.5 * z)).corners @ pin.rpy.rpyToMatrix(*rpy).T + np.array(position)


def _draw_place(random: np.random.Generator, near: float, far: float, spread: float) -> tuple[float, float, float]:
    """Draw a place on the floor and how what stands there is turned to the camera."""
    distance, bearing = random.uniform(near, far), random.uniform(-spread, spread)
    return distance * np.cos(bearing), distance * np.sin(bearing), bearing


def _draw_wall(random: np.random.Generator) -> np.ndarray:
    x, y, bearing = _draw_place(random, 1.0, FURTHEST, 1.0)
    size = (0.1, random.uniform(1.5, 4.0), random.uniform(2.0, 2.6))
    return _box(size, (x, y, 0.5 * size[2]), (0.0, random.uniform(-0.35, 0.35), bearing + random.uniform(-0.6, 0.6)))


def _draw_overhang(random: np.random.Generator) -> list[np.ndarray]:
    x, y, bearing = _draw_place(random, 1.0, 2.5, 0.5)
    size = (random.uniform(0.5, 1.2), random.uniform(0.8, 2.0), 0.1)
    return [_box(size, (x, y, random.uniform(1.8, 2.3)), (0.0, random.uniform(-0.2, 0.2), bearing))]


def _draw_table(random: np.random.Generator) -> list[np.ndarray]:
    x, y, bearing = _draw_place(random, 0.9, 2.0, 0.5)
    width, depth, height = random.uniform(0.8, 1.6), random.uniform(0.5, 0.9), random.uniform(0.65, 0.9)
    turned = bearing + random.uniform(-0.4, 0.4)
    rotation = pin.rpy.rpyToMatrix(0.0, 0.0, turned)
    legs = []
    for i in (-1.0, 1.0):
        for j in (-1.0, 1.0):
            foot = rotation @ np.array([i * (0.5 * depth - 0.04), j * (0.5 * width - 0.04), 0.0])
            legs.append(_box((0.05, 0.05, height - 0.04), (x + foot[0], y + foot[1], 0.5 * height - 0.02), (0.0, 0.0, turned)))
    return [_box((depth, width, 0.04), (x, y, height - 0.02), (0.0, 0.0, turned)), *legs]


def _draw_stairs(random: np.random.Generator) -> list[np.ndarray]:
    x, y, bearing = _draw_place(random, 0.8, 2.0, 0.5)
    rise, tread, width = random.uniform(0.12, 0.18), random.uniform(0.26, 0.32), random.uniform(0.8, 1.4)
    turned = bearing + random.uniform(-0.4, 0.4)
    ahead = np.array([np.cos(turned), np.sin(turned)])
    steps = []
    for k in range(random.integers(2, 5)):
        middle = np.array([x, y]) + (k + 0.5) * tread * ahead
        steps.append(_box((tread, width, (k + 1) * rise), (middle[0], middle[1], 0.5 * (k + 1) * rise), (0.0, 0.0, turned)))
    return steps


def _draw_ramp(random: np.random.Generator) -> list[np.ndarray]:
    x, y, bearing = _draw_place(random, 1.2, 2.5, 0.5)
    size, slope = (random.uniform(1.0, 2.0), random.uniform(0.8, 1.5), 0.4), random.uniform(0.1, 0.35)
    return [_box(size, (x, y, 0.5 * size[0] * np.sin(slope) - 0.2 * np.cos(slope)), (0.0, -slope, bearing))]


def _draw_box(random: np.random.Generator) -> np.ndarray:
    x, y, bearing = _draw_place(random, 0.8, 2.5, 0.8)
    size = (random.uniform(0.2, 0.6), random.uniform(0.2, 0.6), random.uniform(0.2, 0.6))
    return _box(size, (x, y, 0.5 * size[2]), (0.0, 0.0, bearing + random.uniform(-0.8, 0.8)))


def _number_faces(seen: np.ndarray, triangles: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the connected faces of one plane each, whatever boxes they belong to.

    Returns:
        Numbers from 1 of the pixels, normals and distances.
    """
    planes = np.array([_find_plane(*triangle) for triangle in triangles[::2]])
    owner = np.arange(len(planes))
    for face in range(len(planes)):
        same = (planes[:face, :3] @ planes[face, :3] > 1.0 - _SAME_DIRECTION) & (
            np.abs(planes[:face, 3] - planes[face, 3]) < _SAME_OFFSET
        )
        owner[face] = owner[np.flatnonzero(same)[0]] if same.any() else face
    numbers, count = np.zeros(seen.shape, dtype=np.int32), 0
    normals, distances = [], []
    here = np.where(seen == NOTHING, -1, owner[seen])
    for face in np.unique(here[here >= 0]):
        parts, found = ndimage.label(here == face)
        numbers[parts > 0] = parts[parts > 0] + count
        count += found
        normals += [planes[face, :3]] * found
        distances += [planes[face, 3]] * found
    return numbers, np.array(normals).reshape(-1, 3), np.array(distances)


def _find_plane(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return the normal of a triangle towards the origin, and the origin's distance from its plane."""
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal)
    distance = -float(normal @ a)
    return np.array([*normal, distance]) * (1.0 if distance >= 0.0 else -1.0)
