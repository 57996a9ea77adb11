"""The headset's frames on a real runtime: what both eyes are shown, and that frames go on whatever happens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from headset_pictures import EyePicture, decode_eyes, predict_pixel
from monado import Controller, Session, open_monado, pose_at

PIXELS = 2.0  # [pixels] of 320: what rounding to whole pixels, twice, and a box's own depth may come to
POSES = 1e-4  # [m] and [-]: poses pass through single precision, and a prediction in between
RED, GREEN, BLUE = (1, 0, 0), (0, 1, 0), (0, 0, 1)
AHEAD = np.array([2.0, 0.0, 1.6])  # [m]
ABOVE = np.array([2.0, 0.0, 2.2])
ASIDE = np.array([1.8, 0.7, 1.2])
STRAIGHT = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.6]))


def box(position: Any, color: tuple[int, int, int], anchor: str = "WORLD", size: float = 0.06) -> dict[str, Any]:
    return {"position": [float(x) for x in position], "size": size, "color": [*color, 1], "anchor": anchor}


@pytest.fixture(scope="module", params=["egl", "glx"])
def frames(request: pytest.FixtureRequest, runtime_json: Path, tmp_path_factory: Any, x_display: str) -> Iterator[Session]:
    display = {"DISPLAY": x_display} if request.param == "glx" else {}
    folder = tmp_path_factory.mktemp("monado")
    with open_monado(runtime_json, folder, request.param, script="frames_worker.py", **display) as opened:
        yield opened


@pytest.fixture(scope="module")
def session(runtime_json: Path, tmp_path_factory: Any) -> Iterator[Session]:
    """A session whose tests leave the runtime as they have found it."""
    with open_monado(runtime_json, tmp_path_factory.mktemp("monado"), "egl", script="frames_worker.py") as opened:
        yield opened


@pytest.fixture(scope="module")
def lost_session(runtime_json: Path, tmp_path_factory: Any) -> Iterator[Session]:
    """A session that is lost and opened again, in whatever order, and ends in order."""
    with open_monado(runtime_json, tmp_path_factory.mktemp("monado"), "egl", script="frames_worker.py") as opened:
        yield opened
        assert opened.worker.finish() == 0


@pytest.fixture
def own_session(runtime_json: Path, tmp_path: Path) -> Iterator[Session]:
    with open_monado(runtime_json, tmp_path, "egl", script="frames_worker.py") as opened:
        yield opened


def look_from(session: Session, head: pin.SE3, **controllers: Controller) -> list[EyePicture]:
    """Put the head somewhere and return both eyes' pictures from there."""
    session.send(head=pose_at(head), **controllers)
    for _ in range(100):
        eyes = decode_eyes(session.worker.ask("look"))
        between = pin.SE3.Interpolate(pin.SE3(eyes[0].view), pin.SE3(eyes[1].view), 0.5)
        if np.abs(between.homogeneous - head.homogeneous).max() < POSES:
            return eyes
    raise AssertionError(f"the eyes do not go where the head is; they are at {eyes[0].view}")


def assert_seen_at(eyes: list[EyePicture], head: pin.SE3, point: np.ndarray, color: tuple[int, int, int]) -> None:
    for number, eye in enumerate(eyes):
        error = np.linalg.norm(eye.find(color) - predict_pixel(eye, number, head, point))
        assert error < PIXELS, f"eye {number} sees it {error:.1f} pixels away"


def test_both_eyes_see_a_box_where_it_is(frames: Session) -> None:
    frames.worker.ask("show", boxes=[box(AHEAD, RED), box(ASIDE, GREEN)])
    eyes = look_from(frames, STRAIGHT)
    assert_seen_at(eyes, STRAIGHT, AHEAD, RED)
    assert_seen_at(eyes, STRAIGHT, ASIDE, GREEN)
    disparity = eyes[0].find(RED)[0] - eyes[1].find(RED)[0]
    assert disparity > PIXELS, "what is near must be seen further to the right by the left eye"


