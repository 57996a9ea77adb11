"""What a robot sees of its world, in lockstep: surfaces where they are, and nothing of its own body."""

from dataclasses import replace

import numpy as np
import pytest
from random_values import random_snapshot

from handhold.app.camera.connected_cameras import BadAssignment
from handhold.app.camera.mapper import Mapper
from handhold.app.camera.mounting_store import MountingStore
from handhold.app.camera.program import CameraRig
from handhold.app.camera.robot_shapes import NoCamera, RobotShapes
from handhold.app.camera.sight import Sight
from handhold.app.camera.sources import CameraSource, SimulatedSource, UnknownCamera, check_camera, open_sources
from handhold.app.host.footholds import find_start
from handhold.app.host.surfaces import list_surfaces
from handhold.app.link.world_truth import WorldTruth
from handhold.app.session.config import SessionConfig
from handhold.perception.cameras.camera_errors import CameraLost
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

OFFSET, COSINE = 0.015, np.cos(np.radians(3.0))  # of a surface that a hand is to lean on
AREA = 0.1  # of a surface that counts [m^2]


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def look(model, world, seconds=1.0, **options):
    """Return what a robot that stands in a world sees of it."""
    loaded = load_world(world)
    q, poses = find_start(world, model), np.array([solid.to_se3().homogeneous for solid in loaded.solids]).reshape(-1, 4, 4)
    sight = Sight(model, loaded, **options)
    for tick in range(round(1e2 * seconds)):
        sight.update(1e-2 * tick, q, q, lambda: poses)
    return sight.surfaces


def find_truth(surface, known):
    """Return how far a surface is from the nearest true one that it could be [m]; infinite where it is none."""
    middle = surface.pose[:3, 3] + surface.pose[:3, :2] @ surface.boundary.mean(axis=0)
    alike = [each for each in known if each.pose[:3, 2] @ surface.pose[:3, 2] > COSINE]
    return min((abs(float(each.pose[:3, 2] @ (middle - each.pose[:3, 3]))) for each in alike), default=np.inf)


@pytest.mark.parametrize("world", ["workshop", "wall_in_front", "steps"])
def test_every_surface_that_is_seen_is_there(talos, world):
    known = list_surfaces(load_world(world))
    seen = [surface for surface in look(talos, world, noise=StereoNoise(sigma=0.15)) if surface.area > AREA]
    assert seen
    assert max(find_truth(surface, known) for surface in seen) < OFFSET


def test_on_an_empty_floor_nothing_is_seen_but_the_floor(talos):
    surfaces = look(talos, "flat")
    # whatever is left of hands and arms by the mask is no surface
    assert all(abs(surface.pose[2, 3]) < OFFSET and surface.pose[2, 2] > COSINE for surface in surfaces)


def test_the_same_seed_sees_the_same(talos):
    first, again = (look(talos, "workshop", seconds=0.5, seed=3) for _ in range(2))
    assert [surface.identity for surface in first] == [surface.identity for surface in again]
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one.pose, other.pose)
        assert np.array_equal(one.boundary, other.boundary)


def test_a_robot_without_a_camera_is_told_so():
    with pytest.raises(NoCamera):
        Sight(load_model("anymal"), load_world("flat"))


def test_a_frame_from_before_all_postures_is_lost_and_counted(talos):
    shapes = RobotShapes(talos)
    source = SimulatedSource(talos, "flat")
    mapper = Mapper(shapes, source.intrinsics)
    q = find_start("flat", talos)
    for tick in range(20):
        source.follow(0.01 * tick, q, None)
        frame = source.take()
        if frame is not None:
            assert not mapper.see(frame)
    assert mapper.lost == 1


def test_a_posture_between_two_is_blended(talos):
    mapper = Mapper(RobotShapes(talos), SimulatedSource(talos, "flat").intrinsics)
    q = find_start("flat", talos)
    moved = q.copy()
    moved[0] += 0.1
    moved[3:7] *= -1.0  # the same orientation
    mapper.note(0.0, q)
    mapper.note(0.1, moved)
    between = mapper._find_posture(0.05)
    assert between[0] == pytest.approx(q[0] + 0.05)
    assert np.allclose(np.abs(between[3:7]), np.abs(q[3:7]))


def test_solids_that_were_moved_are_seen_where_they_are(talos):
    source, world = SimulatedSource(talos, "workshop"), load_world("workshop")
    poses = np.array([solid.to_se3().homogeneous for solid in world.solids])
    poses[:, 0, 3] += 10.0  # all is out of sight
    q = find_start("workshop", talos)
    mapper = Mapper(RobotShapes(talos), source.intrinsics)
    for tick in range(100):
        mapper.note(0.01 * tick, q)
        source.follow(0.01 * tick, q, WorldTruth(time=0.01 * tick, q=q, solids=poses))
        frame = source.take()
        if frame is not None:
            mapper.see(frame)
    surfaces = mapper.list_surfaces(1.0)
    assert surfaces
    assert all(surface.pose[2, 2] > COSINE for surface in surfaces)


