"""The gait on its own plan: timing, stopping, touching early, late or not at all."""

from dataclasses import replace

import numpy as np
import pytest
from walks import DT, SOLE, make_gait, walk

from handhold.perception.surface import Surface
from handhold.retarget.walking.footsteps import ZERO_VELOCITY, WalkingVelocity
from handhold.retarget.walking.gait_sample import GaitMeasurement
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.timing import Phase

LEVEL = 0.02  # [m] along the foot: a tenth of a sole
STILL_SPEED = 5e-3  # [m/s]
LATE = 0.03  # [s]
CORNERS = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])


def until(time, velocity):
    return lambda t: velocity if t < time else ZERO_VELOCITY


COMMANDS = [
    WalkingVelocity(forward=0.3),
    WalkingVelocity(forward=-0.2),
    WalkingVelocity(sideways=0.1),
    WalkingVelocity(turning=0.3),
    WalkingVelocity(forward=0.2, sideways=0.05, turning=-0.2),
]


def test_a_robot_that_is_not_asked_to_walk_stands(walking):
    gait = make_gait(walking)
    samples = list(walk(gait, lambda _t: ZERO_VELOCITY, 3.0))
    assert all(sample.phase is Phase.STANDING and sample.contacts.all() for sample in samples)
    assert np.linalg.norm(samples[-1].pendulum.velocity) < STILL_SPEED
    assert samples[-1].load_ratios == pytest.approx([0.5, 0.5], abs=0.01)


@pytest.mark.parametrize("velocity", COMMANDS, ids=str)
@pytest.mark.parametrize("stop", np.arange(4.0, 6.0, 0.25))
def test_it_stops_within_one_step_of_the_one_it_is_in(walking, velocity, stop):
    gait = make_gait(walking)
    made = None
    for k, sample in enumerate(walk(gait, until(stop, velocity), stop + 5.0)):
        if made is None and k * DT >= stop:
            made, underway = gait.steps_made, sample.phase is Phase.SINGLE
    assert gait.at_rest
    # The step in the air, one more, and after the widest steps to the side, or turns, none beyond that.
    assert gait.steps_made - made <= 1 + underway
    frame = sample.foot_poses[0]
    across = frame[:3, :3].T @ (sample.foot_poses[1, :3, 3] - frame[:3, 3])
    assert abs(across[0]) < LEVEL
    assert np.linalg.norm(sample.pendulum.velocity) < STILL_SPEED
    assert gait.failures == gait.infeasible == 0


def change_often(seed):
    """Return a command that is thought better of at random, at times several times within a step."""
    random = np.random.default_rng(seed)
    times = np.cumsum(random.exponential(random.choice([0.15, 1.0], 60)))
    velocities = [
        WalkingVelocity(
            forward=random.uniform(-0.2, 0.5), sideways=random.uniform(-0.1, 0.1), turning=random.uniform(-0.3, 0.3)
        )
        for _ in times
    ]
    return lambda t: velocities[k] if (k := int(np.searchsorted(times, t))) % 2 == 0 and k < len(times) else ZERO_VELOCITY


@pytest.mark.parametrize("seed", range(5))
def test_sticks_that_are_pushed_and_let_go_at_any_moment_ask_for_nothing_that_cannot_be_held(walking, seed):
    gait = make_gait(walking)
    for _ in walk(gait, change_often(seed), 20.0):
        pass
    assert gait.steps_made > 8
    assert gait.failures == gait.infeasible == 0


@pytest.mark.parametrize("stop", np.arange(4.0, 4.8, 0.1))
def test_whenever_a_quick_walk_is_to_end_it_ends_with_level_feet_at_once(walking, stop):
    gait = make_gait(walking)
    endings = 0
    before = Phase.STANDING
    for sample in walk(gait, until(stop, WalkingVelocity(forward=0.39)), stop + 5.0):
        if sample.phase is Phase.ENDING and before is not Phase.ENDING:
            endings += 1
            assert abs(sample.foot_poses[1, 0, 3] - sample.foot_poses[0, 0, 3]) < LEVEL
        before = sample.phase
    assert gait.at_rest
    assert endings == 1
    assert gait.failures == gait.infeasible == 0


def test_while_a_foot_looks_for_the_ground_the_zmp_stays_on_the_one_that_stands(walking):
    gait = make_gait(walking)
    hole = 0.4
    looked = 0.0
    for sample in walk(
        gait, lambda _t: WalkingVelocity(forward=0.3), 6.0, ground=lambda place: -hole if place[0] > 1.0 else 0.0
    ):
        if sample.contacts.all():
            continue
        looked += DT * gait.missed
        standing = sample.foot_poses[int(np.flatnonzero(sample.contacts)[0])]
        off = standing[:3, :3].T @ (np.append(sample.pendulum.zmp, 0.0) - np.append(standing[:2, 3], 0.0))
        assert (np.abs(off[:2]) <= SOLE - walking.zmp_inset + 1e-6).all()
    assert looked > 0.5


