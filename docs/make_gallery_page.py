"""Write docs/gallery.md, the page of the gallery's pictures: ``python docs/make_gallery_page.py``."""

from __future__ import annotations

from pathlib import Path

from handhold.app.gallery.exhibits import EXHIBITS

HEAD = """# What the operator sees

These pictures are drawn by the headset's own renderer, without a headset, a robot or an operator:

    ./handhold gallery docs/gallery
    python docs/make_gallery_page.py

What the colours and controls mean is in [interface.md](interface.md).
"""


def main() -> None:
    """Write the page."""
    parts = [HEAD, *(f"## {exhibit.title}\n\n![{exhibit.title}](gallery/{exhibit.name}.png)\n" for exhibit in EXHIBITS)]
    (Path(__file__).parent / "gallery.md").write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
