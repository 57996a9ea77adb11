"""Random stances: feet anywhere within reach, a leaning centre of mass, hands that reach or brace, and a contact to switch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pinocchio as pin

from handhold.retarget.bracing.braced_body import PERIOD, REST_SPEED
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contacts.switching import (
    advance_switch,
    command_com_return,
    finish_switch,
    start_adding,
    start_removing,
)
from handhold.retarget.bracing.seiko.contact_switch import ContactSwitch, SwitchPhase
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.bracing.seiko.seiko_step import NoEquilibrium, SeikoTargets
from handhold.robots.contact import Stance
from handhold.robots.contact_kind import ContactKind
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.programs.inverse_kinematics import InverseKinematics, damp_motion
from handhold.robots.qp import make_solver
from handhold.robots.tasks.pose import FrameTargets, PoseTask
from handhold.robots.worlds import Solid, World

MAX_OUTWARD, MAX_FORWARD = 0.7, 0.3
"""How far a foot may be from its nominal position, outwards and ahead or behind, in parts of the base's nominal height [-]."""

MAX_YAW, MAX_CROUCH = 0.4, 0.1
"""How far a foot may turn [rad], and how far the base may go down, in parts of its nominal height [-]."""

REACH, TURN = 0.25, 0.4
"""How far a hand is asked to go [m] and to turn [rad], as standard deviations."""

LEAN = 0.12
"""Largest speed with which the centre of mass is asked to lean [m/s]."""

MAX_TILT = 0.25
"""Largest angle between a bracing hand and the surface it finds [rad]: further askew the rest of the hand would touch it."""

REMOVAL_RATIO = 0.6
"""How often the contact is to be removed, not added [-]: of the two it is what cannot always be done."""

FOOT_ADDITION_RATIO = 0.75
"""How often it is a foot that is added, not a hand [-]: a hand can nearly always be pressed on."""

BRACE_RATIO = 0.8
"""How often a hand is to brace [-]; often it would not be loaded."""

MAX_LIFT = 0.08
"""How high a foot in the air is asked to go at most, in parts of the base's nominal height [-]."""

GAP = 0.01
"""Distance of an effector from what it is to touch [m]."""

_BLOCK = (0.12, 0.12, 0.03)
_AROUND_SOLE = 0.01
_PLACED = 1e-6
_PLACING_STEPS, _DAMPING = 100, 1e-6
_REACHING_TIME, _LEANING_TIME, _RESTING_TIME = 2.0, 1.5, 2.0


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RandomStance:
    """A robot that stands at rest, and the contact to switch.

    Attributes:
        seiko: Its reference.
        world: The floor, what its hand braces on, and what an effector is to touch.
        effector: Index of the effector: its contact is to be removed, or added where it is free.
        failures: Quadratic programs without a solution on the way there.
    """

    seiko: Seiko
    world: World
    effector: int
    failures: int


def draw_stance(model: RobotModel, random: np.random.Generator) -> RandomStance:
    """Draw stances until there is one that the robot can stand in, and choose a contact to remove or to add."""
    while True:
        drawn = _draw_once(model, random)
        if drawn is not None:
            return drawn


def draw_free_stance(model: RobotModel, random: np.random.Generator) -> Seiko:
    """Draw a robot that stands on its feet alone, leaning, with its hands somewhere, at rest."""
    while True:
        seiko = _draw_stance(model, random)
        if seiko is None:
            continue
        walk = _Walk(model, seiko, random)
        walk.reach()
        walk.lean()
        walk.rest()
        if walk.failures == 0:
            return seiko


def _draw_once(model: RobotModel, random: np.random.Generator) -> RandomStance | None:
    seiko = _draw_stance(model, random)
    if seiko is None:
        return None
    walk = _Walk(model, seiko, random)
    walk.reach()
    solids = walk.brace() if random.random() < BRACE_RATIO else ()
    walk.lean()
    walk.rest()
    solids = solids if walk.is_held_by_hands() else ()
    if random.random() < REMOVAL_RATIO:
        effector = int(random.choice(seiko.stance.effectors))
    else:
        effector, solids = walk.come_near(solids)
    if walk.has_a_foot_in_the_floor():
        return None
    world = World(title="What hands and feet found", solids=solids, source="drawn at random")
    return RandomStance(seiko=seiko, world=world, effector=effector, failures=walk.failures)


def _draw_stance(model: RobotModel, random: np.random.Generator) -> Seiko | None:
    feet = [e for e, about in enumerate(model.effectors) if about.standing]
    q = _solve_feet(model, feet, random)
    if q is None:
        return None
    seiko = Seiko(model, Stance.of_reference(model, feet), q, make_solver("daqp"))
    try:
        seiko.project_to_equilibrium()
    except NoEquilibrium:
        return None
    return seiko


