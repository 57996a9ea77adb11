"""Surfaces that a hand could brace on, all of them computed together: there may be ten in every snapshot."""

from __future__ import annotations

import numpy as np

from handhold.render import palette
from handhold.render.elements.drawing import cross_rows, write
from handhold.render.elements.element import Element
from handhold.render.palette import to_linear
from handhold.render.scene import Fill, Label, Lines
from handhold.render.snapshot import Candidate

OFF_THE_SURFACE = 0.004
"""Distance of what is drawn on a surface from it, so that nothing shows through [m]."""
OLD_CANDIDATE = 0.5
"""A surface last seen longer ago than this is called old [s]."""
WIDTH, CHOSEN_WIDTH = 0.012, 0.022
"""Width of the outlines of a surface and of the chosen one [m]."""
UP = np.array([0.0, 0.0, 1.0])


def draw_candidates(candidates: tuple[Candidate, ...]) -> tuple[Element, ...]:
    """Return the surfaces a hand could brace on: outlined, with the gain in words; the chosen one green and thick."""
    shown = tuple(candidate for candidate in candidates if len(candidate.boundary) >= 3)
    if not shown:
        return ()
    sound = _find_sound(shown)
    if not sound.all():
        return draw_candidates(tuple(candidate for candidate, known in zip(shown, sound.tolist(), strict=True) if known))
    patches = _Patches(shown)
    return (*patches.draw_outlines(), patches.draw_areas(), *patches.write_gains())


def _find_sound(candidates: tuple[Candidate, ...]) -> np.ndarray:
    """Say of each candidate whether all its numbers are finite, shape ``(candidates,)``."""
    counts = np.array([len(candidate.boundary) for candidate in candidates])
    corners = np.isfinite(np.concatenate([candidate.boundary for candidate in candidates])).all(axis=1)
    poses = np.isfinite(np.array([candidate.pose for candidate in candidates])).all(axis=(1, 2))
    return poses & np.logical_and.reduceat(corners, np.cumsum(counts) - counts)


class _Patches:
    """The polygons of candidates in world, one after another."""

    def __init__(self, candidates: tuple[Candidate, ...]) -> None:
        self._candidates = candidates
        self._poses = np.array([candidate.pose for candidate in candidates])
        self._counts = np.array([len(candidate.boundary) for candidate in candidates])
        self._first = np.cumsum(self._counts) - self._counts
        # which candidate each corner belongs to
        self._of = np.repeat(np.arange(len(candidates)), self._counts)
        flat = np.concatenate([candidate.boundary for candidate in candidates])
        origins = self._poses[:, :3, 3] + OFF_THE_SURFACE * self._poses[:, :3, 2]
        self._corners = np.einsum("kij,kj->ki", self._poses[self._of, :3, :2], flat) + origins[self._of]
        self._middles = np.add.reduceat(self._corners, self._first, axis=0) / self._counts[:, None]

    def draw_outlines(self) -> tuple[Lines, ...]:
        following = np.arange(1, len(self._of) + 1)
        following[self._first + self._counts - 1] = self._first
        ends = np.stack([self._corners, self._corners[following]], axis=1).astype(np.float32)
        colors = np.array([_choose_color(c, 1.0, 0.4) for c in self._candidates])[self._of]
        chosen = np.array([candidate.chosen for candidate in self._candidates])[self._of]
        return tuple(
            Lines(ends=ends[group], colors=colors[group], width=width)
            for group, width in ((~chosen, WIDTH), (chosen, CHOSEN_WIDTH))
            if group.any()
        )

    def draw_areas(self) -> Fill:
        within = np.arange(len(self._of)) - self._first[self._of]
        # a fan from the first corner of each to all its edges that do not touch it
        second = np.nonzero((within >= 1) & (within < self._counts[self._of] - 1))[0]
        of = self._of[second]
        triangles = self._corners[np.stack([self._first[of], second, second + 1], axis=1)]
        colors = np.array([_choose_color(c, 0.25, 0.08) for c in self._candidates])
        return Fill(triangles=triangles.astype(np.float32), colors=colors[of], middles=self._middles[of].astype(np.float32))

    def write_gains(self) -> tuple[Label, ...]:
        places = self._middles + OFF_THE_SURFACE * self._poses[:, :3, 2]
        texts = map(describe_candidate, self._candidates)
        return tuple(
            write(text, place, rotation=rotation)
            for text, place, rotation in zip(texts, places, find_upright(self._poses), strict=True)
        )


def _choose_color(candidate: Candidate, fresh: float, old: float) -> np.ndarray:
    hue = palette.CHOSEN if candidate.chosen else palette.CANDIDATE
    return to_linear(hue, old if candidate.age > OLD_CANDIDATE else fresh)


def find_upright(poses: np.ndarray) -> np.ndarray:
    """Return the axes of texts on surfaces: upright, or on flat ones away from the world's origin.

    Turned to the eye, a text would stick in the surface.

    Args:
        poses: Of the surfaces, z their normals, shape ``(k, 4, 4)``.

    Returns:
        Shape ``(k, 3, 3)``, float32.
    """
    normals = poses[:, :3, 2]
    outward = poses[:, :3, 3] * (1.0, 1.0, 0.0) + (1e-6, 0.0, 0.0)
    right = cross_rows(np.where(np.abs(normals[:, 2:]) < 0.9, UP, outward), normals)
    right /= np.sqrt((right * right).sum(axis=1, keepdims=True))
    return np.stack([right, cross_rows(normals, right), normals], axis=2).astype(np.float32)


def describe_candidate(candidate: Candidate) -> str:
    """Return what a brace on a surface is worth, in words."""
    words = f"{candidate.hand} hand {100.0 * candidate.gain:+.1f} cm"
    if candidate.chosen:
        words = f"taken: {words}"
    return f"{words}\nlast seen {candidate.age:.1f} s ago" if candidate.age > OLD_CANDIDATE else words
