"""The map of surfaces, from simulated images of a camera that moves."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.mapping.outlines import cut_to_holes
from handhold.perception.mapping.surface_map import SurfaceMap
from handhold.perception.mapping.view import View
from handhold.perception.planes.boundary import find_boundaries
from handhold.perception.planes.plane_finder import PlaneFinder
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box
from handhold.robots.polygon import is_inside

PINHOLE = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)
OPTICAL = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
NOISE = StereoNoise(sigma=0.15)
OFFSET, ANGLE = 5e-3, 0.5  # of a surface [m], [deg]
MAX_STEP = 0.015  # error of the ground that a foot does not notice [m]

FLOOR = make_box((5.0, 5.0, 0.1)).corners + np.array([0.0, 0.0, -0.1])


def box(size, position, yaw=0.0):
    return make_box(tuple(0.5 * length for length in size)).corners @ pin.rpy.rpyToMatrix(0, 0, yaw).T + np.array(position)


def camera_at(x=0.0, y=0.0, z=1.5, pitch=0.5, yaw=0.0):
    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.0, pitch, yaw) @ OPTICAL
    pose[:3, 3] = x, y, z
    return pose


class Watcher:
    """Looks at boxes and keeps a map of them."""

    def __init__(self):
        self.map, self._finder, self._rasteriser = SurfaceMap(), PlaneFinder(PINHOLE), Rasteriser(PINHOLE)
        self._random = np.random.default_rng(0)
        self.time = 0.0

    def look(self, shapes, pose=None, images=5, blind=False):
        pose = camera_at() if pose is None else pose
        for _ in range(images):
            self._rasteriser.clear()
            for corners in shapes:
                seen = (corners - pose[:3, 3]) @ pose[:3, :3]
                self._rasteriser.draw(seen, np.zeros(len(seen)))
            depth = NOISE.apply(self._rasteriser.inverse_depth, PINHOLE, self._random)
            if blind:
                depth[:] = 0
            frame = DepthFrame(time=self.time, number=0, depth=depth, unit=UNIT, intrinsics=PINHOLE)
            image = self._finder.find(frame)
            view = View(time=self.time, camera=pose, image=image, patches=find_boundaries(image, 5.0), rounding=UNIT / 12**0.5)
            self.map.update(view)
            self.time += 0.1
        return self.map.list_surfaces(self.time - 0.1)


def find(surfaces, normal, offset, within=0.05):
    """Return the surfaces of a plane, the largest first."""
    normal = np.array(normal)
    near = [s for s in surfaces if s.pose[:3, 2] @ normal > 0.98 and abs(normal @ s.pose[:3, 3] - offset) < within]
    return sorted(near, key=lambda s: -s.area)


def corners_of(surface):
    return surface.pose[:3, 3] + surface.boundary @ surface.pose[:3, :2].T


TABLE = box((0.6, 1.0, 0.05), (1.2, 0.0, 0.775))
WALL = box((0.1, 3.0, 2.4), (2.05, 0.0, 1.2))


def test_surfaces_are_where_they_are():
    surfaces = Watcher().look([FLOOR, TABLE, WALL])
    for normal, offset in (((0, 0, 1), 0.0), ((0, 0, 1), 0.8), ((-1, 0, 0), -2.0)):
        surface = find(surfaces, normal, offset)[0]
        assert np.array(normal) @ surface.pose[:3, 3] == pytest.approx(offset, abs=OFFSET)
        assert np.degrees(np.arccos(min(1.0, surface.pose[:3, 2] @ np.array(normal)))) < ANGLE
        assert surface.age == 0.0


def test_a_tables_boundary_is_its_edge():
    (table, *_) = find(Watcher().look([FLOOR, TABLE, WALL]), (0, 0, 1), 0.8)
    corners = corners_of(table)
    assert table.area == pytest.approx(0.6, rel=0.06)
    assert np.allclose([corners[:, 0].min(), corners[:, 0].max()], [0.9, 1.5], atol=0.02)
    assert np.allclose([corners[:, 1].min(), corners[:, 1].max()], [-0.5, 0.5], atol=0.02)


def test_a_surface_keeps_its_identity_while_the_camera_moves_around():
    watcher, identities = Watcher(), set()
    for k in range(10):
        surfaces = watcher.look([FLOOR, TABLE, WALL], camera_at(y=-0.5 + 0.1 * k, yaw=0.2 - 0.04 * k), images=2)
        if k:
            identities.add(find(surfaces, (0, 0, 1), 0.8)[0].identity)
    assert len(identities) == 1


def test_a_surface_grows_as_more_of_it_is_seen():
    watcher = Watcher()
    before = find(watcher.look([FLOOR, WALL], camera_at(yaw=0.6)), (-1, 0, 0), -2.0)[0]
    after = find(watcher.look([FLOOR, WALL], camera_at(yaw=-0.6)), (-1, 0, 0), -2.0)[0]
    assert after.identity == before.identity
    assert after.area > 1.3 * before.area


def test_what_is_in_front_takes_nothing_away():
    watcher = Watcher()
    before = find(watcher.look([FLOOR, WALL]), (-1, 0, 0), -2.0)[0]
    # a person's width in the way
    person = box((0.3, 0.5, 1.8), (1.3, 0.2, 0.9))
    after = find(watcher.look([FLOOR, WALL, person], images=10), (-1, 0, 0), -2.0)
    assert after[0].identity == before.identity
    assert sum(surface.area for surface in after) > 0.95 * before.area


def test_what_is_gone_is_taken_away():
    watcher = Watcher()
    assert find(watcher.look([FLOOR, TABLE, WALL]), (0, 0, 1), 0.8)
    assert not find(watcher.look([FLOOR, WALL], images=8), (0, 0, 1), 0.8)


def test_a_wall_that_has_moved_away_is_where_it_is_now():
    watcher, wide = Watcher(), box((0.1, 9.0, 3.0), (2.05, 0.0, 1.5))
    watcher.look([FLOOR, wide])
    surfaces = watcher.look([FLOOR, wide + np.array([0.1, 0.0, 0.0])], images=8)
    assert find(surfaces, (-1, 0, 0), -2.1, within=0.02)
    assert not find(surfaces, (-1, 0, 0), -2.0, within=0.05)


def test_a_wall_that_has_come_nearer_is_where_it_is_and_the_old_one_grows_old():
    watcher = Watcher()
    watcher.look([FLOOR, WALL])
    surfaces = watcher.look([FLOOR, WALL - np.array([0.1, 0.0, 0.0])], images=8)
    near = find(surfaces, (-1, 0, 0), -1.9, within=0.02)
    assert near
    assert near[0].age == 0.0
    assert all(surface.age > 0.5 for surface in find(surfaces, (-1, 0, 0), -2.0, within=0.05))


def test_tables_of_one_height_that_do_not_touch_are_two():
    tables = [box((0.6, 0.5, 0.05), (1.2, y, 0.775)) for y in (-0.3, 0.3)]
    found = find(Watcher().look([FLOOR, *tables]), (0, 0, 1), 0.8)
    assert len(found) == 2
    assert len({surface.identity for surface in found}) == 2


def test_slabs_next_to_each_other_stay_what_they_are_while_the_cameras_pass():
    poses = []
    for k, (roll, pitch, z) in enumerate([(0.06, -0.04, 0.025), (-0.05, 0.05, 0.045), (0.08, 0.0, 0.015), (0.0, -0.06, 0.04)]):
        poses.append(pin.SE3(pin.rpy.rpyToMatrix(roll, pitch, 0.0), np.array([0.7 + 0.6 * k, 0.0, z])))
    box_below = make_box((0.3, 0.7, 0.1)).corners - np.array([0.0, 0.0, 0.1])
    slabs = [box_below @ pose.rotation.T + pose.translation for pose in poses]
    inside = [np.array([x, y, 0.0]) for x in np.arange(-0.25, 0.26, 0.1) for y in np.arange(-0.6, 0.61, 0.15)]
    points = [pose.act(point) for pose in poses for point in inside]
    watcher, errors = Watcher(), []
    for k in range(20):
        x = -0.4 + 0.1 * k
        watcher.look([FLOOR, *slabs], camera_at(x=x, z=1.6, pitch=0.62), images=1)
        surfaces = watcher.look([FLOOR, *slabs], camera_at(x=x + 0.1, z=1.05, pitch=1.05), images=1)
        errors += [highest(surfaces, p[:2]) - max(0.0, p[2]) for p in points if k > 4 and 0.1 < p[0] - x < 1.2]
    known = np.array(errors)[np.isfinite(errors)]
    assert len(known) > 0.9 * len(errors)
    assert np.mean(np.abs(known) > MAX_STEP) < 0.02


def highest(surfaces, xy):
    """Return the height of the highest level surface at a place; minus infinity where none is known."""
    heights = [-np.inf]
    for surface in surfaces:
        normal, origin = surface.pose[:3, 2], surface.pose[:3, 3]
        z = origin[2] - (xy - origin[:2]) @ normal[:2] / normal[2]
        x, y = (np.array([*xy, z]) - origin) @ surface.pose[:3, :2]
        if normal[2] > 0.9 and is_inside(x, y, surface.boundary):
            heights.append(z)
    return max(heights)


def test_nothing_new_is_learnt_in_the_dark_and_everything_grows_old():
    watcher = Watcher()
    before = watcher.look([FLOOR, TABLE, WALL])
    after = watcher.look([FLOOR, TABLE, WALL], images=10, blind=True)
    assert [s.identity for s in after] == [s.identity for s in before]
    assert all(surface.age == pytest.approx(1.0) for surface in after)


def test_what_was_not_seen_for_long_is_forgotten():
    watcher = Watcher()
    watcher.look([FLOOR, TABLE])
    watcher.time += 100.0
    assert watcher.look([FLOOR], camera_at(yaw=3.0), images=1) == ()


def test_a_polygon_with_a_slit_has_its_hole_outside():
    square = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    hole = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 2.0], [2.0, 1.0]])
    polygon = cut_to_holes(square, [hole])
    x, y = polygon.T
    assert 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) == pytest.approx(16.0 - 1.0)
