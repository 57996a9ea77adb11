"""Parameters of walking beyond what the robot's description says, in one place, with units."""

from __future__ import annotations

from dataclasses import dataclass, field

from handhold.retarget.walking.mpc import MpcParameters


@dataclass(frozen=True, slots=True, kw_only=True)
class GaitParameters:
    """How the gait is planned, and how measured forces of the feet are interpreted.

    Attributes:
        mpc: Weights and tail of the predictive control.
        cells: Cells of its horizon.
        beyond: Cells after it that the anticipative tail covers.
        steps: Footsteps among its variables.
        period: Time from one solution to the next [s].
        pushed_period: The same while the robot is pushed from its plan [s].
        tracking_ratio: Distance of the measured divergent component from the planned one up to which the plan stays, in
            parts of what the ZMP is planned inside the soles' edges [-]: by so much the controller's ZMP may leave the plan's.
        max_shortened_cells: By how many cells at most a swing is shortened where footsteps in the usual time hold nothing [-].
        min_remaining_time: Least time that a swing foot is left to come to its foothold [s].
        touch_ratio: Part of the weight from which on a foot has touched [-].
        noise_ratio: How much more than the standard deviation of the measured force that must be at least [-].
        lift_off_ratio: Largest part of the weight on a foot that may be lifted [-]: after a push balance may still need it.
        touch_phase: Part of the swing before which no touch counts [-].
        low: Height above the ground it is on its way to up to which a foot that is pressed has touched at once, as a part of
            the height that it is lifted to [-]: there it bounces, and the load must come onto it in time.
        obstacle_time: How long it must be pressed higher up to have touched something that it can stand on [s]: what only
            brushes it on its way is over sooner.
        swing_acceleration: Largest acceleration that a plan adds along an axis, to bring a foot in the air to another footstep
            than it is on its way to [m/s^2].
        freeze_time: Time before the touch from which a footstep does not change any more [s].
        decision_phase: Part of the swing up to which a stop makes this footstep the last, if it can be [-].
        brisk: Part of the longest step from which on one does not end the walk at once, whatever the swing [-].
        steady: How much less must be left undone for a walk to end otherwise than planned, where nothing holds [m].
        level: Distance along the foot from being level with the other up to which a walk may end [m].
        max_search_depth: How far below where the ground was expected a foot goes on feeling for it [m].
        follow: Time constant with which feet in contact are taken for where they are measured [s].
        line_filter: Time constant with which the line that the robot walks along is forgotten, beside which ground has put its
            feet [s].
        ground_filter: Time constant with which the centre of mass follows the height of the feet [s].
    """

    mpc: MpcParameters = field(default_factory=MpcParameters)
    cells: int = 20
    beyond: int = 20
    steps: int = 4
    period: float = 0.05
    pushed_period: float = 0.02
    tracking_ratio: float = 0.5
    max_shortened_cells: int = 2
    min_remaining_time: float = 0.2
    touch_ratio: float = 0.017
    noise_ratio: float = 5.0
    lift_off_ratio: float = 0.17
    touch_phase: float = 0.6
    low: float = 0.3
    obstacle_time: float = 0.02
    swing_acceleration: float = 12.0
    freeze_time: float = 0.1
    decision_phase: float = 0.4
    brisk: float = 0.64
    steady: float = 0.005
    level: float = 0.02
    max_search_depth: float = 0.06
    follow: float = 0.2
    line_filter: float = 4.0
    ground_filter: float = 0.3
