"""Scores of scripted operators, and the margins of what was recorded."""

import numpy as np
import pytest

from handhold.app.host.surfaces import list_surfaces
from handhold.app.lab.gallery.snapshots import make_snapshot
from handhold.app.lab.scenarios.margins import compute_cone_ratio, compute_cop_margin, compute_torque_margin
from handhold.app.lab.scenarios.phrases import REST_SPEED, compute_turn_to_face, drag_hand, take
from handhold.app.lab.scenarios.score import (
    SAMPLE,
    ScoredOperator,
    jump,
    move,
    press,
    squeeze,
    together,
    trigger,
    wait,
    wait_until,
)
from handhold.app.lab.scenarios.trace import Trace
from handhold.robots.model import load_model
from handhold.robots.worlds import load_world

ROUNDING = 1e-9  # [m]: sums of a few numbers near 1


def play(steps, duration):
    operator = ScoredOperator(steps)
    return operator, [operator.sample(k * SAMPLE, None) for k in range(round(duration / SAMPLE))]


def test_steps_follow_each_other():
    operator, samples = play([wait(0.5), squeeze("left"), move("left", (0.2, 0.0, 0.0), 0.4)], 2.0)
    way = [sample.left.pose.translation[0] - samples[0].left.pose.translation[0] for sample in samples]
    assert operator.over
    assert samples[30].left.squeeze == 0.0
    assert samples[-1].left.squeeze == 1.0
    assert way[-1] == pytest.approx(0.2, abs=ROUNDING)
    assert max(np.diff(way)) == pytest.approx(0.4 * SAMPLE, abs=ROUNDING)


def test_two_hands_move_at_once():
    _, samples = play([together(move("left", (0.1, 0, 0), 0.2), jump("right", (0, 0, 0.5)), trigger("right", 1.0, 0.3))], 1.0)
    assert samples[-1].left.pose.translation[0] - samples[0].left.pose.translation[0] == pytest.approx(0.1, abs=ROUNDING)
    assert samples[-1].right.trigger == 1.0


def test_a_button_is_seen_pressed_and_let_go():
    _, samples = play([wait(0.1), press("right", "primary")], 1.0)
    down = [sample.right.buttons.primary for sample in samples]
    assert not down[0]
    assert sum(down) >= 2
    assert not down[-1]


def test_an_operator_who_waits_in_vain_lets_go_and_says_for_what():
    steps = [squeeze("left"), wait_until("the sun", lambda _snapshot: False, 0.5), trigger("left", 1.0)]
    operator, samples = play(steps, 1.0)
    assert operator.over
    assert "the sun" in operator.missed[0]
    assert samples[-1].left.squeeze == 0.0
    assert samples[-1].left.trigger == 0.0


@pytest.mark.parametrize("speed", [2.0 * REST_SPEED, 0.5 * REST_SPEED])
def test_a_clutch_stays_closed_until_what_follows_the_hand_goes_no_further(speed):
    snapshot = make_snapshot(load_model("talos"))
    snapshot.reference.effector_velocities[1, 2] = speed
    operator = ScoredOperator(drag_hand("left", (0.0, 0.0, 0.1), following=1))
    samples = [operator.sample(k * SAMPLE, snapshot) for k in range(round(4.0 / SAMPLE))]
    assert bool(samples[-1].left.squeeze) is (speed > REST_SPEED)


def test_the_next_effector_is_taken_as_often_as_needed():
    model = load_model("talos")
    hand, foot = model.effector_of_hand("left"), next(i for i, e in enumerate(model.effectors) if e.standing)
    assert take(model, "left", hand) == ()
    assert len(take(model, "left", foot)) == 2


def test_a_turned_frame_faces_the_wall():
    import pinocchio as pin

    pose = np.eye(4)
    pose[:3, :3] = pin.rpy.rpyToMatrix(0.3, -1.1, 0.4)
    turn = pin.exp3(np.array(compute_turn_to_face(pose, (-1.0, 0.0, 0.0))))
    np.testing.assert_allclose(turn @ pose[:3, 2], [-1.0, 0.0, 0.0], atol=1e-9)


def test_the_faces_of_a_box_are_surfaces():
    floor, *faces = list_surfaces(load_world("half_wall"))
    assert floor.pose[2, 3] == 0.0
    front = next(face for face in faces if face.pose[0, 2] < -0.9)
    assert front.pose[0, 3] == pytest.approx(0.65, abs=ROUNDING)
    assert front.area == pytest.approx(1.2 * 1.1)
    assert all(np.linalg.det(face.pose[:3, :3]) == pytest.approx(1.0) for face in faces)


def test_margins_are_those_of_the_wrench():
    model = load_model("talos")
    count = len(model.effectors)
    foot, hand = 0, model.effector_of_hand("left")
    wrenches = np.zeros((count, 6))
    # Centre of pressure 3 cm ahead and 2 cm to the left; a hand whose frame lies on its side, pushed along world x.
    wrenches[foot] = [30.0, -60.0, 200.0, 4.0, -6.0, 0.0]
    rotations = np.tile(np.eye(3), (count, 1, 1))
    rotations[hand] = [[0, 0, -1], [0, 1, 0], [1, 0, 0]]
    wrenches[hand, :3] = [10.0, 0.0, 100.0]
    normals = np.tile([0.0, 0.0, 1.0], (count, 1))
    normals[hand] = [-1.0, 0.0, 0.0]
    contacts = np.zeros(count, dtype=bool)
    contacts[[foot, hand]] = True
    trace = Trace(wrenches=[wrenches], rotations=[rotations], normals=[normals], contacts=[contacts])
    trace.torques = [0.5 * model.motor_torques]
    x, y = model.effectors[foot].half_lengths
    assert compute_cop_margin(model, trace, reference=False) == pytest.approx(min(x - 0.03, y - 0.02), abs=ROUNDING)
    assert compute_cone_ratio(model, trace, reference=False) == pytest.approx(
        np.hypot(0.15, 0.3) / model.effectors[foot].friction
    )
    assert compute_torque_margin(model, trace, reference=False) == pytest.approx(0.5 * model.motor_torques.min())


def test_what_is_measured_as_a_contact_is_made_or_ends_is_of_no_contact():
    model = load_model("talos")
    count, foot = len(model.effectors), 0
    slides, stands = np.zeros((count, 6)), np.zeros((count, 6))
    slides[foot, [0, 2]] = [50.0, 50.0]
    stands[foot, [0, 2]] = [10.0, 100.0]
    flags = [np.arange(count) == (foot if touches else -1) for touches in (False, True, True, False)]
    trace = Trace(
        wrenches=[slides, slides, stands, slides],
        rotations=[np.tile(np.eye(3), (count, 1, 1))] * 4,
        normals=[np.tile([0.0, 0.0, 1.0], (count, 1))] * 4,
        contacts=flags,
    )
    assert compute_cone_ratio(model, trace, reference=False) == pytest.approx(0.1 / model.effectors[foot].friction)
