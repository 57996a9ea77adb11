"""Motions mode: what its buttons and switches do, that nothing jumps, and that Talos stays up in both engines."""

import re
from dataclasses import replace

import numpy as np
import pytest
from motions import HUMANOIDS, make_step_keys

from handhold.app.host.standing import find_standing_posture
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.authoring.motion_trial import TrialPlan, try_motions
from handhold.perception.surface import Surface
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import NoSuchToggle
from handhold.retarget.motions.authoring.optimise import optimise_motion
from handhold.retarget.motions.button import HOLDING
from handhold.retarget.motions.chart import BodyState
from handhold.retarget.motions.leg_placement import FootTarget, LegPlacement
from handhold.retarget.motions.loading import check_motion, load_motion
from handhold.retarget.motions.mode import MotionMode
from handhold.robots.robot import RobotState
from handhold.robots.worlds import load_world

DT = 1e-3
SAME = 1e-9
STEP_OF_JOINTS = 5e-3  # [rad] in 2 ms: the fastest joint of the motions moves at 2 rad/s
STEP_OF_FORCES = 15.0  # [N] in 2 ms: a foot takes the whole weight in 0.3 s


class Operator:
    """The mode in a loop with a robot that does all it asks, and an operator of one button."""

    def __init__(self, model, *names, start=None):
        self.model, self.time = model, 0.0
        self.mode = MotionMode(model, tuple(load_motion(name, model) for name in names))
        self.start = find_standing_posture(model) if start is None else start
        count = len(model.effectors)
        still = RobotState(
            time=0.0,
            q=self.start,
            v=np.zeros(model.nv),
            joint_torques=np.zeros(model.n),
            contact_wrenches=np.zeros((count, 6)),
        )
        self.reference = self.mode.enter(still).reference
        self.down = False
        self.ground, self.surfaces = 0.0, ()
        self.stop = ""

    def measure(self):
        """Return what a robot measures that does all its reference asks; a foot feels the ground where it is."""
        wrenches = self.reference.contact_wrenches.copy()
        wrenches[:2, 2] += np.where(self.reference.effector_poses[:2, 2, 3] < self.ground + 1e-3, 20.0, 0.0)
        q, v = self.reference.q, self.reference.v
        return RobotState(time=self.time, q=q, v=v, joint_torques=self.reference.joint_torques, contact_wrenches=wrenches)

    def run(self, seconds, *, press=False):
        """Run, and return all references; the button is down all the while, or up."""
        references = []
        for _ in range(round(seconds / DT)):
            self.time += DT
            nowhere = HandCommand.released(np.full((4, 4), np.nan))
            right = replace(nowhere, secondary_pressed=press and not self.down, secondary_held=press)
            self.down = press
            command = replace(OperatorCommand.of_hands(nowhere, right), stop=self.stop)
            hold = bool(self.stop) or not self.mode.describe().status.busy
            self.reference = self.mode.update(command, self.measure(), self.surfaces, DT, hold=hold).reference
            references.append(self.reference)
        return references

    def press(self):
        """Press the button for a moment."""
        return [*self.run(0.1, press=True), *self.run(0.01)]

    def press_long(self):
        """Hold the button for as long as it takes."""
        return [*self.run(HOLDING + 0.05, press=True), *self.run(0.01)]


def assert_smooth(references):
    """Check that no quantity of the references steps, and that velocities are those of the positions."""

    def steps(values):
        return np.abs(np.diff(np.array(values), axis=0)).max()

    assert steps([r.q[7:] for r in references]) < STEP_OF_JOINTS
    assert steps([r.effector_poses[:, :3, 3] for r in references]) < STEP_OF_JOINTS
    assert steps([r.contact_wrenches for r in references]) < STEP_OF_FORCES
    kept = references[::2]
    com = np.array([r.position_com_in_world for r in kept])
    velocity = np.array([r.velocity_com_in_world for r in kept])
    acceleration = np.array([r.acceleration_com_in_world for r in kept])
    assert np.abs(np.diff(com, axis=0) - 2.0 * DT * velocity[1:]).max() < 1e-5  # [m]
    assert np.abs(np.diff(velocity, axis=0) - 2.0 * DT * acceleration[1:]).max() < 1e-3  # [m/s]
    assert steps(acceleration) < 0.1  # [m/s^2]


