"""Make the README's moving pictures from simulated sessions, in lockstep: ``python docs/make_moving_pictures.py [NAME ...]``.

``session``: a hand leans on a wall, the other one reaches over it, the robot walks away. ``link``: a walk whose link is cut.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from handhold.app.host.cycle import Cycle
from handhold.app.host.footholds import find_start
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.gallery.drawing import HEIGHT, WIDTH, Studio
from handhold.app.lab.gallery.parts import look_from
from handhold.app.lab.gallery.screenshots import Screenshot, Shot
from handhold.app.lab.scenarios.phrases import compute_turn_to_face, drag_hand, load, unload
from handhold.app.lab.scenarios.score import ScoredOperator, Step, ask, move, release, squeeze, trigger, wait
from handhold.app.lab.scenarios.walks import gait_of, mode_is, release_sticks, steer
from handhold.render.gl.context import make_context
from handhold.render.snapshot import Snapshot
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

FOLDER = Path(__file__).parent / "images"
WORLD = "workshop"
PERIOD, OPERATOR_PERIOD = 1e-3, 1.0 / 90.0
FRAME_RATE = 12.0  # [1/s] of the file
SIZE = (640, 360)  # [pixels]
CAPTION = 30  # [pixels]: height of the line of words
QUALITY = 55
CUT, BACK = 6.0, 9.5  # [s]: when the link is cut, and when it is there again


@dataclass(frozen=True, slots=True, kw_only=True)
class Film:
    """A moving picture.

    Attributes:
        score: What the operator does.
        speed: How much faster than the robot it is shown.
        cut: When no sample arrives any more, and when they arrive again [s].
        eye: Where one looks from, and at what, both relative to the robot's feet [m].
        describe: Says in words what a frame shows, from its time [s] and snapshot.
    """

    score: Callable[[RobotModel, np.ndarray], Sequence[Step]]
    speed: float
    cut: tuple[float, float]
    eye: tuple[tuple[float, float, float], tuple[float, float, float]]
    describe: Callable[[float, Snapshot], str]


def lean_reach_and_walk(model: RobotModel, poses: np.ndarray) -> Sequence[Step]:
    """Lean the left hand on the wall and push, reach over it with the right one, let go, and walk back."""
    left, gait = poses[model.effector_of_hand("left") or 0], gait_of(model)
    return [
        wait(0.5),
        *drag_hand("left", (0.14, -0.10, 0.0), speed=0.15, turn=compute_turn_to_face(left, (-1.0, 0.0, 0.0))),
        *load("left"),
        squeeze("left"),
        trigger("left", 0.6, 2.0),
        squeeze("right"),
        move("right", (0.0, 0.10, 0.45), 0.35),
        move("right", (0.45, 0.05, 0.0), 0.35),
        wait(1.0),
        move("right", (-0.45, -0.05, 0.0), 0.45),
        move("right", (0.0, -0.10, -0.45), 0.45),
        release("right"),
        trigger("left", 0.0, 0.5),
        release("left"),
        wait(0.3),
        *unload("left"),
        *drag_hand("left", (-0.14, 0.10, 0.0), speed=0.2),
        ask("mode:walking"),
        mode_is("walking"),
        wait(1.0),
        steer(gait, forward=-gait.backward_speed),
        wait(4.5),
        release_sticks(),
        wait(2.5),
    ]


def walk_on(model: RobotModel, _poses: np.ndarray) -> Sequence[Step]:
    """Walk ahead without an end."""
    gait = gait_of(model)
    return [ask("mode:walking"), mode_is("walking"), steer(gait, forward=0.3), wait(60.0)]


def describe_session(_time: float, snapshot: Snapshot) -> str:
    """Say what the hands do, and how much the stance is worth."""
    if snapshot.mode == "walking":
        return "walks away: footsteps are planned every 50 ms"
    word = {"free": "follows", "approaching": "goes on until it touches", "loading": "begins to bear", "loaded": "leans"}
    hand = f"left hand {word.get(snapshot.left.contact, 'lets go')}"
    reaching = "; the right one reaches over the wall" if snapshot.right.engaged else ""
    margin = f"; {100.0 * snapshot.report.region.margin:.0f} cm to the edge of balance" if snapshot.report.region else ""
    return f"{hand}{reaching}{margin}"


def describe_link(time: float, snapshot: Snapshot) -> str:
    """Say how old the operator's last sample is, and what the robot does about it."""
    if time < CUT:
        return "walks as the stick is pushed"
    if time >= BACK:
        return "the link is back: it moves only when it is asked anew"
    return f"link cut: last word {1e3 * snapshot.input_age:.0f} ms ago, the robot stops by itself"


