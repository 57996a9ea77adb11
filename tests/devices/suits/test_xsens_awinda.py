"""Raw trackers: a stand-in of the makers' library in its own process, and segments from sensors by a calibration pose."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from people import angle_between, multiply, turn
from stand_in_xsensdeviceapi import LEAN, LIFT

from handhold.devices.errors import DeviceNotOpen
from handhold.devices.suits.body_model import make_offsets, place_segments
from handhold.devices.suits.sensor_calibration import NEEDED, SensorCalibration, hanging_pose
from handhold.devices.suits.skeleton import rotate
from handhold.devices.suits.suit_errors import SuitMissing
from handhold.devices.suits.xsens_awinda import AwindaSuit
from handhold.devices.tracked_human import Segment

WORN = (
    *(Segment.PELVIS, Segment.T8, Segment.HEAD, Segment.LEFT_SHOULDER, Segment.LEFT_UPPER_ARM, Segment.LEFT_FOREARM),
    *(Segment.LEFT_HAND, Segment.RIGHT_SHOULDER, Segment.RIGHT_UPPER_ARM, Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG),
    *(Segment.LEFT_FOOT, Segment.RIGHT_UPPER_LEG, Segment.RIGHT_LOWER_LEG, Segment.RIGHT_FOOT, Segment.RIGHT_FOREARM),
    Segment.RIGHT_HAND,
)
LIBRARY = "stand_in_xsensdeviceapi"


@pytest.fixture
def bend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STAND_IN_BEND", str(tmp_path / "bend"))
    tests = str(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((tests, os.environ.get("PYTHONPATH", ""))))
    return tmp_path / "bend"


def make_suit(library: str = LIBRARY) -> AwindaSuit:
    places = {f"00B4{number:04d}": segment for number, segment in enumerate(WORN)}
    return AwindaSuit(places, clock=time.monotonic, library=library)


@pytest.fixture
def suit(bend: Path) -> Iterator[AwindaSuit]:
    suit = make_suit()
    suit.open()
    yield suit
    suit.close()


def calibrate(suit: AwindaSuit) -> None:
    """Calibrate as soon as the sensors have told enough; the test's own limit ends what never does."""
    while True:
        try:
            return suit.calibrate()
        except SuitMissing:
            time.sleep(0.02)


def read_on(suit: AwindaSuit) -> None:
    while True:
        suit.read()


def test_seventeen_sensors_become_a_person(suit: AwindaSuit, bend: Path) -> None:
    assert len(suit.sensors) == 17
    assert suit.read() is None
    calibrate(suit)
    while (standing := suit.read()) is None:
        time.sleep(0.005)
    assert angle_between(standing.orientations, hanging_pose()) < 1e-6
    assert standing.positions[[Segment.LEFT_FOOT, Segment.RIGHT_FOOT], 2] == pytest.approx([0.068, 0.068], abs=0.01)
    assert 1.5 < standing.positions[Segment.HEAD, 2] < 1.7
    bend.touch()
    lean = turn((0.0, 1.0, 0.0), LEAN)
    while angle_between((bent := suit.read() or standing).orientations[Segment.T8], lean) > 1e-6:
        time.sleep(0.005)
    lifted = multiply(multiply(lean, turn((0.0, 1.0, 0.0), -LIFT)), hanging_pose()[Segment.LEFT_FOREARM])
    assert angle_between(bent.orientations[Segment.LEFT_FOREARM], lifted) < 1e-6
    assert angle_between(bent.orientations[Segment.LEFT_LOWER_LEG], np.array([0.0, 0.0, 0.0, 1.0])) < 1e-6
    assert bent.suit == standing.suit
    assert bent.quality < 1.0
    bend.unlink()
    calibrate(suit)
    while (again := suit.read()) is None:
        time.sleep(0.005)
    assert again.suit != standing.suit


def test_a_library_that_is_missing_is_said_with_where_it_comes_from() -> None:
    with pytest.raises(SuitMissing, match=r"MT Software Suite; it is on no package index"):
        make_suit("no_such_library_of_anybody").open()


def test_a_station_that_is_missing_is_said(bend: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_IS_ALONE", "1")
    with pytest.raises(SuitMissing, match="no Awinda station"):
        make_suit().open()


def test_a_process_that_dies_is_a_suit_that_is_gone(suit: AwindaSuit) -> None:
    process = suit._process
    assert process is not None
    process.kill()
    process.join()
    with pytest.raises(SuitMissing, match="gone"):
        read_on(suit)


def test_a_suit_that_is_closed_cannot_be_read() -> None:
    suit = make_suit()
    suit.close()
    with pytest.raises(DeviceNotOpen):
        suit.read()


def held(count: int = 30) -> dict[Segment, np.ndarray]:
    return {segment: np.tile(turn((0.0, 1.0, 0.0), -np.pi / 2), (count, 1)) for segment in NEEDED}


def test_a_pose_that_was_not_held_calibrates_nothing() -> None:
    SensorCalibration(held())
    with pytest.raises(SuitMissing, match="needed"):
        SensorCalibration(held(5))
    with pytest.raises(SuitMissing, match="left forearm"):
        SensorCalibration({segment: rows for segment, rows in held().items() if segment != Segment.LEFT_FOREARM})
    moved = held()
    moved[Segment.T8][15:] = multiply(turn((1.0, 0.0, 0.0), 0.3), moved[Segment.T8][15:])
    with pytest.raises(SuitMissing, match="moved"):
        SensorCalibration(moved)
    flat = held() | {Segment.PELVIS: np.tile([0.0, 0.0, 0.0, 1.0], (30, 1))}
    with pytest.raises(SuitMissing, match="lies flat"):
        SensorCalibration(flat)


def test_segments_without_a_sensor_are_turned_as_their_neighbours() -> None:
    calibration = SensorCalibration(held())
    sensors = {segment: rows[0] for segment, rows in held().items()}
    # the heading is that of the pelvis' sensor: it faces x here
    lean = turn((0.0, 1.0, 0.0), 0.4)
    sensors[Segment.T8] = multiply(lean, sensors[Segment.T8])
    turned = calibration.turn(sensors)
    assert angle_between(turned[Segment.T8], lean) < 1e-9
    assert angle_between(turned[[Segment.NECK, Segment.HEAD]], lean) < 1e-9
    assert angle_between(turned[Segment.L3], turn((0.0, 1.0, 0.0), 0.2)) < 1e-3
    assert angle_between(turned[Segment.LEFT_HAND], turned[Segment.LEFT_FOREARM]) < 1e-9


def test_the_lower_foot_stands_on_the_ground_whatever_the_posture() -> None:
    offsets, turned = make_offsets(1.8), hanging_pose()
    standing = place_segments(turned, offsets, 1.8)
    for segment in (Segment.LEFT_UPPER_LEG, Segment.LEFT_LOWER_LEG, Segment.LEFT_FOOT):
        turned[segment] = turn((0.0, 1.0, 0.0), -1.2)
    lifted = place_segments(turned, offsets, 1.8)
    assert lifted[Segment.RIGHT_FOOT, 2] == pytest.approx(standing[Segment.RIGHT_FOOT, 2])
    assert lifted[Segment.LEFT_FOOT, 2] > 0.3
    assert rotate(turned[0], offsets[1]).shape == (3,)
