"""Bodies that a headset tracks: the extensions' tables against the binding's enumerations, and their structures."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from monado import (
    Controller,
    Headset,
    RemoteDriver,
    Session,
    Worker,
    free_port,
    pose_at,
    runtime_environment,
)

from handhold.devices.openxr.body_joints import BD_JOINTS, FB_JOINTS, TRACKER_ROLES, find_joints
from handhold.devices.openxr.body_tracking import BODY_EXTENSIONS, BodyExtension, BodyTracker, make_body_tracker
from handhold.devices.openxr.session import TRACKED, WELCOME
from handhold.devices.openxr.worn_trackers import VIVE_PROFILE
from handhold.devices.tracked_human import Segment

VALID = 0b0011


def name_joints(kind: str, joints: tuple[int, ...]) -> tuple[str, ...]:
    import xr

    return tuple(getattr(xr, kind)(joint).name for joint in joints)


def test_the_tables_name_the_joints_that_they_mean() -> None:
    assert {segment: name_joints("BodyJointFB", joints) for segment, joints in FB_JOINTS.items()} == {
        Segment.PELVIS: ("HIPS",),
        Segment.LEFT_FOREARM: ("LEFT_ARM_LOWER",),
        Segment.RIGHT_FOREARM: ("RIGHT_ARM_LOWER",),
    }
    assert {segment: name_joints("BodyJointBD", joints) for segment, joints in BD_JOINTS.items()} == {
        Segment.PELVIS: ("LEFT_HIP", "RIGHT_HIP"),
        Segment.LEFT_FOREARM: ("LEFT_ELBOW",),
        Segment.RIGHT_FOREARM: ("RIGHT_ELBOW",),
        Segment.LEFT_FOOT: ("LEFT_ANKLE",),
        Segment.RIGHT_FOOT: ("RIGHT_ANKLE",),
        Segment.LEFT_TOE: ("LEFT_FOOT",),
        Segment.RIGHT_TOE: ("RIGHT_FOOT",),
    }


def test_the_extensions_are_those_of_the_binding_and_asked_for_where_they_are_offered() -> None:
    import xr

    bd, fb = BODY_EXTENSIONS
    assert (bd.name, bd.joints) == (xr.BD_BODY_TRACKING_EXTENSION_NAME, xr.BODY_JOINT_COUNT_BD)
    assert (fb.name, fb.joints) == (xr.FB_BODY_TRACKING_EXTENSION_NAME, xr.BodyJointFB.COUNT.value)
    assert {bd.name, fb.name, xr.HTCX_VIVE_TRACKER_INTERACTION_EXTENSION_NAME} <= WELCOME


def test_joints_come_in_our_axes_and_only_where_they_are_tracked() -> None:
    places = np.zeros((24, 3))
    places[1], places[2], places[18] = (-0.1, 0.9, -0.2), (0.1, 0.9, -0.2), (-0.3, 1.1, 0.1)
    tracked = np.ones(24, dtype=bool)
    tracked[7] = False
    found = find_joints(BD_JOINTS, places, tracked)
    assert found[Segment.PELVIS] == pytest.approx([0.2, 0.0, 0.9])
    assert found[Segment.LEFT_FOREARM] == pytest.approx([-0.1, 0.3, 1.1])
    assert Segment.LEFT_FOOT not in found
    assert Segment.RIGHT_FOOT in found


class FakeRuntime:
    """A runtime that tracks bodies: its functions are called by ctypes with the binding's structures, as any runtime's."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, extension: BodyExtension) -> None:
        import xr

        self._extension = extension
        self.places = {joint: (0.01 * joint, 1.0, -0.5) for joint in range(extension.joints)}
        self.flags = dict.fromkeys(range(extension.joints), TRACKED)
        self.active, self.times = True, list[int]()
        called = {
            f"xrCreateBodyTracker{extension.suffix}": lambda _session, _info, _tracker: 0,
            f"xrLocateBodyJoints{extension.suffix}": self._locate,
        }
        self._functions = {name: getattr(xr, f"PFN_{name}")(function) for name, function in called.items()}
        monkeypatch.setattr(xr, "get_instance_proc_addr", self._find)
        monkeypatch.setattr(xr.functions, "get_instance_proc_addr", self._find)
        self.session: Any = SimpleNamespace(
            extensions=(extension.name,), instance=xr.Instance(), handle=xr.Session(), space=xr.Space(), check=self._check
        )
        self.session.handle.instance = self.session.instance

    def _locate(self, _tracker: Any, info: Any, locations: Any) -> int:
        self.times.append(info.contents.time)
        found = locations.contents
        assert getattr(found, self._extension.count) == self._extension.joints
        if self._extension.active:
            setattr(found, self._extension.active, self.active)
        for number, place in self.places.items():
            joint = found._joint_locations[number]
            joint._location_flags = self.flags[number]
            joint.pose.position.x, joint.pose.position.y, joint.pose.position.z = place
        return 0

    def _find(self, _instance: Any, name: str) -> Any:
        import xr

        return ctypes.cast(self._functions[name], xr.PFN_xrVoidFunction)

    @staticmethod
    def _check(result: Any) -> None:
        assert int(getattr(result, "value", result)) == 0