def test_entering_takes_the_robot_as_it_is(talos):
    operator = Operator(talos, "wave")
    assert operator.reference.q == pytest.approx(operator.start, abs=SAME)
    assert operator.reference.contacts.tolist() == [True, True, False, False]
    force = operator.reference.contact_wrenches[:2, 2].sum()
    assert force == pytest.approx(talos.weight, rel=1e-6)
    held = operator.run(0.2)
    assert np.abs(held[-1].q - operator.start).max() < SAME
    assert operator.mode.describe().status.at_rest
    assert not operator.mode.describe().status.busy


def test_a_press_chooses_and_holding_plays(talos):
    operator = Operator(talos, "feet-apart", "wave")
    assert operator.mode.describe().report.preview.title == "Feet apart: 5 s"
    operator.press()
    assert operator.mode.describe().report.preview.title == "Wave: 5 s"
    assert operator.mode.describe().report.preview.feasible
    assert "hold B or Y to play" in operator.mode.describe().status.messages[0]
    played = operator.press_long()
    assert operator.mode.describe().status.busy
    assert not operator.mode.describe().status.at_rest
    assert operator.mode.describe().report.preview is None
    assert [toggle.on for toggle in operator.mode.describe().report.toggles] == [False, True]
    played += operator.run(7.5)
    assert_smooth(played)
    assert not operator.mode.describe().status.busy
    assert operator.mode.describe().status.at_rest
    assert operator.mode.describe().report.preview.title == "Wave: 5 s"
    assert max(r.effector_poses[3, 2, 3] for r in played) > 1.6  # [m] the hand was up


def test_a_step_is_taken_paused_and_run_back(talos):
    operator = Operator(talos, "feet-apart")
    played = operator.press_long()
    played += operator.run(3.8)
    played += operator.press()
    played += operator.run(2.0)
    assert "paused" in operator.mode.describe().status.messages[0]
    assert np.abs(operator.reference.v).max() < SAME
    paused = operator.reference.q
    assert not operator.mode.describe().status.at_rest or operator.reference.contacts[:2].all()
    played += operator.press()
    played += operator.run(1.0)
    assert np.abs(operator.reference.q - paused).max() > 1e-3
    played += operator.press_long()
    assert "runs back" in operator.mode.describe().status.messages[0]
    played += operator.run(8.0)
    assert operator.mode.describe().status.at_rest
    assert operator.reference.q == pytest.approx(operator.start, abs=1e-6)
    assert_smooth(played)
    assert operator.mode.describe().status.refused == 0


def test_a_foot_is_carried_through_the_air_as_a_swing(talos):
    operator = Operator(talos, "feet-apart")
    played = operator.press_long() + operator.run(7.3)
    lifted = [r for r in played if not r.contacts[0]]
    assert lifted
    assert all(r.effector_accelerations is not None for r in played)
    assert all(r.contact_wrenches[0, 2] < 1.0 for r in lifted)  # [N]
    assert played[-1].effector_poses[0, 1, 3] - played[0].effector_poses[0, 1, 3] == pytest.approx(0.10, abs=2e-3)


def test_a_stop_pauses_and_nothing_goes_on_by_itself(talos):
    operator = Operator(talos, "wave")
    played = operator.press_long() + operator.run(2.0)
    operator.stop = "hold"
    played += operator.run(1.5)
    paused = operator.reference.q
    operator.press_long()
    assert operator.mode.describe().status.refused == 1
    operator.stop = ""
    played += operator.run(0.5)
    assert operator.reference.q == pytest.approx(paused, abs=SAME)
    played += operator.press()
    played += operator.run(8.0)
    assert operator.mode.describe().status.at_rest
    assert "play" in operator.mode.describe().status.messages[0]
    assert_smooth(played)


def test_switches_play_motions_and_call_them_off(talos):
    operator = Operator(talos, "feet-apart", "wave")
    operator.mode.toggle("wave")
    played = operator.run(2.0)
    assert [(toggle.name, toggle.on) for toggle in operator.mode.describe().report.toggles] == [
        ("feet-apart", False),
        ("wave", True),
    ]
    operator.mode.toggle("wave")
    played += operator.run(5.0)
    assert operator.reference.q == pytest.approx(operator.start, abs=1e-6)
    operator.mode.toggle("wave")
    played += operator.run(1.0)
    assert operator.mode.describe().status.busy
    assert_smooth(played)
    with pytest.raises(NoSuchToggle, match="fly"):
        operator.mode.toggle("fly")


