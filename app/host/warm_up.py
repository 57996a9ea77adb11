"""The first cycles of a process compile what they call; they must not be those of a session."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pinocchio as pin

from handhold.app.host.cycle import Cycle
from handhold.app.host.surfaces import list_surfaces
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.retarget.bracing.braced_body import PERIOD, BracedBody
from handhold.retarget.bracing.contacts.effector_command import EffectorCommand
from handhold.retarget.bracing.margin.contact_retargeting import preview_contact
from handhold.retarget.bracing.objects.compliant_object import CompliantObject
from handhold.retarget.bracing.objects.held_object import HeldObject
from handhold.retarget.bracing.objects.measured_hands import MeasuredHands
from handhold.retarget.bracing.objects.object_holding import ObjectHolding
from handhold.retarget.bracing.seiko.equilibrium_rows import compute_rolling
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_reference import make_reference
from handhold.retarget.bracing.seiko.seiko_step import SeikoTargets
from handhold.retarget.stability.region_edge import order_hull
from handhold.retarget.stability.region_gradients import ConfigurationGradients
from handhold.retarget.walking.ground import GroundMap
from handhold.retarget.walking.next_foothold import find_cheapest
from handhold.retarget.whole_body.body_mapping import find_mapping
from handhold.retarget.whole_body.body_rows import BodyRows
from handhold.retarget.whole_body.lip_stabiliser import project_to_polygon
from handhold.retarget.whole_body.robot_stance import RobotStance
from handhold.retarget.whole_body.target_follower import TargetFollower
from handhold.robots.contact import Stance
from handhold.robots.control.controller import WholeBodyController
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_distance_inside
from handhold.robots.qp import make_solver
from handhold.robots.robot import CONTROL_PERIOD, RobotState, SimulatedRobot
from handhold.robots.rotation import rotation_log, turn_about_vertical
from handhold.robots.worlds import load_world

PHASE = 20
"""Cycles of each phase: enough for the clutch and the filters to come to all they do."""

HELD_FORCE = 20.0
"""Normal force of palms that hold something [N]."""

HELD_WEIGHT, WEIGHING = 10.0, 1.0
"""Weight of what is held [N], and for how long it is weighed [s]."""

SILENCE = 0.2
"""Age of a sample [s] at which the operator's link is surely lost."""


def warm_up(robot: SimulatedRobot, posture: np.ndarray) -> None:
    """Run cycles that are thrown away afterwards, and the robot, through all that may happen to an operator.

    Without it the first loss of the link compiled the braking of the hands, and held up the loop by 0.3 s just then; the
    first change to walking compiled QP2, and held it up by 2 s.

    Args:
        robot: The robot; it has to be reset afterwards.
        posture: Where it stands at first, shape ``(nq,)``.
    """
    floor = list_surfaces(load_world("flat"))
    for samples in (_brace(), _walk()):
        cycle = Cycle(robot.model, robot.reset(posture))
        for sample in samples:
            command, _ = cycle.step(sample, robot.read(), floor, CONTROL_PERIOD)
            robot.send(command)
            robot.advance(CONTROL_PERIOD)
    # Only a hand with a point contact rolls: the first brace would be held up.
    compute_rolling(np.zeros(3), np.zeros((6, robot.model.nv)), np.zeros(robot.model.nv))
    _preview_and_differentiate(robot.model, posture)
    _follow(robot.model, posture)
    _hold(robot.model, robot.reset(posture))
    # Footholds and edges are searched for during a swing; to come there would hold up every start by a second.
    # Each by itself: one that is taken from numba's cache does not bring along what it calls.
    ground = GroundMap(floor, np.zeros(2))
    ground.find_foothold(np.zeros(2), 0.0, 0.0)
    ground.find_even(np.zeros((1, 2)), 0.0, 0.0)
    ground.find_contact_area(np.zeros(2), 0.0, 0.0)
    ground.rate_footholds(np.zeros((1, 2)), 0.0, 0.0)
    lattice, offers = (np.zeros(1), np.zeros(1)), np.zeros((3, 1, 1))
    find_cheapest(np.zeros((1, 2)), lattice, offers, np.zeros((4, 2)), np.zeros(2))


def _preview_and_differentiate(model: RobotModel, posture: np.ndarray) -> None:
    """Call what the operator's switches of stability bring along: to switch one on would hold up the loop by 2 to 3 s."""
    standing = [e for e, effector in enumerate(model.effectors) if effector.standing]
    seiko = Seiko(model, Stance.of_reference(model, standing), posture, make_solver("daqp"))
    # Any effector that is not in contact will do for a hand.
    for hand in [e for e in range(len(model.effectors)) if e not in standing][:1]:
        preview_contact(model, seiko, hand, np.array([-1.0, 0.0, 0.0]))
    joints, forces, prices = np.array(model.effector_joints)[:1], np.zeros((1, 3)), np.ones(model.n)
    ConfigurationGradients(model, seiko.kinematics).compute(joints, np.zeros((1, 3)), forces, prices)
    order_hull(np.zeros((3, 2)), np.zeros(3, dtype=np.int64))
    # What comes over the link cannot be written to: another type for numba.
    for is_writeable in (True, False):
        boundary = np.eye(3, 2)
        boundary.flags.writeable = is_writeable
        compute_distance_inside(0.0, 0.0, boundary)
    # the posture that is preferred turns hands
    rotation_log(np.eye(3), np.zeros(3))


