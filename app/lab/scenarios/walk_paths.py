"""What walks over narrow or broken ground share: an operator who keeps to a line, and how much supports the soles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.figures import Figure
from handhold.app.lab.scenarios.score import Beat, Hands, Step
from handhold.app.lab.scenarios.trace import Trace
from handhold.app.lab.scenarios.walk_measures import yaw_of
from handhold.app.lab.scenarios.walks import steer
from handhold.perception.surface import Surface
from handhold.render.snapshot import Snapshot
from handhold.retarget.walking.entry import find_walking_feet
from handhold.robots.description import Walking
from handhold.robots.model import RobotModel
from handhold.robots.polygon import is_inside
from handhold.robots.worlds import World

BACK_TO_LINE = 0.4
"""Speed to a side at which the operator steers back, for each metre off the line [1/s]."""

BACK_TO_HEADING = 0.5
"""Turning speed at which the operator steers back, for each radian off the heading [1/s]."""

LOADED = 0.3
"""Part of the robot's weight from which on a sole is loaded [-]."""

NEAR = 0.01
"""Height over or under a point of a sole at which a surface supports it [m]."""

MIN_FOOTHOLD_RATIO = 0.6
"""Part of a loaded sole that must be supported at least [-]."""

MIN_BEAM_RATIO = 0.8
"""Part of the footsteps along a beam that must be on it [-]."""

_UPWARD = 0.7
_CELLS = 30


def follow_line(gait: Walking, speed: float, until: float, timeout: float) -> Step:
    """Walk along the x axis, ahead or back, steering back to it, until the centre of mass is past a position.

    Args:
        gait: How fast the robot may walk.
        speed: Along x, below zero to walk back [m/s].
        until: Position along x [m].
        timeout: Time after which it was waited for in vain [s].
    """

    def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
        if snapshot is None:
            return Beat(hands, False)
        x, y = snapshot.position_com_in_world[:2]
        if np.sign(speed) * (x - until) > 0.0:
            return Beat(hands, True)
        left = float(np.clip(-BACK_TO_LINE * y, -gait.sideways_speed, gait.sideways_speed))
        turn = float(np.clip(-BACK_TO_HEADING * yaw_of(snapshot.q), -gait.turning_speed, gait.turning_speed))
        beat = steer(gait, forward=speed, left=left, turn=turn)(hands, begun, now, snapshot)
        late = now - begun > timeout
        return replace(beat, over=late, missed=f"x = {until:g} m (at {now:.1f} s)" if late else "")

    return step


def measure_footholds(model: RobotModel, trace: Trace, world: World) -> Figure:
    """Measure the minimum ratio of a loaded sole that is supported."""
    _, feet = find_walking_feet(model)
    surfaces = [surface for surface in list_surfaces(world) if surface.pose[2, 2] > _UPWARD]
    walking = np.array([mode == "walking" for mode in trace.modes])
    ratio = np.inf
    for foot in feet:
        half_lengths = model.effectors[foot].half_lengths
        assert half_lengths is not None, "one walks on soles"
        loaded = np.array(trace.wrenches)[:, foot, 2] > LOADED * model.weight
        for k in np.flatnonzero(walking & loaded)[::5]:
            points = trace.effectors[k][foot] + _list_cells(half_lengths) @ trace.rotations[k][foot].T
            ratio = min(ratio, _measure_support(points, surfaces))
    # A walk without a loaded sole shows nothing.
    ratio = ratio if np.isfinite(ratio) else np.nan
    return Figure("foothold_ratio", float(ratio), "-", must=MIN_FOOTHOLD_RATIO, larger_is_better=True)


def measure_footsteps_on(model: RobotModel, trace: Trace, height: float, along: tuple[float, float]) -> Figure:
    """Measure the ratio of the footsteps between two positions along x [m] that come down at a height [m]."""
    _, feet = find_walking_feet(model)
    heights = []
    for foot in feet:
        loaded = np.array(trace.wrenches)[:, foot, 2] > LOADED * model.weight
        for k in np.flatnonzero(loaded[1:] & ~loaded[:-1]) + 1:
            x, _, z = trace.effectors[k][foot]
            heights += [z] if along[0] < x < along[1] else []
    on = np.abs(np.array(heights) - height) < NEAR
    return Figure("beam_ratio", float(on.mean()) if len(on) else 0.0, "-", must=MIN_BEAM_RATIO, larger_is_better=True)


def _list_cells(half_lengths: tuple[float, float]) -> np.ndarray:
    """Return the middles of cells of a sole in its frame, shape ``(cells, 3)`` [m]."""
    middles = (np.arange(_CELLS) + 0.5) / _CELLS * 2.0 - 1.0
    x, y = np.meshgrid(half_lengths[0] * middles, half_lengths[1] * middles)
    return np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])


def _measure_support(points: np.ndarray, surfaces: list[Surface]) -> float:
    """Return the part of points, shape ``(k, 3)`` [m], that lie on a surface."""
    supported = np.zeros(len(points), dtype=bool)
    for surface in surfaces:
        local = (points - surface.pose[:3, 3]) @ surface.pose[:3, :3]
        near = np.abs(local[:, 2]) < NEAR
        for k in np.flatnonzero(near & ~supported):
            supported[k] = is_inside(local[k, 0], local[k, 1], surface.boundary)
    return float(supported.mean())
