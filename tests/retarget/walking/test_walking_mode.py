"""Walking mode: the whole body goes with the gait, and the controller can track it in both engines."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.app.host.surfaces import list_surfaces
from handhold.perception.surface import Surface
from handhold.retarget.command import HandCommand, OperatorCommand
from handhold.retarget.mode import NoSuchToggle
from handhold.retarget.walking.entry import CannotWalk
from handhold.retarget.walking.footsteps import WalkingVelocity
from handhold.retarget.walking.mode import MPC_ITERATIONS, WalkingMode
from handhold.retarget.walking.swing_moment import compute_swing_moment
from handhold.retarget.walking.timing import Phase
from handhold.robots.contact import Stance
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.estimation.fall import has_fallen
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import load_model
from handhold.robots.qp import DaqpSolver
from handhold.robots.robot import RobotState
from handhold.robots.self_collision import measure_clearance
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import Solid, World, load_world

DT = 2e-3
GRAVITY = np.array([0.0, 0.0, 9.81])
SOFT = 5e-3  # [m] the rows may be violated at a price, and the bodies are capsules around the meshes
FOLLOWS = 5e-3  # [m] the inverse kinematics lag behind a foot in swing by a tick and its damping
EDGE = 0.45  # [m] the face of the box, ahead of the robot
BOX = Solid(name="box", size=(0.5, 1.2, 0.5), position=(EDGE + 0.25, 0.0, 0.25))  # lower than the hands


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def state_of(model, reference, time):
    """Return what a robot measures that does all its reference asks."""
    return RobotState(
        time=time,
        q=reference.q,
        v=reference.v,
        joint_torques=reference.joint_torques,
        contact_wrenches=reference.contact_wrenches + [0.0, 0.0, 20.0, 0.0, 0.0, 0.0] * reference.contacts[:, None],
    )


class Walker:
    """The mode in a loop with a robot that does all it asks; a foot touches where the ground is."""

    def __init__(self, model, solver=None):
        self.model, self.time = model, 0.0
        self.mode = WalkingMode(model, solver or DaqpSolver(max_iterations=MPC_ITERATIONS))
        q = find_standing_posture(model)
        at_rest = RobotState(
            time=0.0,
            q=q,
            v=np.zeros(model.nv),
            joint_torques=np.zeros(model.n),
            contact_wrenches=np.zeros((len(model.effectors), 6)),
        )
        self.start, self.reference = q, self.mode.enter(at_rest).reference

    def measure(self):
        state = state_of(self.model, self.reference, self.time)
        for foot in range(2):
            if not self.reference.contacts[foot] and self.reference.effector_poses[foot, 2, 3] < 1e-3:
                state.contact_wrenches[foot, 2] = 20.0
        return state

    def walk(self, duration, velocity):
        for _ in range(round(duration / DT)):
            self.time += DT
            self.reference = self.mode.follow(velocity, self.measure(), DT)
            yield self.reference

    def update(self, duration, command, *, surfaces=(), hold=False):
        for _ in range(round(duration / DT)):
            self.time += DT
            self.reference = self.mode.update(command, self.measure(), surfaces, DT, hold=hold).reference
        return self.reference


def command_of(walker, *, forward=0.0, engaged=False, offset=(0.0, 0.0, 0.0)):
    hands = []
    for hand in walker.mode.describe().status.hands:
        pose = walker.reference.effector_poses[hand].copy()
        pose[:3, 3] += offset
        hands.append(replace(HandCommand.released(pose), engaged=engaged))
    return replace(OperatorCommand.of_hands(*hands), com_velocity=np.array([forward, 0.0, 0.0]))


def test_entering_takes_the_robot_as_it_is(talos):
    walker = Walker(talos)
    assert np.array_equal(walker.reference.q, walker.start)
    kinematics = EffectorKinematics(talos)
    kinematics.update(walker.start)
    assert np.abs(walker.reference.position_com_in_world - kinematics.position_com_in_world).max() < 1e-3  # [m]
    assert np.abs(walker.reference.effector_poses - kinematics.poses).max() < 1e-6
    assert walker.reference.contacts.tolist() == [True, True, False, False]


def test_a_robot_that_is_not_described_as_walking_cannot(talos):
    description = talos.description.model_copy(update={"walking": None})
    model = load_model("talos")
    model.description = description
    with pytest.raises(CannotWalk, match=r"\[walking\]"):
        WalkingMode(model, DaqpSolver())


def test_the_posture_goes_with_feet_and_centre_of_mass(talos):
    walker, kinematics = Walker(talos), EffectorKinematics(talos)
    for reference in walker.walk(6.0, WalkingVelocity(forward=0.3, turning=0.1)):
        kinematics.update(reference.q)
        assert np.abs(kinematics.position_com_in_world - reference.position_com_in_world).max() < FOLLOWS
        assert np.abs(kinematics.poses[:2, :3, 3] - reference.effector_poses[:2, :3, 3]).max() < FOLLOWS
        assert np.all(reference.q[7:] >= talos.lower - 1e-9)
        assert np.all(reference.q[7:] <= talos.upper + 1e-9)
    assert walker.mode.failures == 0


def test_the_wrenches_carry_the_robot_and_can_be_transmitted(talos):
    walker = Walker(talos)
    for reference in walker.walk(5.0, WalkingVelocity(forward=0.3)):
        feet = np.flatnonzero(reference.contacts)
        rotations = reference.effector_poses[feet, :3, :3]
        force = np.einsum("kij,kj->i", rotations, reference.contact_wrenches[feet, :3])
        wanted = talos.mass * (reference.acceleration_com_in_world + GRAVITY)
        assert np.abs(force - wanted).max() < 1e-6 * talos.weight
        stance = Stance(talos, feet.tolist(), inset=talos.description.margins.controller)
        assert np.all(stance.cone @ stance.stack(reference.contact_wrenches) <= 1e-9)


def test_the_zmp_may_be_where_the_soles_bear_it_with_the_leg_that_swings(talos):
    walker, moment = Walker(talos), compute_swing_moment(talos, 0)
    shifts = []
    for reference in walker.walk(3.0, WalkingVelocity(sideways=0.1)):
        feet = np.flatnonzero(reference.contacts)
        if len(feet) == 1:
            taken = moment * reference.effector_accelerations[1 - feet[0], :2]
            assert reference.zmp_shift == pytest.approx(taken)
            shifts.append(np.abs(taken).max())
        else:
            assert not reference.zmp_shift.any()
    assert max(shifts) > 0.01  # [m] or the test shows nothing


def test_sticks_walk_and_a_hold_stops_within_a_step(talos):
    walker = Walker(talos)
    walker.update(4.0, command_of(walker, forward=1.0))
    assert walker.mode.gait.steps_made > 1
    assert walker.reference.velocity_com_in_world[0] > 0.2
    made = walker.mode.gait.steps_made
    walker.update(4.0, command_of(walker, forward=1.0), hold=True)
    assert walker.mode.gait.steps_made <= made + 2
    assert walker.mode.gait.phase is Phase.STANDING
    assert np.abs(walker.reference.v).max() < 0.02  # [m/s, rad/s]


def list_faces(*solids):
    return list_surfaces(World(title="solids", solids=solids, source=""))


def test_it_stops_before_a_box_and_says_so_and_may_walk_back(talos):
    walker = Walker(talos)
    box = list_faces(BOX)
    walker.update(12.0, command_of(walker, forward=1.0), surfaces=box)
    tips = walker.reference.effector_poses[:2, 0, 3] + 0.11  # [m] half a sole
    assert walker.mode.gait.at_rest
    assert EDGE - 0.3 < tips.max() < EDGE
    assert walker.mode.describe().status.messages == ("the ground that way is too high or too low to step on",)
    walker.update(3.0, command_of(walker, forward=-1.0), surfaces=box)
    assert walker.mode.describe().status.messages == ()
    assert walker.reference.effector_poses[:2, 0, 3].max() < tips.max() - 0.15


def test_it_stops_before_its_hands_meet_a_wall_and_says_so(talos):
    walker = Walker(talos)
    face = EDGE + 0.35
    wall = list_faces(Solid(name="wall", size=(0.2, 4.0, 2.0), position=(face + 0.1, 0.0, 1.0)))
    walker.update(8.0, command_of(walker, forward=1.0), surfaces=wall)
    hands = [
        walker.reference.effector_poses[hand, 0, 3] + talos.effectors[hand].radius
        for hand in walker.mode.describe().status.hands
    ]
    assert walker.mode.gait.at_rest
    assert face - 0.3 < max(hands) < face
    assert walker.mode.describe().status.messages == ("a wall or an edge that way is in the way of the hands or the body",)


@pytest.mark.parametrize("thickness", [0.06, 0.20])
def test_it_stops_before_a_board_that_a_foot_could_be_put_beyond(talos, thickness):
    walker = Walker(talos)
    pose = np.eye(4)
    pose[:3, 3] = 0.8, 0.0, 0.4
    corners = np.array([[-0.5, -2.0], [0.5, -2.0], [0.5, 2.0], [-0.5, 2.0]]) * [thickness, 1.0]
    board = Surface(pose=pose, boundary=corners, area=4.0 * thickness, quality=1.0, age=0.0)
    walker.update(10.0, command_of(walker, forward=0.4), surfaces=(*list_surfaces(load_world("flat")), board))
    assert walker.mode.gait.at_rest
    assert walker.reference.effector_poses[:2, 0, 3].max() + 0.11 < 0.8 - 0.5 * thickness


def test_a_robot_that_stopped_before_one_box_may_walk_the_little_way_to_another(talos):
    walker = Walker(talos)
    boxes = list_faces(BOX)
    walker.update(12.0, command_of(walker, forward=1.0), surfaces=boxes)
    stopped = walker.reference.effector_poses[:2, 0, 3]
    behind = np.eye(4)
    behind[:3, 3] = stopped.min() - 0.11 - 0.3 - 0.5, 0.0, 0.5  # [m] its top ends 0.3 m behind the heels
    top = Surface(pose=behind, boundary=0.5 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), area=1.0, quality=1.0, age=0.0)
    walker.update(4.0, command_of(walker, forward=-1.0), surfaces=(*boxes, top))
    assert 0.02 < stopped.min() - walker.reference.effector_poses[:2, 0, 3].min() < 0.3


def test_before_steps_it_slows_down_and_says_so(talos):
    fast, slow = Walker(talos), Walker(talos)
    fast.update(1.5, command_of(fast, forward=1.0))
    slow.update(1.5, command_of(slow, forward=1.0), surfaces=list_surfaces(load_world("walk_edge")))
    assert slow.mode.gait.velocity.forward < 0.5 * fast.mode.gait.velocity.forward
    assert fast.mode.describe().status.messages == ()
    assert slow.mode.describe().status.messages == ("slower, because the ground ahead goes up or down",)


class GivesUp(DaqpSolver):
    """Solves nothing of one size: QP2, or the posture's."""

    def __init__(self, size):
        super().__init__()
        self.size = size

    def solve(self, program):
        solution = super().solve(program)
        return replace(solution, solved=False) if len(program.f) == self.size else solution


