"""Surfaces that a hand could brace on, all of them computed together: there may be ten in every snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from handhold.render import palette
from handhold.render.elements.drawing import write
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Lines
from handhold.retarget.mode_report import Candidate

SURFACE_OFFSET = 0.004
"""Distance of what is drawn on a surface from it, so that nothing shows through [m]."""
OLD_CANDIDATE = 0.5
"""A surface last seen longer ago than this is called old [s]."""
WIDTH, CHOSEN_WIDTH = 0.012, 0.022
"""Width of the outlines of a surface and of the chosen one [m]."""


def draw_candidates(candidates: tuple[Candidate, ...]) -> tuple[Element, ...]:
    """Return the surfaces a hand could brace on: outlined, with the gain in words; the chosen one green and thick."""
    shown = tuple(candidate for candidate in candidates if len(candidate.boundary) >= 3)
    if not shown:
        return ()
    poses = np.concatenate([candidate.pose for candidate in shown], dtype=np.float64).reshape(-1, 4, 4)
    flat = np.concatenate([candidate.boundary for candidate in shown], dtype=np.float64)
    colors = _find_colors(tuple((len(c.boundary), c.chosen, c.age > OLD_CANDIDATE) for c in shown))
    ends, triangles, middles, positions, axes, sound = lay_patches(poses, flat, colors.counts)
    if not sound.all():
        return draw_candidates(tuple(candidate for candidate, known in zip(shown, sound.tolist(), strict=True) if known))
    outlines = (
        Lines(ends=ends[group], colors=colors.outlines[group], width=width)
        for group, width in ((colors.free, WIDTH), (colors.chosen, CHOSEN_WIDTH))
        if len(group)
    )
    area = Fill(triangles=triangles, colors=colors.areas, middles=middles)
    texts = map(describe_candidate, shown)
    return (*outlines, area, *(write(t, p, rotation=r) for t, p, r in zip(texts, positions, axes, strict=True)))


@dataclass(frozen=True, eq=False, slots=True)
class _Colors:
    """What is alike of patches that differ in where they are.

    Attributes:
        counts: Corners of each, shape ``(patches,)``.
        outlines: Colour of each edge, shape ``(edges, 4)``.
        areas: Colour of each triangle, shape ``(triangles, 4)``.
        free: Edges of those that are not chosen.
        chosen: Edges of those that are.
    """

    counts: np.ndarray
    outlines: np.ndarray
    areas: np.ndarray
    free: np.ndarray
    chosen: np.ndarray


@lru_cache(maxsize=64)
def _find_colors(patches: tuple[tuple[int, bool, bool], ...]) -> _Colors:
    """Return counts and colours of patches, told by number of corners, whether chosen and whether old."""
    counts = np.array([corners for corners, _, _ in patches])
    chosen = np.repeat([taken for _, taken, _ in patches], counts)
    outlines = np.array([_choose_color(taken, 0.4 if old else 1.0) for _, taken, old in patches])
    areas = np.array([_choose_color(taken, 0.08 if old else 0.25) for _, taken, old in patches])
    return _Colors(
        counts=counts,
        outlines=np.repeat(outlines, counts, axis=0),
        areas=np.repeat(areas, counts - 2, axis=0),
        free=np.flatnonzero(~chosen),
        chosen=np.flatnonzero(chosen),
    )


def _choose_color(chosen: bool, alpha: float) -> np.ndarray:
    return to_linear(palette.ENGAGED if chosen else palette.CANDIDATE, alpha)


@njit(cache=True)
def lay_patches(
    poses: np.ndarray, flat: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Lay polygons on surfaces, lifted off them.

    Texts on them are upright, or on flat ones away from the world's origin: turned to the eye, they would stick in them.

    Args:
        poses: Of the surfaces, z their outward normals, shape ``(patches, 4, 4)``.
        flat: Corners of all in their x and y, one patch after another, shape ``(corners, 2)`` [m].
        counts: Corners of each, shape ``(patches,)``, 3 at least.

    Returns:
        Both ends of the edges, shape ``(corners, 2, 3)``; triangles, shape ``(corners - 2 patches, 3, 3)``, and the middle of
        the patch of each; where a text goes on each patch, shape ``(patches, 3)``; the text's axes (along it, up, off the
        surface), shape ``(patches, 3, 3)``, all float32; and of which patches all numbers are finite, shape ``(patches,)``.
    """
    patches, total = len(counts), len(flat)
    ends = np.empty((total, 2, 3), dtype=np.float32)
    triangles = np.empty((total - 2 * patches, 3, 3), dtype=np.float32)
    middles = np.empty((total - 2 * patches, 3), dtype=np.float32)
    positions, axes = np.empty((patches, 3), dtype=np.float32), np.empty((patches, 3, 3), dtype=np.float32)
    sound = np.empty(patches, dtype=np.bool_)
    first = triangle = 0
    for k in range(patches):
        pose, count = poses[k], counts[k]
        normal = pose[:3, 2]
        corners = np.empty((count, 3))
        for i in range(count):
            u, v = flat[first + i]
            corners[i] = pose[:3, 0] * u + pose[:3, 1] * v + pose[:3, 3] + SURFACE_OFFSET * normal
        middle = corners.sum(axis=0) / count
        sound[k] = np.isfinite(pose).all() and np.isfinite(middle).all()
        for i in range(count):
            ends[first + i, 0], ends[first + i, 1] = corners[i], corners[(i + 1) % count]
        for i in range(1, count - 1):
            triangles[triangle, 0], triangles[triangle, 1] = corners[0], corners[i]
            triangles[triangle, 2], middles[triangle] = corners[i + 1], middle
            triangle += 1
        positions[k] = middle + SURFACE_OFFSET * normal
        axes[k] = find_upright(normal, pose[:3, 3])
        first += count
    return ends, triangles, middles, positions, axes, sound


@njit(cache=True)
def find_upright(normal: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Return the axes (along it, up, off the surface) of a text on a surface, as columns, shape ``(3, 3)``."""
    up = np.array([0.0, 0.0, 1.0]) if abs(normal[2]) < 0.9 else np.array([position[0] + 1e-6, position[1], 0.0])
    right = np.cross(up, normal)
    right /= np.sqrt((right * right).sum())
    axes = np.empty((3, 3))
    axes[:, 0], axes[:, 1], axes[:, 2] = right, np.cross(normal, right), normal
    return axes


def describe_candidate(candidate: Candidate) -> str:
    """Return what a brace on a surface is worth, in words."""
    words = f"{candidate.hand} hand {100.0 * candidate.gain:+.1f} cm"
    if candidate.chosen:
        words = f"taken: {words}"
    return f"{words}\nlast seen {candidate.age:.1f} s ago" if candidate.age > OLD_CANDIDATE else words
