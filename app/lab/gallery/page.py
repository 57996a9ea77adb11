"""The page of the gallery's pictures."""

from __future__ import annotations

from pathlib import Path

from handhold.app.lab.gallery.screenshots import SCREENSHOTS

HEAD = """# What the operator sees

These pictures are drawn by the headset's own renderer, without a headset, a robot or an operator, and this page with them:

    ./handhold gallery docs/gallery

`tests/app/test_gallery.py` draws them anew and compares. What the colours and controls mean is in
[interface.md](interface.md).
"""


def write_page(folder: Path) -> Path:
    """Write the page of the pictures in a folder beside it, under its name; return the page's file."""
    pictures = (
        f"## {screenshot.title}\n\n![{screenshot.title}]({folder.name}/{screenshot.name}.png)\n" for screenshot in SCREENSHOTS
    )
    page = folder.parent / f"{folder.name}.md"
    page.write_text("\n".join([HEAD, *pictures]), encoding="utf-8")
    return page
