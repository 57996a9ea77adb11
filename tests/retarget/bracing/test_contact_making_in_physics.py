"""A hand on its way into a contact in both physics engines: it touches, hits or misses."""

from dataclasses import dataclass

import numpy as np
import pinocchio as pin
import pytest

from handhold.app.host.cycle import Cycle
from handhold.app.host.standing import find_standing_posture
from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.scenarios.phrases import compute_turn_to_face
from handhold.devices.operator_input import Buttons, HandInput, OperatorInput
from handhold.robots.simulation.engines import make_robot
from handhold.robots.worlds import load_world

DT = 1e-3
LEFT_HAND = 2
WALL_FACE = 0.65  # [m] ahead, of the world "wall"
# The engines let the hand's sphere sink in by a millimetre under ten newtons.
TOUCH_TOLERANCE = 2e-3
SQUEEZED, MOVING = 0.3, 0.5  # [s]


@dataclass
class Seen:
    """What was told, where the hand was and where its frame's z pointed to in every period."""

    contacts: list
    messages: list
    hands: np.ndarray
    axes: np.ndarray
    forces: np.ndarray

    def when(self, contact):
        """The first period with this contact status."""
        return self.contacts.index(contact)

    def told(self, words):
        return any(words in message for message in self.messages)


def play(model, engine, world, seconds, *, distance, speed, pressed_at=np.inf, turn=(0.0, 0.0, 0.0), surfaces=()):
    """An operator who moves the left hand ahead, turning it by a rotation vector, and may press the contact button."""
    body = make_robot(engine, model, load_world(world))
    try:
        state = body.reset(find_standing_posture(model))
        cycle = Cycle(model, state)
        seen = Seen([], [], [], [], [])
        for tick in range(round(seconds / DT)):
            sequence = int(90 * tick * DT)
            t = sequence / 90.0
            gone = np.clip(speed * (t - MOVING) / distance, 0.0, 1.0)
            pose = pin.SE3(pin.exp3(gone * np.asarray(turn)), np.array([gone * distance, 0.0, 1.0]))
            buttons = Buttons(primary=bool(pressed_at < t < pressed_at + 0.1))
            squeeze = 1.0 if SQUEEZED < t < pressed_at - 0.2 else 0.0
            hand = HandInput(pose=pose, aim=pose, squeeze=squeeze, buttons=buttons)
            operator = OperatorInput(time=t, sequence=sequence, device="script", left=hand)
            command, snapshot = cycle.step(operator, state, surfaces, DT)
            assert not snapshot.stop
            seen.contacts.append(snapshot.left.contact)
            seen.messages += snapshot.messages
            hand_pose = body.effector_poses()[LEFT_HAND]
            seen.hands.append(hand_pose[:3, 3])
            seen.axes.append(hand_pose[:3, 2])
            seen.forces.append(float(np.linalg.norm(state.contact_wrenches[LEFT_HAND, :3])))
            body.send(command)
            body.advance(DT)
            state = body.read()
    finally:
        body.close()
    seen.hands, seen.axes, seen.forces = np.array(seen.hands), np.array(seen.axes), np.array(seen.forces)
    return seen


@pytest.fixture(params=["mujoco", "pybullet"])
def engine(request):
    return request.param


def test_an_approach_ends_where_the_hand_touches_the_wall(talos, engine):
    seen = play(talos, engine, "wall", 5.2, distance=0.22, speed=0.2, pressed_at=2.5)
    approaching, loading = seen.when("approaching"), seen.when("loading")
    assert approaching < loading
    surface = WALL_FACE - talos.effectors[LEFT_HAND].radius
    assert seen.hands[loading, 0] == pytest.approx(surface, abs=TOUCH_TOLERANCE)
    # Nothing was hit: the hand came at 2 cm/s, and the first touch was noticed before the target went on by a centimetre.
    first = int(np.flatnonzero(seen.forces)[0])
    assert approaching < first
    assert loading - first < 0.5 / DT
    speed = (seen.hands[first] - seen.hands[first - 500]) / (500 * DT)
    assert np.linalg.norm(speed) < 0.025
    assert not seen.told("impact")


def test_a_hand_driven_into_a_wall_stops_and_does_not_build_up_force(talos, engine):
    seen = play(talos, engine, "wall", 4.0, distance=0.6, speed=0.5)
    assert seen.told("stopped by an impact")
    assert seen.told("touching something: stopped")
    assert "touching" in seen.contacts
    # Over the last second the operator still wants the hand 0.3 m inside the wall.
    assert seen.forces[-1000:].mean() < 10.0  # [N] what is offered as a contact, no more


def test_an_approach_into_the_air_says_that_nothing_is_there_and_goes_back(talos):
    seen = play(talos, "mujoco", "flat", 12.5, distance=0.05, speed=0.2, pressed_at=1.0)
    began = seen.when("approaching")
    gone = np.linalg.norm(seen.hands - seen.hands[began], axis=1)
    assert 0.05 < gone.max() < 0.16
    assert seen.told("nothing there")
    assert seen.contacts[-1] == "free"
    assert gone[-1] < 0.015  # [m] the centimetre at which the way back is over, and what the robot is behind its reference
    assert not seen.forces.any()


ASKEW_AT = 6.0  # [s] the hand has come to rest before the wall


def go_askew(model, engine, tilt, *, known):
    """Bring the left hand to 13 cm before the wall, askew to it by an angle [rad], and send it on."""
    pose = model.effector_poses(find_standing_posture(model))[LEFT_HAND]
    turn = compute_turn_to_face(pose, (-np.cos(tilt), -np.sin(tilt), 0.0))
    distance = WALL_FACE - model.effectors[LEFT_HAND].radius - 0.13 - pose[0, 3]
    surfaces = list_surfaces(load_world("wall")) if known else ()
    return play(model, engine, "wall", 15.5, distance=distance, speed=0.02, pressed_at=ASKEW_AT, turn=turn, surfaces=surfaces)


@pytest.mark.parametrize(("engine", "known"), [("mujoco", True), ("pybullet", False)])
def test_a_hand_askew_to_a_wall_gets_there_where_the_wall_is_known(talos, engine, known):
    # 37 degrees: along its own axis the wall is 16 cm away, further than an approach goes.
    seen = go_askew(talos, engine, 0.65, known=known)
    assert ("loaded" in seen.contacts) is known
    assert bool(seen.forces.any()) is known
    assert seen.told("nothing there") is not known
    if known:
        way = seen.hands[seen.when("loading")] - seen.hands[seen.when("approaching")]
        assert np.abs(way[1:]).max() < 0.01 * way[0] + TOUCH_TOLERANCE


def test_a_hand_too_far_askew_is_not_sent_to_the_wall_and_told_by_how_much_to_turn(talos):
    seen = go_askew(talos, "mujoco", np.radians(59.0), known=True)
    # The wrist's limits leave some of what was asked.
    tilt = np.degrees(np.arccos(-seen.axes[round(ASKEW_AT / DT), 0]))
    assert tilt > 45.0
    assert seen.told(f"left hand: turn the hand, {tilt:.0f} deg off")
    assert set(seen.contacts) == {"free"}