@pytest.mark.parametrize("angle", [30.0, -30.0])
def test_a_turn_of_the_head_by_30_degrees_moves_the_picture_as_it_should(frames: Session, angle: float) -> None:
    frames.worker.ask("show", boxes=[box(AHEAD, RED), box(ASIDE, GREEN)])
    before = look_from(frames, STRAIGHT)
    turned = pin.SE3(pin.utils.rotate("z", math.radians(angle)), STRAIGHT.translation)
    after = look_from(frames, turned)
    assert_seen_at(after, turned, AHEAD, RED)
    moved = after[0].find(RED)[0] - before[0].find(RED)[0]
    assert moved * angle > 0, "a head that turns to the left sees everything move to the right"


def test_a_head_that_moves_and_tilts_moves_the_picture_as_it_should(frames: Session) -> None:
    frames.worker.ask("show", boxes=[box(AHEAD, RED), box(ASIDE, GREEN)])
    head = pin.SE3(pin.rpy.rpyToMatrix(0.3, 0.2, 0.1), np.array([0.3, 0.2, 1.4]))
    eyes = look_from(frames, head)
    assert_seen_at(eyes, head, AHEAD, RED)
    assert_seen_at(eyes, head, ASIDE, GREEN)


def test_what_a_hand_carries_is_where_the_hand_is(frames: Session) -> None:
    hand = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 0.5), np.array([0.6, -0.2, 1.3]))
    frames.worker.ask("show", boxes=[box((0.0, 0.1, 0.0), BLUE, "RIGHT_HAND")])
    eyes = look_from(frames, STRAIGHT, right=Controller(pose=pose_at(hand)))
    assert_seen_at(eyes, STRAIGHT, hand.act(np.array([0.0, 0.1, 0.0])), BLUE)
    eyes = look_from(frames, STRAIGHT, right=Controller(active=False))
    assert not eyes[0].shows(BLUE)


def test_after_recentring_the_world_stands_before_the_head(frames: Session) -> None:
    turned = pin.SE3(pin.utils.rotate("z", math.radians(70)), np.array([1.0, 2.0, 1.6]))
    frames.worker.ask("show", boxes=[box(AHEAD, RED)])
    frames.send(head=pose_at(turned))
    frames.worker.read_until(lambda s: s["head"][0][3] > 0.9)
    frames.worker.ask("recentre")
    eyes = decode_eyes(frames.worker.ask("look"))
    assert_seen_at(eyes, STRAIGHT, AHEAD, RED)
    frames.worker.ask("announce_recentring", delay=0.0)
    frames.worker.ask("frames", number=10)


def test_the_room_moves_with_the_scene_and_not_with_the_head(frames: Session) -> None:
    frames.worker.ask("show", boxes=[box(AHEAD, RED)], moved=0.5)
    eyes = look_from(frames, STRAIGHT)
    assert_seen_at(eyes, STRAIGHT, AHEAD - [0.5, 0.0, 0.0], RED)


def test_what_is_fixed_to_the_head_has_a_layer_of_its_own(frames: Session) -> None:
    frames.worker.ask("show", boxes=[box((1.0, 0.0, 0.0), RED, "HEAD")], labels=["as it was 3 s ago"])
    eyes = look_from(frames, STRAIGHT)
    assert not eyes[0].shows(RED)
    assert frames.worker.ask("frames", number=2)["layers"] == 2
    head = frames.worker.ask("read_head_layer")
    assert head["size"][0] > 100
    assert head["seen"] == [True, True], "a box and a text are on it"
    assert head["clear"], "nothing else is"
    frames.worker.ask("show", boxes=[])
    assert frames.worker.ask("frames", number=2)["layers"] == 1


def test_the_runtime_is_given_the_depths_of_what_is_drawn(frames: Session) -> None:
    frames.worker.ask("show", boxes=[box(AHEAD, RED, size=0.2)])
    look_from(frames, STRAIGHT)
    depth = frames.worker.ask("read_depth_layer")
    assert depth["offered"]
    assert depth["near_z"] < depth["distance"] < depth["far_z"]
    assert abs(depth["distance"] - 1.9) < 0.01  # [m]: the near face of the box


