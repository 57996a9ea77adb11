"""SEIKO keeps the robot's bodies apart whatever the hand is told."""

import numpy as np
import pytest
from stances import ask, stand

from handhold.robots.description import RobotDescription
from handhold.robots.model import RobotModel

DT = 1e-3
SPEED = 0.5  # [m/s]
LEFT_HAND = 2
SLIP = 2e-4  # [m] the nearest points of two capsules may change from one step to the next
CONTACT = 1e-5  # [m]
GENTLE = 0.5  # [m/s, rad/s] the barrier's 2 / s over the largest lack, 7 cm, leaves less than that to a short lever
BACK = 5e-3  # [m] posture and velocity costs hold back a little


@pytest.mark.parametrize(
    ("offset", "near"),
    [((0.0, -0.5, 0.0), "left_arm near torso"), ((0.1, -1.0, 0.1), "left_arm near right_arm")],
)
def test_a_hand_told_to_go_through_the_robot_stops_and_comes_back(talos, offset, near):
    seiko = stand(talos)
    start = seiko.kinematics.poses.copy()
    least, seen = np.inf, set()
    length = np.linalg.norm(offset)
    for tick in range(8000):
        out = min(SPEED * DT * tick, length) - min(max(SPEED * DT * (tick - 4500), 0.0), length)
        step = seiko.step(ask(seiko, LEFT_HAND, np.array(offset) * out / length, start=start), DT)
        assert step.solved
        least = min(least, seiko.self_collision.distances.min())
        seen.update(step.active)
    assert near in seen
    assert least > seiko.self_collision.least_distance - SLIP
    assert least < seiko.self_collision.least_distance + 0.01
    assert np.linalg.norm(seiko.kinematics.poses[LEFT_HAND, :3, 3] - start[LEFT_HAND, :3, 3]) < BACK


def test_bodies_that_are_too_near_part_gently_and_those_that_cannot_harm_nothing(talos):
    content = talos.description.model_dump()
    # Without the shanks, which can part from the feet that stand.
    pairs = [pair for pair in content["self_collision"]["pairs"] if "shank" not in str(pair)]
    content["self_collision"] |= {"least_distance": 0.12, "pairs": pairs}
    wide = RobotModel(RobotDescription.model_validate(content))
    seiko = stand(wide)
    # Settling does not wait for it: the forearms are still too near, and the feet, which stand, will always be.
    poses = seiko.kinematics.poses.copy()
    seiko.build(ask(seiko, start=poses), DT)
    arms = np.array(["arm" in str(names) for names in seiko.self_collision.names])
    distances = seiko.self_collision.distances
    before = distances[arms].min()
    assert before < 0.115
    for _ in range(3000):
        assert seiko.step(ask(seiko, start=poses), DT).solved
        assert seiko.contact_error < CONTACT
        assert np.abs(seiko.v).max() < GENTLE
    assert distances[arms].min() == pytest.approx(0.12, abs=2e-3)
    assert distances[~arms].min() == pytest.approx(0.04, abs=1e-3)