def test_a_camera_that_there_is_not_is_refused_in_words(talos):
    config = SessionConfig(link_port=1, log_folder="none", camera="telescope")
    with pytest.raises(UnknownCamera, match="take one of"):
        open_sources(config, talos, lambda: 0.0)


class ScriptedCamera:
    """A depth camera that is there, and then is not."""

    title = "a scripted camera"
    intrinsics = Intrinsics(width=8, height=6, fx=4.0, fy=4.0, cx=4.0, cy=3.0)

    def __init__(self, clock, lost):
        self._clock, self._lost = clock, lost

    def read(self, _timeout):
        if self._lost[0]:
            raise CameraLost(self.title, "no device")
        depth = np.ones((6, 8), dtype=np.uint16)
        return DepthFrame(time=self._clock() - 0.03, number=0, depth=depth, unit=1e-3, intrinsics=self.intrinsics)

    def close(self):
        pass


def test_a_camera_that_is_lost_is_said_to_be_and_comes_back():
    now, lost = [100.0], [False]
    source = CameraSource(lambda: ScriptedCamera(lambda: now[0], lost), lambda: now[0], "head", is_recorded=False)
    assert source.take().time == pytest.approx(99.97)
    # no more frames than are looked at
    assert source.take() is None
    now[0], lost[0] = 101.0, True
    assert source.take() is None
    assert "no device" in source.message
    now[0], lost[0] = 103.0, False
    assert source.take() is not None
    assert source.message == ""
    source.close()


def test_what_was_recorded_is_played_as_if_it_were_now():
    now = [1000.0]
    source = CameraSource(lambda: ScriptedCamera(lambda: 5.0, [False]), lambda: now[0], "head", is_recorded=True)
    assert source.take().time == 1000.0


def test_what_a_connected_camera_left_lying_stays_old():
    source = CameraSource(lambda: ScriptedCamera(lambda: 5.0, [False]), lambda: 9.0, "head", is_recorded=False)
    assert source.take().time == pytest.approx(4.97)
    ahead = CameraSource(lambda: ScriptedCamera(lambda: 9.5, [False]), lambda: 9.0, "head", is_recorded=False)
    assert ahead.take().time == 9.0, "of no clock that is ahead"


def test_why_the_only_camera_sees_nothing_is_told(talos, tmp_path):
    now, lost = [100.0], [False]
    source = CameraSource(lambda: ScriptedCamera(lambda: now[0], lost), lambda: now[0], "head", is_recorded=False)
    rig = CameraRig((source,), talos, MountingStore("talos", tmp_path))
    snapshot = random_snapshot(1)
    for _ in range(3):
        now[0] += 0.3
        rig.follow(replace(snapshot, q=talos.q_nominal, measured_at=now[0] - 0.03), None)
        seen = rig.see()
    assert seen is not None
    assert seen.message == ""
    now[0], lost[0] = now[0] + 1.0, True
    told = rig.see()
    assert told is not None
    assert "no device" in told.message
    assert told.time == seen.time
    now[0] += 1.0
    assert rig.see() is None, "once is enough"


def test_several_connected_cameras_are_those_of_the_robot_by_their_serial_numbers(talos, monkeypatch):
    opened = []

    def open_scripted(serial):
        opened.append(serial)
        return ScriptedCamera(lambda: 5.0, [False])

    monkeypatch.setattr("handhold.app.camera.sources.open_connected", open_scripted)

    def open_all(camera):
        config = SessionConfig(link_port=1, log_folder="none", camera=camera)
        return [source.camera for source in open_sources(config, talos, lambda: 0.0)]

    assert open_all("live:ground=23, head=42") == ["ground", "head"]
    assert open_all("live") == ["head"]
    assert opened == ["23", "42", None]
    with pytest.raises(NoCamera, match="'tail'"):
        open_all("live:tail=7")


@pytest.mark.parametrize(
    ("camera", "reason"),
    [
        ("live:", "is missing"),
        ("live:head", "is missing"),
        ("live:head=", "is missing"),
        ("live:head=1,", "is missing"),
        ("live:head=1,head=2", "twice"),
        ("live:head=1,ground=1", "twice"),
    ],
)
def test_an_assignment_of_connected_cameras_that_is_none_is_refused_in_words(camera, reason):
    with pytest.raises(BadAssignment, match=f"{reason}.*; give live:NAME=SERIAL"):
        check_camera(camera)