@pytest.mark.parametrize(("posture", "period"), [(False, 0.05), (True, DT)])
def test_programs_without_a_solution_are_counted_in_a_row(talos, posture, period):
    solver = GivesUp(size=-1)
    walker = Walker(talos, solver)
    walker.update(0.5, command_of(walker, forward=0.3))
    assert walker.mode.describe().status.failures_in_a_row == 0
    solver.size = talos.nv if posture else 48
    walker.update(0.5, command_of(walker, forward=0.3))
    assert walker.mode.describe().status.failures_in_a_row == walker.mode.failures >= 0.8 * 0.5 / period
    solver.size = -1
    walker.update(0.1, command_of(walker, forward=0.3))
    assert walker.mode.describe().status.failures_in_a_row == 0


def test_a_hand_that_the_operator_holds_goes_along(talos):
    walker = Walker(talos)
    hand, body = 2, walker.start[:3]
    walker.update(1.0, command_of(walker, engaged=True, offset=(0.1, 0.0, 0.05)))
    raised = walker.reference.effector_poses[hand, :3, 3] - walker.reference.position_com_in_world
    command = replace(command_of(walker, forward=1.0, engaged=True), left=walker_command(walker, hand))
    walker.update(4.0, command)
    later = walker.reference.effector_poses[hand, :3, 3] - walker.reference.position_com_in_world
    assert walker.reference.q[0] > body[0] + 0.3
    assert np.abs(later - raised).max() < 0.03  # [m] while it sways