@pytest.mark.parametrize("velocity", COMMANDS, ids=str)
def test_it_walks_as_fast_as_asked(walking, velocity):
    gait = make_gait(walking)
    samples = list(walk(gait, lambda _t: velocity, 12.0))
    per_step = round(walking.step_duration / DT)
    late, early = samples[-1], samples[-1 - 4 * per_step]
    turn = late.foot_poses[0, :3, :3] @ early.foot_poses[0, :3, :3].T
    turned = np.arctan2(turn[1, 0], turn[0, 0])
    moved = np.linalg.norm((late.foot_poses - early.foot_poses)[:, :2, 3].mean(axis=0)) / (4 * walking.step_duration)
    assert turned / (4 * walking.step_duration) == pytest.approx(velocity.turning, abs=0.01)  # [rad/s]
    if velocity.turning == 0.0:
        assert moved == pytest.approx(abs(velocity.forward) + abs(velocity.sideways), rel=0.05)


@pytest.mark.parametrize("velocity", COMMANDS, ids=str)
def test_nothing_of_the_plan_jumps(walking, velocity):
    gait = make_gait(walking)
    samples = list(walk(gait, until(6.0, velocity), 10.0))
    com = np.array([sample.pendulum.com for sample in samples])
    speeds = np.array([sample.pendulum.velocity for sample in samples])
    zmp = np.array([sample.pendulum.zmp for sample in samples])
    feet = np.array([sample.foot_poses[:, :3, 3] for sample in samples])
    load_ratios = np.array([sample.load_ratios for sample in samples])
    assert np.abs(np.diff(com, axis=0)).max() < 1.0 * DT  # [m]
    assert np.abs(np.diff(speeds, axis=0)).max() < 5.0 * DT  # [m/s]
    assert np.abs(np.diff(zmp, axis=0)).max() < 3.0 * DT  # [m]
    assert np.abs(np.diff(feet, axis=0)).max() < 2.0 * DT  # [m]
    # The load goes over in a double support, and from a foot before it is lifted.
    assert np.abs(np.diff(load_ratios, axis=0)).max() < 10.0 * DT
    assert all(sample.load_ratios[~sample.contacts].sum() < 1e-9 for sample in samples)


def test_the_load_is_on_the_feet_that_bear(walking):
    gait = make_gait(walking)
    for sample in walk(gait, lambda _t: WalkingVelocity(forward=0.2), 5.0):
        assert sample.load_ratios.sum() == pytest.approx(1.0)
        assert sample.load_ratios.min() >= 0.0
        assert sample.contacts.any()


def test_a_foot_that_touches_early_stays_where_it_touched(walking):
    gait = make_gait(walking)
    ground = lambda place: 0.02 if place[0] > 0.15 else 0.0  # noqa: E731
    heights = [
        sample.foot_poses[:, 2, 3] for sample in walk(gait, until(8.0, WalkingVelocity(forward=0.2)), 12.0, ground=ground)
    ]
    assert gait.at_rest
    assert gait.infeasible == gait.failures == 0
    assert np.abs(heights[-1] - 0.02).max() < 2e-3  # [m] both feet are up there now


def test_a_foot_that_touches_late_is_waited_for(walking):
    gait = make_gait(walking)
    ground = lambda place: -0.03 if place[0] > 0.15 else 0.0  # noqa: E731
    samples = list(walk(gait, until(8.0, WalkingVelocity(forward=0.2)), 13.0, ground=ground))
    assert gait.at_rest
    assert gait.failures == 0
    assert np.abs(samples[-1].foot_poses[:, 2, 3] + 0.03).max() < 2e-3  # [m]
    assert samples[-1].height == pytest.approx(0.85, abs=2e-3)  # [m] the centre of mass came down with the feet


def test_ground_that_is_lower_than_the_map_tells_is_expected_there_from_the_next_step_on(walking):
    gait = make_gait(walking)
    pose = np.eye(4)
    pose[:3, 3] = 5.15, 0.0, 0.03
    told = Surface(pose=pose, boundary=5.0 * CORNERS, area=100.0, quality=1.0, age=0.0)
    samples = list(walk(gait, lambda _t: WalkingVelocity(forward=0.2), 9.0, known=GroundMap((told,), SOLE)))
    single = np.array([sample.phase is Phase.SINGLE for sample in samples])
    begins, ends = np.flatnonzero(np.diff(single.astype(int)) == 1), np.flatnonzero(np.diff(single.astype(int)) == -1)
    durations = DT * (ends - begins[: len(ends)])
    assert durations.max() > walking.single_support + LATE
    assert np.abs(durations[-4:] - walking.single_support).max() < LATE