FILMS = {
    "session": Film(
        score=lean_reach_and_walk,
        speed=2.4,
        cut=(np.inf, np.inf),
        eye=((-1.15, 2.25, 1.55), (0.28, 0.0, 0.83)),
        describe=describe_session,
    ),
    "link": Film(score=walk_on, speed=1.0, cut=(CUT, BACK), eye=((1.9, -2.1, 1.5), (0.2, 0.0, 0.75)), describe=describe_link),
}


def play(film: Film, model: RobotModel, world: str, duration: float) -> list[tuple[float, Snapshot]]:
    """Play a film's score on a simulated robot and return what a viewer is told, frame by frame, with the time [s]."""
    about = load_world(world)
    surfaces, body = list_surfaces(about), make_robot("mujoco", model, about)
    state = body.reset(find_start(world, model))
    operator = ScoredOperator(film.score(model, model.effector_poses(state.q)))
    cycle, frames, sample, heard, snapshot = Cycle(model, state), [], operator.sample(0.0, None), 0.0, None
    due = sampled = 0.0
    for tick in range(round(duration / PERIOD)):
        time = tick * PERIOD
        if time >= sampled:
            sampled += OPERATOR_PERIOD
            newest = operator.sample(time, snapshot)
            if not film.cut[0] <= time < film.cut[1]:
                sample, heard = newest, time
        command = cycle.advance(replace(sample, age=time - heard), state, surfaces, PERIOD)
        snapshot = cycle.report()
        if time >= due:
            due += film.speed / FRAME_RATE
            frames.append((time, snapshot))
        if operator.over:
            break
        body.send(command)
        body.advance(PERIOD)
        state = body.read()
    body.close()
    if operator.missed:
        raise SystemExit(f"the operator waited in vain: {', '.join(operator.missed)}")
    return frames


def draw(film: Film, studio: Studio, world: str, frames: Sequence[tuple[float, Snapshot]]) -> list[Image.Image]:
    """Draw frames, each with its line of words, from an eye that goes along with the robot."""
    pictures, base = [], frames[0][1].q[:2]
    for time, snapshot in frames:
        base = base + 0.08 * (snapshot.q[:2] - base)
        (x, y, z), (a, b, c) = film.eye
        eye = look_from(base[0] + x, base[1] + y, z, target=(base[0] + a, base[1] + b, c))
        make = partial(_take, snapshot, eye)
        pixels = studio.take(Screenshot(name="frame", title="", world=world, make=make))
        pictures.append(_caption(pixels, film.describe(time, snapshot)))
    return pictures


def _take(snapshot: Snapshot, eye: np.ndarray, _postures: object) -> Shot:
    # what is said before the eyes is the caption here
    return Shot(snapshot=replace(snapshot, messages=()), eye=eye, upright=0.48)


def _caption(pixels: np.ndarray, words: str) -> Image.Image:
    height = WIDTH * SIZE[1] // SIZE[0]
    top = (HEIGHT - height) // 2
    picture = Image.fromarray(pixels[top : top + height]).resize(SIZE, Image.Resampling.LANCZOS)
    canvas = ImageDraw.Draw(picture)
    canvas.rectangle((0, SIZE[1] - CAPTION, *SIZE), fill=(18, 22, 30))
    canvas.text((12, SIZE[1] - CAPTION + 5), words, fill="white", font=ImageFont.load_default(size=16))
    return picture


def main(names: Sequence[str]) -> None:
    """Make the films that are named, or all."""
    model, context = load_model("talos"), make_context()
    studio = Studio(model)
    for name in names or FILMS:
        film, world = FILMS[name], WORLD if name == "session" else "flat"
        frames = play(film, model, world, 60.0 if name == "session" else BACK + 2.0)
        pictures, file = draw(film, studio, world, frames), FOLDER / f"{name}.webp"
        duration = round(1000.0 / FRAME_RATE)
        pictures[0].save(file, save_all=True, append_images=pictures[1:], duration=duration, loop=0, quality=QUALITY, method=4)
        print(f"{file}: {len(pictures)} pictures, {file.stat().st_size / 1e6:.1f} MB, {frames[-1][0]:.1f} s of the robot")
    context.close()


if __name__ == "__main__":
    main(sys.argv[1:])
