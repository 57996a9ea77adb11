"""The player: wherever it is paused, sent back or goes on, position, velocity and acceleration are continuous."""

import numpy as np
import pinocchio as pin
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.least_jerk import compute_remainder
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.errors import CannotStart
from handhold.retarget.motions.loading import load_motion
from handhold.retarget.motions.path import plan_path
from handhold.retarget.motions.player import Player, PlayPhase
from handhold.retarget.motions.rest import BRAKING, compute_played_time, compute_rate

DT = 2e-3
EXACT = 1e-9
FIRST_ORDER = 1.0  # times the largest derivative and DT: what a step of Euler's leaves


@pytest.fixture(scope="module")
def path(talos, checked_step):
    q = find_standing_posture(talos)
    return plan_path(checked_step, talos, q, talos.effector_poses(q))


def bound_jerk(path) -> float:
    """Return the largest third derivative that playing can have: of the motion's own, and of starts and stops."""
    times = np.arange(path.start, path.end, 5e-3)
    samples = [path.sample(float(time)) for time in times]
    rates, accelerations = (np.abs([getattr(s, name) for s in samples]).max() for name in ("rate", "acceleration"))
    own = np.abs(np.diff([s.acceleration for s in samples], axis=0)).max() / 5e-3
    return own + 3.0 * accelerations * 1.5 / BRAKING + rates * 6.0 / BRAKING**2


def assert_continuous(path, states) -> None:
    x, rate, acceleration = (np.stack([getattr(s, name) for s in states]) for name in ("x", "rate", "acceleration"))
    jerk = bound_jerk(path)
    most = np.abs(acceleration).max() + jerk * DT
    assert np.abs(np.diff(x, axis=0) - DT * rate[1:]).max() < FIRST_ORDER * most * DT**2
    assert np.abs(np.diff(rate, axis=0) - DT * acceleration[1:]).max() < FIRST_ORDER * jerk * DT**2
    assert np.abs(np.diff(acceleration, axis=0)).max() < FIRST_ORDER * jerk * DT


def test_it_plays_from_where_the_robot_stands_to_the_end(talos, path):
    player = Player(path)
    player.desired_direction, states = 1, []
    while not player.finished:
        states.append(player.step(DT))
    assert_continuous(path, states)
    begin = compute_body_state(path.sample(path.start), path.frame).q
    assert begin == pytest.approx(find_standing_posture(talos), abs=EXACT)
    assert states[-1].x == pytest.approx(path.checked.motion.sample(path.end).x, abs=EXACT)
    assert np.abs(states[-1].rate).max() == np.abs(states[-1].acceleration).max() == 0.0
    assert len(states) * DT == pytest.approx(path.end - path.start + BRAKING, abs=2.0 * DT)


@settings(max_examples=15)
@given(changes=st.lists(st.tuples(st.floats(0.0, 1.5), st.sampled_from([-1, 0, 1])), min_size=1, max_size=8))
def test_nothing_jumps_whatever_is_asked_when(path, changes):
    player, states = Player(path), []
    player.desired_direction = 1
    for seconds, desired_direction in [*changes, (1.0, 1)]:
        for _ in range(round(seconds / DT)):
            states.append(player.step(DT))
            assert path.start <= player.path_time <= path.end
            if player.phase is PlayPhase.AT_REST and not player.finished:
                assert np.abs(path.stops - player.path_time).min() < EXACT
        player.desired_direction = desired_direction
    if states:
        assert_continuous(path, states)


def test_called_off_it_runs_back_to_where_it_began(path):
    player = Player(path)
    player.desired_direction = 1
    while player.path_time < 1.9:
        player.step(DT)
    player.desired_direction = -1
    for _ in range(round(8.0 / DT)):
        last = player.step(DT)
    assert player.finished
    assert player.path_time == path.start
    assert last.x == pytest.approx(path.sample(path.start).x, abs=EXACT)


def test_a_pause_waits_for_a_place_where_the_robot_can_stand(path):
    rests = path.checked.examination.rests
    times = path.checked.examination.times
    # In the swing of this motion the centre of mass is beside the sole that stands for a while.
    unsafe = times[~rests & (times > 1.6) & (times < 2.4)]
    player = Player(path)
    player.desired_direction = 1
    target = float(unsafe[0]) if len(unsafe) else 2.0
    while player.path_time < target - 0.5 * BRAKING:
        player.step(DT)
    player.desired_direction = 0
    while player.phase is not PlayPhase.AT_REST:
        player.step(DT)
    k = int(np.abs(times - player.path_time).argmin())
    assert times[k] == pytest.approx(player.path_time, abs=EXACT)
    assert rests[k]


def test_the_way_of_a_start_is_the_integral_of_its_rate():
    for since in np.linspace(0.0, 1.0, 21):
        times = np.linspace(0.0, since, 2001)
        rates = [compute_rate(float(time))[0] for time in times]
        assert compute_played_time(float(since)) == pytest.approx(np.trapezoid(rates, times), abs=1e-6)


def test_the_blend_has_the_derivatives_that_it_tells():
    step = 1e-4
    for part in np.linspace(0.05, 0.95, 7):
        before, now, after = (compute_remainder(float(part + k * step)) for k in (-1, 0, 1))
        assert now[1] == pytest.approx((after[0] - before[0]) / (2.0 * step), abs=1e-5)
        assert now[2] == pytest.approx((after[1] - before[1]) / (2.0 * step), abs=1e-4)


def test_a_motion_goes_with_the_robot(talos, checked_step):
    """Turned and moved, the same motion is played from there."""
    where = pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, 2.0), np.array([1.0, -2.0, 0.3]))
    first = compute_body_state(checked_step.motion.sample(0.0), where).q
    path = plan_path(checked_step, talos, first, talos.effector_poses(first))
    assert path.frame.homogeneous == pytest.approx(where.homogeneous, abs=1e-6)
    end = compute_body_state(path.sample(path.end), path.frame).q
    assert end == pytest.approx(compute_body_state(checked_step.motion.sample(path.end), where).q, abs=1e-6)


def test_feet_that_stand_elsewhere_refuse_a_motion(talos):
    q = find_standing_posture(talos)
    with pytest.raises(
        CannotStart, match=r"feet-together: left foot stands \d cm from where the motion begins; move the feet"
    ):
        plan_path(load_motion("feet-together", talos), talos, q, talos.effector_poses(q))


def test_legs_that_are_far_off_refuse_a_motion(talos):
    q = find_standing_posture(talos)
    with pytest.raises(CannotStart, match=r"rad from where the motion begins; bring it within 0\.35 rad first"):
        plan_path(load_motion("stand-up", talos), talos, q, talos.effector_poses(q))


def test_arms_that_are_far_off_take_more_time(talos, checked_step):
    q = find_standing_posture(talos)
    near = plan_path(checked_step, talos, q, talos.effector_poses(q))
    q[7 + talos.joint_names.index("arm_left_4_joint")] += 1.0
    far = plan_path(checked_step, talos, q, talos.effector_poses(q))
    assert far.start < near.start
