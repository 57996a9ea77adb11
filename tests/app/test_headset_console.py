"""The headset's console on a real runtime that is lost, killed, or left by its operator, and what it does meanwhile."""

from __future__ import annotations

import contextlib
import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from monado import (
    ANSWER_TIMEOUT,
    Controller,
    Headset,
    Pose,
    RemoteDriver,
    Session,
    Worker,
    find_runtime_json,
    free_port,
    open_monado,
    pose_at,
    runtime_environment,
    start_service,
)
from stations import wait_until

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.app.lab.scenarios.worn_headset import see_headset
from handhold.app.session.config import SessionConfig
from handhold.app.station.headset_console import FRAME_PATIENCE, MAX_FROZEN
from handhold.devices.suits.three_points import ThreePointPerson
from handhold.devices.tracked_human import Segment, TrackedHuman

RETRIES = 4
CLOCK = 1e-3  # [s]
PERIOD, SAMPLES = 0.02, 100  # [s], [-]: of a person who is completed without a runtime, until they have settled
PAUSE = 0.2  # [s]: that after the first attempt, in the tests; it doubles with each


@pytest.fixture
def console(runtime_json: Path, tmp_path: Path) -> Iterator[Session]:
    with open_monado(runtime_json, tmp_path, script="console_worker.py") as opened:
        see_again(opened)
        yield opened


def lose(session: Session, function: str = "xrEndFrame") -> None:
    """Let the runtime be lost once; the next frame finds out."""
    session.worker.ask("lose", function=function, result="ERROR_INSTANCE_LOST", times=1)
    sample = session.worker.ask("read")
    assert not sample["focused"]
    assert sample["device"] == "openxr lost"


def see_again(session: Session) -> list[str]:
    """Wait until the operator has the headset's focus and sees something; return what was said."""
    before = session.worker.ask("count")["drawn"]
    sample = session.worker.read_until(lambda s: s["focused"] and s["drawn"] > before)
    return sample["said"]


def assert_ever_more_rarely(attempts: list[float]) -> None:
    """Assert that the pauses between attempts [s] are the doubled ones at least; a busy machine makes them longer."""
    pauses = np.diff(attempts)
    assert (pauses >= PAUSE * 2.0 ** np.arange(len(pauses)) - CLOCK).all(), pauses


def as_devices(human: TrackedHuman) -> dict[str, Pose | Controller]:
    """Return where a person has headset and controllers."""
    seen = see_headset(human)
    assert seen.head is not None
    assert seen.left.pose is not None
    assert seen.right.pose is not None
    hands = {"left": Controller(pose=pose_at(seen.left.pose)), "right": Controller(pose=pose_at(seen.right.pose))}
    return {"head": pose_at(seen.head), **hands}


def complete(standing: TrackedHuman, reaching: TrackedHuman) -> np.ndarray:
    """Return by how much each segment of somebody moves who stands, reaches, and is completed from three points [m]."""
    person = ThreePointPerson()
    bodies = [
        person.update(replace(see_headset(human), time=index * PERIOD, sequence=index))
        for index, human in enumerate([standing] * SAMPLES + [reaching] * SAMPLES)
    ]
    stood, reached = bodies[SAMPLES - 1], bodies[-1]
    assert stood is not None
    assert reached is not None
    return reached.positions - stood.positions


def test_whoever_wears_the_headset_is_the_person(runtime_json: Path, tmp_path: Path) -> None:
    with open_monado(runtime_json, tmp_path, script="console_worker.py", HANDHOLD_TEST_SUIT="headset") as worn:
        see_again(worn)
        reach = HumanPose(left_flexion=1.2, twist=0.3, turn=0.1)
        standing, reaching = (make_human(pose, 0.0, 0) for pose in (HumanPose(), reach))
        worn.send(**as_devices(standing))
        stood = worn.worker.read_until(lambda s: s["human"] and s["human"]["suit"].endswith(".2"))["human"]
        worn.send(**as_devices(reaching))
        # There is nobody while a frame is late, as it is on a slow machine.
        human = worn.worker.read_until(lambda s: s["human"] and s["human"]["places"]["LEFT_HAND"][0] > 0.2)["human"]
        for segment in (Segment.LEFT_HAND, Segment.RIGHT_HAND):
            assert human["places"][segment.name] == pytest.approx(reaching.positions[segment], abs=0.005)

        completed = complete(standing, reaching)

        def has_settled(sample: dict[str, Any], segment: Segment) -> bool:
            if not sample["human"]:
                return False
            moved = np.subtract(sample["human"]["places"][segment.name], stood["places"][segment.name])
            return np.allclose(moved, completed[segment], atol=0.02)

        # An elbow takes some time to where a hand that has jumped wants it.
        worn.worker.read_until(lambda s: all(has_settled(s, each) for each in (Segment.PELVIS, Segment.LEFT_FOREARM)))
        worn.send(**{**as_devices(reaching), "left": Controller(active=False)})
        one_handed = worn.worker.read_until(lambda s: s["human"] and s["left"]["pose"] is None)["human"]
        assert "LEFT_HAND" not in one_handed["places"]
        assert "HEAD" in one_handed["places"]
        worn.worker.ask("lose", function="xrEndFrame", result="ERROR_INSTANCE_LOST", times=1)
        assert worn.worker.ask("read")["human"] is None