@pytest.mark.parametrize("extension", BODY_EXTENSIONS, ids=lambda each: each.suffix)
def test_a_tracker_reads_the_structures_of_its_extension(monkeypatch: pytest.MonkeyPatch, extension: BodyExtension) -> None:
    runtime = FakeRuntime(monkeypatch, extension)
    tracker = make_body_tracker(runtime.session)
    assert isinstance(tracker, BodyTracker)
    found = tracker.read(1234)
    assert runtime.times == [1234]
    assert set(found) == set(extension.table)
    elbow = extension.table[Segment.LEFT_FOREARM][0]
    assert found[Segment.LEFT_FOREARM] == pytest.approx([0.5, -0.01 * elbow, 1.0], abs=1e-6)
    runtime.flags[elbow] = VALID
    assert Segment.LEFT_FOREARM not in tracker.read(1235), "it is guessed"
    runtime.active = False
    assert tracker.read(1236) == {} or not extension.active


def test_a_runtime_without_these_extensions_has_no_tracker(session: Session) -> None:
    """Monado offers none of the three."""
    sample = session.worker.ask("read")
    assert sample["joints"] == []
    assert sample["trackers"] == {}


def test_trackers_are_found_by_their_roles() -> None:
    assert VIVE_PROFILE.users[Segment.PELVIS] == "/user/vive_tracker_htcx/role/waist"
    assert set(VIVE_PROFILE.users) == set(TRACKER_ROLES)


def place(x: float, y: float, z: float) -> Controller:
    return Controller(pose=pose_at(pin.SE3(np.eye(3), np.array([x, y, z]))))


def test_the_poses_of_trackers_are_read(runtime_json: Path, tmp_path: Path) -> None:
    port = free_port()
    worker = Worker(runtime_environment(runtime_json, tmp_path, port), tmp_path / "log", "headless")
    try:
        assert worker.ask("open_with_controllers_as_trackers") == {"done": True}
        driver = RemoteDriver(port)
        driver.send(Headset(left=place(0.3, 0.2, 0.1), right=place(0.3, -0.2, 0.1)))
        sample = worker.read_until(lambda s: s["trackers"] and s["trackers"]["LEFT_FOOT"][2][3] < 0.2)
        trackers = {name: np.array(pose)[:3, 3] for name, pose in sample["trackers"].items()}
        assert trackers["LEFT_FOOT"] == pytest.approx([0.3, 0.2, 0.1], abs=0.005)
        assert trackers["RIGHT_FOOT"] == pytest.approx([0.3, -0.2, 0.1], abs=0.005)
        driver.send(Headset(left=Controller(active=False), right=place(0.3, -0.2, 0.1)))
        worker.read_until(lambda s: list(s["trackers"]) == ["RIGHT_FOOT"])
        driver.close()
        assert worker.finish() == 0
    finally:
        worker.kill()
