"""A hand of the operator that is dragged on a page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import viser

PLACE_PERIOD = 0.05
"""The gizmo follows a hand that is not dragged at most this often [s]: every open page redraws it."""
PLACE_DISTANCE = 1e-3
"""And only when it is this far off [m], or this far turned [rad]."""
SNAP_DISTANCE = 0.2
"""A gizmo put back further than this is a hand lifted and laid down elsewhere, not one that moved [m]."""
SNAP_ANGLE = 0.5
"""Or turned back further than this [rad]."""
GAP = 0.1
"""A hand that was put back or lost is not tracked for this long [s], lest the one sample that says so is overtaken."""
GIZMO_SIZE = 0.24
"""Length of its arrows [m]."""
STEERING_SPEED = 0.15
"""Speed of a hand that is steered by keys [m/s]."""
MAX_TIME_STEP = 0.05
"""Time that one step of it may bridge [s]: a device that is read late moves less, not further."""
BY_KEYS = -1
"""What holds the gizmo while it is steered; viser numbers its pages from 0."""


@dataclass(frozen=True, slots=True)
class GizmoSample:
    """Pose of a gizmo in world, or None, and whether it is being dragged."""

    pose: pin.SE3 | None
    dragged: bool


class HandGizmo:
    """A draggable pose. One page drags it at a time; while none does, it follows the robot's hand."""

    def __init__(self, server: viser.ViserServer, hand: str, may_use: Callable[[int, object], bool]) -> None:
        """Put a gizmo on the page; ``may_use`` tells whether a page may take hold of a control now."""
        self._server = server
        self._handle = server.scene.add_transform_controls(
            f"/hands/{hand}", scale=GIZMO_SIZE, line_width=4.0, depth_test=False, opacity=0.9, visible=False
        )
        self._handle.on_update(self._take)
        self._may_use = may_use
        # viser's thread takes hold of it, the device's lets go.
        self._lock = threading.Lock()
        self._owner: int | None = None
        self._at_rest = False
        self._pose: pin.SE3 | None = None
        self._reported: pin.SE3 | None = None
        self._lost = False
        self._gap_until = -float("inf")
        self._placed_at = -float("inf")
        self._steered_at: float | None = None

    @property
    def is_dragged_by_page(self) -> bool:
        """Whether somebody drags it, not by keys."""
        return self._owner not in (None, BY_KEYS)

    def steer(self, direction: np.ndarray | None, now: float) -> None:
        """Move the gizmo by keys as if it were dragged, or let go of it.

        Args:
            direction: Unit vector in world, shape ``(3,)``, zero for a hand that is squeezed where it is, which a page may
                drag nevertheless; None where no key is held.
            now: Time [s].
        """
        with self._lock:
            last, self._steered_at = self._steered_at, None if direction is None else now
            if direction is None or self._pose is None or self._owner not in (None, BY_KEYS):
                self._owner = None if self._owner == BY_KEYS else self._owner
                return
            self._owner, self._at_rest = BY_KEYS, not direction.any()
            step = 0.0 if last is None else STEERING_SPEED * min(MAX_TIME_STEP, now - last)
            self._pose = pin.SE3(self._pose.rotation, self._pose.translation + step * direction)
        if now - self._placed_at >= PLACE_PERIOD:
            self._placed_at = now
            self._send(self._pose)

    def read(self, now: float) -> GizmoSample:
        """Return what the gizmo says at time ``now`` [s].

        The pose is None before the gizmo has a place, for a moment after the page that dragged it is gone, and for a
        moment after it was put back from afar: nothing that compares poses may bridge such a gap.
        """
        pose, dragged = self._pose, self._owner is not None
        put_back = not dragged and pose is not None and _far(pose, self._reported, SNAP_DISTANCE, SNAP_ANGLE)
        if self._lost or put_back:
            self._gap_until = now + GAP
        self._lost = False
        self._reported = pose
        return GizmoSample(None, False) if now < self._gap_until else GizmoSample(pose, dragged)

    def place(self, pose: np.ndarray, now: float) -> None:
        """Put the gizmo, unless it is being dragged, where the robot's hand is, homogeneous ``(4, 4)`` in world."""
        if self._owner is not None or now - self._placed_at < PLACE_PERIOD or not np.isfinite(pose).all():
            return
        target = pin.SE3(pose)
        if self._pose is not None and not _far(target, self._pose, PLACE_DISTANCE, PLACE_DISTANCE):
            return
        self._placed_at = now
        self._pose = target
        self._send(target)

    def drop(self) -> None:
        """End a drag whose page does not answer: it is taken up again by pressing the pointer anew, not by moving it."""
        with self._lock:
            if self._owner is not None:
                self._owner = None
                self._lost = True

    def remove(self) -> None:
        """Take the gizmo off the page."""
        self._handle.remove()

    async def _take(self, event: viser.TransformControlsEvent) -> None:
        """Follow one page's drag (awaited on viser's own thread, in order)."""
        with self._lock:
            taken = self._follow(event)
        if not taken and self._pose is not None:  # Another page drags: what this one did to the gizmo is undone.
            self._send(self._pose)

    def _follow(self, event: viser.TransformControlsEvent) -> bool:
        """Take a drag's pose; False where it is not this page's to drag (any more: viser handles messages later)."""
        free = self._owner is None or (self._owner == BY_KEYS and self._at_rest)
        if event.client_id is None or not (free or self._owner == event.client_id):
            return False
        if free and (event.phase != "start" or not self._may_use(event.client_id, self._handle)):
            return False
        self._pose = _to_pose(event.target)
        # A hand that is squeezed where it is goes on being so, without a moment in which nobody holds it.
        squeezed = None if self._steered_at is None else BY_KEYS
        self._owner = event.client_id if event.phase != "end" else squeezed
        if event.phase == "end" and event.client_id not in self._server.get_clients():
            self._lost = True  # The page was closed in mid-drag; viser ends the drag on its behalf.
        return True

    def _send(self, pose: pin.SE3) -> None:
        x, y, z, w = pin.Quaternion(pose.rotation).coeffs()
        with self._server.atomic():
            self._handle.wxyz = (w, x, y, z)
            self._handle.position = pose.translation
            self._handle.visible = True


def _to_pose(handle: viser.TransformControlsHandle) -> pin.SE3:
    w, x, y, z = (float(value) for value in handle.wxyz)
    # A page may send anything; what is not finite is passed on, for the robot host refuses and counts it.
    return pin.SE3(pin.Quaternion(w, x, y, z).normalized().matrix(), np.array(handle.position, float))


def _far(a: pin.SE3, b: pin.SE3 | None, distance: float, angle: float) -> bool:
    if b is None:
        return False
    apart = float(np.linalg.norm(a.translation - b.translation))
    # |Ra - Rb| (Frobenius) is sqrt(2) times a small angle.
    turned = float(np.linalg.norm(a.rotation - b.rotation)) / np.sqrt(2.0)
    return apart > distance or turned > angle
