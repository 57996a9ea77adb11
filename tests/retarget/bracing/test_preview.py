"""What a look ahead sees is what then happens."""

import numpy as np
import pytest
from stances import ask, stand, stand_astride

from handhold.perception.surface import Surface
from handhold.retarget.bracing.contacts.contact_making_parameters import choose_contact_making
from handhold.retarget.bracing.contacts.switching import (
    advance_switch,
    command_com_return,
    command_forces,
    finish_switch,
    start_adding,
    start_removing,
)
from handhold.retarget.bracing.preview import SETTLING_TIME, SwitchPreview
from handhold.retarget.bracing.seiko.contact_switch import SwitchPhase

DT = 2e-3
MAX_DURATION = round(20.0 / DT)


def look_ahead(model, seiko, effector, *, batch=MAX_DURATION):
    preview = SwitchPreview(model, seiko, effector)
    while preview.result is None:
        preview.advance(batch, DT)
    return preview.result


def run_switch(seiko, effector):
    """Switch for real; returns whether it succeeded and how long it took."""
    normal = seiko.kinematics.poses[effector, :3, 2].copy()
    targets, elapsed = ask(seiko), 0.0
    removing = effector in seiko.stance.effectors
    switch = start_removing(seiko, effector) if removing else start_adding(seiko, effector, normal)
    while not switch.over:
        command_forces(seiko, {}, switch, DT)
        step = seiko.step(command_com_return(seiko, switch, targets), DT)
        switch = advance_switch(seiko, switch, step.active, DT)
        elapsed += DT
    finish_switch(seiko, switch)
    for _ in range(round(SETTLING_TIME / DT)):
        command_forces(seiko, {}, None, DT)
        seiko.step(targets, DT)
    return switch.phase is SwitchPhase.DONE, elapsed


@pytest.mark.parametrize(("make", "effector"), [(stand, 0), (stand_astride, 0), (stand, 2)], ids=["foot", "astride", "hand"])
def test_the_outlook_is_what_then_happens(talos, make, effector):
    seiko = make(talos)
    result = look_ahead(talos, seiko, effector)
    done, duration = run_switch(seiko, effector)
    assert result.effector == effector
    assert result.feasible is done
    assert result.duration == pytest.approx(duration, abs=DT)
    # The same steps on the same numbers: what is left is a step more or less at the end. [rad, m]
    assert np.abs(result.q - seiko.q).max() < 1e-3
    assert bool(result.obstacles) is not done


def push(seiko, hand, force, duration):
    """Command a force, and let it go only just."""
    for k in range(round(duration / DT)):
        command_forces(seiko, {hand: force} if k < duration / DT - 5 else {}, None, DT)
        seiko.step(ask(seiko), DT)


def test_a_force_that_fades_goes_on_fading_in_a_look_ahead_and_one_that_is_commanded_stays(talos):
    seiko = stand(talos, effectors=(0, 1, 2))
    before = seiko.compute_normal_force(2)
    push(seiko, 2, before + 40.0, 1.0)
    assert seiko.compute_normal_force(2) > before + 10.0
    kept = SwitchPreview(talos, seiko, 0, forces={2: before + 40.0})
    kept.advance(MAX_DURATION, DT)
    result = look_ahead(talos, seiko, 0)
    assert run_switch(seiko, 0)[0] is result.feasible
    assert np.abs(result.q - seiko.q).max() < 1e-3  # [rad, m] as above
    assert np.abs(result.q - kept.result.q).max() > 0.01


def test_looking_ahead_moves_nothing(talos):
    seiko = stand(talos)
    q, wrenches, terms, stance = seiko.q.copy(), seiko.wrenches.copy(), seiko.terms.copy(), seiko.stance
    look_ahead(talos, seiko, 1)
    assert seiko.stance is stance
    assert np.array_equal(seiko.q, q)
    assert np.array_equal(seiko.wrenches, wrenches)
    for name in terms.__slots__:
        assert np.array_equal(getattr(seiko.terms, name), getattr(terms, name), equal_nan=True)


def test_looking_a_little_at_a_time_sees_the_same(talos):
    seiko = stand(talos)
    at_once, bit_by_bit = look_ahead(talos, seiko, 0), look_ahead(talos, seiko, 0, batch=3)
    assert at_once.duration == bit_by_bit.duration
    assert np.array_equal(at_once.q, bit_by_bit.q)


def test_there_is_no_outlook_before_the_end(talos):
    preview = SwitchPreview(talos, stand(talos), 0)
    preview.advance(100, DT)
    assert preview.result is None


def put_before(model, seiko, hand, distance):
    """A surface square to a hand, at a distance from its ball along its -z."""
    pose = seiko.kinematics.poses[hand].copy()
    pose[:3, 3] -= (model.effectors[hand].radius + distance) * pose[:3, 2]
    corners = np.array([[-0.1, -0.1], [0.1, -0.1], [0.1, 0.1], [-0.1, 0.1]])
    return Surface(pose=pose, boundary=corners, area=0.04, quality=1.0, age=0.0)


def look_ahead_to(model, seiko, hand, surface):
    preview = SwitchPreview(model, seiko, hand, (surface,))
    preview.advance(MAX_DURATION, DT)
    return preview.result


def test_a_free_hand_is_seen_to_go_on_to_the_surface_before_it(talos):
    seiko = stand(talos)
    surface = put_before(talos, seiko, 2, 0.03)
    at_once, ahead = look_ahead(talos, seiko, 2), look_ahead_to(talos, seiko, 2, surface)
    assert at_once.feasible
    assert ahead.feasible
    speed = choose_contact_making(talos, 2).approach_speed
    assert ahead.duration - at_once.duration == pytest.approx(0.03 / speed, abs=0.3)  # [s] until the touch is sure
    ball = talos.effector_poses(ahead.q)[2, :3, 3] - surface.pose[:3, 3]
    assert surface.pose[:3, 2] @ ball == pytest.approx(talos.effectors[2].radius, abs=5e-3)  # [m] rolled since


def test_a_surface_out_of_reach_is_seen_to_be_so(talos):
    seiko = stand(talos)
    far = ask(seiko, 2, (1.2, 0.0, 0.3))
    far.effector_poses[2, :3, :3] = [[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    for _ in range(round(6.0 / DT)):
        seiko.step(far, DT)
    seiko.set_at_rest()
    pose = seiko.kinematics.poses[2].copy()
    surface = put_before(talos, seiko, 2, 0.07)
    result = look_ahead_to(talos, seiko, 2, surface)
    assert not result.feasible
    assert result.obstacles
    assert np.linalg.norm(talos.effector_poses(result.q)[2, :3, 3] - pose[:3, 3]) < 0.07
