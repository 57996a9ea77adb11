"""``handhold gallery``: pictures of everything that can be seen in the headset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[Path, typer.Argument(help="Where the pictures go; the page of them goes beside it, FOLDER.md.")],
    only: Annotated[
        list[str] | None, typer.Option("--only", help="Draw only this picture, and no page; may be repeated.")
    ] = None,
) -> None:
    """Draw the gallery of what the operator sees and its page, with this machine's OpenGL and without a headset."""
    from handhold.app.lab.gallery.drawing import draw_gallery
    from handhold.app.lab.gallery.page import write_page
    from handhold.app.lab.gallery.screenshots import SCREENSHOTS

    known = [screenshot.name for screenshot in SCREENSHOTS]
    unknown = [name for name in only or () if name not in known]
    if unknown:
        raise typer.BadParameter(f"no picture '{unknown[0]}'; take one of: {', '.join(known)}", param_hint="--only")
    draw_gallery(folder, tuple(only or ()), typer.echo)
    if not only:
        typer.echo(f"{write_page(folder.resolve())}: all of them")
