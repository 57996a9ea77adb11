"""The whole cycle on a simulated robot: what the operator loses, the robot keeps."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.host.surfaces import list_surfaces
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.devices.stop import Stop
from handhold.perception.surface import Surface
from handhold.retarget.bracing.margin.stability_parameters import StabilityParameters
from handhold.retarget.engagement.presence import LINK_LOST_AFTER
from handhold.robots.estimation import state_watch
from handhold.robots.estimation.state_watch import DAMP_AFTER, LOST_AFTER
from handhold.robots.model import RobotModel, load_model
from handhold.robots.simulation.engines import make_robot
from handhold.robots.simulation.mechanics import Mechanics
from handhold.robots.worlds import load_world

DT = 1e-3
FRAME = 11  # [cycles] between two samples of a headset at 90 Hz
STILL = 1e-3  # [m] what a hand may move that is to stay


@dataclass
class Lockstep:
    """A Talos in MuJoCo, its cycle, and an operator whose left hand is where the test puts it."""

    body: object
    cycle: Cycle
    state: object
    hand: int
    offset: np.ndarray = field(default_factory=lambda: np.zeros(3))
    squeeze: float = 0.0
    stick_clicks: bool = False
    age: float = 0.0
    tracked: bool = True
    primary: bool = False
    secondary: bool = False
    request: str = ""
    surfaces: tuple[Surface, ...] = ()
    ticks: int = 0
    sample: OperatorInput | None = None
    snapshot: object = None

    def run(self, seconds: float, *, towards: tuple[float, float, float] | None = None) -> None:
        """Let time pass, the operator's hand going to an offset at an even speed."""
        count = round(seconds / DT)
        step = np.zeros(3) if towards is None else (np.array(towards) - self.offset) / count
        for _ in range(count):
            self.offset = self.offset + step
            if self.sample is None or (self.ticks % FRAME == 0 and self.age == 0.0):
                self.sample = self._take_sample()
            command, self.snapshot = self.cycle.step(replace(self.sample, age=self.age), self.state, self.surfaces, DT)
            self.body.send(command)
            self.body.advance(DT)
            self.state = self.body.read()
            self.ticks += 1

    def _take_sample(self) -> OperatorInput:
        pose = pin.SE3(np.eye(3), self.offset) if self.tracked else None
        clicked = Buttons(stick=self.stick_clicks)
        pressed = replace(clicked, primary=self.primary, secondary=self.secondary)
        left = HandInput(pose=pose, aim=pose, squeeze=self.squeeze, buttons=pressed)
        right = HandInput(buttons=clicked)
        return OperatorInput(time=self.ticks * DT, sequence=self.ticks, left=left, right=right, request=self.request)

    @property
    def reference_hand(self) -> np.ndarray:
        return self.snapshot.reference.effector_poses[self.hand, :3, 3].copy()

    @property
    def hand_in_simulator(self) -> np.ndarray:
        return self.body.effector_poses()[self.hand, :3, 3].copy()


def press(lockstep: Lockstep, button: str, seconds: float = 0.05) -> None:
    """Press a button of the left hand for a time, and let go of it."""
    setattr(lockstep, button, True)
    lockstep.run(seconds)
    setattr(lockstep, button, False)
    lockstep.run(0.05)


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture
def lockstep(model: RobotModel) -> Iterator[Lockstep]:
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    run = Lockstep(body=body, cycle=Cycle(model, state), state=state, hand=model.effector_of_hand("left"))
    run.run(0.3)
    yield run
    body.close()


def reach(lockstep: Lockstep, *, seconds: float = 1.0) -> None:
    lockstep.squeeze = 1.0
    lockstep.run(0.1)
    assert lockstep.snapshot.left.engaged
    lockstep.run(seconds, towards=(0.2, 0.0, 0.1))


def test_a_stop_in_mid_reach_holds_the_hand_where_it_comes_to_rest(lockstep):
    reach(lockstep)
    lockstep.stick_clicks = True
    lockstep.run(0.1)
    lockstep.stick_clicks = False
    assert lockstep.snapshot.stop == Stop.HOLD
    lockstep.run(0.5, towards=(0.5, 0.3, 0.3))
    at_rest = lockstep.reference_hand
    lockstep.run(3.0)
    assert np.linalg.norm(lockstep.reference_hand - at_rest) < STILL
    assert not lockstep.snapshot.reference.v.any()
    assert np.linalg.norm(lockstep.hand_in_simulator - at_rest) < 5e-3  # [m] the controller's tracking


def test_a_late_link_slows_and_a_lost_one_holds_until_clutched_again(lockstep):
    reach(lockstep)
    for tick in range(100):
        lockstep.age = tick * DT
        lockstep.run(DT)
    lockstep.age = 0.101
    lockstep.run(DT)
    assert not lockstep.snapshot.left.engaged
    assert lockstep.snapshot.counters.lost_link == 1
    lockstep.run(0.7)
    at_rest = lockstep.reference_hand
    lockstep.age = 0.0
    lockstep.run(1.0, towards=(0.4, 0.2, 0.1))
    assert not lockstep.snapshot.left.engaged
    assert np.linalg.norm(lockstep.reference_hand - at_rest) < 3e-3  # [m] posture and torques are weighed anew after a hold
    lockstep.squeeze = 0.0
    lockstep.run(0.1)
    lockstep.squeeze = 1.0
    lockstep.run(0.1)
    assert lockstep.snapshot.left.engaged


