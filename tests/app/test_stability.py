"""Retrievals: what their operators do, and what is measured of them."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from PIL import Image

from handhold.app.host.footholds import OutOfReach, find_posture_on_footholds, find_start, find_top
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.ablation import (
    CHOICES,
    Ablation,
    AblationRun,
    RecordedOperator,
    compute_means,
    compute_min_torque_gain,
    compute_torque_gain,
    find_common_times,
    measure_gains,
    plot_ablations,
    replay_samples,
)
from handhold.app.lab.scenarios.impulses import (
    MAX_IMPULSE,
    RESOLUTION,
    SAMPLES,
    Probe,
    choose_probes,
    describe_impulses,
    find_impulses,
    fit_line,
    plot_impulses,
)
from handhold.app.lab.scenarios.retrieval import HELD, find_best_held, find_brace, find_perfect_grasp
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.stability import (
    MarginMeter,
    MarginTrace,
    compute_joint_torque_margins,
    find_arm,
    measure_margin_trace,
)
from handhold.app.lab.scenarios.table import RETRIEVALS, find_scenario
from handhold.robots.contact import Stance
from handhold.robots.model import load_model
from handhold.robots.polygon import compute_half_planes, compute_support_polygon
from handhold.robots.worlds import load_world

ROUNDING = 1e-9  # [m, -]: sums of a few numbers near 1
EDGE = 1e-6  # [m]: the tolerance of a region's edge


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def make_margins(times, margins, limits=()):
    count = len(times)
    return MarginTrace(
        times=np.array(times),
        margins=np.array(margins),
        sensitivities=np.zeros(count),
        normals=np.tile([1.0, 0.0], (count, 1)),
        limits=tuple(limits) or ((),) * count,
        arm=("shoulder", "elbow"),
        torque_margins=np.full((count, 2), 0.5),
    )


def make_run(margins):
    return AblationRun(trace=None, measured=margins, reference=margins)


def test_the_margin_on_both_feet_alone_is_the_distance_from_their_polygon(talos):
    q = find_standing_posture(talos)
    feet = [i for i, effector in enumerate(talos.effectors) if effector.standing]
    stance = Stance.of_reference(talos, feet)
    normals = np.tile([0.0, 0.0, 1.0], (len(talos.effectors), 1))
    sample = MarginMeter(talos).measure(q, stance.contact_flags(len(talos.effectors)), normals, [])
    polygon = compute_support_polygon(talos, stance, talos.effector_poses(q), talos.description.margins.reference)
    outward, distances = compute_half_planes(polygon)
    com = pin.centerOfMass(talos.pinocchio, talos.pinocchio.createData(), q)
    assert sample.edge.margin == pytest.approx(float((distances - outward @ com[:2]).min()), abs=EDGE)
    assert sample.sensitivity == 0.0


def test_an_arm_is_the_joints_that_carry_its_hand_alone(talos):
    hand = talos.effector_of_hand("right")
    assert [talos.joint_names[joint] for joint in find_arm(talos, hand)] == [f"arm_right_{i}_joint" for i in range(1, 8)]


def test_torque_margins_are_those_of_the_arms_joints(talos):
    hand = talos.effector_of_hand("right")
    torques = np.zeros((2, talos.n))
    elbow = talos.joint_names.index("arm_right_4_joint")
    torques[1, elbow] = -0.75 * talos.motor_torques[elbow]
    torques[:, 0] = talos.motor_torques[0]
    expected = np.ones((2, 7))
    expected[1, 3] = 0.25
    assert compute_joint_torque_margins(talos, torques, hand) == pytest.approx(expected, abs=ROUNDING)


def test_the_best_grasp_is_one_that_is_held():
    times = np.arange(0.0, 4.0, 0.01)
    distances = np.full(times.shape, 0.3)
    distances[100] = 0.0
    distances[200:300] = 0.02
    angles = np.where(times < 2.5, 30.0, 5.0)
    error, angle = find_best_held(times, distances, angles)
    assert error == pytest.approx(0.02, abs=ROUNDING)
    assert angle == pytest.approx(30.0, abs=ROUNDING)
    assert find_best_held(times[: int(HELD / 0.01) - 10], distances[:40], angles[:40])[0] == pytest.approx(0.3, abs=ROUNDING)


@pytest.mark.parametrize("name", RETRIEVALS)
def test_the_perfect_grasp_is_about_the_canister_and_points_along_the_approach(name, talos):
    retrieval = RETRIEVALS[name]
    grasp = find_perfect_grasp(retrieval)
    canister = retrieval.find_solid("canister")
    approach = np.array(retrieval.approach) / np.linalg.norm(retrieval.approach)
    assert np.linalg.det(grasp.rotation) == pytest.approx(1.0, abs=ROUNDING)
    assert -grasp.rotation[:, 2] == pytest.approx(approach, abs=ROUNDING)
    assert grasp.translation == pytest.approx(canister.position, abs=ROUNDING)
    opening = sum(np.linalg.norm(finger.travel) for finger in talos.description.grippers[0].fingers)
    assert 2.0 * canister.size[0] < opening - 0.02


@pytest.mark.parametrize("name", RETRIEVALS)
def test_a_hand_is_let_go_to_its_surface_from_outside_of_all_that_is_there(name):
    retrieval = RETRIEVALS[name]
    place, normal = find_brace(retrieval, 0.02)
    solid = retrieval.find_solid(retrieval.brace.solid)
    inside = solid.to_se3().actInv(place - 0.06 * normal)
    assert np.all(np.abs(inside) < solid.half_size)
    assert np.any(np.abs(solid.to_se3().actInv(place)) > solid.half_size)


def test_a_robot_starts_flat_on_uneven_footholds(talos):
    q = find_posture_on_footholds("wall_behind", talos)
    poses = talos.effector_poses(q)
    for solid in load_world("wall_behind").solids:
        if solid.name.endswith("foothold"):
            foot = [effector.name for effector in talos.effectors].index(solid.name.replace("hold", "").replace(" ", "_"))
            assert poses[foot] == pytest.approx(find_top(solid).homogeneous, abs=1e-4)  # [m, -]: less than a sole sinks in


def test_a_session_starts_on_footholds_where_there_are_some_and_else_on_the_floor(talos):
    assert np.array_equal(find_start("wall_behind", talos), find_posture_on_footholds("wall_behind", talos))
    assert np.array_equal(find_start("wall", talos), find_standing_posture(talos))


def test_footholds_out_of_reach_are_told(talos, tmp_path):
    file = tmp_path / "apart.toml"
    solid = '[[solids]]\nname = "{0} foothold"\nsize = [0.3, 0.2, 0.1]\nposition = [0.0, {1}, 0.0]\n'
    file.write_text('title = "Too far apart"\n' + solid.format("left", 1.2) + solid.format("right", -1.2))
    with pytest.raises(OutOfReach, match="footholds"):
        find_posture_on_footholds(str(file), talos)


def test_four_choices_are_compared_and_the_first_changes_nothing():
    assert {(choice.contact, choice.posture) for choice in CHOICES.values()} == {(a, b) for a in (0, 1) for b in (0, 1)}
    assert next(iter(CHOICES)) == "nominal"


def test_means_are_taken_over_the_times_at_which_the_hand_bears_in_all_runs():
    one = make_margins([1.0, 2.0, 3.0], [0.5, 0.1, 0.3])
    other = make_margins([2.0, 3.0, 4.0], [0.2, 0.4, 9.0])
    assert list(find_common_times([one.times, other.times])) == [2.0, 3.0]
    assert compute_means({"one": one, "other": other}) == pytest.approx({"one": 0.2, "other": 0.3}, abs=ROUNDING)


def test_only_the_bracing_arm_counts_as_bound_by_torque():
    assert list(make_margins([1.0, 2.0, 3.0], [0.1] * 3, [(), ("knee",), ("knee", "elbow")]).bound_by_torque) == [0, 0, 1]


def test_the_gain_of_torque_is_that_of_the_joints_that_held_the_nominal_edge():
    limits = [("elbow", "knee"), ("shoulder",), ()]
    nominal = replace(
        make_margins([1.0, 2.0, 3.0], [0.1] * 3, limits), torque_margins=np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.3]])
    )
    both = replace(nominal, limits=((),) * 3, torque_margins=np.array([[0.0, 0.2], [0.4, 0.0], [0.0, 0.0]]))
    gain = compute_torque_gain({"nominal": make_run(nominal), "both": make_run(both)})
    assert gain == pytest.approx(100.0, abs=1e-6)


def test_the_gain_of_several_retrievals_is_the_average_of_theirs():
    nominal = make_margins([1.0, 2.0], [0.1, 0.1], [("elbow",)] * 2)
    ablations = [
        Ablation(
            find_scenario(name),
            RETRIEVALS[name],
            {choice: make_run(replace(nominal, margins=nominal.margins * factor)) for choice in CHOICES}
            | {"nominal": make_run(nominal)},
        )
        for name, factor in (("wall-in-front", 1.1), ("wall-behind", 1.5))
    ]
    figures = {figure.name: figure for figure in measure_gains(ablations)}
    assert figures["margin_gain"].value == pytest.approx(30.0, abs=1e-6)
    assert figures["margin_gain"].must == 35.0
    assert figures["margin_gain_wall_behind"].value == pytest.approx(50.0, abs=1e-6)
    assert figures["margin_min"].value == pytest.approx(0.1, abs=ROUNDING)
    alone = {figure.name: figure for figure in measure_gains(ablations[:1])}
    assert (alone["margin_gain"].value, alone["margin_gain"].must) == (pytest.approx(10.0, abs=1e-6), 0.0)


def make_ablation(nominal, both):
    runs = {choice: make_run(nominal) for choice in CHOICES} | {"both": make_run(both)}
    return Ablation(find_scenario("wall-in-front"), RETRIEVALS["wall-in-front"], runs)


def test_a_reference_that_nothing_holds_up_keeps_no_margin_in_whatever_run():
    held, lost = make_margins([1.0, 2.0], [0.1, 0.1]), make_margins([1.0, 2.0], [0.1, np.nan])
    for ablations in (
        [make_ablation(held, lost), make_ablation(held, held)],
        [make_ablation(held, held), make_ablation(held, lost)],
    ):
        figures = {figure.name: figure for figure in measure_gains(ablations)}
        assert np.isnan(figures["margin_min"].value)
        assert not figures["margin_min"].holds


def test_the_torque_gain_of_several_is_that_of_those_in_which_torque_was_the_limit():
    free = make_margins([1.0, 2.0], [0.1, 0.1])
    limited = make_margins([1.0, 2.0], [0.1, 0.1], [("elbow",)] * 2)
    gained = replace(limited, torque_margins=np.full((2, 2), 0.6))
    one, other = make_ablation(free, free), make_ablation(limited, gained)
    assert compute_min_torque_gain([one, other]) == pytest.approx(20.0, abs=1e-6)
    assert compute_min_torque_gain([other, one]) == pytest.approx(20.0, abs=1e-6)
    assert np.isnan(compute_min_torque_gain([one]))


def test_the_studies_pictures_are_drawn(tmp_path):
    margins = make_margins([1.0, 2.0], [0.1, 0.12], [("elbow",)] * 2)
    probes = [Probe("wall-in-front", 0.0, m, (1.0, 0.0), 3.0 + 100.0 * m) for m in (0.05, 0.1, 0.2)]
    study = describe_impulses("retrievals", load_model("talos"), "mujoco", probes)
    assert {figure.name for figure in study.figures} >= {"impulse_r2", "impulse_slope"}
    plot_impulses(study, probes, tmp_path / "impulses.png")
    for count in (1, 3):
        plot_ablations(study, [make_ablation(margins, margins)] * count, tmp_path / f"ablations-{count}.png")
    sizes = {file.name: Image.open(file).size for file in tmp_path.iterdir()}
    assert sizes["ablations-3.png"][1] > 2 * sizes["ablations-1.png"][1]
    assert len(sizes) == 3


def test_pushes_are_spread_over_the_middle_half_of_the_bracing():
    margins = make_margins(np.arange(0.0, 10.01, 0.1), np.arange(101.0))
    probes = choose_probes("wall", margins)
    assert len(probes) == SAMPLES
    assert [probes[0].time, probes[-1].time] == pytest.approx([2.5, 7.5], abs=0.1)  # [s]: a sample
    assert probes[0].margin == pytest.approx(25.0)


def test_the_largest_push_survived_is_found_in_copies_of_the_process(talos):
    """A push backwards while the operator still waits: within the second played a small one is survived, a large one not."""
    scenario = replace(find_scenario("wall-in-front"), duration=1.3)
    probe = Probe(scenario.name, 0.1, 0.1, (-1.0, 0.0))
    (pushed,) = find_impulses(scenario, talos, "mujoco", [probe])
    assert replace(pushed, impulse=0.0) == replace(probe, impulse=0.0)
    assert 0.0 < pushed.impulse < MAX_IMPULSE - RESOLUTION
    assert pushed.impulse % RESOLUTION == 0.0


def test_a_line_through_impulses_tells_how_well_it_fits():
    probes = [Probe("wall", 0.0, m, (1.0, 0.0), 3.0 + 100.0 * m) for m in (0.05, 0.1, 0.2)]
    assert fit_line(probes) == pytest.approx((100.0, 3.0, 1.0), abs=1e-6)
    assert np.isnan(fit_line([replace(probe, impulse=5.0) for probe in probes])).all()


def test_a_recorded_operator_makes_the_same_run_again(talos):
    """The first seconds of a retrieval: the bracing hand is on its way."""
    scenario = replace(find_scenario("wall-in-front"), duration=3.0)
    first = play(scenario, talos, "mujoco", 0)
    again = play(replay_samples(scenario, first.samples), talos, "mujoco", 0)
    hand = talos.effector_of_hand("right")
    assert np.linalg.norm(first.effectors[-1][hand] - first.effectors[0][hand]) > 0.1
    assert np.array_equal(first.configurations, again.configurations)
    assert again.samples == first.samples
    assert RecordedOperator(()).over
    assert not len(measure_margin_trace(talos, first, hand, talos.effector_of_hand("left")).times)


@pytest.mark.parametrize("option", ["--ablation", "--impulses"])
def test_a_study_is_refused_for_what_retrieves_nothing(option):
    command = [str(Path(sys.executable).with_name("handhold")), "scenario", "push", option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600.0, check=False)
    assert done.returncode != 0
    assert "wall-in-front" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "mend"),
    [
        (("--ablation", "--velocity-ik"), "leave --velocity-ik out"),
        (("--impulses", "--duration", "5"), "leave --duration out"),
        (("--ablation", "--impulses"), "one after the other"),
    ],
)
def test_a_study_is_refused_with_options_that_it_would_leave_out_of_account(options, mend):
    command = [str(Path(sys.executable).with_name("handhold")), "scenario", "wall-behind", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600.0, check=False)
    assert done.returncode != 0
    assert mend in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_robot_too_small_for_a_retrieval_is_told_so():
    command = [str(Path(sys.executable).with_name("handhold")), "scenario", "wall-in-front", "--robot", "icub", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600.0, check=False)
    assert done.returncode != 0
    assert "0.9 m" in done.stderr
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.stdout)
