"""What a random operator does with a robot, as scores of a few steps: one list of acts for each mode."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
import pinocchio as pin

from handhold.app.lab.scenarios.phrases import compute_turn_to_face
from handhold.app.lab.scenarios.score import (
    Beat,
    Hands,
    Step,
    Vector,
    ask,
    contact_is,
    move,
    press,
    push_stick,
    release,
    resting_hands,
    select_next,
    squeeze,
    stick,
    together,
    trigger,
    wait,
    wait_until,
)
from handhold.app.lab.scenarios.walk_measures import yaw_of
from handhold.app.lab.scenarios.walks import gait_of, steer
from handhold.app.lab.scenarios.walls import CLEARANCE, find_wall
from handhold.app.limbs import Side, find_hands
from handhold.render.snapshot import Snapshot
from handhold.retarget.bracing.contacts.effector_choice import list_effectors
from handhold.robots.gripper import TIP_CLOSED
from handhold.robots.model import RobotModel
from handhold.robots.worlds import load_world

SIDES: tuple[Side, Side] = ("left", "right")

WALKED = ((-1.2, -0.1), (-0.4, 0.4))
"""Where the robot is walked, x and y from where it begins [m]: away from the wall."""

ASTRAY = 0.25
"""How far beyond that sticks pushed at random may take it before it is brought back [m]."""

ARRIVED, FACED = 0.06, 0.1
"""How near the operator brings the robot to where it is to go [m, rad]."""

NEAR_WALL = 0.12
"""How near to the wall no part of the robot is walked [m]."""

BENDING = 0.4
"""How far ahead of its centre of mass a robot that follows a person may bend, as a part of the height of its base when it
stands [-]: G1 picked something up before the wall, came up under its own head that was caught on it, and fell."""

WITHIN_REACH = 0.45
"""How far from the wall a hand may be that is to brace on it [m]."""

HELD_BOX = np.array([[0.15, 0.08, 0.75], [0.65, 0.55, 1.35]])
"""Where hands are dragged to, from the base: ahead, to their own side, over the ground, minimum and maximum [m]."""

SWITCHING = 15.0
"""Longest time that a contact is waited for before the operator does something else [s]."""

CLOSING = 1.0
"""Time for which a trigger is held down for a gripper to close [s]."""

HELD = 0.7
"""Time the button is held that lets a motion run back [s]."""


@dataclass(frozen=True, eq=False)
class Acts:
    """Draws acts.

    Attributes:
        model: The robot.
        random: What it all hangs on.
        world: World that the robot is in.
        home: Where its base begins, x and y [m].
    """

    model: RobotModel
    random: np.random.Generator
    world: str
    home: np.ndarray

    def draw(self, snapshot: Snapshot) -> Sequence[Step]:
        """Draw something to do in the mode in charge."""
        acts: dict[str, tuple[Callable[[Snapshot], Sequence[Step]], ...]] = {
            "bracing": (
                self._drag, self._drag, self._lean, self._lean, self._brace, self._brace, self._push, self._press,
                self._lift, self._turn_over, self._request_preview,
            ),
            "walking": (self._walk, self._walk, self._walk, self._stray, self._drag, self._request_preview),
            "motions": (self._play, self._play, self._play, self._press, self._request_preview),
            "whole-body": (self._follow, self._follow, self._follow, self._press, self._request_preview),
        }  # fmt: skip
        chosen = acts[snapshot.mode]
        return chosen[int(self.random.integers(len(chosen)))](snapshot)

    def release_all(self) -> tuple[Step, ...]:
        """Release everything, and bring both hands back to rest."""
        at_rest = [act for side in SIDES for act in (release(side), stick(side, 0.0, 0.0), trigger(side, 0.0))]
        return (together(*at_rest), together(*(_return_hand(side) for side in SIDES)))

    def select(self, side: Side, name: str, snapshot: Snapshot) -> tuple[Step, ...]:
        """Take an effector under a side's command."""
        order = [self.model.effectors[e].name for e in list_effectors(self.model, side).effectors]
        now = (snapshot.left if side == "left" else snapshot.right).effector
        if name not in order or now not in order:
            return ()
        return tuple(select_next(side) for _ in range((order.index(name) - order.index(now)) % len(order)))

    @cached_property
    def _wall(self) -> float:
        return find_wall(load_world(self.world))

    def has_room(self, snapshot: Snapshot) -> bool:
        """Whether a robot that follows a person who bends and reaches stays clear of the wall."""
        reference = snapshot.reference
        hands, body = float(reference.effector_poses[:, 0, 3].max()), float(reference.position_com_in_world[0])
        return hands < self._wall - NEAR_WALL and body < self._wall - BENDING * float(self.model.q_nominal[2])

    def lean_to_middle(self) -> Step:
        """Bring the centre of mass over the middle of the feet with the stick."""
        feet = [k for k, effector in enumerate(self.model.effectors) if effector.standing]

        def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
            if snapshot is None:
                return Beat(hands, False)
            reference = snapshot.reference
            off = reference.effector_poses[feet, :2, 3].mean(axis=0) - reference.position_com_in_world[:2]
            distance = float(np.linalg.norm(off))
            over = distance < 0.01 or now - begun > SWITCHING
            push = np.zeros(2) if over else np.array([-off[1], off[0]]) / distance
            return Beat(hands.change("left", stick=push), over)

        return step

    def walk_to(self, goal: np.ndarray, yaw: float, longest: float) -> Step:
        """Walk to a position by the snapshots, and no part of the robot near the wall."""
        gait = gait_of(self.model)

        def step(hands: Hands, begun: float, now: float, snapshot: Snapshot | None) -> Beat:
            if snapshot is None:
                return Beat(hands, False)
            turn = math.remainder(yaw - yaw_of(snapshot.q), 2.0 * math.pi)
            angle = yaw_of(snapshot.q)
            away = goal - snapshot.q[:2]
            ahead = math.cos(angle) * away[0] + math.sin(angle) * away[1]
            left = math.cos(angle) * away[1] - math.sin(angle) * away[0]
            if float(snapshot.reference.effector_poses[:, 0, 3].max()) > self._wall - NEAR_WALL:
                ahead = min(ahead, 0.0)
            arrived = math.hypot(ahead, left) < ARRIVED and abs(turn) < FACED
            if arrived or now - begun > longest:
                return Beat(_centre(hands), True)
            steering = steer(
                gait,
                forward=float(np.clip(0.8 * ahead, -gait.backward_speed, gait.speed)),
                left=float(np.clip(0.8 * left, -gait.sideways_speed, gait.sideways_speed)),
                turn=float(np.clip(turn, -gait.turning_speed, gait.turning_speed)),
            )
            return Beat(steering(hands, begun, now, snapshot).hands, False)

        return step

    def _walk(self, snapshot: Snapshot) -> Sequence[Step]:
        goal = self.home + [self.random.uniform(*span) for span in WALKED]
        if self.random.random() < 0.4:
            goal = self.home
        yaw = float(self.random.uniform(-0.4, 0.4)) if self.random.random() < 0.5 else 0.0
        walking = self.walk_to(goal, yaw, float(self.random.uniform(3.0, 15.0)))
        if self.random.random() < 0.5:
            return (walking,)
        side = self._side()
        motion = self._choose_displacement(side, snapshot)
        return squeeze(side), together(walking, move(side, motion, float(self.random.uniform(0.05, 0.4)))), release(side)

    def _stray(self, snapshot: Snapshot) -> Sequence[Step]:
        """Push the sticks anywhere, several times within a step or once; brought back where that leads away."""
        away = snapshot.q[:2] - self.home
        if not all(low - ASTRAY <= x <= high + ASTRAY for x, (low, high) in zip(away, WALKED, strict=True)):
            return (self.walk_to(self.home + np.array([-0.5, 0.0]), 0.0, 20.0),)
        gait, steps = gait_of(self.model), list[Step]()
        for _ in range(int(self.random.integers(1, 6))):
            forward = self.random.uniform(-gait.backward_speed, gait.speed if away[0] < -0.5 else 0.0)
            left = gait.sideways_speed * self.random.uniform(-1.0, 1.0)
            steps.append(steer(gait, forward=forward, left=left, turn=gait.turning_speed * self.random.uniform(-1.0, 1.0)))
            steps.append(wait(min(1.0, float(self.random.exponential(0.4)))))
        return (*steps, together(*(stick(side, 0.0, 0.0) for side in SIDES)))

    def _drag(self, snapshot: Snapshot) -> Sequence[Step]:
        side = self._side()
        motion = move(side, self._choose_displacement(side, snapshot), float(self.random.uniform(0.05, 0.8)))
        ends = (release(side), _return_hand(side)) if self.random.random() < 0.8 else (wait(1.0),)
        hand = self.model.effector_of_hand(side)
        taken = () if hand is None else self.select(side, self.model.effectors[hand].name, snapshot)
        return release(side), *taken, squeeze(side), motion, wait(float(self.random.uniform(0.0, 1.0))), *ends

    def _lean(self, _snapshot: Snapshot) -> Sequence[Step]:
        right, ahead = self.random.uniform(-1.0, 1.0, 2)
        if self.random.random() < 0.3:
            return (push_stick("right", 0.5 * right, ahead, float(self.random.uniform(0.2, 1.5))),)
        return (push_stick("left", right, ahead, float(self.random.uniform(0.2, 2.0))),)

    def _brace(self, snapshot: Snapshot) -> Sequence[Step]:
        """Bring a hand to the wall where one is near, its gripper closed, and load it; release one that is in contact."""
        side = self._side()
        hand = find_hands(self.model)[side]
        name, pose = self.model.effectors[hand].name, snapshot.reference.effector_poses[hand]
        taken = release(side), *self.select(side, name, snapshot), *self._close(side, snapshot)
        if snapshot.reference.contacts[hand]:
            return (*taken, press(side, "primary"), contact_is(side, "free", SWITCHING), wait(0.2))
        gap = self._wall - self.model.effectors[hand].radius - float(pose[0, 3]) - CLEARANCE
        if not 0.0 < gap < WITHIN_REACH or abs(yaw_of(snapshot.q)) > 0.3:
            return self._drag(snapshot)
        turn = compute_turn_to_face(pose, (-1.0, 0.0, 0.0))
        come = squeeze(side), move(side, (gap, 0.0, 0.0), 0.15, turn), wait(0.5), release(side), wait(0.4), _return_hand(side)
        return (*taken, *come, press(side, "primary"), contact_is(side, "loaded", SWITCHING))

    def _close(self, side: Side, snapshot: Snapshot) -> tuple[Step, ...]:
        """Close the gripper of a hand where it is open, as after a trigger that was pulled to push while the hand was free."""
        # Strict it cannot be: a robot that measures no closings has none here, and counts as closed.
        closings = dict(zip(self.model.gripper_hands, snapshot.gripper_closings.tolist(), strict=False))
        if closings.get(find_hands(self.model)[side], 1.0) >= TIP_CLOSED:
            return ()
        # The clutch is opened first: a trigger that is let go then opens nothing.
        return squeeze(side), trigger(side, 1.0, 1.0), wait(CLOSING), release(side), trigger(side, 0.0)

    def _push(self, _snapshot: Snapshot) -> Sequence[Step]:
        side = self._side()
        force = float(self.random.uniform(0.0, 1.0))
        return (
            squeeze(side), trigger(side, force, 1.0), wait(float(self.random.uniform(0.0, 1.5))), trigger(side, 0.0, 0.5),
            release(side), _return_hand(side),
        )  # fmt: skip

    def _press(self, _snapshot: Snapshot) -> Sequence[Step]:
        button = "primary" if self.random.random() < 0.5 else "secondary"
        held = float(self.random.choice([0.1, 0.1, HELD]))
        return press(self._side(), "primary" if button == "primary" else "secondary", held), wait(0.3)

    def _lift(self, snapshot: Snapshot) -> Sequence[Step]:
        """Unload a foot, lift it, put it back about where it was; now and then it is left in the air."""
        side = self._side()
        foot = next((k for k in list_effectors(self.model, side).effectors if self.model.effectors[k].is_foot), None)
        if foot is None:
            return ()
        taken = release(side), *self.select(side, self.model.effectors[foot].name, snapshot)
        if not snapshot.reference.contacts[foot]:
            return (*taken, press(side, "primary"), contact_is(side, "loaded", SWITCHING))
        up: Vector = tuple((np.array([0.0, 0.0, 0.05]) + self.random.uniform(-0.03, 0.03, 3)).tolist())
        down: Vector = (-up[0], -up[1], -up[2] + 0.02)
        begin = *taken, press(side, "primary"), contact_is(side, "free", SWITCHING), wait(0.2)
        lift = squeeze(side), move(side, up, 0.05), wait(1.0)
        if self.random.random() < 0.3:
            return (*begin, *lift, release(side), _return_hand(side))
        lower = move(side, down, 0.05), wait(1.0), release(side), wait(0.4), _return_hand(side)
        return (*begin, *lift, *lower, press(side, "primary"), contact_is(side, "loaded", SWITCHING))

    def _turn_over(self, snapshot: Snapshot) -> Sequence[Step]:
        names = [toggle.name for toggle in snapshot.report.toggles]
        return (ask(f"switch:{self.random.choice(names)}"),) if names else ()

    def _request_preview(self, snapshot: Snapshot) -> Sequence[Step]:
        return ask(f"preview:{self.random.choice([mode.name for mode in snapshot.modes])}"), wait(0.5)

    def _play(self, snapshot: Snapshot) -> Sequence[Step]:
        if any(switch.on for switch in snapshot.report.toggles):
            return wait(float(self.random.uniform(0.5, 3.0))), press(self._side(), "secondary", self._hold())
        played = ask(f"switch:{self.random.choice([switch.name for switch in snapshot.report.toggles])}")
        after = wait(float(self.random.uniform(0.5, 9.0)))
        if self.random.random() < 0.5:
            return played, after
        return played, after, press(self._side(), "secondary", self._hold()), wait(float(self.random.uniform(0.2, 3.0)))

    def _follow(self, _snapshot: Snapshot) -> Sequence[Step]:
        """Let the robot follow whoever wears the suit, for so long that it may come and do something, or less."""
        side = self._side()
        return (
            squeeze(side),
            wait(float(self.random.uniform(0.2, 15.0))),
            release(side),
            wait(float(self.random.uniform(0.1, 4.0))),
        )

    def _hold(self) -> float:
        return HELD if self.random.random() < 0.3 else 0.1

    def _side(self) -> Side:
        return cast("Side", str(self.random.choice(SIDES)))

    def _choose_displacement(self, side: Side, snapshot: Snapshot) -> Vector:
        """Choose a displacement of a hand that ends about the robot, and not in the wall."""
        hand = find_hands(self.model)[side]
        wall = self._wall - NEAR_WALL
        point = self.random.uniform(*HELD_BOX)
        point[1] *= 1.0 if side == "left" else -1.0
        turn = pin.rpy.rpyToMatrix(0.0, 0.0, yaw_of(snapshot.q))
        goal = turn @ point + [snapshot.q[0], snapshot.q[1], 0.0]
        goal[0] = min(goal[0], wall)
        x, y, z = (goal - snapshot.reference.effector_poses[hand, :3, 3]).tolist()
        return x, y, z


def _return_hand(side: Side) -> Step:
    """Bring the operator's own hand, which moves nothing, back to where it rests."""
    home = resting_hands().of(side).pose

    def step(hands: Hands, begun: float, now: float, _snapshot: Snapshot | None) -> Beat:
        pose = hands.of(side).pose
        if pose is None or home is None or hands.of(side).squeeze > 0.0:
            return Beat(hands, True)
        ratio = min(1.0, (now - begun) / 0.8)
        moved = pin.SE3.Interpolate(pose, home, ratio)
        return Beat(hands.change(side, pose=moved, aim=moved), ratio >= 1.0)

    return step


def _centre(hands: Hands) -> Hands:
    return hands.change("left", stick=np.zeros(2)).change("right", stick=np.zeros(2))


def wait_for_feet(longest: float) -> Step:
    """Wait until both feet are in contact, and the robot is at rest."""

    def holds(snapshot: Snapshot) -> bool:
        at_rest = float(np.linalg.norm(snapshot.reference.velocity_com_in_world)) < 0.01
        return at_rest and bool(snapshot.reference.contacts[:2].all())

    return wait_until("both feet bear", holds, longest)