def _follow(model: RobotModel, posture: np.ndarray) -> None:
    """Call what a person who is followed brings along: the first squeeze would hold up the loop by 3 s."""
    mapping = model.compute_once(find_mapping)
    if mapping is None:
        return
    standing = [e for e, effector in enumerate(model.effectors) if effector.standing]
    seiko = Seiko(model, Stance.of_reference(model, standing), posture, make_solver("daqp"))
    stance = RobotStance(model, mapping)
    stance.follow(seiko)
    targets = stance.measure(seiko)
    targets = TargetFollower(targets, targets).advance(targets, CONTROL_PERIOD)
    BodyRows(model, mapping).fill(seiko.kinematics, targets.rotations, 1.0, targets.limbs, targets.hinges)
    project_to_polygon(np.zeros((3, 2)), np.zeros(2))
    # where a person's front and the robot's are laid upon each other
    turn_about_vertical(0.0)


def _hold(model: RobotModel, state: RobotState) -> None:
    """Call what an object between both hands brings along: the first grasp would hold up the loop by 10 s."""
    hands = ObjectHolding(model).hands
    if hands is None:
        return
    standing = [e for e, effector in enumerate(model.effectors) if effector.standing]
    seiko = Seiko(model, Stance.of_reference(model, standing), state.q, make_solver("daqp"))
    seiko.project_to_equilibrium()
    seiko.hold(hands, HELD_FORCE)
    held, poses = HeldObject(seiko, hands, 2.0 * HELD_FORCE, 1.0, CompliantObject()), seiko.kinematics.poses.copy()
    measured = MeasuredHands.of_sensors(poses, np.zeros((len(poses), 6)))
    # So much that its centre of mass is learnt, and for so long that it is known, and what pushes it is looked for.
    measured.wrenches[hands[0], :3] = -HELD_WEIGHT * poses[hands[0], 2, :3]
    for _ in range(round(WEIGHING / PERIOD)):
        held.observe(measured, PERIOD, opening=False)
    held.find_loss(poses)
    body = BracedBody(model)
    body.begin(seiko, state)
    body.find_unobserved_wrenches(PERIOD)
    held.follow({hands[0]: EffectorCommand(desired_pose=poses[hands[0]], engaged=True, pressed=False, push=0.0)}, PERIOD)
    seiko.step(SeikoTargets(effector_poses=poses, velocity_com_in_world=np.full(3, np.nan)), PERIOD)
    WholeBodyController(model, make_solver("daqp")).track(make_reference(model, seiko, state.time), state)


def _brace() -> Iterator[OperatorInput]:
    """Play: hands open, reaching, link lost, back, reaching, not tracked, reaching, leaning, ready to be led, stopped."""
    clicked = Buttons(stick=True)
    return _play(
        {"squeeze": 0.0},
        {"squeeze": 1.0},
        {"squeeze": 1.0, "age": SILENCE},
        {"squeeze": 0.0},
        {"squeeze": 1.0},
        {"squeeze": 1.0, "tracked": False},
        {"squeeze": 0.0},
        {"squeeze": 1.0, "stick": 1.0, "trigger": 1.0},
        {"squeeze": 1.0, "request": "switch:compliant-left"},
        {"squeeze": 1.0, "request": "switch:compliant-body"},
        {"squeeze": 1.0, "buttons": clicked},
        {"squeeze": 0.0},
    )


def _walk() -> Iterator[OperatorInput]:
    """Play: how walking would begin, walking in charge, walking with a hand that reaches; a robot that cannot refuses."""
    return _play(
        {"squeeze": 0.0, "request": "preview:walking"},
        {"squeeze": 0.0, "request": "mode:walking"},
        {"squeeze": 1.0, "stick": 1.0},
    )


def _play(*phases: dict[str, Any]) -> Iterator[OperatorInput]:
    for sequence in range(PHASE * len(phases)):
        yield _sample(sequence, **phases[sequence // PHASE])


def _sample(
    sequence: int,
    *,
    squeeze: float,
    tracked: bool = True,
    stick: float = 0.0,
    trigger: float = 0.0,
    buttons: Buttons = Buttons(),  # noqa: B008
    age: float = 0.0,
    request: str = "",
) -> OperatorInput:
    pose = pin.SE3(np.eye(3), np.array([0.4 + 1e-4 * sequence, 0.0, 1.0])) if tracked else None
    hand = HandInput(pose=pose, aim=pose, squeeze=squeeze, trigger=trigger, stick=np.array([0.0, stick]), buttons=buttons)
    return OperatorInput(
        time=sequence * CONTROL_PERIOD,
        sequence=sequence,
        device="warm-up",
        left=hand,
        right=hand,
        age=age,
        request=request,
    )