def test_a_sample_that_is_suddenly_old_lets_go_in_its_cycle_whenever_it_was_looked_at_last(lockstep):
    reach(lockstep, seconds=0.3)
    for cycles in (1, 2, 3):
        lockstep.run(cycles * DT)
        assert lockstep.snapshot.left.engaged
        lockstep.age = LINK_LOST_AFTER
        lockstep.run(DT)
        assert not lockstep.snapshot.left.engaged
        lockstep.age, lockstep.squeeze = 0.0, 0.0
        lockstep.run(0.3)
        lockstep.squeeze = 1.0
        lockstep.run(0.2)


def test_a_button_goes_down_once_and_a_stop_counts_in_its_cycle(lockstep):
    lockstep.run(0.05)
    refused = lockstep.snapshot.counters.refused_commands
    lockstep.request = "mode:nothing of the kind"
    lockstep.run(0.1)
    assert lockstep.snapshot.counters.refused_commands == refused + 1
    lockstep.ticks += FRAME - lockstep.ticks % FRAME
    lockstep.stick_clicks = True
    lockstep.run(DT)
    assert lockstep.snapshot.stop == Stop.HOLD


def test_taking_a_hand_up_and_letting_go_again_does_not_let_it_slip(lockstep):
    reach(lockstep)
    lockstep.run(2.0)
    lockstep.squeeze = 0.0
    lockstep.run(1.0)
    before = lockstep.reference_hand
    for _ in range(5):
        lockstep.squeeze = 1.0
        lockstep.run(0.2)
        assert lockstep.snapshot.left.engaged
        lockstep.squeeze = 0.0
        lockstep.run(0.2)
    assert np.linalg.norm(lockstep.reference_hand - before) < STILL


def test_the_first_step_after_clutching_is_under_a_millimetre(lockstep):
    reach(lockstep)
    lockstep.squeeze = 0.0
    lockstep.run(0.5, towards=(0.6, -0.3, 0.0))
    lockstep.squeeze = 1.0
    while not lockstep.snapshot.left.engaged:
        before = lockstep.reference_hand
        lockstep.run(DT)
    lockstep.run(2 * DT)
    assert np.linalg.norm(lockstep.reference_hand - before) < STILL


def test_a_damped_robot_is_given_no_torque_but_damping(lockstep):
    lockstep.stick_clicks = True
    lockstep.run(1.2)
    assert lockstep.snapshot.stop == Stop.DAMP
    command, _ = lockstep.cycle.step(lockstep.sample, lockstep.state, (), DT)
    assert not command.torques.any()
    assert np.all(command.damping > 0.0)


def ask_for(lockstep: Lockstep, request: str) -> dict[str, bool]:
    """Ask for something in a few samples; returns what is switched on afterwards."""
    for lockstep.request in (request, ""):
        lockstep.run(3 * FRAME * DT)
    return {each.name: each.on for each in lockstep.snapshot.report.toggles if each.name in ("contact", "posture")}


def test_the_operator_switches_each_retargeting_and_what_there_is_not_is_refused(lockstep):
    assert ask_for(lockstep, "switch:posture") == {"contact": False, "posture": True}
    assert ask_for(lockstep, "switch:contact") == {"contact": True, "posture": True}
    assert ask_for(lockstep, "switch:posture") == {"contact": True, "posture": False}
    assert lockstep.snapshot.counters.refused_commands == 0
    assert ask_for(lockstep, "switch:turbo") == {"contact": True, "posture": False}
    assert lockstep.snapshot.counters.refused_commands == 1
    assert any("switch:turbo" in message for message in lockstep.snapshot.messages)


def test_a_hand_that_is_moved_along_a_surface_goes_no_further_than_its_cap_and_stays_when_let_go(lockstep):
    pose = lockstep.snapshot.reference.effector_poses[lockstep.hand].copy()
    pose[:3, 3] -= 0.1 * pose[:3, 2]
    square = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    lockstep.surfaces = (Surface(pose=pose, boundary=square, area=4.0, quality=1.0, age=0.0),)
    ask_for(lockstep, "switch:contact")
    before = lockstep.reference_hand
    lockstep.squeeze = 1.0
    lockstep.run(5.0)
    assert len(lockstep.snapshot.report.preview_region.vertices) > 3
    moved = np.linalg.norm(lockstep.reference_hand - before)
    assert 0.1 < moved < StabilityParameters().max_displacement + 0.01  # [m]; other tasks take a little
    lockstep.squeeze = 0.0
    after = lockstep.reference_hand
    lockstep.run(1.0)
    assert np.linalg.norm(lockstep.reference_hand - after) < STILL
    assert lockstep.snapshot.report.preview_region is None


