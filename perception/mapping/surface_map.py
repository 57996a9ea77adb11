"""The map: which surfaces there are, from images that come one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handhold.perception.mapping.association import are_one_plane, associate, measure
from handhold.perception.mapping.evidence import CELL, Seen, add_evidence, find_wide_parts
from handhold.perception.mapping.outlines import draw_outlines
from handhold.perception.mapping.plane_filter import PoseError, express_surface, fuse, move_pose
from handhold.perception.mapping.tracked_surface import TrackedSurface
from handhold.perception.mapping.view import View
from handhold.perception.planes.boundary import Patch
from handhold.perception.planes.labels import split_patches
from handhold.perception.surface import Surface

SHARED = 0.2
"""Part of the variance by the camera's pose that an image shares with those before it [-]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceMapParameters:
    """How images are joined to a map; what each does is on the tuning page.

    Attributes:
        pose_error: How well the camera's pose is known.
        max_offset: Error of a surface's offset at which its quality is a half [m].
        min_overlap: Part of the smaller of a patch and a surface, in sight, that must overlap for them to be one [-].
        min_area: Area of a surface at least [m^2].
        reach: Distance from the camera beyond which nothing is kept [m].
        forget_after: Time after which a surface that was not seen is forgotten [s].
        drift: How fast a surface's plane may change [m/s, rad/s].
    """

    pose_error: PoseError = field(default_factory=PoseError)
    max_offset: float = 0.03
    min_overlap: float = 0.1
    min_area: float = 0.01
    reach: float = 5.0
    forget_after: float = 60.0
    drift: float = 0.002