def test_a_foot_that_is_lifted_two_steps_at_once_has_missed_none(walking):
    gait = make_gait(walking)
    poses = np.tile(np.eye(4), (3, 1, 1))
    poses[1, :3, 3], poses[2, :3, 3] = (5.4, 0.0, 0.05), (5.8, 0.0, 0.10)
    told = tuple(Surface(pose=pose, boundary=5.0 * CORNERS, area=100.0, quality=1.0, age=0.0) for pose in poses)
    ground = lambda place: 0.10 if place[0] > 0.8 else 0.05 if place[0] > 0.4 else 0.0  # noqa: E731
    samples = list(walk(gait, until(9.0, WalkingVelocity(forward=0.5)), 12.0, ground=ground, known=GroundMap(told, SOLE)))
    assert gait.at_rest
    assert gait.infeasible == gait.failures == 0
    assert np.abs(samples[-1].foot_poses[:, 2, 3] - 0.10).max() < 2e-3  # [m]


def test_beyond_the_map_the_ground_is_as_high_as_the_foot_that_stands(walking):
    gait = make_gait(walking)
    pose = np.eye(4)
    pose[2, 3] = 0.03
    told = Surface(pose=pose, boundary=0.5 * CORNERS, area=1.0, quality=1.0, age=0.0)
    for sample in walk(gait, lambda _t: WalkingVelocity(forward=0.2), 9.0, known=GroundMap((told,), SOLE)):
        assert sample.foot_poses[:, 2, 3].min() > -0.01  # [m] no foot looks for the ground lower than it is


def test_over_a_hole_the_foot_stops_and_the_gait_says_so(walking):
    gait = make_gait(walking)
    ground = lambda place: -1.0 if place[0] > 0.15 else 0.0  # noqa: E731
    samples = list(walk(gait, until(8.0, WalkingVelocity(forward=0.2)), 10.0, ground=ground))
    assert gait.missed
    assert samples[-1].phase is Phase.SINGLE
    assert samples[-1].foot_poses[:, 2, 3].min() > -0.07  # [m] it does not reach into the hole for ever
    assert not samples[-1].foot_velocities.any()


def test_a_last_foot_that_missed_the_ground_and_touches_after_all_ends_the_walk_and_may_begin_another(walking):
    gait = make_gait(walking)
    stop, hole = 4.0, 0.0
    missed = 0
    command = until(stop, WalkingVelocity(forward=0.2))
    # The ground sinks under the foot that makes the last step, and comes back for it to touch.
    ground = lambda place: hole if place[0] > 0.0 else 0.0  # noqa: E731
    for k, sample in enumerate(
        walk(gait, lambda t: command(t) if t < 9.0 else WalkingVelocity(forward=0.2), 12.0, ground=ground)
    ):
        last = len(gait.list_footsteps()) == 1 and sample.phase is Phase.SINGLE and k * DT > stop
        missed += gait.missed
        hole = -0.2 if last and missed * DT < 0.3 else 0.0
        if k * DT == pytest.approx(8.9):
            assert missed * DT == pytest.approx(0.3, abs=0.01)
            assert gait.at_rest
            assert not gait.missed
            made = gait.steps_made
    assert gait.steps_made > made + 2


def test_noise_is_no_touch(walking):
    gait, noise, load_ratios, lifted = make_gait(walking), 0.02, np.full(2, 0.5), 0
    for _ in range(round(3.0 / DT)):
        # A foot in the air feels four standard deviations of noise.
        down = gait.feet[:, 2, 3] <= 1e-4
        forces = np.where(down, 0.02 + load_ratios, 4.0 * noise)
        measured = GaitMeasurement(poses=gait.feet.copy(), forces=forces, noise=np.full(2, noise))
        sample = gait.step(WalkingVelocity(forward=0.2), measured, DT)
        load_ratios = sample.load_ratios
        lifted += int((~down).sum())
        assert not sample.contacts[~down].any()
    assert lifted > 0


def feel_aloft(walking, height, seconds):
    """Walk, and press the first foot that comes down at a height over the ground for so long; returns where it stands then."""
    gait, load_ratios, pressed = make_gait(walking), np.full(2, 0.5), 0.0
    for _ in range(round(2.0 / DT)):
        up, landed = gait.feet[:, 2, 3], gait.feet[:, 2, 3] <= 1e-4
        begun = pressed > 0.0 or (gait.phase is Phase.SINGLE and not gait.untouched.any() and up.max() <= height)
        pressed += DT * (begun and not landed.all())
        taps = begun & ~landed & (pressed <= seconds + 0.5 * DT)
        measured = GaitMeasurement(poses=gait.feet.copy(), forces=np.where(landed, 0.02 + load_ratios, 0.1 * taps))
        sample = gait.step(WalkingVelocity(forward=0.2), measured, DT)
        load_ratios = sample.load_ratios
        if begun and sample.contacts.all():
            return float(gait.feet[:, 2, 3].max())
    raise AssertionError("no foot came down")


