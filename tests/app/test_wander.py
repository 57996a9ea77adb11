"""A random walk over the modes, and whether refusals say what is true."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.lab.scenarios.refusal_watch import RefusalWatch
from handhold.app.lab.scenarios.refusals import Situation, is_true
from handhold.app.lab.scenarios.run import run_scenario
from handhold.app.lab.scenarios.table import find_scenario
from handhold.app.lab.scenarios.walls import find_wall
from handhold.app.lab.scenarios.wander import WORLD
from handhold.app.lab.scenarios.wander_acts import Acts
from handhold.devices.operator_input import OperatorInput
from handhold.retarget.mode_report import Grip
from handhold.robots.model import load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

LONG_AGO = np.inf


@pytest.fixture(scope="module")
def model():
    return load_model("talos")


@pytest.fixture(scope="module")
def snapshot(model):
    """What is seen of a Talos that stands."""
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    _, snapshot = Cycle(model, state).step(OperatorInput(time=0.0), state, (), 1e-3)
    body.close()
    return snapshot


def judge(model, snapshot, reason, **ages):
    known = dict.fromkeys(("stopped", "silent", "moved", "switched"), LONG_AGO) | ages
    return is_true(reason, Situation(model=model, snapshot=snapshot, **known))


def change(snapshot, **changes):
    return replace(snapshot, reference=replace(snapshot.reference, **changes))


FEET_AND_A_HAND = np.array([True, True, True, False])
ONE_FOOT = np.array([False, True, False, False])


def move_foot(snapshot, way):
    poses = snapshot.reference.effector_poses.copy()
    poses[0, :3, 3] += way
    return change(snapshot, effector_poses=poses)


def stretch_arm(model, snapshot):
    q = snapshot.reference.q.copy()
    q[7 + model.joint_names.index("arm_left_2_joint")] = 1.3
    q[7 + model.joint_names.index("arm_left_4_joint")] = -0.1
    return change(snapshot, q=q)


def hold_grip(snapshot, grip):
    return replace(snapshot, left=replace(snapshot.left, grip=grip))


TRUE_WHERE = {
    "Walking refused: release the left hand first": lambda _, s: change(s, contacts=FEET_AND_A_HAND),
    "Walking refused: put the left foot down first": lambda _, s: change(s, contacts=ONE_FOOT),
    "Walking refused: put both feet on level ground first": lambda _, s: move_foot(s, (0.0, 0.0, 0.04)),
    "Walking refused: put the feet side by side first": lambda _, s: move_foot(s, (0.0, 0.4, 0.0)),
    "Walking refused: stand up by 7 cm first: upright yourself in the suit, right stick ahead while bracing": lambda _, s: (
        change(s, position_com_in_world=s.reference.position_com_in_world - np.array([0.0, 0.0, 0.2]))
    ),
    "Walking refused: bring the centre of mass over the feet first": lambda _, s: change(
        s, position_com_in_world=s.reference.position_com_in_world + np.array([0.1, 0.0, 0.0])
    ),
    "refused: left gripper is open: close it by the trigger, to brace with this hand": lambda _, s: hold_grip(s, Grip.OPEN),
    "refused: left gripper holds something: put it down, to brace with this hand": lambda _, s: hold_grip(s, Grip.HOLDING),
    "Bracing refused: no feasible equilibrium near here (left shoulder 1.99 Nm past its torque limit); move": (stretch_arm),
}


@pytest.mark.parametrize("reason", TRUE_WHERE)
def test_a_reason_is_true_where_it_is_so_and_nowhere_else(model, snapshot, reason):
    assert not judge(model, snapshot, reason)
    assert judge(model, TRUE_WHERE[reason](model, snapshot), reason)


@pytest.mark.parametrize(
    ("reason", "age"),
    [
        ("Walking refused: stopped by the operator: hold", "stopped"),
        ("Walking refused: operator lost", "silent"),
        ("refused: stopped", "stopped"),
        ("Walking refused: left hand is half-way: press A/X to go on, and wait until it is done", "switched"),
        ("Walking refused: left hand is being loaded: wait until it is done", "switched"),
    ],
)
def test_what_has_just_passed_explains_a_refusal_and_what_never_was_does_not(model, snapshot, reason, age):
    assert judge(model, snapshot, reason, **{age: 0.1})
    assert not judge(model, snapshot, reason)


@pytest.mark.parametrize(
    "reason",
    [
        "Bracing refused: Walking does not come to rest: let go of everything and ask again",
        "Bracing refused: no feasible equilibrium near here (contacts off by 0.0e+00 m, balance off by 1.3e-12 N)",
        "Bracing refused: for no reason",
    ],
)
def test_what_nobody_could_mend_is_no_reason(model, snapshot, reason):
    assert not judge(model, snapshot, reason, stopped=0.0, silent=0.0, moved=0.0, switched=0.0)


@pytest.mark.parametrize(("rate", "true"), [(0.1, True), (-0.1, True), (0.0, False)])
def test_a_foot_that_nobody_commands_is_being_loaded_where_its_force_changes(model, snapshot, rate, true):
    watch = RefusalWatch(model)
    assert watch.judge(0.0, snapshot, silent=False) is None
    forces = snapshot.reference.contact_wrenches.copy()
    forces[1, 2] += rate * model.weight * 0.011
    refused = replace(
        change(snapshot, contact_wrenches=forces),
        messages=("Walking refused: right foot is being loaded: wait until it is done",),
        counters=replace(snapshot.counters, refused_commands=1),
    )
    verdict = watch.judge(0.011, refused, silent=False)
    assert verdict is not None
    assert verdict.true is true


@pytest.mark.parametrize(("part", "true"), [(0.1, True), (1.0, False)])
def test_a_foot_that_bears_less_than_it_must_is_being_loaded_however_slowly(model, snapshot, part, true):
    forces = snapshot.reference.contact_wrenches.copy()
    forces[1] = 0.0
    forces[1, 2] = part * model.effectors[1].min_normal_force
    landed = change(snapshot, contact_wrenches=forces)
    watch = RefusalWatch(model)
    assert watch.judge(0.0, landed, silent=False) is None
    refused = replace(
        landed,
        messages=("Walking refused: right foot is being loaded: wait until it is done",),
        counters=replace(snapshot.counters, refused_commands=1),
    )
    verdict = watch.judge(1.0, refused, silent=False)
    assert verdict is not None
    assert verdict.true is true


def test_a_person_bends_only_where_the_robot_stays_clear_of_the_wall(model, snapshot):
    acts = Acts(model, np.random.default_rng(0), WORLD, np.zeros(2))
    wall, poses = find_wall(load_world(WORLD)), snapshot.reference.effector_poses
    com = snapshot.reference.position_com_in_world

    def stand(ahead, hand=0.0):
        moved = poses.copy()
        moved[:, 0, 3] += ahead
        moved[2, 0, 3] += hand
        return change(snapshot, position_com_in_world=com + np.array([ahead, 0.0, 0.0]), effector_poses=moved)

    far = stand(wall - float(com[0]) - 1.0)
    assert acts.has_room(far)
    assert not acts.has_room(stand(wall - float(com[0]) - 0.3)), "the trunk"
    assert not acts.has_room(stand(wall - float(com[0]) - 1.0, hand=0.8)), "a hand"


def test_every_mode_is_reached_again_on_a_random_walk():
    outcome, trace = run_scenario(find_scenario("wander"), "talos", "mujoco", 4, duration=30.0)
    assert not [figure for figure in outcome.figures if not figure.holds]
    assert trace.notes["reached"] >= 1.0
