"""How old the operator is told that everything is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from snapshots import make_snapshot

from handhold.app.station.headset_view import HeadsetView
from handhold.devices.operator_input import Buttons
from handhold.devices.operator_sample import HandSample, OperatorSample
from handhold.devices.stop import Stop
from handhold.render.composition.compose import compose
from handhold.render.elements.stage import Stage
from handhold.render.interface.settings import Settings
from handhold.render.interface.view_state import ViewState
from handhold.render.snapshot import Snapshot
from handhold.render.streams import CameraViews, CloudFrame, Streams
from handhold.retarget.mode_report import Candidate
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def stage(model: RobotModel) -> Stage:
    return Stage(model)


@pytest.fixture
def told(stage: Stage, model: RobotModel) -> Callable[[float, float, float], str]:
    """Return what is written when a snapshot measured at a time, shown at another, is looked at later still."""

    def tell(measured_at: float, shown_at: float, looked_at: float) -> str:
        view = HeadsetView(stage, Settings())
        view.show(snapshot_of(model, measured_at), shown_at)
        return "\n".join(label.text for label in view.compose(looked_at).labels)

    return tell


def snapshot_of(model: RobotModel, measured_at: float) -> Snapshot:
    return replace(make_snapshot(model, input_age=0.01), measured_at=measured_at)


def test_a_snapshot_is_as_old_as_what_it_measured_and_not_as_its_arrival(told: Callable[..., str]) -> None:
    assert "robot OLD: 300 ms" in told(10.0, 10.3, 10.3)
    assert "as it was 300 ms ago" in told(10.0, 10.3, 10.3)
    assert "robot OLD: 300 ms" in told(10.0, 10.1, 10.3)


def test_one_that_does_not_tell_when_it_was_measured_counts_from_its_arrival(told: Callable[..., str]) -> None:
    assert "robot OLD: 300 ms" in told(float("nan"), 10.0, 10.3)
    assert "robot" not in told(float("nan"), 10.2, 10.3)


def test_the_operators_input_goes_on_ageing_while_the_host_is_silent(told: Callable[..., str]) -> None:
    assert "your input" not in told(10.0, 10.0, 10.02)
    assert "your input OLD: 2.0 s" in told(10.0, 10.0, 12.0)


def test_nothing_is_younger_than_now(told: Callable[..., str]) -> None:
    assert "robot" not in told(10.4, 10.0, 10.0)


def test_surfaces_go_on_ageing_while_the_host_is_silent(stage: Stage, model: RobotModel) -> None:
    surface = Candidate(pose=np.eye(4), boundary=np.eye(3, 2), hand="left", gain=0.02, chosen=False, age=0.1)
    view = HeadsetView(stage, Settings())
    view.show(replace(make_snapshot(model, candidates=(surface,)), measured_at=10.0), 10.0)

    def read(now: float) -> str:
        return "\n".join(label.text for label in view.compose(now).labels)

    assert "last seen" not in read(10.2)
    assert "last seen 3.1 s ago" in read(13.2)
    page = compose(make_snapshot(model, candidates=(surface,)), ViewState(), Streams(snapshot_age=3.0), stage)
    assert "last seen 3.1 s ago" in "\n".join(label.text for label in page.labels)


def test_the_world_is_made_once_for_a_snapshot(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(snapshot_of(model, 10.0), 10.0)
    first = view.compose(10.0).robots[0].joints
    assert view.compose(10.2).robots[0].joints is first
    view.show(snapshot_of(model, 10.2), 10.2)
    assert view.compose(10.2).robots[0].joints is not first


SEEN = HandSample(pose=pin.SE3.Identity())


def click(time: float, down: bool) -> OperatorSample:
    hand = replace(SEEN, buttons=Buttons(stick=down))
    return OperatorSample(time=time, device="headset 1", left=hand, right=hand)


def follow(view: HeadsetView, begin: float, down: bool, duration: float = 0.3) -> set[tuple[str, bool]]:
    """Return the words that the robot is told for a while, and whether clicks are."""
    times = [begin + 0.01 * k for k in range(round(duration / 0.01))]
    spoken = [view.follow(click(time, down), time) for time in times]
    return {(one.stop, one.left.buttons.stick or one.right.buttons.stick) for one in spoken}


def test_clicks_of_both_sticks_reach_the_robot_as_words_that_follow_what_is_displayed(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(snapshot_of(model, 10.0), 10.0)
    follow(view, 10.0, down=False, duration=0.15)
    assert follow(view, 10.15, down=True) == {(Stop.HOLD, False)}
    view.show(replace(snapshot_of(model, 11.0), stop=Stop.HOLD), 11.0)
    assert follow(view, 11.0, down=False, duration=0.15) == {("", False)}
    assert follow(view, 11.15, down=True) == {(Stop.RESUME, False), ("", False)}


def test_the_stop_of_the_wheel_reaches_the_robot_as_a_word_until_it_is_displayed(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(snapshot_of(model, 10.0), 10.0)
    hand = pin.SE3(np.eye(3), np.array([0.4, 0.2, 1.2]))

    def send(at: float, trigger: float = 0.0, *, menu: bool = False) -> str:
        left = HandSample(pose=hand, trigger=trigger, stick=np.array([0.0, 1.0]), buttons=Buttons(menu=menu))
        return view.follow(OperatorSample(time=at, device="headset", left=left), at).stop  # the right hand is not seen

    # The menu that is up first opens the wheel as it goes down; the stick points at what is on top.
    assert [send(10.0), send(10.02, menu=True), send(10.04), send(10.06)] == [""] * 4
    assert [send(10.08, trigger=1.0), send(10.1), send(10.3)] == [Stop.HOLD] * 3
    view.show(replace(snapshot_of(model, 10.4), stop=Stop.HOLD), 10.4)
    assert send(10.45) == ""


def test_a_stop_that_was_displayed_long_ago_is_not_lifted_by_a_click(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(replace(snapshot_of(model, 10.0), stop=Stop.HOLD), 10.0)
    follow(view, 10.0, down=False)
    assert follow(view, 11.1, down=True) == {(Stop.HOLD, False)}


def test_a_stop_is_asked_for_before_the_robot_was_ever_seen(stage: Stage) -> None:
    assert follow(HeadsetView(stage, Settings()), 10.0, down=True) == {(Stop.HOLD, False)}


def test_a_wall_between_the_operator_and_the_robot_is_seen_through(model: RobotModel) -> None:
    stage = Stage(model, load_world("wall"))
    view = HeadsetView(stage, Settings())
    view.show(snapshot_of(model, 10.0), 10.0)
    head = pin.SE3(np.eye(3), np.array([0.0, 0.0, 1.6]))
    sample = OperatorSample(time=10.0, head=head, left=HandSample(), right=HandSample())
    view.follow(sample, 10.0)
    assert view.compose(10.0).solids[: len(stage.solids)] == tuple(solid[0] for solid in stage.solids)
    # the operator walks to behind the wall at the robot's right side
    walked = np.linalg.inv(view.state.transform_room_to_world)[:3] @ (-0.6, -2.0, 1.6, 1.0)
    view.follow(replace(sample, time=10.1, head=pin.SE3(np.eye(3), walked)), 10.1)
    for now in np.arange(10.1, 11.0, 0.02):
        scene = view.compose(now)
    opacities = [float(solids.colors[0, 3]) for solids in scene.solids[: len(stage.solids)]]
    assert opacities == pytest.approx([1.0, 0.2])


def test_what_the_cameras_see_is_shown_with_its_age(stage: Stage, model: RobotModel) -> None:
    view = HeadsetView(stage, Settings())
    view.show(snapshot_of(model, 10.0), 10.0)
    assert view.compose(10.0).cloud is None
    points, colors = np.zeros((5, 3), np.float32), np.zeros((5, 3), np.uint8)
    view.show_views(CameraViews(cloud=CloudFrame(positions=points, colors=colors, version=7), cloud_taken_at=9.9))
    fresh = view.compose(10.0)
    assert fresh.cloud is not None
    assert fresh.cloud.version == 7
    late = "\n".join(label.text for label in view.compose(13.0).labels)
    assert "cloud OLD" in late
