"""Contact establishment: approach, touch, load where it was measured; and what becomes of the contact."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from handhold.retarget.bracing.contacts.contact_making_parameters import ContactMakingParameters
from handhold.retarget.bracing.contacts.contact_phase import ContactDemand, ContactPhase
from handhold.retarget.bracing.contacts.sensor_offset import SensorOffset
from handhold.retarget.bracing.contacts.surfaces import SurfaceAhead

_UP = np.array([0.0, 0.0, 1.0])

_MIN_OPPOSING_COSINE = math.cos(math.radians(45.0))
"""Cosine of the largest angle between an approach and what pushes against it [-]: friction takes a part of the force."""


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class EffectorMeasurement:
    """Measurements and commands of one effector in one period.

    Attributes:
        force: Force exerted by the environment on the effector, in world axes, shape ``(3,)`` [N]: a sensor's or an estimate.
        pose: Measured pose of its contact frame in world, shape ``(4, 4)``.
        reference: Pose of its contact frame in the present reference, shape ``(4, 4)``.
        desired: Pose the operator's clutch asks for, shape ``(4, 4)``.
        engaged: Whether the operator's clutch moves it.
        led: Whether somebody leads it: what pushes it is then no sensor's offset, no surface to load and no impact.
        in_contact: Whether the reference counts on the contact (from the first period of adding to the last of removing).
        desired_force: Normal force of the reference [N].
        pressed: Whether the operator has just pressed the contact button; only while not ``in_contact``.
        hold: Whether everything holds: targets and times stand still.
        normal: Outward normal in world of the surface it is in contact with, unit, shape ``(3,)``; None for its frame's z.
        at_edge: Whether what it comes to ends there: it would roll off.
        ahead: The known surface in front of it; None where none is known, or nothing is to be approached.
    """

    force: np.ndarray
    pose: np.ndarray
    reference: np.ndarray
    desired: np.ndarray
    engaged: bool = False
    led: bool = False
    in_contact: bool = False
    desired_force: float = 0.0
    pressed: bool = False
    hold: bool = False
    normal: np.ndarray | None = None
    at_edge: bool = False
    ahead: SurfaceAhead | None = None


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ContactMaking:
    r"""State of the contact establishment of one effector, and of a contact that fails.

    ``free`` -- button --> ``approaching`` -- force --> ``touched`` -- contact added --> ``loaded``. An approach ends in
    ``returning`` where it finds no support; too large a force on a free or approaching effector makes it ``blocked``,
    and so does a touch at an edge; a loaded contact may be ``slipping`` or ``lost``.

    Attributes:
        phase: Where it is.
        target: Pose asked for, shape ``(4, 4)``; None where the operator's own counts (free) or the contact does (loaded).
        start: Where the approach began (approaching, returning), was measured to touch (touched), was stopped (blocked), or
            where the contact was added (loaded and after), shape ``(4, 4)``: ``touched`` asks to add the contact here.
        force: Filtered force exerted by the environment, in world axes, less the bias, shape ``(3,)`` [N].
        bias: What is measured of an effector that moves freely, shape ``(3,)`` [N]: friction in the joints looks like a force.
        noise: Variance of what is measured of one component about the filtered force [N^2]: a sensor's own, and the joints'.
        observed: How long the force has been measured so far [s].
        offset: What its force sensor measures where nothing is.
        tared: Whether the bias is known, or there was no room to find it.
        outward: Direction against which the approach goes, in world, unit, shape ``(3,)``: of the surface that was known in
            front of it at first its normal, for the whole of the approach.
        missed: Why the approach found no support, in words; empty before one has.
        origin: Where it was measured when the approach began, shape ``(3,)`` [m].
        distance: How far the target of an approach has gone [m].
        elapsed: Time spent in the phase [s].
        dwell: How long the condition that ends the phase has been met [s].
        press: How long the operator has been pressing [s].
        offered: Whether the operator presses on something that the contact button would load.
        is_foot: Whether the robot stands on it (see ``ContactMakingParameters``).
        event: What has just happened, in words, in this period only; empty otherwise.
    """

    phase: ContactPhase = ContactPhase.FREE
    target: np.ndarray | None = None
    start: np.ndarray = field(default_factory=lambda: np.eye(4))
    force: np.ndarray = field(default_factory=lambda: np.zeros(3))
    bias: np.ndarray = field(default_factory=lambda: np.zeros(3))
    noise: float = 0.0
    observed: float = 0.0
    offset: SensorOffset = field(default_factory=SensorOffset)
    tared: bool = False
    outward: np.ndarray = field(default_factory=lambda: _UP)
    missed: str = ""
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))
    distance: float = 0.0
    elapsed: float = 0.0
    dwell: float = 0.0
    press: float = 0.0
    offered: bool = False
    is_foot: bool = False
    event: str = ""

    @property
    def demand(self) -> ContactDemand:
        """What the owner of the contacts is to do: add the contact at ``start``, unload it, or hold everything."""
        if self.phase is ContactPhase.TOUCHED:
            return ContactDemand.ADD
        if self.phase in (ContactPhase.SLIPPING, ContactPhase.LOST):
            return ContactDemand.HOLD if self.is_foot else ContactDemand.UNLOAD
        return ContactDemand.NONE

    @property
    def message(self) -> str:
        """Message to the operator while the state lasts; empty when there is none."""
        if self.offered:
            return "press A/X to load"
        if self.phase is ContactPhase.RETURNING:
            return f"{self.missed}: going back"
        return _MESSAGES.get(self.phase, "")

    @property
    def normal(self) -> np.ndarray:
        """Direction of the force, unit, shape ``(3,)``: the surface's outward normal but for friction; zeros without force."""
        size = _measure_length(self.force)
        return self.force / size if size > 0.0 else np.zeros(3)


