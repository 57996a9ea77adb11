"""What the contacts tell of the vertical."""

import numpy as np
import pinocchio as pin
import pytest

from handhold.robots.estimation.level import MAX_TILT, Level
from handhold.robots.model import GRAVITY, load_model
from handhold.robots.robot import RobotState

DT = 1e-3
TILT = 0.02
"""Error of the measured pitch [rad]."""


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


class Stand:
    """A Talos on two level soles, whose attitude is measured wrong by a tilt."""

    def __init__(self, model, tilt, heading=0.0):
        self._model, self._error = model, pin.exp3(np.array([0.0, tilt, 0.0]))
        self.heading = heading
        self.level = Level(model)
        self.random = np.random.default_rng(0)

    def run(self, seconds, *, begin=0.0, push=0.0, noise=0.0, learns=True):
        """Stand; a push accelerates the whole robot as far as the feet do not take it up."""
        model = self._model
        for tick in range(round(begin / DT), round((begin + seconds) / DT)):
            q = model.q_nominal.copy()
            q[3:7] = pin.Quaternion(pin.exp3(np.array([0.0, 0.0, self.heading])) @ self._error).coeffs()
            corrected = self.level.correct(q)
            poses = model.effector_poses(corrected)
            wrenches = np.zeros((len(model.effectors), 6))
            # Feet feel a vertical force in their own frames, whatever the attitude that is believed.
            wrenches[:2, 2], wrenches[:2, 0] = 0.5 * model.weight, -0.5 * push
            wrenches[:2, :3] += self.random.normal(0.0, 10.0 * (noise > 0.0), (2, 3))
            state = RobotState(
                time=tick * DT, q=q, v=np.zeros(model.nv), joint_torques=np.zeros(model.n), contact_wrenches=wrenches
            )
            velocity = self.random.normal(0.0, noise, 3) if noise > 0.0 else np.zeros(3)
            self.level.update(poses, (corrected[:3], velocity), state, learns=learns)
        return poses


def test_a_tilt_is_learnt_and_the_feet_come_level_where_they_are(talos):
    stand = Stand(talos, TILT)
    before = stand.run(2 * DT)
    after = stand.run(8.0, begin=2 * DT)
    assert stand.level.tilt == pytest.approx([0.0, -TILT], abs=3e-4)
    assert after[:2, 2, 2] == pytest.approx(1.0, abs=1e-6)
    # Both soles are turned about what lies between them.
    assert after[:2, :3, 3].mean(axis=0) == pytest.approx(before[:2, :3, 3].mean(axis=0), abs=3e-4)


def test_the_error_turns_with_the_robot(talos):
    stand = Stand(talos, TILT, heading=0.7)
    stand.run(8.0)
    assert stand.level.tilt == pytest.approx([0.0, -TILT], abs=3e-4)
    stand.heading = -1.9
    feet = stand.run(2 * DT, begin=9.0)
    assert feet[:2, 2, 2] == pytest.approx(1.0, abs=1e-6)


def test_an_attitude_that_is_right_stays(talos):
    stand = Stand(talos, 0.0)
    stand.run(1.0)
    assert not stand.level.tilt.any()
    assert not stand.level.offset.any()
    assert stand.level.correct(talos.q_nominal) == pytest.approx(talos.q_nominal, abs=1e-15)


def test_noise_does_not_tilt_the_robot(talos):
    stand = Stand(talos, 0.0)
    stand.run(4.0, noise=3e-3)
    assert np.abs(stand.level.tilt).max() < np.radians(0.1)


def test_a_push_is_no_tilt(talos):
    stand = Stand(talos, 0.0)
    stand.run(0.5)
    stand.run(0.2, begin=0.5, push=0.3 * talos.weight)
    # Only until the filter had seen it.
    assert np.abs(stand.level.tilt).max() < np.radians(0.15)


def test_while_something_is_touched_that_is_not_measured_nothing_is_learnt(talos):
    stand = Stand(talos, TILT)
    stand.run(1.0, learns=False)
    assert not stand.level.tilt.any()


def test_no_more_is_believed_than_an_attitude_can_be_off(talos):
    stand = Stand(talos, 1.5 * MAX_TILT)
    stand.run(4.0)
    assert np.hypot(*stand.level.tilt) <= MAX_TILT


def test_a_robot_that_accelerates_leans_on_its_feet_without_a_tilt(talos):
    stand, model = Stand(talos, 0.0), talos
    wrenches, acceleration = np.zeros((len(model.effectors), 6)), 0.5
    poses = model.effector_poses(model.q_nominal)
    wrenches[:2, 2], wrenches[:2, 0] = 0.5 * model.weight, 0.5 * model.weight / GRAVITY * acceleration
    for tick in range(1000):
        state = RobotState(
            time=tick * DT,
            q=model.q_nominal,
            v=np.zeros(model.nv),
            joint_torques=np.zeros(model.n),
            contact_wrenches=wrenches,
        )
        velocity = np.array([acceleration * tick * DT, 0.0, 0.0])
        stand.level.update(poses, (model.q_nominal[:3], velocity), state, learns=True)
    assert np.abs(stand.level.tilt).max() < 1e-12
