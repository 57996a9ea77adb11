"""Snapshots made by hand, for viewers to show: those of the gallery."""

from __future__ import annotations

from handhold.app.gallery.snapshots import make_reference, make_snapshot, move_joints

__all__ = ["make_reference", "make_snapshot", "move_joints"]