def test_what_the_lenses_hide_is_not_drawn(session: Session) -> None:
    session.worker.ask("hide", triangles=[[[-1.0, 0.1], [1.0, 0.1], [0.0, 1.0]]])
    session.worker.ask("show", boxes=[box(AHEAD, RED), box(ABOVE, GREEN)])
    eyes = look_from(session, STRAIGHT)
    for eye in eyes:
        assert eye.shows(RED)
        assert not eye.shows(GREEN)
        assert not eye.image[80, 160, :3].any()
    session.worker.ask("hide", triangles=[])
    assert look_from(session, STRAIGHT)[0].shows(GREEN)


def test_a_scene_that_changes_is_seen_in_the_next_frame(session: Session) -> None:
    session.worker.ask("show", boxes=[box(AHEAD, RED)])
    assert look_from(session, STRAIGHT)[0].shows(RED)
    session.worker.ask("show", boxes=[box(AHEAD, BLUE)])
    eye = decode_eyes(session.worker.ask("look"))[0]
    assert eye.shows(BLUE)
    assert not eye.shows(RED)


def test_another_size_that_the_runtime_recommends_is_taken(own_session: Session) -> None:
    own_session.worker.ask("show", boxes=[box(AHEAD, RED)], labels=["a text"])
    look_from(own_session, STRAIGHT)
    own_session.worker.ask("recommend", width=400, height=480)
    own_session.worker.ask("frames", number=100)
    eyes = look_from(own_session, STRAIGHT)
    assert [eye.image.shape for eye in eyes] == [(480, 400, 4)] * 2
    assert_seen_at(eyes, STRAIGHT, AHEAD, RED)
    assert own_session.worker.ask("frames", number=2)["layers"] == 2


def test_frames_that_nobody_will_see_are_ended_and_not_drawn(session: Session) -> None:
    session.worker.ask("show_nobody", nobody=True)
    before = session.worker.ask("count")
    after = session.worker.ask("frames", number=20)
    assert after["ended"] == before["ended"] + 20
    assert after["drawn"] == before["drawn"]
    assert after["layers"] == 0
    session.worker.ask("show_nobody", nobody=False)
    assert session.worker.ask("frames", number=20)["drawn"] == after["drawn"] + 20


def test_frames_go_on_without_focus(session: Session) -> None:
    session.worker.ask("change_state", state="VISIBLE")
    assert not session.worker.ask("read")["focused"]
    before = session.worker.ask("count")
    assert session.worker.ask("frames", number=20)["drawn"] == before["drawn"] + 20
    session.worker.ask("change_state", state="FOCUSED")
    assert session.worker.ask("read")["focused"]


def test_frames_go_on_at_another_refresh_rate_and_with_another_mask(session: Session) -> None:
    assert session.worker.ask("change_refresh_rate", rate=72.0) == {"rate": 72.0}
    session.worker.ask("show", boxes=[box(ABOVE, GREEN)])
    session.worker.ask("hide", triangles=[[[-1.0, -0.1], [1.0, -0.1], [0.0, -1.0]]])
    assert look_from(session, STRAIGHT)[0].shows(GREEN)
    session.worker.ask("hide", triangles=[[[-1.0, 0.1], [1.0, 0.1], [0.0, 1.0]]])
    assert not look_from(session, STRAIGHT)[0].shows(GREEN)
    session.worker.ask("hide", triangles=[])


def test_a_head_that_is_lost_leaves_the_picture_where_it_was(session: Session) -> None:
    session.worker.ask("show", boxes=[box(AHEAD, RED)])
    look_from(session, STRAIGHT)
    session.worker.ask("lose_views")
    eyes = decode_eyes(session.worker.ask("look"))
    session.worker.ask("restore", function="xrLocateViews")
    assert_seen_at(eyes, STRAIGHT, AHEAD, RED)


