"""Draws the reference pictures anew: ``python tests/render/gl/make_references.py``. Look at them before they are kept."""

from __future__ import annotations

from easel import make_software_context
from PIL import Image
from reference_scenes import FOLDER, PIXELS, SCENES, draw, make_renderer

from handhold.render.gl.target import Target


def main() -> None:
    """Draw and write them."""
    context = make_software_context()
    renderer, target = make_renderer(), Target(PIXELS, PIXELS)
    FOLDER.mkdir(exist_ok=True)
    for name, make in SCENES.items():
        Image.fromarray(draw(renderer, target, make())).save(FOLDER / f"{name}.png", optimize=True)
    context.close()


if __name__ == "__main__":
    main()
