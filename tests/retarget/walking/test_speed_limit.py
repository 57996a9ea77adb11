"""How fast a robot walks of what is asked for, and how seldom the footholds ahead are searched."""

import numpy as np
import pytest

from handhold.perception.surface import Surface
from handhold.retarget.walking import speed_limit
from handhold.retarget.walking.footsteps import RIGHT, WalkingVelocity
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.speed_limit import SpeedLimit
from handhold.retarget.walking.stride import Stance
from handhold.robots.model import load_model

DT = 0.002  # [s]
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def level(x, height, half_lengths):
    pose = np.eye(4)
    pose[:3, 3] = x, 0.0, height
    return Surface(pose=pose, boundary=CORNERS * half_lengths, area=1.0, quality=1.0, age=0.0)


FLOOR = level(0.0, 0.0, (10.0, 10.0))


class Standing:
    """A gait that has made so many footsteps."""

    def __init__(self, walking):
        self.feet, self.ground_height, self.steps_made = np.tile(np.eye(4), (2, 1, 1)), 0.0, 0
        self.feet[:, 1, 3] = np.array([0.5, -0.5]) * walking.spacing

    def get_stance(self):
        return Stance(support=self.feet[1, :2, 3], angle=0.0, height=0.0, lift_off_height=0.0), RIGHT


class Limited:
    """A speed limit on ground, and how often it searched for footholds."""

    def __init__(self, monkeypatch, *surfaces):
        walking = load_model("talos").description.walking
        self.limit, self.gait = SpeedLimit(walking), Standing(walking)
        self.ground, self.searches = GroundMap(surfaces, np.array([0.10, 0.065])), 0
        find = speed_limit.find_stepping_ratio

        def count(*arguments):
            self.searches += 1
            return find(*arguments)

        monkeypatch.setattr(speed_limit, "find_stepping_ratio", count)

    def walk(self, forward, periods=1):
        for _ in range(periods):
            velocity = self.limit.limit(WalkingVelocity(forward=forward), self.ground, self.gait, DT)
        return velocity.forward


@pytest.mark.parametrize("thickness", [0.03, 0.1])
def test_a_foothold_beyond_a_board_does_not_lead_through_it(monkeypatch, thickness):
    for ahead in np.arange(0.2, 0.5, 0.05):
        limited = Limited(monkeypatch, FLOOR, level(ahead, 0.4, (thickness, 2.0)))
        assert limited.walk(0.3) < 0.15


def test_over_a_gap_a_foothold_beyond_leads_on(monkeypatch):
    pit, far = level(0.0, -0.5, (10.0, 10.0)), level(1.25, 0.0, (0.9, 1.0))
    limited = Limited(monkeypatch, pit, level(0.0, 0.0, (0.3, 1.0)), far)
    assert limited.walk(0.3) == 0.3


def test_footholds_are_searched_once_while_nothing_changes(monkeypatch):
    limited = Limited(monkeypatch, FLOOR)
    limited.walk(0.3, periods=150)
    assert limited.searches == 1
    limited.walk(0.32, periods=40)
    assert limited.searches == 1


@pytest.mark.parametrize("change", ["footstep", "velocity", "ground"])
def test_they_are_searched_again_after_a_change(monkeypatch, change):
    limited = Limited(monkeypatch, FLOOR)
    limited.walk(0.3, periods=50)
    limited.gait.steps_made += change == "footstep"
    if change == "ground":
        limited.ground = GroundMap((FLOOR, level(3.0, 0.1, (1.0, 1.0))), np.array([0.10, 0.065]))
    limited.walk(0.15 if change == "velocity" else 0.3, periods=50)
    assert limited.searches == 2