def test_a_new_session_does_not_look_from_where_the_last_one_did(session: Session) -> None:
    session.worker.ask("show", boxes=[box(AHEAD, RED)])
    look_from(session, STRAIGHT)
    session.worker.ask("close")
    session.worker.ask("lose_views")
    before = session.worker.ask("count")["drawn"]
    assert session.worker.ask("open") == {"done": True}
    session.worker.read_until(lambda s: s["focused"])
    after = session.worker.ask("frames", number=10)
    assert after["drawn"] == before
    assert after["layers"] == 0
    session.worker.ask("restore", function="xrLocateViews")
    session.driver.connect_again()
    assert_seen_at(look_from(session, STRAIGHT), STRAIGHT, AHEAD, RED)


def test_the_headset_is_asked_for_the_most_frames_it_has(own_session: Session) -> None:
    worker = own_session.worker
    assert worker.ask("refresh_rate")["rate"] > 0.0, "Monado tells its own"
    worker.ask("offer_refresh_rates", rates=[72.0, 90.0, 120.0])
    worker.ask("close")
    worker.ask("open")
    worker.read_until(lambda sample: sample["focused"])
    assert worker.ask("rates_asked_for") == [120.0]


def test_an_opaque_headset_shows_what_is_drawn_and_nothing_else(frames: Session) -> None:
    frames.worker.ask("see_through")
    frames.worker.ask("frames", number=2)
    assert frames.worker.ask("display") == {"display": "OPAQUE"}
    assert frames.worker.ask("blending")["mode"] == "OPAQUE"


@pytest.mark.parametrize(
    ("modes", "display", "over_the_room", "before"),
    [
        pytest.param(["OPAQUE", "ALPHA_BLEND"], "BLENDING", "ALPHA_BLEND", "OPAQUE", id="passthrough"),
        pytest.param(["ALPHA_BLEND"], "BLENDING", "ALPHA_BLEND", "ALPHA_BLEND", id="always blended"),
        pytest.param(["ADDITIVE"], "ADDITIVE", "ADDITIVE", "ADDITIVE", id="glasses that add light"),
    ],
)
def test_the_real_room_is_seen_as_the_display_can(
    own_session: Session, modes: list[str], display: str, over_the_room: str, before: str
) -> None:
    worker = own_session.worker
    worker.ask("offer_blend_modes", modes=modes)
    worker.ask("close")
    worker.ask("open")
    worker.read_until(lambda sample: sample["focused"])
    assert worker.ask("display") == {"display": display}
    worker.ask("show", boxes=[])
    worker.ask("frames", number=3)
    assert worker.ask("blending") == {"mode": before, "by_alpha": False, "unpremultiplied": False}
    worker.ask("see_through")
    worker.ask("frames", number=3)
    assert worker.ask("blending") == {"mode": over_the_room, "by_alpha": True, "unpremultiplied": False}


def test_a_session_asked_to_exit_ends_in_order_while_it_draws(own_session: Session) -> None:
    own_session.worker.ask("request_exit")
    for _ in range(100):
        answer = own_session.worker.ask("read")
        if "error" in answer:
            break
    assert answer["error"] == "SessionEnded"
    assert own_session.worker.finish() == 0


LOSSES = ["xrWaitFrame", "xrBeginFrame", "xrLocateViews", "xrAcquireSwapchainImage", "xrReleaseSwapchainImage", "xrEndFrame"]


@pytest.mark.parametrize("function", LOSSES)
def test_frames_go_on_after_the_runtime_was_lost_and_came_back(lost_session: Session, function: str) -> None:
    lost_session.worker.ask("show", boxes=[box(AHEAD, RED)], labels=["a text"])
    look_from(lost_session, STRAIGHT)
    # Once only: this Monado lives on, and crashes unless the frame in hand is ended before its session is destroyed.
    lost_session.worker.ask("lose", function=function, result="ERROR_INSTANCE_LOST", times=1)
    assert lost_session.worker.ask("read")["error"] == "RuntimeLost"
    lost_session.worker.ask("close")
    lost_session.worker.ask("restore", function=function)
    assert lost_session.worker.ask("open") == {"done": True}
    lost_session.driver.connect_again()
    lost_session.worker.read_until(lambda s: s["focused"])
    assert_seen_at(look_from(lost_session, STRAIGHT), STRAIGHT, AHEAD, RED)