def test_two_cycles_given_the_same_agree_to_the_bit():
    model = load_model("g1")
    body = make_robot("mujoco", model, load_world("flat"))
    state = body.reset(find_standing_posture(model))
    cycles = (Cycle(model, state), Cycle(model, state))
    pose = pin.SE3(np.eye(3), np.zeros(3))
    for tick in range(600):
        moved = pin.SE3(np.eye(3), np.array([3e-4 * tick, 0.0, 0.0])) if tick > 100 else pose
        hand = HandInput(pose=moved, squeeze=float(tick > 50))
        sample = OperatorInput(time=tick * DT, sequence=tick, left=hand)
        (one, first), (other, second) = (cycle.step(sample, state, (), DT) for cycle in cycles)
        assert np.array_equal(one.torques, other.torques)
        assert np.array_equal(first.reference.q, second.reference.q)
        body.send(one)
        body.advance(DT)
        state = body.read()
    body.close()


def test_a_state_that_is_no_number_is_refused_and_the_robot_stands(lockstep):
    reach(lockstep)
    broken = replace(lockstep.state, q=np.full_like(lockstep.state.q, np.nan))
    missed = round(LOST_AFTER / DT)
    for _ in range(missed):
        command, snapshot = lockstep.cycle.step(lockstep.sample, broken, (), DT)
        lockstep.body.send(command)
        lockstep.body.advance(DT)
    assert snapshot.counters.refused_states == missed
    assert "the robot's state is lost" in snapshot.messages
    lockstep.state = lockstep.body.read()
    lockstep.run(1.0)
    assert lockstep.snapshot.stop is Stop.NONE
    assert np.isfinite(lockstep.snapshot.reference.q).all()


def test_a_robot_whose_state_stays_lost_is_damped(lockstep):
    for _ in range(round(DAMP_AFTER / DT) + 1):
        _, snapshot = lockstep.cycle.step(lockstep.sample, lockstep.state, (), DT)
    assert snapshot.stop == Stop.DAMP
    assert snapshot.messages[0] == "damped: the robot's state is lost"


def test_joints_past_their_limits_leave_the_controller_a_solution(lockstep, monkeypatch):
    # They come there by a jump, which would be refused.
    monkeypatch.setattr(state_watch, "MAX_JUMP", np.inf)
    model, ticks = load_model("talos"), iter(range(1, 10**6))
    before = lockstep.snapshot.counters
    for joint in range(model.n):
        for limit, past in ((model.upper, 0.1), (model.lower, -0.1)):
            q = lockstep.state.q.copy()
            q[7 + joint] = limit[joint] + past
            for _ in range(2):
                state = replace(lockstep.state, q=q, time=lockstep.state.time + next(ticks) * DT)
                _, snapshot = lockstep.cycle.step(lockstep.sample, state, (), DT)
            assert snapshot.counters.qp_failures_controller == 0, model.joint_names[joint]
    assert snapshot.counters.refused_states == before.refused_states
    assert snapshot.stop is Stop.NONE


def test_the_operator_takes_a_foot_sees_what_unloading_leads_to_and_unloads_it(lockstep):
    hand = lockstep.snapshot.left
    assert (hand.effector, hand.contact) == ("left_hand", "free")
    press(lockstep, "secondary", 0.7)
    hand = lockstep.snapshot.left
    assert (hand.effector, hand.contact) == ("left_foot", "loaded")
    press(lockstep, "secondary")
    lockstep.run(2.5)
    preview = lockstep.snapshot.report.preview
    assert preview.feasible
    assert preview.title.startswith("unload left foot")
    assert np.abs(preview.q - lockstep.snapshot.q).max() > 0.05  # [rad] on one foot it stands otherwise
    press(lockstep, "primary")
    assert lockstep.snapshot.report.preview is None
    assert lockstep.snapshot.left.contact == "unloading"
    lockstep.run(6.0)
    assert lockstep.snapshot.left.contact == "free"
    assert list(lockstep.snapshot.reference.contacts) == [False, True, False, False]
    assert lockstep.snapshot.counters.refused_commands == 0
    assert lockstep.snapshot.stop is Stop.NONE


def test_a_robot_that_bears_more_than_is_known_of_tells_so() -> None:
    model = load_model("talos")
    told = {}
    for payload in (0.0, 4.0):
        robot = make_robot("mujoco", model, load_world("flat"), mechanics=Mechanics(payload=((2, payload),)))
        cycle, surfaces = Cycle(model, robot.reset(model.q_nominal)), list_surfaces(load_world("flat"))
        for k in range(7500):
            command = cycle.advance(OperatorInput(time=1e-3 * k, focused=False), robot.read(), surfaces, 1e-3)
            robot.send(command)
            robot.advance(1e-3)
        told[payload] = [message for message in cycle.report().messages if "kg" in message]
        robot.close()
    assert told[0.0] == []
    (message,) = told[4.0]
    found = re.fullmatch(r"the robot bears ([\d.]+) kg more than its description says", message)
    assert found
    assert float(found[1]) == pytest.approx(4.0, abs=0.3)
