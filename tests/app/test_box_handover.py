"""A person takes a box with both hands through a robot, and hands it over."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.lab.scenarios.box_handover import BOX_HANDOVER, measure_delivery
from handhold.app.lab.scenarios.box_operator import BoxOperator, set_feet_apart
from handhold.app.lab.scenarios.box_world import (
    BOX,
    FEET_APART,
    HOLD_TIME,
    PALMS,
    RIM,
    SHOULDER,
    STOOL,
    WORLD,
    BoxLayout,
    find_shoulders,
    find_sidestep,
    fit_world,
    hold_palms_out,
)
from handhold.app.lab.scenarios.guided_arms import HOOK, GuidedArms
from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.app.lab.scenarios.run import play
from handhold.app.lab.scenarios.score import resting_hands, wait, wait_until
from handhold.app.lab.scenarios.stabiliser_ablation import STENCIL, Command, measure_zmp
from handhold.devices.tracked_human import Segment, TrackedHuman
from handhold.retarget.mode_report import Toggle
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import load_world

LIFTED = 41.0
"""By when the box has been lifted from its stool [s]."""

HANDS = [Segment.LEFT_HAND, Segment.RIGHT_HAND]


@pytest.fixture(scope="module")
def talos() -> RobotModel:
    return load_model("talos")


@pytest.mark.parametrize("goal", [(0.45, 0.2, 1.2), (0.35, 0.25, 1.0), (0.3, 0.1, 1.35)])
def test_hands_are_brought_to_where_they_are_looked_for(goal: tuple[float, float, float]) -> None:
    arms, trunk = GuidedArms(), HumanPose()
    goals = np.array(goal) * [[1.0, 1.0, 1.0], [1.0, -1.0, 1.0]]
    before = arms.angles.copy()
    for _ in range(300):
        hands = make_human(arms.apply(trunk), 0.0, 0).positions[HANDS]
        arms.advance(trunk, goals - hands, 1.0 / 60.0)
        assert np.abs(arms.angles - before).max() < 2.0 / 60.0 + 1e-9, "no angle is faster than it may be"
        before = arms.angles.copy()
    assert np.linalg.norm(goals - hands, axis=1).max() < 0.01


def test_hands_that_carry_are_hooked_and_arms_that_hang_are_straight() -> None:
    arms, trunk = GuidedArms(), HumanPose(bend=0.2)
    goals = np.array([[0.4, 0.22, 1.15], [0.4, -0.22, 1.15]])
    for _ in range(300):
        hands = make_human(arms.apply(trunk), 0.0, 0).positions[HANDS]
        arms.advance(trunk, goals - hands, 1.0 / 60.0)
    for hand, side in zip(HANDS, (1.0, -1.0), strict=True):
        quaternion = make_human(arms.apply(trunk), 0.0, 0).orientations[hand]
        fingers = pin.Quaternion(quaternion).toRotationMatrix() @ [0.0, side, 0.0]
        assert np.arcsin(fingers[2]) == pytest.approx(HOOK, abs=0.1)
    while not arms.are_hanging:
        arms.lower(1.0 / 60.0)
    assert arms.wrists == pytest.approx(0.0, abs=1e-3)


def test_an_arm_of_a_person_turns_inward() -> None:
    straight, inward = (make_human(HumanPose(left_elbow=1.5, left_rotation=angle), 0.0, 0) for angle in (0.0, 0.5))
    lengths = [
        np.linalg.norm(each.positions[Segment.LEFT_HAND] - each.positions[Segment.LEFT_FOREARM]) for each in (straight, inward)
    ]
    assert lengths[0] == pytest.approx(lengths[1])
    assert inward.positions[Segment.LEFT_HAND, 1] < straight.positions[Segment.LEFT_HAND, 1] - 0.05


@pytest.mark.parametrize("robot", ["talos", "icub", "g1"])
def test_the_box_stands_on_a_stool_on_the_floor_before_any_robot(robot: str) -> None:
    model = load_model(robot)
    solids = {solid.name: solid for solid in fit_world(load_world(WORLD), model, np.zeros((0, 4, 4))).solids}
    stool, box = solids[STOOL], solids[BOX]
    assert stool.position[2] == pytest.approx(0.5 * stool.size[2])
    assert box.position[2] - 0.5 * box.size[2] == pytest.approx(stool.size[2], abs=1e-6)
    assert solids[RIM].position[2] - 0.5 * solids[RIM].size[2] == pytest.approx(box.position[2] + 0.5 * box.size[2], abs=1e-6)
    assert stool.position[1] == box.position[1] == pytest.approx(find_sidestep(model), abs=1e-9)
    assert 0.0 < find_sidestep(model) < 0.1, "the left foot moves out"
    assert 2.0 / 91.0 < BoxLayout.find(model).payload / model.mass < 2.0 / 90.0


def test_the_world_is_made_for_the_arms_of_talos(talos: RobotModel) -> None:
    assert BoxLayout.find(talos).scale == pytest.approx(1.0, abs=1e-3)
    assert find_shoulders(talos) == pytest.approx(SHOULDER, abs=1e-3)


def test_palms_come_once_the_box_has_been_over_them(talos: RobotModel) -> None:
    names = [solid.name for solid in load_world(WORLD).solids]
    poses = np.tile(np.eye(4), (len(names), 1, 1))
    shifted: list[int] = []
    body = SimpleNamespace(solid_poses=lambda: poses, shift_solid=lambda index, _displacement: shifted.append(index))
    disturb, goal = hold_palms_out(talos, np.random.default_rng(0)), BoxLayout.find(talos).goal

    def pass_time(begin: float, end: float, above: tuple[float, float, float]) -> None:
        poses[names.index(BOX), :3, 3] = goal + np.array(above)
        for time in np.arange(begin, end, 0.01).tolist():
            disturb(body, SimpleNamespace(time=time))  # type: ignore[arg-type]

    pass_time(0.0, 10.0, (0.0, 0.0, -0.1))
    pass_time(10.0, 20.0, (0.3, 0.0, 0.3))
    pass_time(20.0, 20.0 + 0.9 * HOLD_TIME, (0.0, 0.0, 0.3))
    pass_time(30.0, 31.0, (0.0, 0.0, -0.1))
    pass_time(31.0, 31.0 + 0.9 * HOLD_TIME, (0.0, 0.0, 0.3))
    assert not shifted, "too low, beside them, or not for long enough"
    pass_time(31.0 + 0.9 * HOLD_TIME, 60.0, (0.0, 0.0, 0.3))
    assert shifted == [names.index(name) for name in PALMS], "they come once"


def test_a_box_beside_the_palms_or_on_its_side_is_not_delivered(talos: RobotModel) -> None:
    layout, names = BoxLayout.find(talos), [solid.name for solid in load_world(WORLD).solids]
    poses = np.tile(np.eye(4), (3, len(names), 1, 1))
    for name, y in zip(PALMS, (0.05, -0.05), strict=True):
        poses[:, names.index(name), :3, 3] = [0.8, y, 1.0]
    box = names.index(BOX)
    poses[1, box, 2, 3] = 0.3
    poses[2, box, :3, 3] = [0.8, 0.03, 1.0 + 0.01 + 0.5 * layout.box.size[2]]
    poses[2, box, :3, :3] = pin.exp3(np.array([0.0, 0.2, 0.0]))
    error, tilt, lifted = measure_delivery(layout, poses)
    assert (error.value, tilt.value) == (pytest.approx(0.03, abs=1e-4), pytest.approx(0.2))
    assert lifted.value == pytest.approx(1.01 + 0.5 * layout.box.size[2], abs=1e-4)
    assert error.holds
    assert not tilt.holds


def test_the_zmp_is_behind_what_accelerates_by_its_height() -> None:
    acceleration, support = 3.0, np.array([[0.1, -0.2], [0.1, 0.2], [-0.1, 0.2], [-0.1, -0.2]])
    omega = np.sqrt(9.81 / 0.9)
    commands = [
        Command(time=t, com=np.array([0.05, 0.0]), velocity=np.array([acceleration * t, 0.0]), support=support, omega=omega)
        for t in np.arange(0.0, 0.3, 0.002).tolist()
    ]
    gap = [replace(commands[0], time=9.0, velocity=np.array([5.0, 0.0]))]
    found = measure_zmp(commands + gap)
    expected = 0.05 - 0.9 / 9.81 * acceleration
    assert len(found.times) == len(commands) - 2 * STENCIL, "nothing is measured over a gap"
    assert found.zmp[:, 0] == pytest.approx(expected)
    assert found.com[:, 0] == pytest.approx(0.05)
    assert found.outside == pytest.approx(-expected - 0.1), "behind the heels"


def test_the_box_is_lifted_from_its_stool(talos: RobotModel) -> None:
    trace = play(replace(BOX_HANDOVER, duration=LIFTED), talos, "mujoco", seed=0)
    assert not trace.fell
    assert not trace.missed
    heights = np.array(trace.solids)[:, [solid.name for solid in load_world(WORLD).solids].index(BOX), 2, 3]
    assert heights.max() - heights[0] > 0.02
    jumps = np.abs(np.diff(np.array(trace.postures)[:, 7:], axis=0)).max()
    assert jumps < 0.02


class Worn:
    """A person who stands in the suit."""

    missed: tuple[str, ...] = ()
    acts_left = 1

    @property
    def over(self) -> bool:
        return self.acts_left == 0

    def track(self, time: float, _snapshot: object) -> TrackedHuman:
        return make_human(HumanPose(), time, int(1000.0 * time))


def test_stages_are_left_until_the_robot_has_walked_back() -> None:
    person = Worn()
    operator = BoxOperator((wait(0.1),), person, (wait(0.1),))  # type: ignore[arg-type]
    assert operator.notes == {"acts_left": 1.0, "stages_left": 3.0}
    for index in range(40):
        operator.sample(0.01 * index, None)
    assert operator.notes["stages_left"] == 2.0
    person.acts_left = 0
    operator.sample(0.5, None)
    assert operator.notes == {"acts_left": 0.0, "stages_left": 1.0}
    assert not operator.over
    operator.sample(0.7, None)
    assert operator.over
    assert operator.notes["stages_left"] == 0.0


def test_a_box_that_is_not_reached_leaves_every_stage() -> None:
    never = wait_until("the box", lambda _snapshot: False, 0.2)
    operator = BoxOperator((never,), Worn(), ())  # type: ignore[arg-type]
    for index in range(30):
        operator.sample(0.01 * index, None)
    assert operator.over
    assert operator.missed == ("the box (at 0.2 s)",)
    assert operator.notes["stages_left"] == 3.0


@pytest.mark.parametrize(("toggles", "over"), [((), False), (("feet-together", True), False), ((FEET_APART, True), True)])
def test_feet_are_apart_once_their_motion_was_seen_to_play(toggles: tuple[object, ...], over: bool) -> None:
    begun = set_feet_apart()[-3]
    on = (Toggle(name=str(toggles[0]), title="", on=bool(toggles[1])),) if toggles else ()
    beat = begun(resting_hands(), 0.0, 1.0, SimpleNamespace(report=SimpleNamespace(toggles=on)))  # type: ignore[arg-type]
    assert beat.over is over


def test_it_is_refused_to_a_robot_that_does_not_walk() -> None:
    lacks = [need(load_model("anymal")) for need in BOX_HANDOVER.needs]
    assert any(lacks)
    assert "a motion feet-apart (" in lacks[-1]
