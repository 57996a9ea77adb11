"""Scenarios and benchmarks, as a user runs them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.lab.benches import cycle, walking
from handhold.app.lab.benches.estimator import Follower
from handhold.app.lab.scenarios.deviation import Deviation
from handhold.app.lab.scenarios.margins import compute_measured_loads
from handhold.app.lab.scenarios.run import LANDING, find_start, play, run_scenario
from handhold.app.lab.scenarios.table import SCENARIOS, find_scenario
from handhold.app.lab.scenarios.uneven import UNEVEN, find_distance_to_rest
from handhold.app.session.config import REAL
from handhold.devices.stop import Stop
from handhold.robots.model import load_model

HANDHOLD = [str(Path(sys.executable).with_name("handhold"))]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*HANDHOLD, *words], capture_output=True, text=True, timeout=300, check=False)


# On soles and on points, G1 below; `./handhold acceptance` plays it with each robot in both engines.
REACHES = [("talos", "mujoco"), ("anymal", "pybullet")]


@pytest.mark.parametrize(("robot", "engine"), REACHES)
def test_far_reach_keeps_every_must(robot, engine):
    outcome, trace = run_scenario(find_scenario("far-reach"), robot, engine, 0)
    failing = [figure for figure in outcome.figures if not figure.holds]
    assert not outcome.fell
    assert not failing
    # Robots on soles are held back by their balance, one on points by the least force of its hind feet (paper, Fig. 6).
    held_back = [trace.activity_ratios.get(kind, 0.0) for kind in ("balance", "force")]
    assert max(held_back) > 0.05, "the reach did not saturate"


def test_an_imperfect_robot_braces_reaches_and_lets_go():
    """The acceptance plays it with more seeds, on G1, and walks; there its hand's cone counts while it is unloaded, too."""
    outcome, trace = run_scenario(find_scenario("brace-hand"), "talos", "mujoco", 2, deviation=Deviation(imperfect=2))
    assert not [figure for figure in outcome.figures if not figure.holds and figure.name != "cone_ratio"]
    model = load_model("talos")
    hand = model.effector_index("left_hand")
    friction = compute_measured_loads(trace, model, hand).friction / model.effectors[hand].friction
    loaded = np.array([left == "loaded" for left, _ in trace.contact_words])
    assert loaded.any()
    assert np.nanmax(friction[loaded]) < 1.0


@pytest.mark.parametrize(("name", "duration"), [("far-reach", None), ("walk-straight", 15.0)])
def test_a_robot_whose_attitude_is_a_degree_off_stays_on_its_feet(name, duration):
    """It fell over reaching forward, and of a foot that came down 10 deg off; the acceptance walks for a minute."""
    outcome, trace = run_scenario(
        find_scenario(name), "talos", "mujoco", 1, deviation=Deviation(imperfect=3), duration=duration
    )
    assert not outcome.fell
    assert not trace.damped


def test_a_robot_walks_on_what_it_estimates_of_its_base():
    """Ten minutes in either engine are the estimator's benchmark."""
    followed = Follower(np.random.default_rng(0))
    followed.begin()
    scenario = replace(find_scenario("walk-straight"), duration=15.0)
    deviation = Deviation(sensors=REAL)
    trace = play(scenario, load_model("talos"), "pybullet", 0, disturb=followed.disturb, deviation=deviation)
    assert not trace.fell
    assert not trace.damped
    assert [figure.name for figure in followed.to_figures() if not figure.holds] == []


def test_a_robot_that_is_bolted_down_knows_where_its_base_is():
    outcome, _ = run_scenario(find_scenario("dock"), "dual-panda", "mujoco", 0, deviation=Deviation(sensors=REAL))
    assert [figure.name for figure in outcome.figures if not figure.holds] == []


def test_a_payload_that_no_model_knows_of_is_held_up():
    outcome, trace = run_scenario(find_scenario("far-reach"), "talos", "mujoco", 0, deviation=Deviation(payload=5.0))
    assert not trace.damped
    assert not outcome.fell


def test_a_robot_leans_against_who_pulls_its_hand_and_lets_it_come_back():
    """The acceptance waits until the hand is back where it was."""
    outcome, trace = run_scenario(find_scenario("pulled"), "talos", "pybullet", 0, duration=13.0)
    assert not [figure for figure in outcome.figures if not figure.holds and figure.name != "left_behind"]
    assert {figure.name: figure.value for figure in outcome.figures}["lean"] > 0.03
    assert not outcome.fell
    assert not trace.damped


def test_a_random_operator_keeps_every_must():
    """The acceptance lets one go on for twenty minutes in each engine."""
    outcome, _ = run_scenario(find_scenario("fuzz"), "talos", "mujoco", 1, duration=20.0)
    assert not [figure for figure in outcome.figures if not figure.holds]
    assert {f.name: f.value for f in outcome.figures}["refused_samples"] > 3


class LimpCycle(Cycle):
    """A cycle that gives the joints up after half a second, and does not say that the robot falls."""

    def step(self, operator_input, robot_state, surfaces, dt):
        command, snapshot = super().step(operator_input, robot_state, surfaces, dt)
        if robot_state.time < 0.5 + LANDING:
            return command, snapshot
        nothing = np.zeros_like(command.torques)
        limp = replace(command, torques=nothing, stiffness=nothing, damping=nothing + 1.0)
        return limp, replace(snapshot, stop=Stop.DAMP, messages=("damped: the controller finds no torques",))


def test_a_fall_is_seen_whatever_the_cycle_says_and_damping_fails_a_run():
    trace = play(find_scenario("far-reach"), load_model("talos"), "mujoco", 0, make_cycle=LimpCycle)
    assert trace.fell
    assert 0.5 < trace.fell_at - LANDING < 5.0
    assert trace.damped == "damped: the controller finds no torques"