def _solve_feet(model: RobotModel, feet: list[int], random: np.random.Generator) -> np.ndarray | None:
    """Find a configuration with the feet at random poses on the floor; None where it finds none."""
    q, height = model.q_nominal.copy(), model.q_nominal[2]
    kinematics = EffectorKinematics(model)
    kinematics.update(q)
    targets = FrameTargets.at_rest(kinematics)
    desired = targets.poses
    for foot in feet:
        outwards = height * MAX_OUTWARD * random.random() * np.sign(desired[foot, 1, 3])
        desired[foot, :2, 3] += height * MAX_FORWARD * random.uniform(-1.0, 1.0), outwards
        desired[foot, :3, :3] = pin.rpy.rpyToMatrix(0.0, 0.0, random.uniform(-MAX_YAW, MAX_YAW)) @ desired[foot, :3, :3]
    q[2] -= height * MAX_CROUCH * random.random()
    # A point foot's orientation is free.
    turning = [float(model.effectors[foot].contact is ContactKind.PLANE) for foot in feet]
    weights = np.array([[1.0] * 3 + [turn] * 3 for turn in turning])
    tasks = (PoseTask(kinematics, np.array(feet), targets, weights=weights), *damp_motion(model, _DAMPING))
    inverse = InverseKinematics(model, kinematics, make_solver("daqp"), tasks, within=(model.lower, model.upper))
    q = inverse.solve(q, iterations=_PLACING_STEPS, exact=_PLACED)
    return q if inverse.measure_error(q) < _PLACED else None


