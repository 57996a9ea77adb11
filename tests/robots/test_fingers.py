"""Fingers of grippers in the physics engines."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.robots.errors import CommandNotFinite
from handhold.robots.model import load_model
from handhold.robots.robot import JointCommand
from handhold.robots.simulation.engines import known_engines, make_robot
from handhold.robots.simulation.fingers import Fingers, separate_fingers
from handhold.robots.simulation.links import build_links
from handhold.robots.worlds import Solid, load_world

DT = 1e-3
WITH_CANISTER, WITHOUT = "fetch", "flat"


@pytest.fixture(scope="module")
def talos():
    return load_model("talos")


def stand(body, seconds, closing):
    """Hold all joints firmly and command both grippers; returns the state then."""
    state = body.read()
    nothing, firm = np.zeros(body.model.n), 20.0 * body.model.motor_torques
    command = JointCommand(
        time=0.0,
        positions=body.model.q_nominal[7:],
        velocities=nothing,
        torques=nothing,
        stiffness=firm,
        damping=0.02 * firm,
        gripper_closings=np.full(2, closing),
    )
    for _ in range(round(seconds / DT)):
        body.send(replace(command, time=state.time))
        body.advance(DT)
        state = body.read()
    return state


@pytest.mark.parametrize("engine", known_engines())
def test_they_are_closed_at_first_and_open_and_close_as_told(talos, engine):
    body = make_robot(engine, talos, load_world(WITH_CANISTER))
    assert body.read().gripper_closings == pytest.approx([1.0, 1.0], abs=0.01)
    assert stand(body, 0.3, 0.0).gripper_closings == pytest.approx([0.0, 0.0], abs=0.05)
    assert stand(body, 0.3, 0.5).gripper_closings == pytest.approx([0.5, 0.5], abs=0.1)
    body.close()


@pytest.mark.parametrize("engine", known_engines())
def test_where_nothing_can_be_moved_there_are_none_and_the_grippers_do_as_told(talos, engine):
    body = make_robot(engine, talos, load_world(WITHOUT))
    assert stand(body, 0.002, 0.25).gripper_closings == pytest.approx([0.25, 0.25])
    body.close()


@pytest.mark.parametrize("engine", known_engines())
def test_a_command_that_is_not_finite_is_refused(talos, engine):
    body = make_robot(engine, talos, load_world(WITHOUT))
    with pytest.raises(CommandNotFinite):
        stand(body, 0.002, np.nan)
    body.close()


def test_with_them_the_robot_weighs_what_it_did(talos):
    links = build_links(talos)
    fingers = Fingers.build(talos, load_world(WITH_CANISTER))
    assert len(fingers.links) == 4
    assert sum(link.mass for link in separate_fingers(links, fingers)) == pytest.approx(sum(link.mass for link in links))


def test_forces_are_bounded_by_the_effort(talos):
    fingers = Fingers.build(talos, load_world(WITH_CANISTER))
    assert fingers.compute_forces(np.ones(2), np.zeros(4), np.zeros(4)) == pytest.approx(fingers.efforts)
    assert fingers.measure(np.ones(2), np.zeros(4), np.zeros(4))[1] == pytest.approx([40.0, 40.0])


@pytest.mark.parametrize("engine", known_engines())
def test_a_closed_gripper_touches_a_wall_with_its_tip_and_an_open_one_with_its_fingers(talos, engine):
    world = load_world(WITH_CANISTER)
    hand = [effector.name for effector in talos.effectors].index("right_hand")
    tip = talos.effector_poses(talos.q_nominal)[hand, :3, 3]
    # the ball of the tip reaches 2 mm into it
    thickness, inside = 0.04, 0.002
    x = float(tip[0]) + talos.effectors[hand].radius - inside + 0.5 * thickness
    wall = Solid(name="wall", size=(thickness, 0.3, 0.3), position=(x, float(tip[1]), float(tip[2])))
    body = make_robot(engine, talos, world.model_copy(update={"solids": (world.solids[-1], wall)}))
    forces = [np.linalg.norm(stand(body, DT, 1.0).contact_wrenches[hand, :3]) for _ in range(20)]
    assert max(forces) > 1.0
    stand(body, 0.3, 0.0)
    assert not body.read().contact_wrenches[hand].any()
    body.close()