def test_a_motion_that_cannot_begin_is_refused_in_words(talos):
    operator = Operator(talos, "feet-together")
    assert not operator.mode.describe().report.preview.feasible
    operator.press_long()
    assert operator.mode.describe().status.refused == 1
    assert operator.mode.describe().status.messages[0].startswith("refused: feet-together: left foot stands")
    assert operator.reference.q == pytest.approx(operator.start, abs=SAME)


def test_a_step_that_is_known_not_to_be_there_refuses_a_motion(talos):
    operator = Operator(talos, "step-up")
    operator.surfaces = list_surfaces(load_world("flat"))
    operator.press_long()
    told = "refused: the ground where the left foot lands is 10 cm lower than the motion has it"
    assert operator.mode.describe().status.messages[0] == told
    assert not operator.mode.describe().report.preview.feasible
    operator.surfaces = list_surfaces(load_world("step"))
    operator.press_long()
    assert operator.mode.describe().status.busy


def test_a_wall_before_its_knees_refuses_a_squat(humanoids):
    operator = Operator(humanoids["g1"], "squat")
    wall = np.array([[0.0, 0.0, -1.0, 0.24], [-1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.5], [0.0, 0.0, 0.0, 1.0]])
    corners = 0.5 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    operator.surfaces = (Surface(pose=wall, boundary=corners, area=1.0, quality=1.0, age=0.0),)
    operator.press_long()
    message = operator.mode.describe().status.messages[0]
    assert re.fullmatch(r"refused: the \w+ (leg|shank) would come \d cm too near a wall: move away from it first", message)
    assert not operator.mode.describe().report.preview.feasible
    assert not operator.mode.describe().status.busy


def test_a_brace_that_bears_keeps_motions_from_beginning(talos):
    operator = Operator(talos, "wave")
    contacts = operator.reference.contacts.copy()
    contacts[2] = True
    braced = replace(operator.reference, contacts=contacts)
    assert operator.mode.find_obstacle(braced) == "release the left hand first"
    assert operator.mode.find_obstacle(replace(braced, contacts=np.zeros(4, dtype=bool))) == "put the left foot down first"
    assert operator.mode.find_obstacle(operator.reference) == ""
    assert not operator.mode.preview(braced).feasible


def test_a_foot_that_lands_late_is_waited_for(talos):
    operator = Operator(talos, "feet-apart")
    operator.ground = -0.012
    played = operator.press_long() + operator.run(4.5)
    played += operator.run(5.0)
    assert operator.reference.contacts[:2].all()
    assert min(r.effector_poses[0, 2, 3] for r in played) < -0.01  # [m] it was put down further
    assert operator.mode.describe().status.at_rest
    assert played[-1].effector_poses[0, 1, 3] - played[0].effector_poses[0, 1, 3] == pytest.approx(0.10, abs=2e-3)


@pytest.mark.parametrize("robot", HUMANOIDS)
def test_feet_that_stand_closer_together_stay_there_and_legs_reach_for_them(humanoids, robot):
    model = humanoids[robot]
    start = bring_feet_together(model, 0.018)
    operator = Operator(model, "squat", start=start)
    stood = model.effector_poses(start)[:2]
    played = operator.press_long() + operator.run(3.0)
    lowest = operator.reference
    played += operator.press() + operator.run(0.7) + operator.press() + operator.run(6.0)
    assert operator.mode.describe().status.at_rest
    assert lowest.position_com_in_world[2] < played[0].position_com_in_world[2] - 0.05
    for reference in played:
        assert np.abs(reference.effector_poses[:2] - stood).max() < 1e-6
        assert np.abs(model.effector_poses(reference.q)[:2] - stood).max() < 1e-6
    assert_smooth(played)
    played = operator.press_long() + operator.run(7.0)
    assert_smooth(played)


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_g1_lifts_a_foot_in_a_motion_that_begins_with_its_feet_closer_together(humanoids, engine):
    """The body goes along with the foot that bears: 18 mm beside it G1 falls over its outer edge."""
    model = humanoids["g1"]
    plan = TrialPlan(engine=engine, start=bring_feet_together(model, 0.018))
    outcome = try_motions([load_motion("feet-together", model)], model, plan)
    assert not outcome.fell, [figure.to_json() for figure in outcome.figures]
    assert next(figure.value for figure in outcome.figures if figure.name == "com_error") < 0.005