def test_a_hand_braces_where_its_cameras_propose_it_and_goes_on_when_they_see_nothing_any_more():
    outcome, _ = run_scenario(find_scenario("brace-dark"), "talos", "mujoco", 0, camera="sim")
    assert not outcome.fell
    assert not [figure for figure in outcome.figures if not figure.holds]
    assert {"offers_before", "stale_offers", "seen_offset"} <= {figure.name for figure in outcome.figures}


@pytest.mark.parametrize(("robot", "reaches"), [("talos", True), ("g1", False), ("anymal", False)])
def test_a_hand_braces_beside_the_steps_where_it_reaches_its_rest(robot, reaches):
    model = load_model(robot)
    poses = model.effector_poses(find_start(UNEVEN, model))
    assert (find_distance_to_rest(model, poses) is not None) is reaches


def test_a_robot_that_lacks_a_hand_is_told_so_in_one_line():
    done = run("scenario", "brace-hand", "--robot", "anymal")
    assert done.returncode != 0
    assert "needs a right hand" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_scenario_with_an_end_takes_no_duration():
    done = run("scenario", "jumps", "--duration", "5")
    assert done.returncode != 0
    assert "leave --duration out" in done.stderr


def test_a_scenario_that_loses_cameras_asks_for_some():
    done = run("scenario", "brace-dark")
    assert done.returncode != 0
    assert "--camera sim" in done.stderr


def test_scenarios_have_names_of_their_own():
    assert len({scenario.name for scenario in SCENARIOS}) == len(SCENARIOS)


def test_a_scenario_prints_one_object_and_plots(tmp_path):
    plot = tmp_path / "plots" / "reach.png"
    done = run("scenario", "far-reach", "--robot", "g1", "--json", "--plot", str(plot))
    result = json.loads(done.stdout)
    assert done.returncode == 0
    assert plot.stat().st_size > 10_000
    assert {"name", "robot", "engine", "seed", "commit", "duration_s", "fell", "figures"} <= set(result)
    assert {"name", "value", "unit", "must", "aim", "holds"} == set(result["figures"][0])
    assert "balance" in result["constraint_activity"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("seiko", {"tick_median", "tick_p99", "tick_kernels", "kernel"}),
        ("controller", {"tick_median", "tick_p99", "tick_kernels", "kernel"}),
    ],
)
def test_a_benchmark_prints_one_object(name, expected):
    done = run("bench", name, "--json")
    figures = {figure["name"]: figure["value"] for figure in json.loads(done.stdout)["figures"]}
    assert expected <= set(figures)
    assert all(figures[key] > 0.0 for key in expected)


def test_the_cycles_and_walkings_benchmarks_give_their_figures(monkeypatch):
    monkeypatch.setattr(walking, "DURATION", 3.0)
    monkeypatch.setattr(cycle, "SECONDS", 1.0)
    for outcome, expected in (
        (cycle.run_cycle_bench("mujoco"), {"busiest_load", "load_kernels", "braced_load_kernels"}),
        (
            walking.run_walking_bench("talos"),
            {"mpc_median", "mpc_p99", "mpc_spread", "recovery_p99", "decision_median", "decision_p99"},
        ),
    ):
        figures = {figure.name: figure.value for figure in outcome.figures}
        assert expected <= set(figures)
        assert all(figures[key] > 0.0 for key in expected)


def test_a_benchmark_of_a_robot_names_it_and_one_that_takes_none_says_so():
    done = run("bench", "seiko", "--robot", "anymal", "--json")
    assert json.loads(done.stdout)["robot"] == "anymal"
    refused = run("bench", "controller", "--robot", "anymal")
    assert refused.returncode != 0
    assert "runs on talos only" in refused.stderr


def test_the_calibration_kernel_is_the_one_that_record_kernel_writes(tmp_path):
    import numpy as np

    from handhold.app.lab.benches.seiko import record_kernel
    from handhold.app.lab.benches.timing import KERNEL_FILE, load_kernel

    record_kernel(tmp_path)
    kernel = load_kernel()
    with np.load(tmp_path / KERNEL_FILE) as again:
        assert again["A"].shape == kernel.A.shape
        assert kernel.equalities == again["equalities"] == 18


@pytest.mark.parametrize(("kind", "known"), [("scenario", "far-reach"), ("bench", "seiko")])
def test_an_unknown_name_is_answered_with_those_known(kind, known):
    done = run(kind, "nosuch")
    assert done.returncode != 0
    assert known in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_list_names_every_scenario():
    assert "far-reach" in run("scenario", "list").stdout
    assert load_model("talos").description.name == "talos"


@pytest.mark.parametrize(("robot", "engine"), [("g1", "mujoco"), ("icub", "pybullet")])
def test_a_robot_does_what_a_person_does(robot, engine):
    """The acceptance lets Talos follow for 10 minutes, captured people, and a suit whose stream is bad."""
    outcome, _ = run_scenario(find_scenario("human-motion"), robot, engine, 1, duration=18.0)
    assert not outcome.fell
    assert not [figure for figure in outcome.figures if not figure.holds]


def test_a_robot_follows_a_person_of_a_headset_and_two_hands():
    outcome, _ = run_scenario(find_scenario("three-points"), "talos", "mujoco", 0, duration=15.0)
    assert not outcome.fell
    assert not [figure for figure in outcome.figures if not figure.holds]


def test_a_robot_leans_on_a_wall_that_the_person_has_not():
    outcome, _ = run_scenario(find_scenario("lean-on-wall"), "talos", "mujoco", 0)
    assert not outcome.fell
    assert not [figure for figure in outcome.figures if not figure.holds]