def test_a_hand_that_is_let_go_while_the_robot_holds_is_carried_no_more(talos):
    walker = Walker(talos)
    squeezed = command_of(walker, forward=0.5, engaged=True)
    walker.update(1.5, squeezed)
    walker.update(0.1, squeezed, hold=True)
    assert 2 in walker.mode.describe().status.hand_offsets
    walker.update(0.1, command_of(walker), hold=True)
    assert 2 not in walker.mode.describe().status.hand_offsets


def walker_command(walker, hand):
    """Return a command that keeps the hand where the operator has it: engaged, its pose in the world as before."""
    return replace(HandCommand.released(walker.reference.effector_poses[hand].copy()), engaged=True)


@pytest.mark.parametrize("engine", ["mujoco", "pybullet"])
def test_talos_walks_and_stops(talos, engine):
    """Exact base state and joint states, contacts from the simulated feet's forces; nothing else of the simulation."""
    body = make_robot(engine, talos, load_world("flat"))
    try:
        state = body.reset(find_standing_posture(talos))
        controller = WholeBodyController(talos, DaqpSolver())
        mode = WalkingMode(talos, DaqpSolver(max_iterations=MPC_ITERATIONS))
        reference, worst = mode.enter(state).reference, 0.0
        hands = [HandCommand.released(reference.effector_poses[hand]) for hand in mode.describe().status.hands]
        command = replace(
            OperatorCommand.of_hands(*hands), com_velocity=np.array([0.4 / talos.description.walking.speed, 0.0, 0.0])
        )
        for tick in range(6500):
            reference = mode.update(command, state, (), 1e-3, hold=not 500 < tick < 4500).reference
            body.send(controller.track(reference, state))
            body.advance(1e-3)
            state = body.read()
            if tick > 500:
                error = controller.position_com_in_world - reference.position_com_in_world
                worst = max(worst, float(np.abs(error).max()))
        assert not has_fallen(talos, state)
        assert mode.gait.phase is Phase.STANDING
        assert state.q[0] > 0.7  # [m] four steps of 0.3 m, the first and the last half as long
        assert worst < 0.015  # [m] half of the ZMP's inset
        assert controller.failures == mode.failures == mode.gait.infeasible == 0
    finally:
        body.close()


