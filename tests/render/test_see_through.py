"""What is seen over the real room."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from snapshots import make_snapshot

from handhold.app.station.headset_view import HeadsetView
from handhold.devices.display import Display
from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.composition.see_through import MIN_LIGHT, is_see_through, show_over_room
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings
from handhold.render.palette import to_linear
from handhold.render.scene import Label, Scene
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
SINGLE = 1e-6


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def stage(model: RobotModel) -> Stage:
    return Stage(model, load_world("wall"))


def look(stage: Stage, model: RobotModel, display: Display, *, passthrough: bool = True, stop: str = "") -> Scene:
    view = HeadsetView(stage, Settings(passthrough=passthrough))
    view.note_display(display)
    view.show(make_snapshot(model, stop=stop), 10.0)
    return view.compose(10.0)


@pytest.mark.parametrize(
    ("display", "passthrough", "seen"),
    [
        (Display.OPAQUE, True, False),
        (Display.BLENDING, False, False),
        (Display.BLENDING, True, True),
        (Display.ADDITIVE, False, True),
    ],
)
def test_the_room_is_seen_where_the_display_can_and_the_operator_wants(
    display: Display, passthrough: bool, seen: bool
) -> None:
    assert is_see_through(display, passthrough=passthrough) == seen


def test_the_robot_stands_in_the_real_room_and_nothing_stands_for_that(stage: Stage, model: RobotModel) -> None:
    apart, within = look(stage, model, Display.OPAQUE), look(stage, model, Display.BLENDING)
    assert (apart.see_through, within.see_through) == (False, True)
    assert apart.background[3] == 1.0
    assert not within.background.any()
    drawn = {id(element) for element in (*within.solids, *within.lines, *within.fills)}
    assert not drawn & {id(element) for element in stage.surroundings}
    assert len(within.robots) == len(apart.robots)
    assert [label.text for label in within.labels] == [label.text for label in apart.labels]
    assert len(within.solids) < len(apart.solids)


def measure_light(colors: np.ndarray) -> np.ndarray:
    return np.atleast_2d(colors)[:, :3] @ LUMINANCE


@pytest.mark.parametrize("stop", [Stop.NONE, Stop.HOLD])
def test_glasses_that_add_light_show_nothing_dark_but_the_plates(stage: Stage, model: RobotModel, stop: str) -> None:
    scene = look(stage, model, Display.ADDITIVE, stop=stop)
    assert scene.see_through
    for element in (*scene.solids, *scene.lines, *scene.fills):
        assert (measure_light(element.colors) >= MIN_LIGHT - SINGLE).all()
    for label in scene.labels:
        assert measure_light(label.color) >= MIN_LIGHT - SINGLE, label.text
        assert not label.background[:3].any(), "a plate adds nothing, and keeps what is behind off the words"
    assert all((look.tints[:, 3] > 0.0).all() for look in scene.robots)


def test_another_headset_shows_the_room_as_it_can_before_the_robot_is_heard_of_again(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(make_snapshot(model), 0.0)
    surroundings = {id(element) for element in stage.surroundings}
    for display, apart in ((Display.OPAQUE, True), (Display.ADDITIVE, False), (Display.OPAQUE, True)):
        view.note_display(display)
        scene = view.compose(0.0)
        assert any(id(element) in surroundings for element in (*scene.solids, *scene.lines, *scene.fills)) == apart


def test_black_words_on_a_light_plate_become_light_words() -> None:
    black = Label(
        text="black on yellow",
        position=np.zeros(3),
        height=0.02,
        color=to_linear(palette.BLACK),
        background=np.array([0.87, 0.77, 0.05, 0.9], dtype=np.float32),
    )
    (label,) = show_over_room(Scene(labels=(black,)), Display.ADDITIVE).labels
    assert label.color[:3] == pytest.approx(black.background[:3])


def test_what_is_lightened_stays_the_same_object_while_nothing_changes(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.note_display(Display.ADDITIVE)
    view.show(replace(make_snapshot(model), measured_at=10.0), 10.0)
    first, second = view.compose(10.0), view.compose(10.0)
    for before, after in zip(
        (*first.solids, *first.lines, *first.robots), (*second.solids, *second.lines, *second.robots), strict=True
    ):
        assert before is after
