"""A camera that sits wrong is told in the session, corrected by one command, and stays corrected."""

from __future__ import annotations

import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from camera_scenes import draw_postures

from handhold.app.camera.mounting_store import FoundMounting, MountingStore, MountingsUnreadable
from handhold.app.camera.program import CameraRig
from handhold.app.camera.robot_shapes import RobotShapes
from handhold.app.camera.simulated_view import SimulatedView
from handhold.app.main import run
from handhold.perception.body.mounting_estimate import MountingEstimate, make_pose
from handhold.perception.simulation.simulated_camera import FrameTiming
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

RATE, NOTICED_WITHIN = 2.0, 10.0
OFF = make_pose(np.array([math.radians(2.0), 0.0, 0.0, 0.0, 0.01, 0.0]))
MAX_TURN, MAX_SHIFT = math.radians(0.3), 3e-3


class WrongSource:
    """A simulated camera that sits elsewhere than the robot's description says."""

    message, camera = "", "head"

    def __init__(self, model: RobotModel) -> None:
        timing = FrameTiming(rate=RATE, latency=0.0)
        self._view = SimulatedView(model, load_world("flat"), camera="head", mounting=OFF, timing=timing)
        self.title, self.intrinsics = self._view.title, self._view.intrinsics

    def follow(self, time, q, solids) -> None:
        self._view.advance(time, q, lambda: np.zeros((0, 4, 4)))

    def take(self):
        return self._view.take()

    def close(self) -> None: ...


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "handhold" / "mountings"


def look(rig: CameraRig, model: RobotModel, begin: float, seed: int) -> list[str]:
    """Let the robot move its arms; return what the operator is told, image by image."""
    postures = draw_postures(model, RobotShapes(model, "head"), np.random.default_rng(seed), round(NOTICED_WITHIN) + 2)
    told = []
    for k in range(round(RATE * NOTICED_WITHIN)):
        before, part = divmod(k / RATE, 1.0)
        q = postures[int(before)] + part * (postures[int(before) + 1] - postures[int(before)])
        rig.follow(SimpleNamespace(measured_at=begin + k / RATE, q=q), None)
        sighting = rig.see()
        assert sighting is not None
        told.append(sighting.message)
    return told


def test_it_is_told_corrected_by_one_command_and_right_from_then_on(state: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = load_model("talos")
    rig = CameraRig((WrongSource(model),), model, MountingStore("talos"))
    assert run(["robot", "mounting", "talos"]) == 8
    assert "no session has watched its cameras yet" in capsys.readouterr().err
    told = look(rig, model, 0.0, seed=0)
    assert told[0] == ""
    assert told[-1] == "camera 'head' is off: handhold robot mounting talos --correct"
    assert run(["robot", "mounting", "talos"]) == 1
    assert "head: the camera is not where its description says: turned 2." in capsys.readouterr().out
    assert run(["robot", "mounting", "talos", "--correct"]) == 0
    assert capsys.readouterr().out == "head: corrected\n"
    assert look(rig, model, 20.0, seed=1)[-1] == ""
    left = np.linalg.inv(MountingStore("talos").read_corrections()["head"]) @ OFF
    assert np.linalg.norm(pin.log3(left[:3, :3])) < MAX_TURN
    assert np.linalg.norm(left[:3, 3]) < MAX_SHIFT
    # the next session begins with it, and whoever wants the description's again says so
    assert look(CameraRig((WrongSource(model),), model, MountingStore("talos")), model, 0.0, seed=2)[-1] == ""
    assert run(["robot", "mounting", "talos", "--forget"]) == 0
    assert MountingStore("talos").read_corrections() == {}
    assert run(["robot", "mounting", "talos", "--forget", "--correct"]) == 2


def make_found(turn: float, deviation: float) -> FoundMounting:
    estimate = MountingEstimate(
        rotation=np.array([turn, 0.0, 0.0]), translation=np.zeros(3), covariance=np.eye(6) * deviation**2
    )
    return FoundMounting.of("head", estimate)


def test_what_is_not_known_well_enough_is_not_corrected(tmp_path: Path) -> None:
    store = MountingStore("talos", tmp_path)
    store.write_found((make_found(0.1, 0.02),))
    assert store.read_found()[0].is_wrong
    assert store.accept() == ()
    assert store.read_corrections() == {}
    assert len(store.read_found()) == 1


def test_corrections_of_corrections_add_up(tmp_path: Path) -> None:
    store = MountingStore("talos", tmp_path)
    for _ in range(2):
        store.write_found((make_found(0.05, 1e-3),))
        assert store.accept() == ("head",)
        assert store.read_found() == ()
    np.testing.assert_allclose(store.read_corrections()["head"], make_pose(np.array([0.1, 0, 0, 0, 0, 0])), atol=1e-12)


@pytest.mark.parametrize(
    "content", ["", "{", '{"head": [[1, 0, 0, 0]]}', '{"head": 3}', '{"head": [[2,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]}']
)
def test_a_damaged_file_is_one_clear_line(tmp_path: Path, content: str) -> None:
    (tmp_path / "talos.json").write_text(content)
    with pytest.raises(MountingsUnreadable, match="remove it"):
        MountingStore("talos", tmp_path).read_corrections()
    (tmp_path / "talos.found.json").write_text(content)
    with pytest.raises(MountingsUnreadable, match="remove it"):
        MountingStore("talos", tmp_path).read_found()


def test_a_rig_shows_points_of_what_it_has_seen_without_the_robot(state: Path) -> None:
    model = load_model("talos")
    rig = CameraRig((WrongSource(model),), model, MountingStore("talos"))
    assert rig.make_cloud() is None
    look(rig, model, 0.0, seed=0)
    cloud = rig.make_cloud()
    assert cloud is not None
    heights = cloud.positions[:, 2]
    # the floor through a camera that is 2 deg off, and no arm before it
    assert np.abs(heights).max() < 0.5
    assert np.median(np.abs(heights)) < 0.1


def test_a_robot_goes_on_seeing_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "mountings").write_text("a file where a folder should be")
    model = load_model("talos")
    rig = CameraRig((WrongSource(model),), model, MountingStore("talos", tmp_path / "mountings"))
    assert look(rig, model, 0.0, seed=0)[0].startswith("what is found of cameras' mountings cannot be kept")
