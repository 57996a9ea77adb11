"""Draws the planes of a simulated room for docs/perception.md: ``python docs/make_plane_pictures.py``."""

from __future__ import annotations

from pathlib import Path

from handhold.app.camera.planes_picture import draw_planes
from handhold.app.lab.benches.depth_rooms import D455, draw_depth_rooms
from handhold.perception.planes.boundary import find_boundaries
from handhold.perception.planes.plane_finder import PlaneFinder

ROOM = 47
"""A room with a table before a wall, boxes and a good camera."""

MAX_DEPTH = 6.0


def main() -> None:
    """Draw the picture."""
    (*_, room) = draw_depth_rooms(ROOM + 1)
    image = PlaneFinder(D455).find(room.frame)
    file = Path(__file__).parent / "images" / "planes-room.png"
    draw_planes(room.frame, image, find_boundaries(image, MAX_DEPTH), file)


if __name__ == "__main__":
    main()