LOW = 0.3  # of the height of a step, see GaitParameters


def test_a_tap_in_mid_swing_is_no_touch_and_a_press_that_lasts_is_one(walking):
    high = 1.3 * LOW * walking.step_height
    assert feel_aloft(walking, high, DT) < 1e-3  # [m] it went on down to the ground
    assert feel_aloft(walking, high, 0.015) < 1e-3
    assert feel_aloft(walking, 2.0 * high, 1.0) > LOW * walking.step_height


def test_a_tap_near_the_ground_is_a_touch_at_once(walking):
    low = 0.5 * LOW * walking.step_height
    assert feel_aloft(walking, low, DT) > 0.7 * low


def test_a_foot_that_stands_or_comes_down_does_not_tell_its_sensors_noise(walking):
    gait = make_gait(walking)
    for sample in walk(gait, lambda _t: WalkingVelocity(forward=0.2), 3.0):
        assert not (gait.untouched & sample.contacts).any()
        swings = gait.phase is Phase.SINGLE and not sample.contacts.all()
        late = gait.elapsed > 0.6 * walking.single_support
        assert gait.untouched.any() == (swings and not late)


def test_a_foot_that_balance_still_needs_is_not_lifted(walking):
    gait = make_gait(walking)
    for k in range(round(3.0 / DT)):
        bears = k * DT < 2.0
        measured = GaitMeasurement(poses=gait.feet.copy(), forces=np.array([0.5, 0.5]) if bears else np.zeros(2))
        sample = gait.step(WalkingVelocity(forward=0.2), measured, DT)
        assert sample.contacts.all() or not bears
    assert sample.phase is Phase.SINGLE or gait.steps_made > 0


PUSHED = 0.18  # [m/s] the divergent component is 5 cm off: the ZMP's inset of 3 cm does not bring it back


def walk_beside(gait, duration, *, push=0.0, at=0.0):
    """Walk a pendulum that is not the plan's: pushed once, its ZMP the plan's and what feedback may add to it."""
    room = 0.03  # [m] the inset of the ZMP
    body, load_ratios = gait.pendulum, np.full(2, 0.5)
    for k in range(round(duration / DT)):
        if k == round(at / DT):
            body = replace(body, velocity=body.velocity + np.array([0.0, push]))
        forces = np.where(gait.feet[:, 2, 3] <= 1e-4, 0.02 + load_ratios, 0.0)
        measured = GaitMeasurement(poses=gait.feet.copy(), forces=forces, com=body.com, velocity=body.velocity)
        sample = gait.step(WalkingVelocity(forward=0.2), measured, DT)
        load_ratios, planned = sample.load_ratios, sample.pendulum
        off = body.compute_dcm(gait.omega) - planned.compute_dcm(gait.omega)
        zmp = planned.zmp + np.clip(3.0 * off, -room, room)
        body = replace(body, zmp=zmp).advance(np.zeros(2), DT, gait.omega)
        yield sample, body


@pytest.mark.parametrize("push", [PUSHED, -PUSHED])
def test_a_push_is_answered_by_footsteps_that_hold_the_robot(walking, push):
    begin, after, moved = 4.0, 3.0, []
    calm = [sample.foot_poses for sample, _ in walk_beside(make_gait(walking), begin + walking.step_duration + after)]
    for at in np.linspace(begin, begin + walking.step_duration, 4, endpoint=False):
        gait, furthest = make_gait(walking), 0.0
        for (sample, body), feet in zip(walk_beside(gait, at + after, push=push, at=at), calm, strict=False):
            furthest = max(furthest, float(np.abs(sample.foot_poses - feet)[:, 1, 3].max()))
            off = body.com - sample.foot_poses[:, :2, 3].mean(axis=0)
            assert np.linalg.norm(off) < 0.25  # [m] beyond the spacing of the feet it would have fallen
        assert np.linalg.norm(body.com - sample.pendulum.com) < 0.01  # [m]
        assert gait.failures == gait.infeasible == 0
        moved.append(furthest)
    # Where a step to come is in time for it the foot goes aside; else the ZMP within the soles is enough.
    assert max(moved) > 0.1  # [m]


def test_what_tracking_explains_moves_no_footstep(walking):
    gait, calm = make_gait(walking), make_gait(walking)
    for (sample, _), (before, _) in zip(walk_beside(gait, 8.0, push=0.03, at=4.0), walk_beside(calm, 8.0), strict=True):
        assert np.array_equal(sample.foot_poses, before.foot_poses)
