"""Scenarios of walks: their scripts, their figures and their pictures, on a short walk in the real cycle."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.figures import Outcome
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.scenario import RobotUnfit
from handhold.app.lab.scenarios.score import ScoredOperator, ask, wait
from handhold.app.lab.scenarios.walk_impulses import describe_walk_impulses, list_probes
from handhold.app.lab.scenarios.walk_latency import JITTER, LATENCY, make_delays
from handhold.app.lab.scenarios.walk_measures import is_at_rest_before, list_stretches, measure_speed, measure_walk, yaw_of
from handhold.app.lab.scenarios.walk_plot import plot_walk
from handhold.app.lab.scenarios.walk_push import DIRECTIONS, MUST, PHASES, list_pushes, make_force
from handhold.app.lab.scenarios.walk_straight import WALK_STRAIGHT
from handhold.app.lab.scenarios.walks import disturb_gently, gait_of, mode_is, steer, stop
from handhold.devices.operator_input import OperatorInput
from handhold.retarget.engagement.sticks import DEAD_ZONE, remove_round_dead_zone
from handhold.robots.model import load_model

PULSE = 0.1  # [s]


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


@pytest.fixture(scope="module")
def walked(talos):
    """The trace of a short walk over a link that is late."""

    def script(model, _poses, _random):
        return ScoredOperator(
            [ask("mode:walking"), mode_is("walking"), steer(gait_of(model), forward=0.3), wait(5.0), *stop()]
        )

    return play(replace(WALK_STRAIGHT, script=script, duration=14.0, delay=make_delays), talos, "mujoco", 0)


def test_a_short_walk_has_its_figures(talos, walked):
    figures = {figure.name: figure for figure in measure_walk(talos, walked)}
    assert all(figure.holds for figure in figures.values()), figures
    assert not walked.missed
    assert figures["stop_steps"].value >= 1.0
    assert figures["com_error"].value < 5e-3  # [m] a tenth of a foot's width


def test_icub_walks_as_fast_as_it_says():
    """A few steps; the acceptance has the whole walks."""
    icub = load_model("icub")
    speed = gait_of(icub).speed

    def script(model, _poses, _random):
        return ScoredOperator(
            [ask("mode:walking"), mode_is("walking"), steer(gait_of(model), forward=speed), wait(6.0), *stop()]
        )

    trace = play(replace(WALK_STRAIGHT, script=script, duration=16.0), icub, "mujoco", 0)
    assert not trace.missed
    assert all(figure.holds for figure in measure_walk(icub, trace)), measure_walk(icub, trace)
    (stretch,) = list_stretches(trace)
    assert measure_speed(trace, stretch) == pytest.approx(speed, rel=0.1)


def test_the_stretch_of_a_walk_is_when_the_stick_was_pushed(walked):
    (stretch,) = list_stretches(walked)
    assert stretch.end - stretch.begin == pytest.approx(5.0, abs=0.1)
    # From the third second on, as it takes a while to start: two steps and a half.
    assert 0.27 < measure_speed(walked, stretch) < 0.33


def test_a_stretch_begins_and_ends_when_the_robot_hears_of_it(walked):
    (stretch,) = list_stretches(walked)
    pushed = [sample.time for sample in walked.samples if np.any(sample.left.stick)]
    later = np.array([stretch.begin - pushed[0], stretch.end - pushed[-1]]) - walked.times[0]
    assert np.all(later == pytest.approx(LATENCY, abs=2.0 * JITTER))


def test_a_robot_stands_before_it_walks_and_after_but_not_in_between(walked):
    (stretch,) = list_stretches(walked)
    assert is_at_rest_before(walked, stretch.begin)
    assert not any(is_at_rest_before(walked, time) for time in np.arange(stretch.begin + 1.5, stretch.end, 0.1))
    assert is_at_rest_before(walked, walked.times[-1])


def test_a_late_link_is_none_that_is_lost(walked):
    assert walked.counters.lost_link == walked.first_counters.lost_link


def test_the_run_is_drawn(talos, walked, tmp_path):
    outcome = Outcome(
        name="walk", robot="talos", engine="mujoco", seed=0, commit="none", duration_s=1.0, fell=False, figures=[]
    )
    plot_walk(talos, walked, outcome, tmp_path / "walk.png")
    assert (tmp_path / "walk.png").stat().st_size > 10_000


def test_a_robot_that_does_not_walk_is_told_so():
    with pytest.raises(RobotUnfit, match=r"\[walking\]"):
        WALK_STRAIGHT.check(load_model("anymal"))


@pytest.mark.parametrize(("forward", "left"), [(0.5, 0.0), (0.2, 0.05), (-0.1, -0.1)])
def test_sticks_are_pushed_for_the_velocity_that_is_wanted(talos, forward, left):
    gait = gait_of(talos)
    operator = ScoredOperator([steer(gait, forward=forward, left=left, turn=0.1)])
    sample: OperatorInput = operator.sample(0.0, None)
    right, ahead = remove_round_dead_zone(tuple(sample.left.stick))
    largest = gait.speed if forward > 0.0 else gait.backward_speed
    wanted = np.array([-left / gait.sideways_speed, forward / largest])
    assert np.array([right, ahead]) == pytest.approx(wanted / max(1.0, np.linalg.norm(wanted)), abs=1e-9)
    turning = (abs(sample.right.stick[0]) - DEAD_ZONE) / (1.0 - DEAD_ZONE)
    assert turning == pytest.approx(0.1 / gait.turning_speed)


def test_pushes_come_from_all_sides_at_all_moments(talos):
    pushes, pair = list_pushes(talos), 2.0 * gait_of(talos).step_duration
    moments = {round((begin - pushes[0][0]) / pair % 1.0 * PHASES) % PHASES for begin, _ in pushes}
    assert moments == set(range(PHASES))
    assert np.sort([angle for _, angle in pushes]) == pytest.approx(2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS)
    assert np.linalg.norm(make_force(talos, MUST, 1.0)) * PULSE == pytest.approx(MUST * talos.weight)


def test_the_study_of_pushes_tells_them_as_parts_of_the_weight(talos):
    probes = [replace(probe, impulse=0.02 * talos.weight) for probe in list_probes(talos)]
    outcome = describe_walk_impulses(talos, "mujoco", probes)
    assert outcome.figures[0].value == pytest.approx(0.02)
    assert outcome.holds
    assert np.shape(outcome.extra["impulses"]) == (PHASES, DIRECTIONS)
    assert not describe_walk_impulses(talos, "mujoco", probes[:5]).holds


def test_gentle_disturbances_push_now_and_then(talos):
    class Body:
        pushed = 0

        def push(self, force, _frame):
            self.pushed += 1
            assert np.linalg.norm(force) <= 20.0
            assert force[2] == 0.0

    disturb, body = disturb_gently(talos, np.random.default_rng(0)), Body()

    class State:
        time = 0.0

    for tick in range(20_000):
        state = State()
        state.time = 1e-3 * tick
        disturb(body, state)
    assert 0.02 < body.pushed / 20_000 < 0.1


def test_yaw_is_the_turn_about_the_vertical():
    q = np.zeros(7)
    q[5], q[6] = np.sin(0.4), np.cos(0.4)
    assert yaw_of(q) == pytest.approx(0.8)