class SurfaceMap:
    """Keeps surfaces in world: association, fusion, age, what is free and what is not known.

    Attributes:
        surfaces: All of them, the oldest first.
    """

    def __init__(self, parameters: SurfaceMapParameters | None = None) -> None:
        self._parameters = parameters or SurfaceMapParameters()
        self.surfaces: list[TrackedSurface] = []
        self._identities = 0

    def update(self, view: View) -> None:
        """Take an image into account; images come in the order in which they were exposed."""
        seen, p = view.seen, self._parameters
        candidates = associate(self.surfaces, view, seen, pose_error=p.pose_error, min_overlap=p.min_overlap, drift=p.drift)
        owners: dict[int, TrackedSurface] = {}
        successors: dict[int, TrackedSurface] = {}
        for patch in view.patches:
            same = [_find_successor(surface, successors) for surface in candidates.get(patch.plane.label, ())]
            owner = same[0] if same else self._begin(patch, view)
            self._fuse(owner, patch, view)
            for other in same[1:]:
                if other is not owner and other in self.surfaces and self._join(owner, other, view.time):
                    successors[id(other)] = owner
            owners[patch.plane.label] = owner
        owners = {label: _find_successor(owner, successors) for label, owner in owners.items()}
        for surface in self.surfaces:
            self._observe(surface, owners, view, seen)
        self._split()
        self.surfaces = [
            s
            for s in self.surfaces
            # What one camera has seen once is for that camera to confirm with its next image.
            if view.time - s.last_seen < p.forget_after
            and (s.solid.any() or s.last_seen == view.time or s.camera_index != view.camera_index)
        ]

    def list_surfaces(self, time: float) -> tuple[Surface, ...]:
        """List what is known at a time [s], as everybody else wants it."""
        listed = []
        for surface in self.surfaces:
            for boundary, area in draw_outlines(surface, self._parameters.min_area):
                error = np.sqrt(np.diag(surface.covariance))
                listed.append(
                    Surface(
                        pose=surface.pose.copy(),
                        boundary=boundary,
                        area=area,
                        quality=1.0 / (1.0 + float(error[2]) / self._parameters.max_offset),
                        age=max(0.0, time - surface.last_seen),
                        identity=surface.identity,
                        angle_error=float(error[:2].max()),
                        offset_error=float(error[2]),
                    )
                )
        return tuple(listed)

    def _begin(self, patch: Patch, view: View) -> TrackedSurface:
        self._identities += 1
        pose = np.eye(4)
        pose[:3, :3] = choose_axes(view.camera[:3, :3] @ patch.plane.normal)
        pose[:3, 3] = view.camera[:3, :3] @ patch.pose[:3, 3] + view.camera[:3, 3]
        surface = TrackedSurface(
            identity=self._identities, pose=pose, first_seen=view.time, last_seen=view.time, camera_index=view.camera_index
        )
        self.surfaces.append(surface)
        return surface

    def _join(self, owner: TrackedSurface, other: TrackedSurface, time: float) -> bool:
        """Make one of two surfaces that turn out to lie in one plane; says whether they do."""
        before = other.predict_covariance(time, self._parameters.drift)
        change, covariance = express_surface(before, np.linalg.inv(owner.pose) @ other.pose)
        if not are_one_plane(owner, change, covariance):
            return False
        change, owner.covariance = fuse(owner.covariance, change, covariance)
        owner.pose = move_pose(owner.pose, change)
        owner.take_over(other)
        self.surfaces.remove(other)
        return True

    def _fuse(self, surface: TrackedSurface, patch: Patch, view: View) -> None:
        p = self._parameters
        measured = measure(surface, patch, view, p.pose_error)
        predicted = surface.predict_covariance(view.time, p.drift) + SHARED * measured.by_pose
        change, surface.covariance = fuse(predicted, measured.change, measured.covariance)
        surface.pose = move_pose(surface.pose, change)
        surface.make_room(self._find_corners(surface, patch, view))

    def _find_corners(self, surface: TrackedSurface, patch: Patch, view: View) -> np.ndarray:
        """Return the corners of a patch in a surface's x and y, as far as the map reaches, shape ``(k, 2)`` [m]."""
        seen = patch.pose[:3, 3] + patch.boundary @ patch.pose[:3, :2].T
        corners = view.camera[:3, 3] + seen @ view.camera[:3, :3].T
        away = corners - view.camera[:3, 3]
        distances = np.linalg.norm(away, axis=1, keepdims=True)
        corners = view.camera[:3, 3] + away * np.minimum(1.0, self._parameters.reach / distances)
        return np.asarray((corners - surface.pose[:3, 3]) @ surface.pose[:3, :2])

    def _observe(self, surface: TrackedSurface, owners: dict[int, TrackedSurface], view: View, seen: Seen) -> None:
        transform, own = np.linalg.inv(view.camera) @ surface.pose, np.zeros(len(seen.planes), dtype=np.bool_)
        own[[label for label, owner in owners.items() if owner is surface]] = True
        hits = add_evidence(surface.evidence, surface.corner, transform, seen, own)
        if hits * CELL**2 >= self._parameters.min_area:
            surface.last_seen, surface.camera_index = view.time, view.camera_index

    def _split(self) -> None:
        """Make surfaces of their own of what does not hang together; the largest part stays what it was.

        A part that is narrow everywhere is what is left of a surface that has gone, where it met another one: nothing behind
        it is far enough away for it to be seen through.
        """
        smallest = round(self._parameters.min_area / CELL**2)
        for surface in list(self.surfaces):
            parts = surface.solid.astype(np.int32)
            count = split_patches(parts, smallest)
            wide = find_wide_parts(parts, count)
            sizes = np.bincount(parts.ravel(), minlength=count + 1)[1:] * wide
            largest = int(np.argmax(sizes)) + 1 if count else 0
            for part in range(1, count + 1):
                if not wide[part - 1]:
                    surface.evidence[parts == part] = 0
                elif part != largest:
                    self._split_off(surface, parts == part)

    def _split_off(self, surface: TrackedSurface, cells: np.ndarray) -> None:
        self._identities += 1
        self.surfaces.append(
            TrackedSurface(
                identity=self._identities,
                pose=surface.pose.copy(),
                first_seen=surface.first_seen,
                last_seen=surface.last_seen,
                camera_index=surface.camera_index,
                covariance=surface.covariance.copy(),
                evidence=np.where(cells, surface.evidence, 0).astype(np.int8),
                first=surface.first.copy(),
            )
        )
        surface.evidence[cells] = 0


def _find_successor(surface: TrackedSurface, successors: dict[int, TrackedSurface]) -> TrackedSurface:
    """Return the surface that one has become a part of within this image, or itself."""
    while id(surface) in successors:
        surface = successors[id(surface)]
    return surface


def choose_axes(normal: np.ndarray) -> np.ndarray:
    """Choose the axes of a surface, as columns: z the normal, y as upright as can be, or x ahead where it lies flat."""
    upright = abs(normal[2]) < 0.9
    x = np.array([-normal[1], normal[0], 0.0]) if upright else np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
