"""Parameters of SEIKO, in one place, with units and sources."""

from __future__ import annotations

from dataclasses import dataclass

from handhold.robots.grasp import NO_PUSH, Load


@dataclass(frozen=True, slots=True, kw_only=True)
class SeikoParameters:
    r"""Weights, clamps and rates of SEIKO, named as in Table I of [Rouxel2022]_ where it has them.

    ``TABLE_I`` holds the paper's own values. The defaults differ, each measured in ``far-reach`` on Talos: ``velocity`` is a
    fifth, ``position_clamp`` is that of the authors' own program (0.72 m reached, 0.5 m of it in 1.8 s; with a quarter of it
    0.57 m, 0.5 m in 4.8 s), ``moment`` is above ``force``, and ``zmp`` and ``force_rate`` are new.

    Attributes:
        velocity: Weight of :math:`\|\Delta\theta\|^2` at 1 kHz; for another period it is scaled by 1 ms / dt, so that motions
            keep their speed.
        posture: Weight of the pull towards the nominal posture [1/rad^2].
        position: Weight of free effectors' positions [1/m^2].
        orientation: Weight of free effectors' orientations [1/rad^2].
        sole_position: The same for free feet: nothing stands against them but the price of posture and torques, which is to
            cost them no more than a tenth of a millimetre.
        sole_orientation: The same for free soles: they are to come down flat (Table I: 1 to 100).
        torque: Weight of the joint torques [1/(Nm)^2].
        force: Weight of contact forces [1/N^2].
        moment: Weight of contact moments about x and y [1/(Nm)^2]; above the paper's value, because it keeps the centre of
            pressure from drifting along the edge of a sole after a reach.
        twist: Weight of contact moments about the normal [1/(Nm)^2] (the paper's 0.01 of the force's).
        com: Weight of a commanded motion of the centre of mass [1/m^2]: high, because it pulls on the step of one period
            where the effectors pull on their whole distance.
        turn: Weight of a commanded turn of the base [1/rad^2], high for the same reason.
        zmp: Weight of the distance between the reference's ZMP and its centre of mass, that is of its acceleration over
            :math:`\omega^2`, at 1 kHz [1/m^2]; scaled by (dt / 1 ms)^2, so that accelerations keep their size. Not the
            paper's: without it a change of the command moves the ZMP from edge to edge.
        foot_speed: Speed of a free foot that its error may ask for [m/s]: at its weight a clamp of 4 cm would have it there in
            one step, and where another leg or a torque is in the way all joints would go from limit to limit.
        posture_clamp: Largest joint error that pulls [rad].
        position_clamp: Largest position error that pulls [m].
        orientation_clamp: Largest orientation error that pulls [rad].
        barrier: Fastest rate at which the distance to a limit may shrink [1/s]; violated limits recover at this rate.
        dcm_scale: On feet alone, part of each sole, about its centre, whose hull must hold the reference's DCM [-];
            its ZMP may use the whole. Scaling the hull itself would leave out where the centre of mass stands on one foot as
            soon as the other is down.
        dcm_inset: The same for a robot on point feet: how far the DCM must stay inside their hull less the reference's margin
            [m].
        min_margin: Margin of the stability region that the DCM keeps while hands are in contact [m] (half of the 4 cm of
            [McCrory2024]_, chosen anew with cones that lie inside the round ones); the ZMP keeps half of it.
        contact_filter: Time constant with which measured contact poses are taken over [s].
        measured_clamp: Largest distance between reference and measured joints [rad].
        max_tilt: Largest tilt of the base [rad]: well within ``MAX_TILT`` of a fall.
        min_height: Minimum height of the base over the feet, in parts of the nominal one [-]: as ``MIN_HEIGHT`` of a fall.
        push: Weight of a commanded normal force [1/N^2].
        push_rate: Fastest change of a normal force that the command asks for, in weights of the robot [1/s]; where nothing
            stands in its way the force follows at this rate, and where it is at a limit it pulls on the posture with no more.
        force_rate: Fastest change of a contact's normal force, in weights of the robot [1/s]: simulated and real robots follow
            no jump of a force.
        grip_barrier: The same for contacts of hands whose object is pushed, and torques meanwhile [1/s]: a push swells within
            tenths of a second.
        push_barrier: The same for torques while a hand or the body is pushed [1/s]: with 10 they overshoot by 2e-6 Nm.
        release: As ``barrier``, for the contact that is being removed [1/s]: its force has to vanish within seconds, but
            more slowly than at the natural frequency of the pendulum, or the DCM would run past where the centre of mass is to
            end.
        unload_rate: Fastest fall of the normal force of the contact that is being removed, in weights of the robot [1/s]: it
            bounds the speed with which the centre of mass shifts, which nothing else would before it has to brake.
        unload_speed: Fastest motion of a joint while a contact is being removed [rad/s]: the force that is to vanish
            outweighs all else, and where it does not go the whole body would swing for it, faster than a quasi-static
            reference may.
        load_speed: Fastest motion of the joints that carry a foot or the trunk while a contact is being loaded, or loaded
            again [rad/s]: where its force is stuck at a limit, its command moves the whole body, and on one foot the other
            leg's swing would tip the robot over, because the reference knows no angular momentum.
        body_speed: Fastest motion of the joints that carry the base and the trunk, at all times [rad/s]: what was held back
            for a while must not come back at the speed of the motors.
        body_acceleration: Fastest growth of those speeds [rad/s^2]: in a corner of the limits one step's best direction may be
            far from the next one's, and a body that starts at once throws itself off its feet, because the reference is an
            equilibrium at rest. Stopping is free.
        free_body_speed: Speed up to which those joints may start at once [rad/s]: contacts and limits are taken back in time.
        external_force: Weight of a measured force on a free effector, or of a load, that is not balanced yet [1/N^2]: a newton
            pulls on hands and posture as the largest error of a hand does. With a hundred times as much an arm whose torques
            were at their limits shook when it was let go.
        body_force: The same of a force on the body. Four times as much: with as little the body leant too late against 60 N on
            Talos' chest that grew in 0.6 s, with ten times as much it swayed, and its estimate with it.
        external_force_rate: Fastest change of what of it is balanced, and of a held object's weight [N/s].
        object_push_rate: The same of a held object's load while somebody pushes it [N/s]: its grip slips before hands do.
        push_eagerness: Part of ``external_force`` that counts for an object's load while somebody pushes it [-]: with all of
            it arms at the limit of a torque moved by 6 cm in 60 ms to where they bear more, and the palms lost the object.
        force_limits: Whether motor torques and contact forces stay inside their limits. Without it the steps are those of the
            velocity inverse kinematics of [McCrory2024]_ (eq. 13), kept balanced by the stability region alone; hands that
            hold an object press with their grip, no more.

    .. [Rouxel2022] Q. Rouxel, K. Yuan, R. Wen, Z. Li, Multicontact Motion Retargeting Using Whole-Body Optimization of Full
        Kinematics and Sequential Force Equilibrium, IEEE/ASME Transactions on Mechatronics, 2022.
    .. [McCrory2024] S. McCrory, R. Orsolino, D. Thanki, L. Penco, R. Griffin, Stability-Aware Retargeting for Humanoid
        Multi-Contact Teleoperation, 2024.
    """

    velocity: float = 2e3
    posture: float = 1.0
    position: float = 1e3
    sole_position: float = 4e5
    orientation: float = 10.0
    sole_orientation: float = 100.0
    torque: float = 1e-5
    force: float = 1e-5
    moment: float = 1e-3
    twist: float = 1e-7
    com: float = 1e7
    turn: float = 1e6
    zmp: float = 0.375
    foot_speed: float = 0.2
    posture_clamp: float = 0.1
    position_clamp: float = 0.04
    orientation_clamp: float = 0.1
    barrier: float = 2.0
    grip_barrier: float = 20.0
    push_barrier: float = 5.0
    dcm_scale: float = 0.8
    dcm_inset: float = 0.03
    min_margin: float = 0.02
    contact_filter: float = 0.5
    measured_clamp: float = 0.3
    max_tilt: float = 0.65
    min_height: float = 0.65
    push: float = 0.5
    push_rate: float = 0.1
    force_rate: float = 0.5
    release: float = 3.0
    unload_rate: float = 0.3
    unload_speed: float = 0.5
    load_speed: float = 0.3
    body_speed: float = 1.0
    body_acceleration: float = 5.0
    free_body_speed: float = 0.1
    external_force: float = 1.0
    body_force: float = 4.0
    external_force_rate: float = 200.0
    object_push_rate: float = 1000.0
    push_eagerness: float = 0.01
    force_limits: bool = True

    def choose_load_rate(self, load: Load) -> float:
        """Choose the fastest change of what is balanced of a held object's load, as it is measured to be [N/s]."""
        return self.external_force_rate if load.push is NO_PUSH else self.object_push_rate


TABLE_I = SeikoParameters(
    velocity=1e4,
    moment=1e-5,
    zmp=0.0,
    position_clamp=0.01,
    sole_position=1e3,
    foot_speed=float("inf"),
    force_rate=float("inf"),
)
"""The paper's Table I; its orientation weight is a range (1 to 100), its wrench weight 1e-5 for all but the twist."""

VELOCITY_IK = SeikoParameters(force_limits=False)
"""The velocity inverse kinematics of [McCrory2024]_, for comparison: forces are found, but not limited."""
