"""Make docs/images/first-session.png and wall-session.png, what an operator sees in both sessions (all, or those named)."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from contact_sheet import lay_out
from first_session import STEPS, Operator, open_session
from PIL import Image
from wall_session import WORLD, WallSession

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "images"
EYE_SIZE = (800, 862)  # [pixels]: the shape of what Monado's headset shows an eye
MIDDLE = (164, 216, 660, 862)  # left, top, right and bottom of what matters of it, some 59 by 70 degrees: down to the robot
COLUMNS = 4
COLORS = 128  # of the file, which keeps it small
FRAMES_TO_RESIZE = 100


def take_picture(operator: Operator) -> Image.Image:
    """Return what the operator sees now."""
    answer = operator.worker.ask("picture")
    picture = Image.frombytes("RGBA", tuple(answer["size"]), base64.b64decode(answer["image"])).convert("RGB")
    assert picture.size == EYE_SIZE
    return picture.crop(MIDDLE)


def list_sessions() -> dict[str, tuple[str, dict[str, Callable[[Operator], None]]]]:
    """Return the world and the steps of each session, by the name of its picture."""
    return {"first-session": ("flat", STEPS), "wall-session": (WORLD, WallSession().list_steps())}


def play(display: str, world: str, steps: dict[str, Callable[[Operator], None]]) -> dict[str, Image.Image]:
    """Play a session and return a picture of each step by its caption."""
    pictures = {}
    with tempfile.TemporaryDirectory() as folder, open_session(Path(folder), display, "fine", world) as operator:
        operator.worker.ask("recommend", width=EYE_SIZE[0], height=EYE_SIZE[1])
        operator.worker.ask("resize_mirror", width=EYE_SIZE[0], height=EYE_SIZE[1])
        operator.worker.ask("live", frames=FRAMES_TO_RESIZE)
        for caption, step in steps.items():
            step(operator)
            pictures[caption] = take_picture(operator)
            print(caption, flush=True)
    return pictures


def main() -> None:
    """Make the pictures."""
    sessions = list_sessions()
    names = sys.argv[1:] or list(sessions)
    number, number_of_server = os.pipe()
    command = ["Xvfb", "-displayfd", str(number_of_server), "-screen", "0", "1024x768x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=[number_of_server], stderr=subprocess.DEVNULL) as server:
        os.close(number_of_server)
        with os.fdopen(number) as answer:
            display = f":{answer.readline().strip()}"
        try:
            for name in names:
                file = FOLDER / f"{name}.png"
                lay_out(play(display, *sessions[name]), COLUMNS).quantize(COLORS).save(file, optimize=True)
                print(f"{file}: {file.stat().st_size / 1000:.0f} kB")
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
