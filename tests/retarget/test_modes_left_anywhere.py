"""No mode leaves a posture that another may not enter: after random walks of the hands, and motions paused anywhere."""

import numpy as np
import pytest

from handhold.app.host.standing import find_standing_posture
from handhold.retarget.bracing.seiko.seiko import Seiko
from handhold.retarget.motions.chart import compute_body_state
from handhold.retarget.motions.errors import CannotStart
from handhold.retarget.motions.loading import load_motion
from handhold.retarget.motions.path import plan_path
from handhold.retarget.motions.player import Player, PlayPhase
from handhold.retarget.walking.posture import PostureFollower, PostureTargets
from handhold.robots.contact import Stance
from handhold.robots.model import load_model
from handhold.robots.qp import DaqpSolver

PERIOD = 2e-3  # [s] of walking
TURNS = 4  # places that each hand is drawn to, one after the other
DRAWN = 1.0  # [s] to each
TORQUE = 1e-2  # [Nm] past the limit: rounding of a soft row
FREE = slice(12, None)  # Talos' joints that carry no foot
MOTIONS = ("feet-apart", "squat", "wave")
PAUSES = 3


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def project_to_equilibrium(talos, q):
    seiko = Seiko(talos, Stance.of_reference(talos, (0, 1)), q, DaqpSolver())
    seiko.project_to_equilibrium()
    return seiko


def stand_still(follower):
    """Return targets for feet and centre of mass that stay where they are."""
    return PostureTargets(
        com=follower.kinematics.position_com_in_world.copy(),
        com_velocity=np.zeros(3),
        effectors=(0, 1),
        poses=follower.kinematics.poses[:2].copy(),
        velocities=np.zeros((2, 6)),
        yaw=0.0,
        yaw_rate=0.0,
        hands={},
    )


def draw_hands(talos, random, q):
    """Draw both hands to places within and beyond their reach, as an operator of a walking robot does."""
    follower = PostureFollower(talos, q, DaqpSolver())
    feet, com = follower.kinematics.poses[:2].copy(), follower.kinematics.position_com_in_world.copy()
    start, worst = follower.kinematics.poses.copy(), 0.0
    for _ in range(TURNS):
        hands = {hand: start[hand].copy() for hand in (2, 3)}
        for pose in hands.values():
            pose[:3, 3] += random.uniform([-0.2, -0.5, -0.3], [0.7, 0.5, 0.6])
        targets = PostureTargets(
            com=com,
            com_velocity=np.zeros(3),
            effectors=(0, 1),
            poses=feet,
            velocities=np.zeros((2, 6)),
            yaw=0.0,
            yaw_rate=0.0,
            hands=hands,
        )
        for _ in range(round(DRAWN / PERIOD)):
            follower.step(targets, PERIOD)
            worst = max(worst, float((np.abs(follower.gravity[6:]) - talos.torque_limits)[FREE].max()))
    return follower, worst


@pytest.mark.parametrize("seed", range(6))
def test_wherever_hands_are_drawn_while_walking_bracing_can_be_entered(talos, seed):
    random = np.random.default_rng(seed)
    follower, worst = draw_hands(talos, random, find_standing_posture(talos))
    assert follower.failures == 0
    assert worst < TORQUE
    seiko = project_to_equilibrium(talos, follower.q)
    # Nothing but what walking does not know of (legs, hands of the soles' forces) has to move.
    assert np.abs(seiko.q[7:] - follower.q[7:]).max() < 0.05  # [rad]


def test_arms_past_their_torques_come_back_while_walking(talos):
    q = find_standing_posture(talos)
    shoulder = 7 + talos.joint_names.index("arm_left_2_joint")
    elbow = 7 + talos.joint_names.index("arm_left_4_joint")
    q[shoulder], q[elbow] = 1.3, -0.1
    follower = PostureFollower(talos, q, DaqpSolver())
    excess = [float((np.abs(follower.gravity[6:]) - talos.torque_limits)[FREE].max())]
    targets = stand_still(follower)
    speeds = []
    for _ in range(2000):
        follower.step(targets, PERIOD)
        speeds.append(float(np.abs(follower.v[6:][FREE]).max()))
        excess.append(float((np.abs(follower.gravity[6:]) - talos.torque_limits)[FREE].max()))
    assert excess[0] > 1.0
    assert excess[-1] < TORQUE
    assert follower.failures == 0
    assert max(speeds) < 1.5  # [rad/s] it takes its time


def test_a_trunk_that_is_bent_when_walking_begins_is_brought_upright_gently(talos):
    """At the gain of small errors the trunk would turn by 8 rad/s, which threw a Talos over."""
    q, bent = find_standing_posture(talos), 0.4
    q[3:7] = 0.0, np.sin(0.5 * bent), 0.0, np.cos(0.5 * bent)
    for name in ("leg_left_3_joint", "leg_right_3_joint"):
        q[7 + talos.joint_names.index(name)] -= bent
    follower = PostureFollower(talos, q, DaqpSolver())
    targets = stand_still(follower)
    speeds = []
    for _ in range(1000):
        follower.step(targets, PERIOD)
        speeds.append(float(np.linalg.norm(follower.v[3:6])))
    assert max(speeds) < 0.6  # [rad/s]
    assert 2.0 * np.linalg.norm(follower.q[3:6]) < 0.02  # [rad] upright again
    assert follower.failures == 0


@pytest.mark.parametrize("name", MOTIONS)
def test_wherever_a_motion_leaves_for_another_mode_bracing_can_be_entered(talos, name):
    random, checked = np.random.default_rng(3), load_motion(name, talos)
    for _ in range(PAUSES):
        follower, _ = draw_hands(talos, random, find_standing_posture(talos))
        q = project_to_equilibrium(talos, follower.q).q
        try:
            path = plan_path(checked, talos, q, talos.effector_poses(q))
        except CannotStart:
            # Arms too far from where it begins: the mode says so and plays nothing.
            continue
        player = Player(path)
        player.desired_direction = 1
        leaves_at = float(random.uniform(path.start, path.end))
        while player.path_time < leaves_at and not player.finished:
            player.step(PERIOD)
        player.desired_direction, player.full_support = 0, True
        state = player.step(PERIOD)
        while player.phase is not PlayPhase.AT_REST:
            state = player.step(PERIOD)
        bearing = checked.motion.list_supporting(max(player.path_time, 0.0))
        assert {"left_foot", "right_foot"} <= set(bearing)
        project_to_equilibrium(talos, compute_body_state(state, path.frame).q)