@pytest.mark.alone  # counts samples in a time
def test_the_operator_is_sampled_between_eyes_that_take_long(console: Session) -> None:
    slow = console.worker.ask("read_with_slow_eyes", frames=5, seconds=0.05)
    assert slow["interim"] >= 2 * 5
    assert slow["focused"]


@pytest.mark.alone  # counts samples in a time
def test_the_operator_is_sampled_while_a_frame_is_late_and_gone_when_it_does_not_come(console: Session) -> None:
    console.worker.ask("freeze_frames", frozen=True)
    frozen = console.worker.ask("read_for", seconds=MAX_FROZEN + 1.0)
    assert frozen["samples"] >= 5
    assert frozen["last_focused"] <= MAX_FROZEN + FRAME_PATIENCE
    console.worker.ask("freeze_frames", frozen=False)
    see_again(console)


def test_a_headset_that_is_lost_and_back_goes_on(console: Session) -> None:
    device = console.worker.ask("read")["device"]
    console.worker.ask("note_display", display="additive")
    lose(console)
    lost, back = see_again(console)
    assert "lost" in lost
    assert "asked for" in lost
    assert "back" in back
    assert console.worker.ask("count")["display"] == "opaque", "it is another headset"
    sample = console.worker.ask("read")
    assert "click both sticks: the robot STOPS" in sample["stops"][-1], "what stops is said at the desk"
    assert sample["device"] not in (device, "openxr lost"), "what was latched before must not hold after"
    assert console.worker.finish() == 0


def test_a_headset_that_is_lost_for_good_is_asked_for_ever_more_rarely(console: Session, runtime_json: Path) -> None:
    console.worker.ask("runtime", manifest="/nowhere/runtime.json")
    lose(console)
    answer = console.worker.read_until(lambda s: len(s["attempts"]) >= RETRIES)
    assert answer["device"] == "openxr lost"
    assert_ever_more_rarely(answer["attempts"])
    lost, not_found = answer["said"]
    assert "lost" in lost
    assert "no OpenXR runtime starts" in not_found
    console.worker.ask("runtime", manifest=str(runtime_json))
    assert "back" in see_again(console)[-1]
    assert console.worker.finish() == 0


def test_one_stick_held_while_the_other_controller_is_off_tells_the_robot_to_hold(console: Session) -> None:
    console.send(left=Controller(active=False), right=Controller(stick_click=True))
    sample = console.worker.read_until(lambda s: s["stop"])
    assert sample["stop"] == "hold"
    assert sample["left"]["pose"] is None
    assert not sample["right"]["stick_click"], "the host would take it for a click of its own"
    assert console.worker.finish() == 0


def test_an_operator_who_quits_from_the_headset_is_not_brought_back(console: Session) -> None:
    console.worker.ask("request_exit")
    for _ in range(100):
        answer = console.worker.ask("read")
        if "error" in answer:
            break
    assert answer["error"] == "SessionEnded"
    assert console.worker.ask("count")["attempts"] == []
    assert console.worker.finish() == 0


def test_a_headset_that_cannot_be_drawn_for_is_one_more_failure_told_once(console: Session) -> None:
    lose(console)
    console.worker.ask("offer_no_formats")
    answer = console.worker.read_until(lambda s: len(s["attempts"]) >= RETRIES)
    assert_ever_more_rarely(answer["attempts"])
    assert sum("no texture of the formats" in line for line in answer["said"]) == 1
    assert len(answer["said"]) == 2
    console.worker.ask("restore", function="xrEnumerateSwapchainFormats")
    assert "back" in see_again(console)[-1]
    assert console.worker.finish() == 0


def test_a_headset_that_could_never_be_drawn_for_ends_the_station(runtime_json: Path, tmp_path: Path) -> None:
    port = free_port()
    worker = Worker(runtime_environment(runtime_json, tmp_path, port), tmp_path / "log", "egl", "", "console_worker.py")
    try:
        worker.ask("open")
        worker.ask("offer_no_formats")
        answer = worker.ask("live_or_fail", seconds=10.0)
        assert answer["error"] == "FormatNotOffered"
        assert worker.finish() == 0
    finally:
        worker.kill()


def test_nothing_of_lost_sessions_stays_and_nothing_at_all_at_the_end(console: Session) -> None:
    console.worker.ask("show", messages=("a warning",))
    console.worker.ask("live", seconds=0.3)
    before = console.worker.ask("count_gl")
    for _ in range(3):
        lose(console)
        see_again(console)
        console.worker.ask("live", seconds=0.3)
    assert console.worker.ask("count_gl") == before
    assert set(console.worker.ask("close_and_count_gl").values()) == {0}