def bring_feet_together(model, distance):
    """Return the standing posture with each foot further in by a distance [m]."""
    start = find_standing_posture(model)
    zero, poses = np.zeros(model.nv), model.effector_poses(start)
    shifts = {0: np.array([0.0, -distance, 0.0]), 1: np.array([0.0, distance, 0.0])}
    targets = {}
    for foot, shift in shifts.items():
        poses[foot, :3, 3] += shift
        targets[foot] = FootTarget(pose=poses[foot], velocity=np.zeros(6), acceleration=np.zeros(6))
    return LegPlacement(model).place(BodyState(q=start, v=zero, a=zero), targets).q


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_talos_stands_up_from_a_squat_in_physics(talos, engine):
    outcome = try_motions([load_motion("stand-up", talos)], talos, TrialPlan(engine=engine))
    assert outcome.holds, [figure.to_json() for figure in outcome.figures]


@pytest.mark.parametrize(("robot", "name", "engine"), [("g1", "feet-together", "pybullet"), ("icub", "step-up", "mujoco")])
def test_other_robots_play_theirs_in_physics(humanoids, robot, name, engine):
    """One motion each; the acceptance plays all of them in both engines."""
    model = humanoids[robot]
    outcome = try_motions([load_motion(name, model)], model, TrialPlan(engine=engine, standing=True))
    assert outcome.holds, [figure.to_json() for figure in outcome.figures]


def test_talos_moves_its_feet_apart_pauses_and_comes_back_in_physics(talos):
    plan = TrialPlan(engine="mujoco", standing=True, pause_at=2.0, back_at=2.7)
    outcome = try_motions([load_motion("feet-apart", talos)], talos, plan)
    assert outcome.holds, [figure.to_json() for figure in outcome.figures]


def test_a_step_that_is_not_there_is_felt_and_talos_comes_back_in_physics(talos):
    checked = check_motion(optimise_motion(talos, make_step_keys(rise=0.06)), talos)
    outcome = try_motions([checked], talos, TrialPlan(engine="mujoco"))
    assert not outcome.fell
    figures = {figure.name: figure.value for figure in outcome.figures}
    assert figures["missed_contacts"] == 1.0
    assert figures["slip"] < 0.005  # [m]


def step_until_in_the_air(operator):
    operator.mode.toggle("feet-apart")
    for _ in range(80):
        operator.run(0.1)
        if not operator.reference.contacts.all() and not operator.reference.contacts[:2].all():
            return
    raise AssertionError("no foot was lifted")


def test_a_motion_that_is_left_stops_where_both_feet_stand(talos):
    operator = Operator(talos, "feet-apart")
    step_until_in_the_air(operator)
    assert operator.mode.describe().status.stepping
    assert operator.mode.describe().status.rest_obstacle == ""
    operator.mode.leave()
    left = operator.run(6.0)
    assert_smooth(left)
    assert operator.mode.describe().status.at_rest
    assert operator.mode.describe().status.rest_obstacle == ""
    assert operator.reference.contacts[:2].all()
    assert not operator.mode.describe().status.stepping


def test_a_motion_that_is_paused_on_one_foot_says_what_to_do(talos):
    operator = Operator(talos, "feet-apart")
    step_until_in_the_air(operator)
    operator.press()
    operator.run(1.5)
    assert not operator.mode.describe().status.stepping
    assert not operator.mode.describe().status.at_rest
    assert operator.mode.describe().status.rest_obstacle.startswith(
        "the motion is paused with a foot in the air: press B or Y to go on"
    )
    operator.press()
    operator.run(6.0)
    assert operator.mode.describe().status.at_rest
    assert operator.mode.describe().status.rest_obstacle == ""


def test_a_stop_pauses_a_motion_at_once_though_it_was_to_be_left(talos):
    operator = Operator(talos, "feet-apart")
    step_until_in_the_air(operator)
    operator.mode.leave()
    operator.stop = "hold"
    operator.run(1.5)
    assert not operator.reference.contacts[:2].all()
    assert np.abs(operator.reference.v).max() == 0.0
