"""From a motion that plays to what the whole-body controller tracks."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from handhold.retarget.motions.body import MovingBody
from handhold.retarget.motions.chart import BodyState, ChartState, compute_body_state, compute_coordinates
from handhold.retarget.motions.force_distribution import ForceDistribution
from handhold.retarget.motions.loading import CheckedMotion
from handhold.retarget.motions.path import MotionPath, compute_blend, plan_path
from handhold.retarget.motions.player import Player, Playing
from handhold.retarget.motions.stance_tracking import Footing, measure_off, shift_pose
from handhold.robots.contact import compute_sole_corners
from handhold.robots.kinematics import EffectorKinematics
from handhold.robots.model import RobotModel
from handhold.robots.polygon import compute_convex_hull
from handhold.robots.reference import Reference
from handhold.robots.robot import RobotState

LATE = 0.04
"""How long a foot that should bear may be unfelt before the motion stops for it [s]: on level ground it takes milliseconds."""


class Performer:
    """Holds a robot where it is, plays a motion from there, holds it where that ends.

    A foot that finds no ground where it should is waited for, and the motion called off where it finds none at all.

    Attributes:
        player: The player of the motion that was started last; None before any.
    """

    def __init__(self, model: RobotModel) -> None:
        self._model = model
        self._measured, self._body = EffectorKinematics(model), MovingBody(model)
        self._forces = ForceDistribution(model)
        self._standing = [place for place, effector in enumerate(model.effectors) if effector.standing]
        self.player: Player | None = None
        # Which way the motion went before it stopped for a foot; 0 where it waits for none.
        self._way_after_wait = 0

    @property
    def waiting(self) -> bool:
        """Whether a motion has stopped for a foot and goes on by itself."""
        return self._way_after_wait != 0

    def pause(self) -> None:
        """Let a motion stop at the next place where it may."""
        self._ask(0)

    def go_on(self) -> None:
        """Let a motion go on."""
        self._ask(1)

    def run_back(self) -> None:
        """Let a motion go back to where it began."""
        self._ask(-1)

    def leave(self) -> None:
        """Let a motion stop at the next place where it may and stands on all that the robot stands on."""
        self._ask(0)
        if self.player is not None:
            self.player.on_all = True

    def _ask(self, way: int) -> None:
        self._way_after_wait = 0
        if self.player is not None:
            self.player.wanted, self.player.on_all = way, False

    @property
    def moving(self) -> bool:
        """Whether a motion moves the robot, or waits for a foot to do so."""
        return self.waiting or (self.player is not None and self.player.doing is not Playing.RESTING)

    @property
    def bearing(self) -> np.ndarray:
        """Which effectors bear, shape ``(effectors,)``, bool."""
        return np.array([footing.bears for footing in self._footings])

    @property
    def stands(self) -> bool:
        """Whether it is at rest on all that the robot stands on."""
        resting = self.player is None or self.player.doing is Playing.RESTING
        return resting and bool(self.bearing[self._standing].all())

    @property
    def planned_poses(self) -> np.ndarray:
        """Where the motion itself has the effectors now, wherever feet have landed, shape ``(effectors, 4, 4)``."""
        return self._body.poses.copy()

    def find_configuration(self) -> np.ndarray:
        """Return the configuration that is held now, shape ``(nq,)``."""
        return compute_body_state(self._held, self._ground).q

    @property
    def missed(self) -> tuple[str, ...]:
        """Names of the effectors that should bear and find no ground."""
        return tuple(
            effector.name for effector, footing in zip(self._model.effectors, self._footings, strict=True) if footing.missed
        )

    def enter(self, state: RobotState, q: np.ndarray) -> Reference:
        """Take charge of a robot that stands: hold it in configuration ``q``, shape ``(nq,)``, where it is about."""
        self.player, self._way_after_wait = None, 0
        self._ground = pin.SE3.Identity()
        self._held = ChartState.at_rest(compute_coordinates(q, self._ground))
        self._footings = [Footing() for _ in self._model.effectors]
        self._stand(state)
        still = np.zeros(self._model.nv)
        borne = self._forces.solve(BodyState(q=q, v=still, a=still), dict.fromkeys(self._standing, 1.0))
        # What bears the posture that is held, and goes over to what bears the motion.
        self._wrenches, self._torques = borne.wrenches, borne.torques
        self._corners: tuple[bytes, np.ndarray] = (b"", np.zeros((0, 2)))
        return self._describe(compute_body_state(self._held, self._ground), state.time)

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
        self._held = ChartState.at_rest(compute_coordinates(q, path.frame))
        self._stand(state)
        self.player = Player(path)
        self.go_on()

    def _stand(self, state: RobotState) -> None:
        """Let the feet bear where they are measured."""
        self._measured.update(state.q)
        self._body.update(compute_body_state(self._held, self._ground))
        for foot in self._standing:
            self._footings[foot].stand(measure_off(self._measured.poses[foot], self._body.poses[foot]))

    def step(self, state: RobotState, dt: float) -> Reference:
        """Go on by ``dt``."""
        if self.player is not None:
            self._held = self.player.step(dt)
        body = compute_body_state(self._held, self._ground)
        self._body.update(body)
        self._feel(state, dt)
        return self._describe(body, state.time)

    def _feel(self, state: RobotState, dt: float) -> None:
        if self.player is None:
            return
        motion, place = self.player.path.checked.motion, self.player.place
        bearing = motion.list_bearing(max(place, 0.0))
        self._measured.update(state.q)
        for k, (effector, footing) in enumerate(zip(self._model.effectors, self._footings, strict=True)):
            off = measure_off(self._measured.poses[k], self._body.poses[k])
            footing.step(effector.name in bearing, float(state.contact_wrenches[k, 2]), off, dt)
        self._wait_for_feet(self.player)

    def _wait_for_feet(self, player: Player) -> None:
        late = any(footing.late > LATE for footing in self._footings)
        if not late:
            if self.waiting:
                self._ask(self._way_after_wait)
        elif self.missed and (player.wanted or self._way_after_wait) > 0:
            self.run_back()
        elif player.wanted and not (self.missed and player.wanted < 0):
            self._way_after_wait, player.wanted = player.wanted, 0

    def _find_loads(self) -> tuple[np.ndarray, np.ndarray]:
        """Return wrenches and torques; on the way to a motion's beginning they go over from those of before."""
        if self.player is None:
            return self._wrenches, self._torques
        path: MotionPath = self.player.path
        wrenches, torques = path.find_wrenches(self.player.place)
        if self.player.place >= 0.0:
            return wrenches, torques
        left = compute_blend((self.player.place - path.start) / -path.start)[0]
        return wrenches + left * (self._wrenches - wrenches), torques + left * (self._torques - torques)

    def _describe(self, body: BodyState, time: float) -> Reference:
        poses, velocities, accelerations = self._place_effectors()
        contacts = self.bearing
        wrenches, torques = self._find_loads()
        return Reference(
            time=time,
            q=body.q,
            v=body.v,
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
        for k, footing in enumerate(self._footings):
            if self._model.effectors[k].is_foot:
                shift, speed, gain = footing.find_shift()
                poses[k] = shift_pose(poses[k], shift)
                velocities[k] += speed
                accelerations[k] += gain
            else:
                # A hand is drawn to its pose, it does not swing.
                accelerations[k] = 0.0
        return poses, velocities, accelerations

    def _find_polygon(self, poses: np.ndarray, contacts: np.ndarray) -> np.ndarray:
        """Return the hull of the soles that bear, inside their edges; computed when what bears changes."""
        key = contacts.tobytes()
        if key != self._corners[0]:
            inset, points = self._model.description.margins.controller, []
            for k in np.flatnonzero(contacts):
                half_lengths = self._model.effectors[k].half_lengths
                corners = np.zeros((1, 3)) if half_lengths is None else compute_sole_corners(half_lengths, inset)
                points.append((corners @ poses[k, :3, :3].T + poses[k, :3, 3])[:, :2])
            self._corners = (key, compute_convex_hull(np.concatenate(points)) if points else np.zeros((0, 2)))
        return self._corners[1]
