"""From a motion that plays to what the whole-body controller tracks."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.least_jerk import compute_remainder
from handhold.retarget.motions.body import MovingBody
from handhold.retarget.motions.chart import BodyState, ChartState, compute_body_state, compute_coordinates, shift_base
from handhold.retarget.motions.force_distribution import ForceDistribution
from handhold.retarget.motions.leg_placement import FootTarget, LegPlacement
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.path import MotionPath, plan_path
from handhold.retarget.motions.player import Player, PlayPhase
from handhold.retarget.motions.stance_shift import compute_stance_shift
from handhold.retarget.motions.stance_tracking import ContactTracker, FootPoses, shift_pose
from handhold.robots.contact import compute_sole_corners
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_convex_hull
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

BIPED = 2
"""How many feet a robot has whose body goes along with where they stand; another's keeps to the motion."""

LATE_CONTACT_TIME = 0.04
"""How long a foot that should support may be unloaded before the motion stops [s]: on level ground it takes milliseconds."""


class Performer:
    """Holds a robot where it is, plays a motion from there, holds it where that ends.

    Feet that bear stay where they stand, wherever the motion has them (see ``stance_tracking``); legs reach for them, and the
    body goes along (see ``stance_shift``).
    A foot that finds no ground where it should is waited for, and the motion cancelled where it finds none at all.

    Attributes:
        player: The player of the motion that was started last; None before any.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._measured = EffectorKinematics(model)
        # The motion's own body, and that of the reference: its legs reach for the footholds.
        self._planned, self._body = MovingBody(model), MovingBody(model)
        self._legs = LegPlacement(model)
        self._feet = [index for index, effector in enumerate(model.effectors) if effector.is_foot]
        self._forces = ForceDistribution(model)
        self._standing = [index for index, effector in enumerate(model.effectors) if effector.standing]
        self.player: Player | None = None
        # Direction of the motion before it stopped for a foot; 0 where it waits for none.
        self._direction_after_wait = 0

    @property
    def waiting(self) -> bool:
        """Whether a motion has stopped for a foot and goes on by itself."""
        return self._direction_after_wait != 0

    def pause(self) -> None:
        """Let a motion stop at the next sample where it may."""
        self._ask(0)

    def go_on(self) -> None:
        """Let a motion go on."""
        self._ask(1)

    def run_back(self) -> None:
        """Let a motion go back to where it began."""
        self._ask(-1)

    def leave(self) -> None:
        """Let a motion stop at the next sample where it may and all feet support."""
        self._ask(0)
        if self.player is not None:
            self.player.full_support = True

    def _ask(self, direction: int) -> None:
        self._direction_after_wait = 0
        if self.player is not None:
            self.player.desired_direction, self.player.full_support = direction, False

    @property
    def moving(self) -> bool:
        """Whether a motion moves the robot, or waits for a foot to do so, or its posture comes to where its feet stand."""
        settling = any(self._trackers[foot].settling for foot in self._feet)
        return self.waiting or settling or (self.player is not None and self.player.phase is not PlayPhase.AT_REST)

    @property
    def in_contact(self) -> np.ndarray:
        """Which effectors are in contact, shape ``(effectors,)``, bool."""
        return np.array([tracker.in_contact for tracker in self._trackers])

    @property
    def at_rest(self) -> bool:
        """Whether it is at rest on all that the robot stands on."""
        resting = self.player is None or self.player.phase is PlayPhase.AT_REST
        return resting and bool(self.in_contact[self._standing].all())

    @property
    def planned_poses(self) -> np.ndarray:
        """Where the motion itself has the effectors now, wherever feet have landed, shape ``(effectors, 4, 4)``."""
        return self._planned.poses.copy()

    def find_configuration(self) -> np.ndarray:
        """Return the configuration that is held now, shape ``(nq,)``."""
        return self._state.q.copy()

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the effectors that should support and find no ground."""
        return tuple(
            effector.name for effector, tracker in zip(self._model.effectors, self._trackers, strict=True) if tracker.missed
        )

    def enter(self, state: RobotState, q: np.ndarray) -> Reference:
        """Take charge of a robot that stands: hold it in configuration ``q``, shape ``(nq,)``, where it is about."""
        self.player, self._direction_after_wait = None, 0
        self._ground = pin.SE3.Identity()
        self._trackers = [ContactTracker() for _ in self._model.effectors]
        self._hold(q, state)
        zero = np.zeros(self._model.nv)
        distribution = self._forces.solve(BodyState(q=q, v=zero, a=zero), dict.fromkeys(self._standing, 1.0))
        # Forces of the posture that is held, which go over to those of the motion.
        self._wrenches, self._torques = distribution.wrenches, distribution.torques
        self._corners: tuple[bytes, np.ndarray] = (b"", np.zeros((0, 2)))
        return self._describe(state.time)

    def start(self, checked: CheckedMotion, state: RobotState) -> None:
        """Begin a motion from the posture that is held.

        Raises:
            CannotStart: The robot is too far from where it begins.
        """
        self._measured.update(state.q)
        q = self.find_configuration()
        path = plan_path(checked, self._model, q, self._measured.poses)
        self._wrenches, self._torques = self._find_loads()
        self._ground = path.frame
        self._hold(q, state)
        self.player = Player(path)
        self.go_on()

    def _hold(self, q: np.ndarray, state: RobotState) -> None:
        """Hold a configuration; the feet support where they are measured, and it comes there."""
        self._held = ChartState.at_rest(compute_coordinates(q, self._ground))
        self._state = compute_body_state(self._held, self._ground)
        self._measured.update(state.q)
        self._body.update(self._state)
        self._planned.update(self._state)
        self._legs.reset()
        for foot in self._standing:
            self._trackers[foot].touch_down(self._measured.poses[foot], self._body.poses[foot])

    def step(self, state: RobotState, dt: float) -> Reference:
        """Go on by ``dt``."""
        if self.player is not None:
            self._held = self.player.step(dt)
        self._update_body()
        self._update_contacts(state, dt)
        return self._describe(state.time)

    def _update_body(self) -> None:
        """Let the posture be the motion's, over the footholds and with legs that reach for them."""
        planned = self._planned
        motion_state = compute_body_state(self._held, self._ground)
        planned.update(motion_state)
        targets, displacements = {}, []
        for foot in self._feet:
            pose, velocity, acceleration = planned.poses[foot], planned.velocities[foot], planned.accelerations[foot]
            shift = self._trackers[foot].find_displacement(pose, velocity, acceleration)
            targets[foot] = FootTarget(
                pose=shift_pose(pose, shift.value),
                velocity=velocity + shift.rate,
                acceleration=acceleration + shift.acceleration,
            )
            displacements.append([shift.value[:3], shift.rate[:3], shift.acceleration[:3]])
        if len(displacements) == BIPED:
            motion_state = shift_base(
                motion_state, compute_stance_shift(planned.com, self._list_feet(), np.array(displacements))
            )
        self._state = self._legs.place(motion_state, targets)
        self._body.update(self._state)

    def _list_feet(self) -> np.ndarray:
        """Return the positions of the motion's feet, their velocities and accelerations, shape ``(feet, 3, 3)``."""
        planned = self._planned
        moved = [(planned.poses[k, :3, 3], planned.velocities[k, :3], planned.accelerations[k, :3]) for k in self._feet]
        return np.array(moved)

    def _update_contacts(self, state: RobotState, dt: float) -> None:
        if self.player is None:
            return
        motion, path_time = self.player.path.checked.motion, self.player.path_time
        in_contact = motion.list_supporting(max(path_time, 0.0))
        self._measured.update(state.q)
        for k, (effector, tracker) in enumerate(zip(self._model.effectors, self._trackers, strict=True)):
            poses = FootPoses(measured=self._measured.poses[k], reference=self._body.poses[k], planned=self._planned.poses[k])
            tracker.step(effector.name in in_contact, float(state.contact_wrenches[k, 2]), poses, dt)
        self._wait_for_feet(self.player)

    def _wait_for_feet(self, player: Player) -> None:
        late = any(tracker.late > LATE_CONTACT_TIME for tracker in self._trackers)
        if not late:
            if self.waiting:
                self._ask(self._direction_after_wait)
        elif self.missed and (player.desired_direction or self._direction_after_wait) > 0:
            self.run_back()
        elif player.desired_direction and not (self.missed and player.desired_direction < 0):
            self._direction_after_wait, player.desired_direction = player.desired_direction, 0

    def _find_loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Return wrenches and torques; on the way to a motion's beginning they go over from those of before."""
        if self.player is None:
            return self._wrenches, self._torques
        path: MotionPath = self.player.path
        wrenches, torques = path.find_wrenches(self.player.path_time)
        if self.player.path_time >= 0.0:
            return wrenches, torques
        left = compute_remainder((self.player.path_time - path.start) / -path.start)[0]
        return wrenches + left * (self._wrenches - wrenches), torques + left * (self._torques - torques)

    def _describe(self, time: float) -> Reference:
        poses, velocities, accelerations = self._place_effectors()
        contacts = self.in_contact
        wrenches, torques = self._find_loads()
        return Reference(
            time=time,
            q=self._state.q,
            v=self._state.v,
            joint_torques=torques,
            position_com_in_world=self._body.com[0],
            velocity_com_in_world=self._body.com[1],
            acceleration_com_in_world=self._body.com[2],
            support_polygon=self._find_polygon(poses, contacts),
            effector_poses=poses,
            effector_velocities=velocities,
            contacts=contacts,
            contact_normals=np.tile([0.0, 0.0, 1.0], (len(contacts), 1)),
            contact_wrenches=wrenches,
            effector_accelerations=accelerations,
        )

    def _place_effectors(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return poses, velocities and accelerations of all effectors, feet where they really are or are going to."""
        body = self._body
        poses, velocities, accelerations = body.poses.copy(), body.velocities.copy(), body.accelerations.copy()
        for k, tracker in enumerate(self._trackers):
            if self._model.effectors[k].is_foot:
                poses[k], velocities[k], accelerations[k] = self._place_foot(k, tracker)
            else:
                # A hand is drawn to its pose, it does not swing.
                accelerations[k] = 0.0
        return poses, velocities, accelerations

    def _place_foot(self, k: int, tracker: ContactTracker) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return pose, velocity and acceleration that the controller is told of a foot."""
        if tracker.in_contact:
            return tracker.contact_pose, np.zeros(6), np.zeros(6)
        body, offset = self._body, tracker.find_offset()
        pose = shift_pose(body.poses[k], offset.value)
        return pose, body.velocities[k] + offset.rate, body.accelerations[k] + offset.acceleration

    def _find_polygon(self, poses: np.ndarray, contacts: np.ndarray) -> np.ndarray:
        """Return the hull of the soles in contact, inside their edges; computed when the contacts change."""
        key = contacts.tobytes()
        if key != self._corners[0]:
            inset, points = self._model.description.margins.controller, []
            for k in np.flatnonzero(contacts):
                half_lengths = self._model.effectors[k].half_lengths
                corners = np.zeros((1, 3)) if half_lengths is None else compute_sole_corners(half_lengths, inset)
                points.append((corners @ poses[k, :3, :3].T + poses[k, :3, 3])[:, :2])
            self._corners = (key, compute_convex_hull(np.concatenate(points)) if points else np.zeros((0, 2)))
        return self._corners[1]