def test_a_runtime_that_is_killed_and_started_again_is_found_again(service_json: Path, tmp_path: Path) -> None:
    with contextlib.ExitStack() as stack:
        port = free_port()
        environment = runtime_environment(service_json, tmp_path, port)
        service = stack.enter_context(start_service(service_json, environment))
        worker = Worker(environment, tmp_path / "log", "egl", "", "console_worker.py")
        stack.callback(worker.kill)
        worker.ask("open")
        wear(worker, port, stack)
        drawn = worker.ask("live", seconds=0.5)["drawn"]
        assert drawn > 0

        service.send_signal(signal.SIGKILL)
        service.wait()
        answer = worker.read_until(lambda s: s["device"] == "openxr lost" and len(s["said"]) > 1)
        assert "lost" in answer["said"][0]
        assert "no OpenXR runtime starts" in answer["said"][1]

        stack.enter_context(start_service(service_json, environment))
        worker.read_until(lambda s: s["device"] != "openxr lost")
        wear(worker, port, stack)
        answer = worker.ask("live", seconds=0.5)
        assert answer["drawn"] > drawn
        assert "back" in answer["said"][-1]
        assert worker.finish() == 0


def wear(worker: Worker, port: int, stack: contextlib.ExitStack) -> None:
    """Put the headset of a runtime on and wait for its focus."""
    driver = RemoteDriver(port)
    stack.callback(driver.close)
    driver.send(Headset())
    worker.read_until(lambda s: s["focused"] and s["left"]["pose"] is not None)


def test_a_station_whose_operator_quits_ends_in_order(runtime_json: Path, tmp_path: Path) -> None:
    config = SessionConfig(device="openxr", page_port=free_port(), link_port=free_port(), log_folder="", mirror=False)
    station = Path(__file__).parent / "left_station.py"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(station)],
        input=msgspec.json.encode(config).decode(),
        env=runtime_environment(runtime_json, tmp_path, free_port()) | {"XRT_LOG": "error"},
        capture_output=True,
        text=True,
        timeout=ANSWER_TIMEOUT,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("station: ended from the headset's menu")
    assert "Traceback" not in done.stderr


def point_at(session: Session, title: str) -> Controller:
    """Return the right controller pointing at a field of the open wheel."""
    items = session.worker.ask("items")["titles"]
    angle = math.tau * next(k for k, item in enumerate(items) if item.startswith(title)) / len(items)
    return Controller(stick=(math.sin(angle), math.cos(angle)))


def choose(session: Session, title: str) -> None:
    """Choose a field of the open wheel."""
    pointing = point_at(session, title)
    for controller in (pointing, replace(pointing, trigger=1.0), Controller()):
        session.send(right=controller)
        session.worker.ask("live", seconds=0.3)


def open_settings(session: Session) -> None:
    for force in (1.0, 0.0):
        session.send(right=Controller(trackpad_force=force))
        session.worker.ask("live", seconds=0.3)
    choose(session, "Settings")


def test_no_frame_waits_for_the_settings_to_be_written(console: Session, tmp_path: Path) -> None:
    console.worker.ask("stop_disk")
    open_settings(console)
    choose(console, "Seated")
    assert console.worker.ask("read_while_writing", number=10)["writing"]
    file = tmp_path / "config" / "handhold" / "settings.json"
    assert not file.exists()
    console.worker.ask("start_disk")
    assert console.worker.finish() == 0
    assert '"seated": true' in file.read_text()


def test_settings_that_cannot_be_kept_are_told_in_the_headset_and_once_at_the_desk(console: Session, tmp_path: Path) -> None:
    (tmp_path / "config" / "handhold").write_text("a file where the folder should be")
    open_settings(console)
    choose(console, "Seated")
    choose(console, "Vignette")
    console.worker.ask("show")
    assert wait_until(lambda: bool(console.worker.ask("count")["said"]))
    (line,) = console.worker.ask("count")["said"]
    assert "settings could not be kept" in line
    assert "\n" not in line
    for force in (1.0, 0.0):
        console.send(right=Controller(trackpad_force=force))
        console.worker.ask("live", seconds=0.3)
    assert "settings could not be kept" in console.worker.ask("texts")["texts"]


def test_auto_takes_the_browser_in_words_where_no_runtime_answers(tmp_path: Path) -> None:
    environment = runtime_environment(find_runtime_json(), tmp_path, free_port())
    words = ["run", "--port", str(free_port()), "--log", str(tmp_path / "log")]
    with subprocess.Popen(
        [str(Path(sys.executable).parent / "handhold"), *words],
        env=environment | {"XR_RUNTIME_JSON": str(tmp_path / "none.json")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        process_group=0,
    ) as session:
        assert session.stdout is not None
        lines = []
        for line in session.stdout:
            lines.append(line)
            if line.startswith("ready"):
                break
        session.send_signal(signal.SIGINT)
        _, errors = session.communicate(timeout=ANSWER_TIMEOUT)
    assert session.returncode == 0
    assert errors == ""
    assert "station: no headset found: drive from the page\n" in lines
    assert not any("loader" in line for line in lines)
    assert lines[-1].startswith("ready (browser)")