def test_there_is_nothing_to_switch_while_walking(talos):
    mode = WalkingMode(talos, DaqpSolver())
    with pytest.raises(NoSuchToggle, match="posture"):
        mode.toggle("posture")


def test_a_hand_that_is_driven_into_the_body_stays_clear_of_it(talos):
    walker = Walker(talos)
    walker.update(0.5, command_of(walker, engaged=True))
    # Into the chest, and then across to the other arm.
    for way in ((-0.4, -0.35, 0.1), (0.0, -0.6, 0.0)):
        target = walker.reference.effector_poses[2].copy()
        target[:3, 3] += way
        for _ in range(30):
            hand = replace(HandCommand.released(target), engaged=True)
            walker.update(0.05, replace(command_of(walker, forward=0.6), left=hand))
            clearance = measure_clearance(talos, walker.reference.q)
            assert clearance.distance > talos.description.self_collision.least_distance - SOFT, str(clearance)
    assert walker.mode.failures == 0


@pytest.mark.parametrize(("drawn_for", "offset", "rests_within"), [(3.0, (0.5, 0.4, 0.3), 3.0), (1.0, (0.2, -0.2, 0.3), 1.0)])
def test_arms_come_to_rest_when_the_mode_is_to_be_left(talos, drawn_for, offset, rests_within):
    """Also those within their reach: the pull to the posture that the walk began in would turn their elbows for seconds."""
    walker = Walker(talos)
    walker.update(0.1, command_of(walker))
    walker.update(drawn_for, command_of(walker, engaged=True, offset=offset))
    walker.mode.leave()
    drawn = walker.reference.effector_poses[2, :3, 3].copy()
    walker.update(rests_within, command_of(walker, engaged=True, offset=offset), hold=True)
    assert walker.mode.describe().status.at_rest
    assert np.abs(walker.reference.effector_poses[2, :3, 3] - drawn).max() < 0.02  # [m]
    assert walker.mode.describe().status.rest_obstacle == ""
