"""The map: which surfaces there are, from images that come one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from handhold.perception.mapping.evidence import CELL, Seen, add_evidence, count_votes, find_wide_parts
from handhold.perception.mapping.outlines import draw_outlines
from handhold.perception.mapping.plane_filter import PoseError, express_plane, fuse, move_pose
from handhold.perception.mapping.tracked_surface import TrackedSurface
from handhold.perception.planes.boundary import Patch
from handhold.perception.planes.labels import NOBODY, split_patches
from handhold.perception.planes.noise import RIPPLE, Noise
from handhold.perception.planes.plane import PlaneImage
from handhold.perception.surface import Surface


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceMapParameters:
    """How images are joined to a map; what each does is on the tuning page.

    Attributes:
        pose_error: How well the camera's pose is known.
        max_angle: Angle at which a patch is another surface [rad].
        max_offset: Distance of a patch from a surface's plane at which it is another one [m].
        min_votes: Part of a patch's or a surface's visible cells that must agree for them to be one [-].
        min_area: Area of a surface at least [m^2].
        reach: Distance from the camera beyond which nothing is kept [m].
        forget_after: Time after which a surface that was not seen is forgotten [s].
        drift: How fast a surface's plane may change [m/s, rad/s].
    """

    pose_error: PoseError = field(default_factory=PoseError)
    max_angle: float = 0.08
    max_offset: float = 0.03
    min_votes: float = 0.1
    min_area: float = 0.01
    reach: float = 5.0
    forget_after: float = 60.0
    drift: float = 0.002


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class View:
    """An image with its planes, and where it was taken.

    Attributes:
        time: When it was exposed [s].
        camera: Pose of the camera's optical axes in world then, shape ``(4, 4)``.
        image: Its planes.
        patches: Their boundaries.
        rounding: Standard deviation of depth by its unit [m].
        camera_index: Number of the camera, where several see for one map.
    """

    time: float
    camera: np.ndarray
    image: PlaneImage
    patches: tuple[Patch, ...]
    rounding: float
    camera_index: int = 0

    @property
    def seen(self) -> Seen:
        """The image as compiled code takes it."""
        image, x, y = self.image, self.image.x, self.image.y
        planes = np.full((int(image.labels.max(initial=0)) + 1, 3), np.nan)
        for plane in image.planes:
            planes[plane.label] = plane.coefficients
        pinhole = np.array([x[0], x[1] - x[0], y[0], y[1] - y[0]])
        return Seen(image.inverse, image.labels, planes, pinhole, Noise(image.sigma, self.rounding, RIPPLE))


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
        seen = view.seen
        owners = self._associate(view, seen)
        for patch in view.patches:
            same = [surface for surface in self.surfaces if owners.get(surface.identity) == patch.plane.label]
            if same:
                self._join(same, patch, view)
            else:
                owners[self._begin(patch, view).identity] = patch.plane.label
        for surface in self.surfaces:
            self._observe(surface, owners.get(surface.identity, NOBODY), view, seen)
        self._split()
        p = self._parameters
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

    def _associate(self, view: View, seen: Seen) -> dict[int, int]:
        """Return which patch each surface is in an image: the one that most of its cells see, where plane and cells agree."""
        patches = {patch.plane.label: patch for patch in view.patches}
        votes, owners = np.zeros(len(seen.planes), dtype=np.int64), {}
        for surface in self.surfaces:
            transform = np.linalg.inv(view.camera) @ surface.pose
            count_votes(surface.evidence, surface.corner, transform, seen, votes)
            visible = int(votes.sum())
            votes[NOBODY] = 0
            label = int(np.argmax(votes))
            if label in patches and self._agree(surface, patches[label], int(votes[label]), visible, view):
                owners[surface.identity] = label
        return owners

    def _agree(self, surface: TrackedSurface, patch: Patch, votes: int, visible: int, view: View) -> bool:
        p = self._parameters
        normal = view.camera[:3, :3] @ patch.plane.normal
        middle = view.camera[:3, :3] @ patch.pose[:3, 3] + view.camera[:3, 3]
        offset = abs(float(surface.pose[:3, 2] @ (middle - surface.pose[:3, 3])))
        error = 3.0 * float(np.sqrt(surface.covariance[2, 2]))
        return (
            float(surface.pose[:3, 2] @ normal) > np.cos(p.max_angle)
            and offset < max(p.max_offset, error)
            and votes >= p.min_votes * visible
        )

    def _begin(self, patch: Patch, view: View) -> TrackedSurface:
        self._identities += 1
        pose = np.eye(4)
        pose[:3, :3] = choose_axes(view.camera[:3, :3] @ patch.plane.normal)
        pose[:3, 3] = view.camera[:3, :3] @ patch.pose[:3, 3] + view.camera[:3, 3]
        surface = TrackedSurface(
            identity=self._identities, pose=pose, first_seen=view.time, last_seen=view.time, camera_index=view.camera_index
        )
        self.surfaces.append(surface)
        self._fuse(surface, patch, view, elapsed=0.0)
        return surface

    def _join(self, same: list[TrackedSurface], patch: Patch, view: View) -> None:
        """Fuse a patch with the surface that it is; several that it is turn out to be one."""
        first, *others = same
        for other in others:
            first.take_over(other)
            self.surfaces.remove(other)
        self._fuse(first, patch, view, elapsed=view.time - first.last_seen)

    def _fuse(self, surface: TrackedSurface, patch: Patch, view: View, *, elapsed: float) -> None:
        p = self._parameters
        transform = np.linalg.inv(surface.pose) @ view.camera
        value, noise = express_plane(patch.plane, transform)
        systematic = p.pose_error.compute_covariance(patch.plane.distance)
        drifted = surface.covariance + (p.drift * min(elapsed, 1.0)) ** 2 * np.eye(3)
        change, surface.covariance = fuse(drifted, value, noise + systematic, systematic)
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

    def _observe(self, surface: TrackedSurface, label: int, view: View, seen: Seen) -> None:
        transform = np.linalg.inv(view.camera) @ surface.pose
        hits = add_evidence(surface.evidence, surface.corner, transform, seen, label)
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


def choose_axes(normal: np.ndarray) -> np.ndarray:
    """Choose the axes of a surface, as columns: z the normal, y as upright as can be, or x ahead where it lies flat."""
    upright = abs(normal[2]) < 0.9
    x = np.array([-normal[1], normal[0], 0.0]) if upright else np.array([1.0, 0.0, 0.0]) - normal[0] * normal
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(normal, x), normal])