class _Walk:
    """Leads a reference step by step into a random posture."""

    def __init__(self, model: RobotModel, seiko: Seiko, random: np.random.Generator) -> None:
        self._model = model
        self._seiko = seiko
        self._random = random
        self._poses = seiko.kinematics.poses.copy()
        self.failures = 0

    def reach(self) -> None:
        """Send every free hand somewhere."""
        for hand in self._free_hands():
            self._poses[hand, :3, 3] += REACH * self._random.normal(size=3)
            turn = pin.exp3(TURN * self._random.normal(size=3))
            self._poses[hand, :3, :3] = turn @ self._poses[hand, :3, :3]
        self._step_for(_REACHING_TIME)

    def brace(self) -> tuple[Solid, ...]:
        """Turn a hand to a random surface, upright or tilted, and load it there."""
        hands = [hand for hand in self._free_hands() if self._model.effectors[hand].contact is ContactKind.POINT]
        if not hands:
            return ()
        hand = int(self._random.choice(hands))
        normal = self._face_something(hand)
        self._run_switch(start_adding(self._seiko, hand, normal))
        return (self._make_block("wall", hand, normal, 0.0),)

    def is_held_by_hands(self) -> bool:
        """Unload a hand again that is loaded less than a touch: nothing would hold it where it is; whether it stays."""
        for hand in set(self._seiko.stance.effectors) - set(self._seiko.stance.feet):
            if self._seiko.compute_normal_force(hand) < choose_contact_making(self._model, hand).touch_force:
                self._run_switch(start_removing(self._seiko, hand))
                self.rest()
                return False
        return True

    def come_near(self, solids: tuple[Solid, ...]) -> tuple[int, tuple[Solid, ...]]:
        """Take a foot into the air and somewhere else, or a free hand, and put a block under it at a small distance.

        Meanwhile only the other foot supports: a robot that needed a hand as well would fall before that hand is pressed on. A
        foot that cannot go leaves it to a hand.

        Args:
            solids: What hands brace on.

        Returns:
            The effector, and what there is now.
        """
        hands = self._free_hands()
        if not hands or self._random.random() < FOOT_ADDITION_RATIO:
            self._release_hands()
            solids, foot = (), int(self._random.choice(self._seiko.stance.feet))
            if self._run_switch(start_removing(self._seiko, foot)).phase is SwitchPhase.DONE:
                self._step_out(foot)
                return foot, (self._make_block("step", foot, self._seiko.kinematics.poses[foot, :3, 2].copy(), GAP),)
            self.rest()
        hand = int(self._random.choice(self._free_hands()))
        normal = self._face_something(hand)
        return hand, (*solids, self._make_block("step", hand, normal, GAP))

    def has_a_foot_in_the_floor(self) -> bool:
        """Whether a free foot is where no block would fit under it."""
        poses, in_contact = self._seiko.kinematics.poses, self._seiko.stance.effectors
        feet = [e for e, about in enumerate(self._model.effectors) if about.standing and e not in in_contact]
        return any(poses[foot, 2, 3] < GAP + _BLOCK[2] for foot in feet)

    def _release_hands(self) -> None:
        for hand in sorted(set(self._seiko.stance.effectors) - set(self._seiko.stance.feet)):
            self._run_switch(start_removing(self._seiko, hand))
        self.rest()

    def lean(self) -> None:
        """Let the centre of mass lean to a random side."""
        direction = self._random.uniform(0.0, 2.0 * np.pi)
        speed = LEAN * self._random.random()
        self._step_for(_LEANING_TIME, speed * np.array([np.cos(direction), np.sin(direction), np.nan]))

    def rest(self) -> None:
        """Come to rest, with the free effectors where they are."""
        for _ in range(round(_RESTING_TIME / PERIOD)):
            self._poses = self._seiko.kinematics.poses.copy()
            self._step(np.zeros(3), rest=1.0)
            if np.abs(self._seiko.v).max() < REST_SPEED:
                break
        self._seiko.set_at_rest()

    def _face_something(self, hand: int) -> np.ndarray:
        """Turn a hand to a random surface and come to rest; returns the outward normal of what it then faces."""
        target_normal = self._draw_normal()
        z = self._poses[hand, :3, 2]
        turn = pin.Quaternion.FromTwoVectors(z, target_normal).toRotationMatrix()
        self._poses[hand, :3, :3] = turn @ self._poses[hand, :3, :3]
        self._step_for(_REACHING_TIME)
        self.rest()
        reached = self._seiko.kinematics.poses[hand]
        tilt_angle = float(np.arccos(np.clip(reached[:3, 2] @ target_normal, -1.0, 1.0)))
        return target_normal if tilt_angle < MAX_TILT else reached[:3, 2].copy()

    def _step_out(self, foot: int) -> None:
        """Send a free foot up and somewhere outwards, and come to rest."""
        self._poses, height = self._seiko.kinematics.poses.copy(), self._model.q_nominal[2]
        random, side = self._random, np.sign(self._poses[foot, 1, 3])
        away = (MAX_FORWARD * random.uniform(-1.0, 1.0), side * MAX_OUTWARD * random.random(), MAX_LIFT * random.random())
        self._poses[foot, :3, 3] += height * np.array(away)
        self._poses[foot, 2, 3] += GAP + _BLOCK[2]
        turn = pin.rpy.rpyToMatrix(0.0, 0.0, random.uniform(-MAX_YAW, MAX_YAW))
        self._poses[foot, :3, :3] = turn @ self._poses[foot, :3, :3]
        self._step_for(_REACHING_TIME)
        self.rest()

    def _run_switch(self, switch: ContactSwitch) -> ContactSwitch:
        """Switch a contact to the end, with the free effectors where they are asked to be."""
        velocity = np.full(3, np.nan)
        while not switch.over:
            targets = SeikoTargets(effector_poses=self._poses, velocity_com_in_world=velocity)
            active = self._follow(command_com_return(self._seiko, switch, targets))
            switch = advance_switch(self._seiko, switch, active, PERIOD)
        finish_switch(self._seiko, switch)
        return switch

    def _draw_normal(self) -> np.ndarray:
        """Draw the normal of a surface ahead: half of them are upright, the others tilted up by up to 45 degrees."""
        azimuth = np.pi + self._random.uniform(-1.2, 1.2)
        tilt = max(0.0, self._random.uniform(-0.25 * np.pi, 0.25 * np.pi))
        return np.array([np.cos(tilt) * np.cos(azimuth), np.cos(tilt) * np.sin(azimuth), np.sin(tilt)])

    def _make_block(self, name: str, effector: int, normal: np.ndarray, gap: float) -> Solid:
        """Put a block under an effector: under a ball across the normal, under a sole as the sole lies."""
        about, pose = self._model.effectors[effector], self._seiko.kinematics.poses[effector]
        size, rotation = _BLOCK, pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), normal).toRotationMatrix()
        if about.half_lengths is not None:
            length, width = (2.0 * (half + _AROUND_SOLE) for half in about.half_lengths)
            size, rotation = (length, width, _BLOCK[2]), pose[:3, :3]
        x, y, z = (pose[:3, 3] - (about.radius + gap + 0.5 * _BLOCK[2]) * normal).tolist()
        return Solid(name=name, size=size, position=(x, y, z), rpy=tuple(pin.rpy.matrixToRpy(rotation).tolist()))

    def _free_hands(self) -> list[int]:
        in_contact = self._seiko.stance.effectors
        return [e for e, about in enumerate(self._model.effectors) if about.hand is not None and e not in in_contact]

    def _step_for(self, duration: float, velocity_com: np.ndarray | None = None) -> None:
        velocity = np.full(3, np.nan) if velocity_com is None else velocity_com
        for _ in range(round(duration / PERIOD)):
            self._step(velocity)

    def _step(self, velocity_com: np.ndarray, rest: float = 0.0) -> None:
        self._follow(SeikoTargets(effector_poses=self._poses, velocity_com_in_world=velocity_com, rest=rest))

    def _follow(self, targets: SeikoTargets) -> tuple[str, ...]:
        step = self._seiko.step(targets, PERIOD)
        self.failures += not step.solved
        return step.active