AT_EDGE = "too near an edge to bear: move it further in"
"""What an approach has come to that ends at an edge."""

NOTHING_THERE, OUT_OF_REACH = "nothing there", "out of reach"
"""What an approach has come to that went all its way, and one that could not."""

TOO_LIGHT = "touching too lightly"
"""What an approach has come to that ends at a surface without pressing on it as a touch does."""

TURN = "turn the "
"""Prefix of the message of a refused approach: by how much the effector is askew to the surface ahead."""

_MESSAGES: dict[ContactPhase, str] = {
    ContactPhase.APPROACHING: "going on until it touches",
    ContactPhase.BLOCKED: "touching something: stopped",
    ContactPhase.SLIPPING: "slipping",
    ContactPhase.LOST: "contact lost",
}


def step_contact_making(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    """Advance the contact establishment by one period; a pure function of its arguments.

    Args:
        state: State after the period before; a new ``ContactMaking()`` at first.
        measurement: What is known of the effector now.
        dt: Length of the period [s].
        parameters: Speeds, forces and times.

    Returns:
        The new state, with the target it asks for.
    """
    gain = dt / (parameters.force_filter + dt)
    offset = _learn_offset(state, measurement, dt, parameters)
    innovation = measurement.force - measurement.pose[:3, :3] @ offset.value - state.bias - state.force
    force = state.force + gain * innovation
    # At first the mean of all there is: what has hardly been measured is not free of noise.
    noise_gain = dt / (min(parameters.noise_filter, state.observed) + dt)
    noise = state.noise + noise_gain * (innovation.dot(innovation) / innovation.size - state.noise)
    elapsed = state.elapsed if measurement.hold else state.elapsed + dt
    state = _begin_period(state, (force, offset, noise, elapsed), dt, is_foot=parameters.is_foot)
    if measurement.in_contact != (state.phase in (ContactPhase.LOADED, ContactPhase.SLIPPING, ContactPhase.LOST)):
        return _switch(state, measurement)
    if measurement.hold:
        # Whatever was on its way stays where it is: coming back moves nothing.
        moving = state.phase in (ContactPhase.APPROACHING, ContactPhase.TOUCHED, ContactPhase.RETURNING)
        return _enter(state, ContactPhase.FREE, "approach stopped", measurement.reference, None) if moving else state
    return _offer(_STEPS[state.phase](state, measurement, dt, parameters), measurement, dt, parameters)


def _learn_offset(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> SensorOffset:
    """Return the sensor's offset: at first the mean of what is measured, then a slow one while it presses nothing.

    At first only where nobody moves the effector; a force that large is an impact's, or the weight of the robot. What is
    offered by then is so by the offset.
    """
    if state.phase is not ContactPhase.FREE or measurement.in_contact or measurement.pressed or measurement.led:
        return state.offset
    if state.offset.learnt_for < parameters.offset_time:
        if measurement.engaged or _measure_length(measurement.force) > parameters.impact_force:
            return state.offset
        return state.offset.take(measurement.pose[:3, :3].T @ measurement.force, dt)
    if state.offered or _measure_length(state.force) > parameters.offer_force:
        return state.offset
    return state.offset.follow(measurement.pose[:3, :3].T @ state.force, dt, parameters.offset_filter)


def _begin_period(
    state: ContactMaking, news: tuple[np.ndarray, SensorOffset, float, float], dt: float, *, is_foot: bool
) -> ContactMaking:
    """Return the state with what every period changes; written out, because ``replace`` takes twice as long."""
    force, offset, noise, elapsed = news
    return ContactMaking(
        phase=state.phase,
        target=state.target,
        start=state.start,
        force=force,
        bias=state.bias,
        noise=noise,
        observed=state.observed + dt,
        offset=offset,
        tared=state.tared,
        outward=state.outward,
        missed=state.missed,
        origin=state.origin,
        distance=state.distance,
        elapsed=elapsed,
        dwell=state.dwell,
        press=state.press,
        offered=state.offered,
        is_foot=is_foot,
    )


def _enter(
    state: ContactMaking, phase: ContactPhase, event: str, start: np.ndarray, target: np.ndarray | None
) -> ContactMaking:
    if phase is not ContactPhase.TOUCHED:
        # The bias belongs to one approach: friction turns round with the motion.
        state = replace(state, force=state.force + state.bias, bias=np.zeros(3))
    return replace(state, phase=phase, event=event, start=start.copy(), target=target, distance=0.0, elapsed=0.0, dwell=0.0)


def _answer_button(
    state: ContactMaking, measurement: EffectorMeasurement, parameters: ContactMakingParameters
) -> ContactMaking:
    r"""Begin an approach against the known surface's normal :math:`n`, if the effector's axis :math:`z` is near enough to it.

    .. math:: \angle(z, n) \leq \theta_{max}, \qquad \dot p = -v n

    Where no surface is known the axis takes the normal's place. What is approached straight down has no axis of its own.
    """
    ahead = measurement.ahead
    if parameters.straight_down or ahead is None:
        return _begin_approach(state, measurement, find_axis(measurement.reference, parameters), "approaching")
    askew = describe_tilt(ahead, parameters)
    if askew:
        return replace(state, event=askew)
    return _begin_approach(state, measurement, ahead.normal, "approaching")


def describe_tilt(ahead: SurfaceAhead, parameters: ContactMakingParameters) -> str:
    """Say by how much an effector is askew to the surface in front of it, where it may not be sent there; empty elsewhere."""
    if parameters.straight_down or ahead.tilt <= parameters.max_tilt:
        return ""
    what = "foot" if parameters.is_foot else "hand"
    return f"{TURN}{what}, {math.degrees(ahead.tilt):.0f} deg off"


def _begin_approach(state: ContactMaking, measurement: EffectorMeasurement, outward: np.ndarray, event: str) -> ContactMaking:
    """Begin an approach; one that presses on something already has no room to find its bias."""
    pressing = state.offered or state.phase in (ContactPhase.TOUCHED, ContactPhase.BLOCKED)
    state = replace(state, tared=pressing, outward=outward.copy(), origin=measurement.pose[:3, 3].copy())
    return _enter(state, ContactPhase.APPROACHING, event, measurement.reference, measurement.reference.copy())


def _tare(state: ContactMaking, measurement: EffectorMeasurement, parameters: ContactMakingParameters) -> ContactMaking:
    """Take what is measured of an effector that moves freely for its bias."""
    if _measure_way(state, measurement) >= parameters.tare_distance:
        return replace(state, tared=True, bias=state.bias + state.force, force=np.zeros(3))
    return replace(state, tared=state.elapsed >= parameters.tare_time)


def _measure_way(state: ContactMaking, measurement: EffectorMeasurement) -> float:
    """Return how far the effector itself has gone along its approach [m]."""
    return float(state.outward @ (state.origin - measurement.pose[:3, 3]))


def _stood_on_it(state: ContactMaking, measurement: EffectorMeasurement, parameters: ContactMakingParameters) -> bool:
    r"""Whether what pushes hard on an effector was there when its approach began: that is no impact, but a touch.

    .. math:: |n^T (X_{origin} - X)| < d_{tare}, \qquad n^T f \geq \cos(45^\circ) \|f\|

    A foot that is put down where it stands would be stopped otherwise: while it is waited for whether it moves, its target is
    half a centimetre in the ground, which pushes with more than an impact. One that was stopped and still presses could never
    be put down at all.
    """
    pressing = float(state.outward @ state.force)
    against = pressing >= _MIN_OPPOSING_COSINE * _measure_length(state.force)
    return against and abs(_measure_way(state, measurement)) < parameters.tare_distance


def _switch(state: ContactMaking, measurement: EffectorMeasurement) -> ContactMaking:
    """Follow the owner of the contacts, who has added or removed this one."""
    if measurement.in_contact:
        return replace(_enter(state, ContactPhase.LOADED, "loaded", measurement.pose, None), offered=False, press=0.0)
    return _enter(state, ContactPhase.FREE, "free", measurement.pose, None)


def _step_free(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    if measurement.pressed:
        return _answer_button(state, measurement, parameters)
    if not measurement.led and _is_impact(state, dt, parameters):
        return _block(state, measurement, dt, parameters)
    return state


def _step_approaching(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    if measurement.pressed:
        return _enter(state, ContactPhase.FREE, "approach stopped", measurement.reference, None)
    if _is_impact(state, dt, parameters):
        stop = _touch if _stood_on_it(state, measurement, parameters) else _block
        return stop(state, measurement, dt, parameters)
    if not state.tared:
        state = _tare(state, measurement, parameters)
    signal = _compute_min_signal(state, dt, parameters)
    pressing = float(state.outward @ state.force)
    dwell = _dwell(state, state.tared and pressing > max(parameters.touch_force, signal), dt)
    if dwell >= parameters.touch_time:
        return _touch(state, measurement, dt, parameters)
    missed = _find_missed(state, parameters)
    if missed:
        light = pressing > max(parameters.light_touch_ratio * parameters.touch_force, signal)
        return _return(state, TOO_LIGHT if light or _is_at_surface(measurement, parameters) else missed)
    ahead = float(state.outward @ (measurement.reference - state.start)[:3, 3])
    distance = min(state.distance + parameters.approach_speed * dt, parameters.approach_lead - ahead)
    return _move_target(replace(state, dwell=dwell), max(state.distance, distance))


def _find_missed(state: ContactMaking, parameters: ContactMakingParameters) -> str:
    """Return why an approach ends without a touch; empty where it goes on."""
    if state.distance >= parameters.approach_distance:
        return NOTHING_THERE
    return OUT_OF_REACH if state.elapsed >= parameters.approach_time else ""


def _is_at_surface(measurement: EffectorMeasurement, parameters: ContactMakingParameters) -> bool:
    """Whether the effector is where a known surface is, whatever force is measured."""
    return measurement.ahead is not None and abs(measurement.ahead.gap) <= parameters.at_surface


def _return(state: ContactMaking, missed: str) -> ContactMaking:
    """Go back to where the approach began."""
    event = f"{missed}: press again" if missed == TOO_LIGHT else missed
    return replace(
        _enter(state, ContactPhase.RETURNING, event, state.start, state.target), distance=state.distance, missed=missed
    )


def _compute_min_signal(state: ContactMaking, dt: float, parameters: ContactMakingParameters) -> float:
    """Return the minimum force that is no noise [N]: well above what the filter leaves of that."""
    return parameters.noise_ratio * compute_filtered_noise(state, dt, parameters)


def compute_filtered_noise(state: ContactMaking, dt: float, parameters: ContactMakingParameters) -> float:
    r"""Return the standard deviation of one component of the filtered force [N]: of white noise after a low pass.

    .. math:: \sigma_f = \sigma \sqrt{\frac{a}{2 - a}}, \qquad a = \frac{dt}{\tau + dt}
    """
    gain = dt / (parameters.force_filter + dt)
    return math.sqrt(state.noise * gain / (2.0 - gain))


def _touch(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    if measurement.at_edge:
        return replace(_block(state, measurement, dt, parameters), event=AT_EDGE)
    return _enter(state, ContactPhase.TOUCHED, "touched", measurement.pose, state.target)


def _step_touched(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    """Stay pressed on until the contact is added; what is touched may go away again."""
    if measurement.pressed:
        return _enter(state, ContactPhase.FREE, "approach stopped", measurement.reference, None)
    if _is_impact(state, dt, parameters) and not _stood_on_it(state, measurement, parameters):
        return _block(state, measurement, dt, parameters)
    dwell = _dwell(state, _measure_length(state.force) < parameters.lost_force, dt)
    if dwell >= parameters.lost_time:
        return _begin_approach(state, measurement, state.outward, "lost touch")
    return replace(state, start=measurement.pose.copy(), dwell=dwell)


def _block(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    stopped = _enter(state, ContactPhase.BLOCKED, "stopped by an impact", measurement.pose, None)
    # The direction out is kept in the frame's z axis: it must outlive the force.
    stopped.start[:3, 2] = state.normal
    return _step_blocked(stopped, measurement, dt, parameters)


def _step_blocked(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    r"""Keep the target on the near side of where the effector was stopped: :math:`n^T (X - X_{stop}) \geq d_{back off}`.

    What pushes the effector further than its target takes that plane with it. Ends when the operator wants to be on the near
    side and nothing is touched any more.
    """
    if measurement.pressed:
        return _answer_button(state, measurement, parameters)
    start = state.start.copy()
    normal = start[:3, 2]
    pushed = float(normal @ (measurement.pose - start)[:3, 3]) - parameters.back_off_distance
    touching = _measure_length(state.force) > parameters.touch_force
    if touching and pushed > 0.0:
        start[:3, 3] += pushed * normal
    beyond = parameters.back_off_distance - float(normal @ (measurement.desired - start)[:3, 3])
    dwell = _dwell(state, beyond <= 0.0 and not touching, dt)
    if dwell >= parameters.lost_time:
        return _enter(state, ContactPhase.FREE, "free", measurement.pose, None)
    target = measurement.desired.copy()
    target[:3, 3] += max(0.0, beyond) * normal
    return replace(state, start=start, target=target, dwell=dwell)


def _step_returning(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    if measurement.pressed:
        return _answer_button(state, measurement, parameters)
    if not measurement.led and _is_impact(state, dt, parameters):
        return _block(state, measurement, dt, parameters)
    off = _measure_length((measurement.reference - state.start)[:3, 3])
    if state.distance <= 0.0 and (off < parameters.return_distance or state.elapsed >= parameters.return_time):
        return _enter(state, ContactPhase.FREE, "free", state.start, None)
    return _move_target(state, max(0.0, state.distance - parameters.return_speed * dt))


def _step_loaded(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    separation, slipped = _measure_separation(state, measurement)
    if slipped > parameters.slip_distance:
        return _enter(state, ContactPhase.SLIPPING, "slipping", measurement.pose, None)
    desired = measurement.desired_force > parameters.desired_force or separation > parameters.lift_off_distance
    missing = desired and _measure_length(state.force) < parameters.lost_force
    dwell = _dwell(state, missing, dt)
    if dwell >= parameters.lost_time:
        return _enter(state, ContactPhase.LOST, "contact lost", state.start, None)
    return state if dwell == state.dwell else replace(state, dwell=dwell)


def _step_slipping(
    state: ContactMaking, measurement: EffectorMeasurement, _dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    """A foot that stays where it slipped to is loaded again; a hand waits to be unloaded."""
    if not parameters.is_foot:
        return state
    if _measure_separation(state, measurement)[1] > parameters.slip_distance:
        return _enter(state, ContactPhase.SLIPPING, "slipping", measurement.pose, None)
    if state.elapsed >= parameters.slip_rest:
        return _enter(state, ContactPhase.LOADED, "loaded", state.start, None)
    return state


def _step_lost(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    """A contact whose force is back is loaded again, where it is now."""
    dwell = _dwell(state, _measure_length(state.force) > parameters.touch_force, dt)
    if parameters.is_foot and dwell >= parameters.lost_time:
        return _enter(state, ContactPhase.LOADED, "loaded", measurement.pose, None)
    return replace(state, dwell=dwell)


def _offer(
    state: ContactMaking, measurement: EffectorMeasurement, dt: float, parameters: ContactMakingParameters
) -> ContactMaking:
    """Offer the contact while the operator's clutch presses a free effector onto something."""
    free = state.phase in (ContactPhase.FREE, ContactPhase.BLOCKED) and measurement.engaged and not measurement.led
    if not free and not state.offered and state.press == 0.0:
        return state
    if not free or (state.offered and _measure_length(state.force) < parameters.lost_force):
        return replace(state, offered=False, press=0.0)
    pressing = _measure_length(state.force) > parameters.offer_force
    press = state.press + dt if pressing else state.press * state.offered
    if press == state.press:
        return state
    return replace(state, press=press, offered=state.offered or press >= parameters.offer_time)


def _is_impact(state: ContactMaking, dt: float, parameters: ContactMakingParameters) -> bool:
    """Whether the effector has hit something: a light robot's impact is no larger than the noise of many an estimate."""
    # The length of three components is as noisy as one of them, times the root of three.
    min_signal = math.sqrt(3.0) * _compute_min_signal(state, dt, parameters)
    return _measure_length(state.force) > max(parameters.impact_force, min_signal)


def _measure_length(vector: np.ndarray) -> float:
    return math.sqrt(vector.dot(vector))


def _dwell(state: ContactMaking, met: bool, dt: float) -> float:
    return state.dwell + dt if met else 0.0


def _move_target(state: ContactMaking, distance: float) -> ContactMaking:
    """Put the target at a distance from the start along the approach, its orientation kept."""
    target = state.start.copy()
    target[:3, 3] -= distance * state.outward
    return replace(state, target=target, distance=distance)


def find_axis(pose: np.ndarray, parameters: ContactMakingParameters) -> np.ndarray:
    """Return where an effector's back points to, in world, unit, shape ``(3,)``: its contact frame's z, or straight up.

    Args:
        pose: Pose of the contact frame in world, shape ``(4, 4)``.
        parameters: Whether it is approached straight down.
    """
    return _UP if parameters.straight_down else pose[:3, 2]


def _measure_separation(state: ContactMaking, measurement: EffectorMeasurement) -> tuple[float, float]:
    """Return how far the contact is from where it was added, off the surface and along it [m]."""
    normal = state.start[:3, 2] if measurement.normal is None else measurement.normal
    off = (measurement.pose - state.start)[:3, 3]
    separation = float(normal @ off)
    return separation, _measure_length(off - separation * normal)


_STEPS: dict[ContactPhase, Callable[[ContactMaking, EffectorMeasurement, float, ContactMakingParameters], ContactMaking]] = {
    ContactPhase.FREE: _step_free,
    ContactPhase.APPROACHING: _step_approaching,
    ContactPhase.TOUCHED: _step_touched,
    ContactPhase.BLOCKED: _step_blocked,
    ContactPhase.RETURNING: _step_returning,
    ContactPhase.LOADED: _step_loaded,
    ContactPhase.SLIPPING: _step_slipping,
    ContactPhase.LOST: _step_lost,
}
