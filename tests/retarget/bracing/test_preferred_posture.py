"""Pelvis, chest, height of the centre of mass and joints as tasks of SEIKO."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
from stances import DT, ask, stand

from handhold.retarget.bracing.margin.postural_sensitivity import project_rows
from handhold.retarget.bracing.seiko.preferred_posture import PostureSetpoint, PreferredPosture
from handhold.robots.kinematics import EffectorKinematics

STEP, ROUNDING = 1e-6, 1e-7


def read(model, q):
    kinematics, posture = EffectorKinematics(model), PreferredPosture(model)
    kinematics.update(q)
    posture.update(kinematics, q[7:])
    return posture


def test_the_jacobian_agrees_with_central_differences(model):
    posture = read(model, model.q_nominal)
    velocity = np.random.default_rng(3).normal(size=model.nv)
    before, after = (read(model, pin.integrate(model.pinocchio, model.q_nominal, sign * STEP * velocity)) for sign in (-1, 1))
    turned = [pin.log3(b @ a.T) for a, b in zip(before.rotations, after.rotations, strict=True)]
    joints = after.joints - before.joints
    moved = np.concatenate([*turned, [after.height - before.height], joints]) / (2.0 * STEP)
    assert np.abs(posture.jacobian @ velocity - moved).max() < ROUNDING


def test_the_present_posture_asks_for_nothing(model):
    posture = read(model, model.q_nominal)
    assert np.abs(posture.prefer(posture.take(), 1.0, np.eye(model.nv)).errors).max() < ROUNDING


def test_seiko_turns_the_chest_and_lowers_the_centre_of_mass_towards_what_is_preferred(talos):
    seiko, posture = stand(talos), PreferredPosture(talos)
    posture.update(seiko.kinematics, seiko.q[7:])
    start, targets = posture.take(), ask(seiko)
    turned = start.rotations.copy()
    turned[1] = pin.exp3(np.array([0.0, 0.0, 0.2])) @ turned[1]
    for _ in range(2500):
        posture.update(seiko.kinematics, seiko.q[7:])
        # The joints may go wherever that takes them.
        desired = PostureSetpoint(rotations=turned, height=start.height - 0.03, joints=posture.joints.copy())
        preferences = posture.prefer(desired, 1.0, np.eye(talos.nv))
        assert seiko.step(replace(targets, preferences=preferences), DT).solved
    posture.update(seiko.kinematics, seiko.q[7:])
    assert pin.log3(posture.rotations[1] @ start.rotations[1].T)[2] > 0.1
    assert posture.height < start.height - 0.01


def test_what_is_preferred_pulls_at_no_task_of_high_priority(talos):
    seiko, posture = stand(talos), PreferredPosture(talos)
    posture.update(seiko.kinematics, seiko.q[7:])
    tasks = np.vstack([seiko.program.contacts.jacobian, seiko.kinematics.jacobians[2], seiko.kinematics.jacobian_com[:2]])
    projector = project_rows(np.eye(talos.nv), tasks)
    elsewhere = replace(posture.take(), height=0.5, joints=posture.joints + 0.3)
    preferences = posture.prefer(elsewhere, 1.0, projector)
    pull = preferences.rows.T @ preferences.errors
    assert np.abs(pull).max() > 0.1
    assert np.abs(tasks @ pull).max() < ROUNDING


def test_no_preference_leaves_every_step_as_it_was(talos):
    seiko, other, posture = stand(talos), stand(talos), PreferredPosture(talos)
    posture.update(other.kinematics, other.q[7:])
    lower = replace(posture.take(), height=0.5)
    for _ in range(50):
        seiko.step(ask(seiko, 2, (0.1, 0.0, 0.1)), DT)
        other.build(replace(ask(other), preferences=posture.prefer(lower, 1.0, np.eye(talos.nv))), DT)
        other.step(ask(other, 2, (0.1, 0.0, 0.1)), DT)
    assert np.array_equal(seiko.q, other.q)
