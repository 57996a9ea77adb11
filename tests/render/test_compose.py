"""From snapshots made by hand to what is to be seen."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from snapshots import make_snapshot, move_joints, with_report

from handhold.app.lab.gallery.parts import make_person
from handhold.devices.control_names import HandsControlNames
from handhold.devices.openxr.profiles import name_controls
from handhold.devices.stop import Stop
from handhold.render import palette
from handhold.render.composition.compose import complete, compose, compose_world
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.elements.approach import draw_approach
from handhold.render.elements.balance import choose_margin_color, choose_margin_width
from handhold.render.elements.dial import draw_wheel
from handhold.render.elements.hud import STOP_FRAME
from handhold.render.elements.stage import Stage
from handhold.render.elements.support import draw_support
from handhold.render.fingers import FingerPoses
from handhold.render.interface.settings import PicturePosition, Settings, Viewpoint
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.wheel import Page, Wheel, list_items
from handhold.render.palette import to_linear
from handhold.render.scene import Anchor, Fill, Label, Lines, Scene, Shape, Solids
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.render.streams import CloudFrame, PictureFrame, Streams
from handhold.retarget.bracing.mode import BracingMode
from handhold.retarget.mode_profile import ModeHints, ModeOffer, ModeProfile
from handhold.retarget.mode_report import (
    Approach,
    Candidate,
    ContactState,
    Footstep,
    HandReport,
    ModeReport,
    Preview,
    StabilityRegion,
    Support,
    Toggle,
)
from handhold.robots.model import RobotModel, load_model
from handhold.robots.worlds import Solid, World

SINGLE = 1e-5
"""Scenes are in single precision [m]."""
RAISED_ARM = {"arm_left_1_joint": -0.2, "arm_left_2_joint": 0.9, "arm_left_4_joint": 0.6}
NOWHERE = np.full((4, 4), np.nan)
WORLD = World(
    title="things",
    source="test",
    solids=(
        Solid(name="wall", size=(0.1, 2.0, 1.0), position=(0.9, 0.0, 0.5), rpy=(0.0, 0.0, 0.3)),
        Solid(name="ball", shape="sphere", size=(0.2,), position=(0.0, 1.0, 0.2)),
        Solid(name="post", shape="cylinder", size=(0.1, 1.4), position=(0.0, -1.0, 0.7)),
    ),
)


@pytest.fixture(scope="module")
def model() -> RobotModel:
    return load_model("talos")


@pytest.fixture(scope="module")
def stage(model: RobotModel) -> Stage:
    return Stage(model, WORLD)


def make_region(margin: float = 0.06, **changes: Any) -> StabilityRegion:
    values: dict[str, Any] = {
        "vertices": np.array([[0.15, -0.1], [0.2, 0.1], [-0.1, 0.15], [-0.12, -0.12]]),
        "height": 0.1,
        "margin": margin,
        "edge": 1,
        "limit": "friction of the left hand",
    }
    return StabilityRegion(**(values | changes))


def make_candidate(**changes: Any) -> Candidate:
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = (0.85, 0.3, 1.1)
    square = np.array([[-0.2, -0.2], [0.2, -0.2], [0.2, 0.2], [-0.2, 0.2]])
    values = {"pose": pose, "boundary": square, "hand": "left", "gain": 0.042, "chosen": False, "age": 0.1}
    return Candidate(**(values | changes))


def make_wheel(page: Page = Page.MODES, pointed: int | None = None) -> Wheel:
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = (0.8, 0.0, 1.5)
    return Wheel(hand="left", page=page, pointed=pointed, pose=pose)


HANDS = frozenset({"left", "right"})


def look(stage: Stage, snapshot: Snapshot | None, view: ViewState | None = None, streams: Streams | None = None) -> Scene:
    return compose(snapshot, view or ViewState(looked_at=HANDS), streams or Streams(), stage)


def with_settings(**choices: Any) -> ViewState:
    return ViewState(settings=Settings(**choices), looked_at=HANDS)


def words(scene: Scene, anchor: Anchor | None = None) -> str:
    return "\n".join(label.text for label in scene.labels if anchor is None or label.anchor is anchor)


def find_label(scene: Scene, part: str) -> Label:
    found = [label for label in scene.labels if part in label.text]
    assert len(found) == 1, (part, words(scene))
    return found[0]


def in_color(group: Solids | Lines, color: palette.Color) -> np.ndarray:
    return np.abs(group.colors[:, :3] - to_linear(color)[:3]).max(axis=1) < SINGLE


def find_solids(scene: Scene, shape: Shape, color: palette.Color) -> np.ndarray:
    """Return the transforms of all shapes of one kind and colour, whatever their alpha."""
    found = [group.transforms[in_color(group, color)] for group in scene.solids if group.shape is shape]
    return np.concatenate([np.zeros((0, 4, 4)), *found])


def find_lines(scene: Scene, color: palette.Color, width: float | None = None) -> np.ndarray:
    found = [group.ends[in_color(group, color)] for group in scene.lines if width is None or group.width == width]
    return np.concatenate([np.zeros((0, 2, 3)), *found])


def arrays_of(value: Any) -> Iterator[np.ndarray]:
    """Yield every array within a value."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for part in value:
            yield from arrays_of(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from arrays_of(getattr(value, field.name))


def rich_snapshot(model: RobotModel) -> Snapshot:
    """Return a snapshot in which there is something of everything."""
    raised = move_joints(model, model.q_nominal, RAISED_ARM)
    pose = np.eye(4)
    pose[0, 3] = 0.3
    return make_snapshot(
        model,
        reference_q=raised,
        stop=Stop.HOLD,
        messages=("out of reach", "second", "third", "fourth"),
        active_constraints=("left_foot CoP", "torque of arm_left_4_joint"),
        joint_torques=0.95 * model.torque_limits,
        region=make_region(),
        candidates=(make_candidate(), make_candidate(chosen=True, age=0.9)),
        preview=Preview(title="Brace", q=raised, feasible=True, region=make_region(0.1)),
        footsteps=tuple(Footstep(side=side, pose=pose, delay=d) for side, d in (("left", 0.4), ("right", 1.2))),
        person=make_person(model, raised, (0.1, 0.0, 0.05)),
        modes=(
            ModeOffer(profile=ModeProfile(name="bracing", title="Bracing")),
            ModeOffer(profile=ModeProfile(name="walking", title="Walking"), obstacle="a hand is loaded"),
        ),
    )


def rich_streams() -> Streams:
    points = np.random.default_rng(1).normal(size=(500, 3)).astype(np.float32)
    cloud = CloudFrame(positions=points, colors=np.zeros((500, 3), np.uint8), version=4)
    picture = PictureFrame(image=np.zeros((48, 84, 3), np.uint8), version=7)
    return Streams(cloud=cloud, cloud_age=0.1, picture=picture, picture_age=0.1)


def test_the_robot_is_where_it_is_measured(stage: Stage, model: RobotModel) -> None:
    q = move_joints(model, model.q_nominal, RAISED_ARM)
    scene = look(stage, make_snapshot(model, q=q))
    data = model.pinocchio.createData()
    pin.forwardKinematics(model.pinocchio, data, q)
    expected = np.array([pose.homogeneous for pose in data.oMi])
    assert len(scene.robots) == 1
    assert scene.robots[0].robot == "talos"
    assert scene.robots[0].joints[: len(expected)] == pytest.approx(expected, abs=SINGLE)
    assert scene.robots[0].visible.all()
    assert scene.robots[0].opacity == 1.0


def test_the_ghost_is_seen_where_the_reference_differs_and_only_there(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, reference_q=move_joints(model, model.q_nominal, {"arm_left_4_joint": 0.3})))
    ghost = scene.robots[1]
    assert 0.0 < ghost.opacity < 1.0
    elbow = model.pinocchio.getJointId("arm_left_4_joint")
    numbers = np.flatnonzero(ghost.visible)
    own = numbers < model.pinocchio.njoints
    shown = {model.pinocchio.names[int(joint)] for joint in numbers[own]}
    assert (numbers[~own] - model.pinocchio.njoints).tolist() == [0, 1], "the left gripper's fingers are elsewhere, too"
    assert "arm_left_4_joint" in shown
    assert all(name.startswith("arm_left") for name in shown)
    assert not ghost.visible[:elbow].any()


def test_a_preview_is_a_second_ghost_with_its_title_and_region(stage: Stage, model: RobotModel) -> None:
    raised = move_joints(model, model.q_nominal, RAISED_ARM)
    preview = Preview(title="Brace on the wall", q=raised, feasible=True, region=make_region(height=0.0))
    scene = look(stage, make_snapshot(model, preview=preview))
    assert scene.robots[1].tints[:, :3] == pytest.approx(np.tile(to_linear(palette.PREVIEW)[:3], (len(stage.visible), 1)))
    label = find_label(scene, "Brace on the wall")
    assert label.position[2] > 1.8  # over its head
    dashes = find_lines(scene, palette.PREVIEW)
    assert all(lines.dash > 0.0 for lines in scene.lines if in_color(lines, palette.PREVIEW).all())
    assert np.ptp(dashes[..., 2]) == pytest.approx(0.0, abs=SINGLE)


def test_a_pose_that_cannot_be_is_red_orange_and_says_why(stage: Stage, model: RobotModel) -> None:
    preview = Preview(title="Walking", q=model.q_nominal, feasible=False, reason="a hand is loaded")
    scene = look(stage, make_snapshot(model, preview=preview))
    assert "not possible\na hand is loaded" in find_label(scene, "Walking").text
    assert scene.robots[1].tints[:, :3] == pytest.approx(
        np.tile(to_linear(palette.ALARM)[:3], (len(scene.robots[1].tints), 1))
    )


def test_solid_robots_come_before_ghosts(stage: Stage, model: RobotModel) -> None:
    opacities = [robot.opacity for robot in look(stage, rich_snapshot(model)).robots]
    assert len(opacities) == 3
    assert opacities == sorted(opacities, reverse=True)


def test_columns_go_from_both_centres_of_mass_down_to_the_floor(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model, reference_q=move_joints(model, model.q_nominal, RAISED_ARM))
    for com, color in (
        (snapshot.position_com_in_world, palette.MEASURED),
        (snapshot.reference.position_com_in_world, palette.REFERENCE),
    ):
        columns = find_solids(look(stage, snapshot), Shape.CYLINDER, color)
        tallest = columns[np.argmax(columns[:, 2, 2])]
        assert tallest[:3, 3] == pytest.approx((com[0], com[1], com[2] / 2), abs=SINGLE)
        assert tallest[:3, 2] == pytest.approx((0.0, 0.0, com[2]), abs=SINGLE)


def test_the_region_lies_on_its_ground_and_its_nearest_edge_is_thick(stage: Stage, model: RobotModel) -> None:
    region = make_region()
    scene = look(stage, make_snapshot(model, region=region), with_settings(balance_disc=False))
    widest = max((lines for lines in scene.lines if lines.anchor is Anchor.WORLD), key=lambda lines: lines.width)
    assert widest.ends[0, :, :2] == pytest.approx(region.vertices[[1, 2]], abs=SINGLE)
    assert widest.ends[..., 2] == pytest.approx(0.1, abs=0.01)  # lifted off the ground by less than a centimetre
    label = find_label(scene, "6.0 cm margin")
    assert "friction of the left hand" in label.text
    assert label.anchor is Anchor.WORLD


def test_a_centre_of_mass_outside_is_told_in_words(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, region=make_region(-0.013, limit="")), with_settings(balance_disc=False))
    assert find_label(scene, "1.3 cm OUTSIDE").text == "1.3 cm OUTSIDE"


@pytest.mark.parametrize(
    ("margin", "color"),
    [
        (0.3, palette.BALANCE),
        (0.08, palette.BALANCE),
        (0.079, palette.MARGINS[1][1]),
        (0.05, palette.MARGINS[2][1]),
        (0.03, palette.MARGINS[3][1]),
        (0.01, palette.ALARM),
        (-1.0, palette.ALARM),
        (float("nan"), palette.ALARM),
    ],
)
def test_the_margin_goes_from_blue_to_darker_and_wider_blues_and_an_alarm(margin: float, color: palette.Color) -> None:
    assert (choose_margin_color(margin) == to_linear(color)).all()
    assert choose_margin_width(margin) >= choose_margin_width(margin + 0.02) >= 1.0


def test_without_a_region_the_support_polygon_is_shown(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    edges = find_lines(look(stage, snapshot), palette.BALANCE)
    edges = edges[np.abs(edges[..., 2]).max(axis=1) < 0.01]
    assert edges[:, 0, :2] == pytest.approx(snapshot.reference.support_polygon, abs=SINGLE)


def test_the_region_that_a_coming_hand_would_make_is_dashed_unless_a_pose_is_previewed(
    stage: Stage, model: RobotModel
) -> None:
    coming = make_region(0.1, vertices=1.5 * make_region().vertices)
    dashes = find_lines(look(stage, make_snapshot(model, preview_region=coming)), palette.PREVIEW)
    assert dashes[..., :2].min(axis=(0, 1)) == pytest.approx(coming.vertices.min(axis=0), abs=SINGLE)
    preview = Preview(title="Brace", q=model.q_nominal, feasible=True)
    assert not len(find_lines(look(stage, make_snapshot(model, preview_region=coming, preview=preview)), palette.PREVIEW))


@pytest.mark.parametrize(("left_handed", "wrist"), [(False, Anchor.LEFT_HAND), (True, Anchor.RIGHT_HAND)])
def test_a_small_region_is_worn_on_the_less_skilled_wrist(
    stage: Stage, model: RobotModel, left_handed: bool, wrist: Anchor
) -> None:
    snapshot = make_snapshot(model, region=make_region())
    scene = look(stage, snapshot, with_settings(left_handed=left_handed))
    worn = [fill for fill in scene.fills if fill.anchor in (Anchor.LEFT_HAND, Anchor.RIGHT_HAND)]
    assert {fill.anchor for fill in worn} == {wrist}
    assert all(np.ptp(fill.triangles.reshape(-1, 3), axis=0).max() < 0.12 for fill in worn)  # as small as a watch [m]
    (worn,) = (label for label in scene.labels if label.text == "6 cm")
    assert worn.anchor is wrist
    # What limits it is told before the eyes too: the robot may hide it on the floor.
    assert "margin 6 cm: friction of the left hand" in find_label(scene, "Bracing").text
    without = look(stage, snapshot, with_settings(wrist_region=False))
    assert all(fill.anchor is not wrist for fill in without.fills)


def test_what_is_switched_on_in_the_mode_is_told_on_the_strip(stage: Stage, model: RobotModel) -> None:
    switches = (
        Toggle(name="contact", title="Move my hand", on=False),
        Toggle(name="posture", title="Move my posture", on=True),
    )
    label = find_label(look(stage, make_snapshot(model, toggles=switches)), "Bracing")
    assert label.anchor is Anchor.AHEAD
    assert label.text.splitlines()[:2] == ["Bracing", "Move my posture: on"]
    assert "Move my hand" not in label.text


def test_a_margin_that_nothing_limits_is_told_alone(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, region=make_region(0.05, limit="")))
    assert find_label(scene, "Bracing").text.splitlines()[-1] == "margin 5 cm"


@pytest.mark.parametrize("heading", [0.0, 2.0])
def test_on_the_wrist_the_robots_forward_is_up_and_its_left_is_left(stage: Stage, model: RobotModel, heading: float) -> None:
    q = model.q_nominal.copy()
    turn = pin.utils.rotate("z", heading)
    q[3:7] = pin.Quaternion(turn).coeffs()
    square = np.array([[0.2, -0.2], [0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2]]) @ turn[:2, :2].T
    region = make_region(vertices=square, edge=0, height=0.0)
    scene = look(stage, make_snapshot(model, q=q, region=region, position_com_in_world=np.zeros(3)))
    worn = [lines.ends for lines in scene.lines if lines.anchor is Anchor.LEFT_HAND and lines.starts_at is None]
    edge = next(ends for ends in worn if len(ends) == 1)[0]
    label = next(label for label in scene.labels if label.anchor is Anchor.LEFT_HAND and label.rotation is not None)
    assert label.rotation is not None
    right, up, _ = ((edge - edge.mean(axis=0)) @ label.rotation).T
    middle = worn[0].mean(axis=(0, 1))
    # edge 0 goes from the right front corner to the left front one
    assert right[0] > 0.01 > -0.01 > right[1]
    assert up == pytest.approx(0.0, abs=SINGLE)
    assert ((edge.mean(axis=0) - middle) @ label.rotation)[1] > 0.01


def test_force_arrows_point_along_the_measured_forces(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model))
    shafts = find_solids(scene, Shape.CYLINDER, palette.FORCE)
    cones = find_solids(scene, Shape.CONE, palette.FORCE)
    lengths = shafts[:, 2, 2] + cones[:, 2, 2]
    assert lengths == pytest.approx([0.8 * 0.6, 0.8 * 0.4], abs=SINGLE)  # the feet carry 60 and 40 %, a weight is 0.8 m long
    assert shafts[0, 1, 3] > model.q_nominal[1] > shafts[1, 1, 3]  # beside the left foot, beside the right foot
    calm = make_snapshot(model, contact_wrenches=np.zeros((len(model.effectors), 6)))
    assert len(find_solids(look(stage, calm), Shape.CONE, palette.FORCE)) == 0


def test_the_force_on_a_hand_begins_where_it_acts(stage: Stage, model: RobotModel) -> None:
    raised = move_joints(model, model.q_nominal, RAISED_ARM)
    wrenches = np.zeros((len(model.effectors), 6))
    hand = model.effector_of_hand("left")
    assert hand is not None
    pose = model.effector_poses(raised)[hand]
    wrenches[hand, :3] = pose[:3, :3].T @ (-0.25 * model.weight, 0.0, 0.0)  # wrenches are measured in the contact's frame
    scene = look(stage, make_snapshot(model, q=raised, contact_wrenches=wrenches))
    (cone,) = find_solids(scene, Shape.CONE, palette.FORCE)
    tip = cone[:3, 3] + 0.5 * cone[:3, 2]
    assert tip == pytest.approx(pose[:3, 3] - (0.2, 0.0, 0.0), abs=SINGLE)


def test_joints_near_their_torque_limit_are_tinted(stage: Stage, model: RobotModel) -> None:
    torques = np.zeros(model.n)
    tired = model.joint_names.index("leg_left_4_joint")
    torques[tired] = -0.9 * model.torque_limits[tired]
    tints = look(stage, make_snapshot(model, joint_torques=torques)).robots[0].tints
    assert np.flatnonzero(tints[:, 3]).tolist() == [model.pinocchio.getJointId("leg_left_4_joint")]
    assert not look(stage, make_snapshot(model)).robots[0].tints[:, 3].any()


def test_joints_near_the_end_of_their_range_are_tinted(stage: Stage, model: RobotModel) -> None:
    q = model.q_nominal.copy()
    j = model.joint_names.index("arm_right_4_joint")
    q[7 + j] = model.lower[j]
    tints = look(stage, make_snapshot(model, q=q)).robots[0].tints
    assert tints[model.pinocchio.getJointId("arm_right_4_joint"), :3] == pytest.approx(to_linear(palette.ALARM)[:3])


def test_candidates_are_outlined_where_they_are_with_their_gain(stage: Stage, model: RobotModel) -> None:
    candidate = make_candidate()
    scene = look(stage, make_snapshot(model, candidates=(candidate,)))
    outline = find_lines(scene, palette.CANDIDATE)
    corners = candidate.boundary @ candidate.pose[:3, :2].T + candidate.pose[:3, 3]
    assert outline[:, 0] == pytest.approx(corners, abs=0.01)  # lifted off the surface by less than a centimetre
    label = find_label(scene, "left hand +4.2 cm")
    assert label.position[0] < 0.85  # before it, on the side it can be seen from
    assert label.rotation == pytest.approx(candidate.pose[:3, :3])


def test_what_is_written_on_a_table_reads_from_the_robots_side(stage: Stage, model: RobotModel) -> None:
    pose = np.eye(4)
    pose[:3, :3] = pin.utils.rotate("z", 2.0)
    pose[:3, 3] = (0.6, 0.0, 0.8)
    label = find_label(look(stage, make_snapshot(model, candidates=(make_candidate(pose=pose),))), "left hand")
    assert label.rotation == pytest.approx(np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), abs=SINGLE)


def test_a_taken_candidate_is_told_apart_in_words_and_width(stage: Stage, model: RobotModel) -> None:
    offered = look(stage, make_snapshot(model, candidates=(make_candidate(),)))
    taken = look(stage, make_snapshot(model, candidates=(make_candidate(chosen=True),)))
    assert "taken" in find_label(taken, "left hand").text
    width = {name: max(lines.width for lines in scene.lines) for name, scene in (("offered", offered), ("taken", taken))}
    assert len(find_lines(taken, palette.ENGAGED, width["taken"])) == 4


def test_an_old_candidate_says_when_it_was_seen(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, candidates=(make_candidate(age=1.3),)))
    assert "last seen 1.3 s ago" in find_label(scene, "left hand").text


def test_steps_ahead_are_soles_with_their_times(stage: Stage, model: RobotModel) -> None:
    pose = np.eye(4)
    pose[:3, 3] = (0.4, 0.1, 0.05)
    scene = look(stage, make_snapshot(model, footsteps=(Footstep(side="left", pose=pose, delay=0.6),)))
    assert find_label(scene, "left 0.6 s").position == pytest.approx((0.4, 0.1, 0.05), abs=0.05)
    edges = find_lines(scene, palette.PREVIEW)
    sole = edges[np.abs(edges[:, 0, 2] - 0.054) < 0.001]
    assert np.ptp(sole[:, 0, :2], axis=0) == pytest.approx((0.2, 0.13), abs=SINGLE)  # Talos's soles
    assert len(sole) == 4
    right = look(stage, make_snapshot(model, footsteps=(Footstep(side="right", pose=pose, delay=0.6),)))
    assert [lines.dash > 0.0 for lines in right.lines if in_color(lines, palette.PREVIEW).all()] == [True]


def test_hand_targets_are_green_while_they_move_and_grey_while_they_stay(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    scene = look(stage, snapshot)
    engaged = find_solids(scene, Shape.SPHERE, palette.ENGAGED)
    assert any(np.allclose(ball[:3, 3], snapshot.left.target[:3, 3], atol=SINGLE) for ball in engaged)
    held = find_solids(scene, Shape.SPHERE, palette.HELD)
    assert held[:, :3, 3] == pytest.approx(snapshot.right.target[None, :3, 3], abs=SINGLE)


def test_a_hand_the_robot_does_not_have_has_no_target(stage: Stage, model: RobotModel) -> None:
    missing = HandStatus(engaged=False, waiting="", target=NOWHERE)
    scene = look(stage, make_snapshot(model, left=missing, right=missing))
    assert len(find_solids(scene, Shape.SPHERE, palette.HELD)) == 0
    assert all(np.isfinite(array).all() for array in arrays_of(scene) if array.dtype.kind == "f")


def test_the_clutch_is_told_at_each_controller(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model), with_settings(hints=False))
    assert words(scene, Anchor.LEFT_HAND) == "MOVING THE ROBOT"
    assert words(scene, Anchor.RIGHT_HAND) == "squeeze to move"


def test_hints_name_each_hands_controls(stage: Stage, model: RobotModel) -> None:
    everything = ModeHints(left_stick="walk", right_stick="turn", trigger="grip", primary="load", secondary="take")
    modes = (ModeOffer(profile=ModeProfile(name="acrobatics", title="Acrobatics", hints=everything)),)
    snapshot = make_snapshot(model, mode="acrobatics", modes=modes)
    scene = look(stage, snapshot)
    left, right = words(scene, Anchor.LEFT_HAND), words(scene, Anchor.RIGHT_HAND)
    for told in ("trigger: grip", "stick: walk", "X: load", "Y: take"):
        assert told in left
    for told in ("trigger: grip", "stick: turn", "A: load", "B: take"):
        assert told in right
    swapped = look(stage, snapshot, with_settings(swap_sticks=True))
    assert "stick: turn" in words(swapped, Anchor.LEFT_HAND)
    assert "stick: walk" in words(swapped, Anchor.RIGHT_HAND)


@pytest.mark.parametrize("mode", ["bracing", "unheard of"])
def test_hints_tell_of_nothing_that_the_mode_does_not_read(stage: Stage, model: RobotModel, mode: str) -> None:
    scene = look(stage, make_snapshot(model, mode=mode))
    read = BracingMode.profile.hints if mode == "bracing" else ModeHints()
    for anchor, buttons in ((Anchor.LEFT_HAND, ("X: ", "Y: ")), (Anchor.RIGHT_HAND, ("A: ", "B: "))):
        told = words(scene, anchor)
        for control, does in zip(("trigger: ", *buttons), (read.trigger, read.primary, read.secondary), strict=True):
            assert (control in told) == bool(does)
        assert "squeeze: move this hand" in told
        assert "click both sticks: STOP" in told


def hold(path: str) -> ViewState:
    """Return the state of an interface whose operator holds controllers of a profile."""
    left, right = (name_controls(hand, f"/interaction_profiles/{path}") for hand in ("left", "right"))
    return ViewState(controls=HandsControlNames(left=left, right=right), looked_at=HANDS)


def test_controllers_without_sticks_are_told_of_the_buttons_they_have(stage: Stage, model: RobotModel) -> None:
    simple = hold("khr/simple_controller")
    told = words(look(stage, make_snapshot(model), simple), Anchor.LEFT_HAND)
    assert "select: move this hand" in told
    assert "press both menu buttons: STOP" in told
    assert "\nmenu: wheel" in told
    assert "trigger" not in told
    scene = look(stage, make_snapshot(model, stop=Stop.HOLD), simple)
    assert "then press both menu buttons: go on" in words(scene, Anchor.LEFT_HAND)
    assert "let go of both selects, then press both menu buttons" in words(scene, Anchor.HEAD)
    bare = words(look(stage, make_snapshot(model, stop=Stop.HOLD), hold("ext/hand_interaction_ext")), Anchor.HEAD)
    assert "let go of both pinches, choose Go on on the wheel, then close both fists" in bare


def test_hints_name_the_controls_that_are_really_bound(stage: Stage, model: RobotModel) -> None:
    index = look(stage, make_snapshot(model), hold("valve/index_controller"))
    assert "A: load or unload" in words(index, Anchor.LEFT_HAND)
    assert "trackpad, or stick held down: wheel" in words(index, Anchor.LEFT_HAND)
    touch = look(stage, make_snapshot(model), hold("meta/touch_controller_plus"))
    assert "X: load or unload" in words(touch, Anchor.LEFT_HAND)
    assert "menu, or stick held down: wheel" in words(touch, Anchor.LEFT_HAND)
    assert "\nstick held down: wheel" in words(touch, Anchor.RIGHT_HAND), "its menu button is the headset's"
    hand = words(look(stage, make_snapshot(model), hold("ext/hand_interaction_ext")), Anchor.RIGHT_HAND)
    assert hand.endswith("\npinch: move this hand\nfist held closed: wheel\nclose both fists: STOP")


@pytest.mark.parametrize(("robot", "mode"), [("anymal", "walking"), ("talos", "motions")])
def test_a_hand_that_moves_nothing_is_told_so_and_not_what_would_move_it(robot: str, mode: str) -> None:
    model = load_model(robot)
    nothing = HandStatus(engaged=False, waiting="", target=NOWHERE)
    snapshot = make_snapshot(model, mode=mode, right=nothing)
    told = words(look(Stage(model), snapshot), Anchor.RIGHT_HAND).split("\n")
    assert told[0] == "nothing to move with this hand in this mode"
    assert not any(line.startswith(("squeeze:", "trigger:", "A:")) for line in told)
    assert "click both sticks: STOP" in told


def test_what_is_told_at_a_hand_stays_as_it_is_while_the_hand_moves(stage: Stage, model: RobotModel) -> None:
    memory, labels = ElementMemory(), []
    for shift in (0.0, 0.01):
        snapshot = make_snapshot(model)
        target = snapshot.right.target.copy()
        target[0, 3] += shift
        snapshot = replace(snapshot, right=replace(snapshot.right, target=target))
        scene = complete(Scene(), snapshot, ViewState(looked_at=HANDS), Streams(), memory=memory)
        labels += [label for label in scene.labels if label.anchor is Anchor.RIGHT_HAND]
    assert labels[0] is labels[1]


def test_a_session_begins_with_what_stops_the_robot_with_both_hands_and_with_one(stage: Stage, model: RobotModel) -> None:
    told = words(look(stage, make_snapshot(model), ViewState(announcing=1.0)), Anchor.HEAD)
    assert "Click both sticks: the robot STOPS" in told
    assert "With one hand: STOP on the wheel\nWhile the other hand is not seen: stick held down" in told
    bare_hands = replace(hold("ext/hand_interaction_ext"), announcing=1.0)
    bare = words(look(stage, make_snapshot(model), bare_hands), Anchor.HEAD)
    assert "Close both fists: the robot STOPS" in bare
    assert "the robot STOPS" not in words(look(stage, make_snapshot(model)), Anchor.HEAD)
    assert "the robot STOPS" not in words(look(stage, make_snapshot(model, stop=Stop.HOLD), bare_hands), Anchor.HEAD)


def test_a_held_robot_tells_the_whole_way_on_at_the_controllers(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, stop=Stop.HOLD))
    for anchor in (Anchor.LEFT_HAND, Anchor.RIGHT_HAND):
        first, then = words(scene, anchor).split("\n")
        assert "let go of both squeezes" in first
        assert "click both sticks" in then
    damped = look(stage, make_snapshot(model, stop=Stop.DAMP))
    assert words(damped, Anchor.LEFT_HAND) == ""


def test_warnings_come_most_urgent_first_and_not_in_the_middle_of_the_view(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, messages=("first", "second", "third", "fourth")))
    shown = [label for label in scene.labels if label.text.startswith("!")]
    assert [label.text for label in shown] == ["! first", "! second", "! third"]
    for label in scene.labels:
        if label.anchor is Anchor.HEAD:
            assert np.linalg.norm(label.position[1:]) > 0.2  # at 1 m: 11 deg off the middle
            assert label.height / label.position[0] >= 0.02  # 1.1 deg high at least


LONG = "right trigger: hold squeeze first, then pull: it pushes only while the hand is held"
LONGER = "no word from the operator's station: check that it runs, and the network between it and the robot's host"


def test_no_word_of_a_warning_is_lost_and_none_lies_over_another(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model, messages=(LONGER,)), ViewState(note=f"{LONG}\nleft hand not seen"))
    shown = [label for label in scene.labels if label.text.startswith("!")]
    assert [" ".join(label.text.split()) for label in shown] == [f"! {LONG}", "! left hand not seen", f"! {LONGER}"]
    assert max(len(line) for label in shown for line in label.text.split("\n")) <= 64
    half = [0.5 * label.height * (1 + label.text.count("\n")) for label in shown]
    for upper, lower in pairwise(range(len(shown))):
        gap = shown[upper].position[2] - half[upper] - (shown[lower].position[2] + half[lower])
        assert gap > 0.5 * shown[upper].height  # of one another's plates


@pytest.mark.parametrize("message", ["stopped: let go with both hands, then lift the stop", "damped: restart the robot"])
def test_what_a_stop_tells_itself_is_no_warning_besides(stage: Stage, model: RobotModel, message: str) -> None:
    scene = look(stage, make_snapshot(model, stop=Stop.HOLD, messages=(message, "out of reach")))
    assert [label.text for label in scene.labels if label.text.startswith("!")] == ["! out of reach"]


@pytest.mark.parametrize(("stop", "announcing"), [(Stop.HOLD, 0.0), (Stop.DAMP, 0.0), (Stop.NONE, 1.0)])
def test_nothing_is_written_over_the_open_wheel(stage: Stage, model: RobotModel, stop: str, announcing: float) -> None:
    view = ViewState(wheel=make_wheel(), announcing=announcing)
    scene = look(stage, make_snapshot(model, stop=stop), view)
    assert words(scene, Anchor.HEAD) == ""
    assert any(fill is STOP_FRAME for fill in scene.fills) == bool(stop)


def test_a_refusal_of_the_interface_is_told_first(stage: Stage, model: RobotModel) -> None:
    view = ViewState(note="Motions: a hand is loaded")
    scene = look(stage, make_snapshot(model, messages=("other",)), view)
    assert next(label.text for label in scene.labels if label.text.startswith("!")) == "! Motions: a hand is loaded"


def test_what_limits_the_reference_is_named(stage: Stage, model: RobotModel) -> None:
    limits = ("torso_1_joint motion", "torso_2_joint motion", "arm_left_4_joint torque", "balance")
    scene = look(stage, make_snapshot(model, active_constraints=limits))
    assert "waist at its limit and 2 more" in words(scene)


@pytest.mark.parametrize(("stop", "told"), [(Stop.HOLD, "STOPPED: holding"), (Stop.DAMP, "STOPPED: joints damped")])
def test_a_latched_stop_cannot_be_overlooked(stage: Stage, model: RobotModel, stop: str, told: str) -> None:
    scene = look(stage, make_snapshot(model, stop=stop))
    assert told in words(scene, Anchor.HEAD)
    assert told in words(scene, Anchor.AHEAD).split("\n")[0]
    assert any(fill is STOP_FRAME for fill in scene.fills)
    assert len(np.unique(STOP_FRAME.colors, axis=0)) == 2  # striped: not told by its colour alone
    assert not any(fill is STOP_FRAME for fill in look(stage, make_snapshot(model)).fills)


def test_every_stream_that_is_late_is_called_old_with_its_age_and_a_fresh_one_is_not_told_of(
    stage: Stage, model: RobotModel
) -> None:
    fresh = words(look(stage, make_snapshot(model), streams=rich_streams()), Anchor.HEAD)
    for name in ("robot", "your input", "cloud", "picture", "OLD", " ms"):
        assert name not in fresh
    late = replace(rich_streams(), snapshot_age=5.2, cloud_age=2.0, picture_age=0.75)
    told = words(look(stage, make_snapshot(model, input_age=0.3), streams=late), Anchor.HEAD)
    for expected in ("robot OLD: 5.2 s", "your input OLD: 5.5 s", "cloud OLD: 2.0 s", "picture OLD: 750 ms"):
        assert expected in told
    told = words(look(stage, make_snapshot(model), streams=replace(rich_streams(), cloud_age=2.0)), Anchor.HEAD)
    assert "cloud OLD: 2.0 s" in told
    assert "picture" not in told


def test_an_old_robot_is_greyed_out_and_says_when_it_was_so(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    scene = look(stage, snapshot, streams=Streams(snapshot_age=5.0))
    assert find_label(scene, "as it was 5.0 s ago").anchor is Anchor.WORLD
    assert (scene.robots[0].tints[:, 3] > 0.5).all()
    assert "as it was" not in words(look(stage, snapshot))


def test_before_the_first_snapshot_there_is_the_world_and_a_word_about_it(stage: Stage) -> None:
    scene = look(stage, None)
    assert scene.robots == ()
    assert "robot: not heard of yet" in words(scene)
    assert scene.ground is not None


def test_a_robot_that_is_not_a_number_is_not_drawn(stage: Stage, model: RobotModel) -> None:
    broken = replace(make_snapshot(model), q=np.full(model.nq, np.nan))
    assert look(stage, broken).robots == ()


def test_the_world_is_shown(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model))
    transforms = {shape: next(g.transforms for g in scene.solids if g.shape is shape) for shape in (Shape.BOX, Shape.SPHERE)}
    box = transforms[Shape.BOX][0]
    assert box == pytest.approx(
        pin.SE3(pin.utils.rotate("z", 0.3), np.array([0.9, 0.0, 0.5])).homogeneous @ np.diag([0.1, 2.0, 1.0, 1.0]), abs=SINGLE
    )
    assert transforms[Shape.SPHERE][0, :3, :3] == pytest.approx(0.4 * np.eye(3), abs=SINGLE)


def test_in_the_first_person_the_robots_head_is_left_out(stage: Stage, model: RobotModel) -> None:
    raised = move_joints(model, model.q_nominal, RAISED_ARM)
    scene = look(stage, make_snapshot(model, reference_q=raised), with_settings(view=Viewpoint.FIRST_PERSON))
    hidden = {model.pinocchio.names[int(j)] for j in np.flatnonzero(~scene.robots[0].visible)}
    assert hidden == {"head_1_joint", "head_2_joint"}
    assert not scene.robots[1].visible[~scene.robots[0].visible].any()


def test_the_cloud_is_shown_unless_it_is_switched_off(stage: Stage, model: RobotModel) -> None:
    streams = rich_streams()
    cloud = look(stage, make_snapshot(model), streams=streams).cloud
    assert cloud is not None
    assert streams.cloud is not None
    assert cloud.positions is streams.cloud.positions
    assert cloud.version == 4
    assert look(stage, make_snapshot(model), with_settings(cloud=False), streams).cloud is None


def test_the_picture_stands_in_the_room_or_before_the_eyes(stage: Stage, model: RobotModel) -> None:
    streams = rich_streams()
    room = np.eye(4, dtype=np.float32)
    room[:3, 3] = (-1.0, 2.0, 0.0)
    for place, anchor in ((PicturePosition.SCREEN, Anchor.WORLD), (PicturePosition.HEAD, Anchor.HEAD)):
        view = replace(with_settings(picture=place), transform_room_to_world=room)
        (picture,) = look(stage, make_snapshot(model), view, streams).pictures
        assert picture.anchor is anchor
        width, height = np.linalg.norm(picture.transform[:3, :2], axis=0)
        assert width / height == pytest.approx(84 / 48)
        reader = np.append(room[:3, 3], 1.0) if anchor is Anchor.WORLD else np.array([0.0, 0.0, 0.0, 1.0])
        assert picture.transform[:2, 2] @ (reader[:2] - picture.transform[:2, 3]) > 0.0  # it faces the operator
    assert look(stage, make_snapshot(model), with_settings(picture=PicturePosition.OFF), streams).pictures == ()


def test_an_old_picture_says_so_on_itself(stage: Stage, model: RobotModel) -> None:
    streams = replace(rich_streams(), picture_age=2.0)
    assert "2.0 s" in find_label(look(stage, make_snapshot(model), streams=streams), "OLD picture").text


def test_the_wheel_shows_modes_and_why_one_cannot_be_entered(stage: Stage, model: RobotModel) -> None:
    snapshot = replace(rich_snapshot(model), stop=Stop.NONE)
    view = ViewState(wheel=make_wheel(pointed=2))
    scene = look(stage, snapshot, view)
    told = words(scene, Anchor.WORLD)
    for expected in ("Bracing\n(now)", "Walking\n(not now)", "Walking: a hand is loaded", "View", "Settings", "Recentre"):
        assert expected in told
    assert "trigger: choose" in words(scene, Anchor.LEFT_HAND)
    assert "trigger: choose" not in words(scene, Anchor.RIGHT_HAND)


def test_the_item_pointed_at_stands_out(stage: Stage, model: RobotModel) -> None:
    items = list_items(Page.SETTINGS, Settings(), (), "")

    def draw(pointed: int | None) -> Fill:
        pieces = draw_wheel(make_wheel(Page.SETTINGS, pointed), items, np.eye(4), "")
        return next(piece for piece in pieces if isinstance(piece, Fill))

    changed = (draw(None).colors != draw(2).colors).any(axis=1).reshape(len(items), -1)  # each of as many triangles
    assert changed[2].all()
    assert not np.delete(changed, 2, axis=0).any()
    middle = draw(None).triangles.reshape(len(items), -1, 3).mean(axis=1) - make_wheel().pose[:3, 3]
    right, up = middle @ make_wheel().pose[:3, 0], middle @ make_wheel().pose[:3, 1]
    angles = 2.0 * np.pi * np.arange(len(items)) / len(items)
    off = np.angle(np.exp(1j * (np.arctan2(right, up) - angles)))
    assert off == pytest.approx(np.zeros(len(items)), abs=0.02)  # 1 deg


def test_a_long_item_is_written_in_lines_that_fit_the_ring() -> None:
    switch = Toggle(name="contact", title="Move my hand to better contacts", on=True)
    items = list_items(Page.TOGGLES, Settings(), (), "", (switch,))
    pieces = draw_wheel(make_wheel(Page.TOGGLES), items, np.eye(4), "")
    assert "Move my hand to\nbetter contacts:\non" in [piece.text for piece in pieces if isinstance(piece, Label)]


def test_items_stand_clockwise_from_the_top_before_the_reader(stage: Stage, model: RobotModel) -> None:
    view = ViewState(wheel=make_wheel(), settings=Settings(hints=False))
    scene = look(stage, make_snapshot(model, modes=()), view)
    top, right = find_label(scene, "STOP"), find_label(scene, "View")
    assert top.position[2] > 1.6
    assert right.position[1] < -0.1  # y is to the left
    assert view.wheel is not None
    assert top.rotation == pytest.approx(view.wheel.pose[:3, :3])


def test_the_room_and_the_vignette_are_the_interfaces(stage: Stage, model: RobotModel) -> None:
    room = np.eye(4, dtype=np.float32)
    room[0, 3] = -2.0
    scene = look(stage, make_snapshot(model), ViewState(transform_room_to_world=room, vignette=0.4))
    assert scene.transform_room_to_world is room
    assert scene.vignette == 0.4


def test_composing_changes_nothing_and_gives_the_same_again(stage: Stage, model: RobotModel) -> None:
    snapshot, streams = rich_snapshot(model), rich_streams()
    view = ViewState(wheel=make_wheel(pointed=1))
    before = copy.deepcopy([list(arrays_of(value)) for value in (snapshot, streams, view)])
    first = compose(snapshot, view, streams, stage)
    look(stage, make_snapshot(model, q=move_joints(model, model.q_nominal, RAISED_ARM)))
    second = compose(snapshot, view, streams, stage)
    for value, arrays in zip((snapshot, streams, view), before, strict=True):
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays_of(value), arrays, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(arrays_of(first), arrays_of(second), strict=True))
    assert [label.text for label in first.labels] == [label.text for label in second.labels]


def test_scenes_have_the_shapes_that_renderers_rely_on(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, rich_snapshot(model), ViewState(wheel=make_wheel()), rich_streams())
    for robot in scene.robots:
        count = model.pinocchio.njoints + len(FingerPoses(model).parents)
        assert (robot.joints.shape, robot.tints.shape, robot.visible.shape) == ((count, 4, 4), (count, 4), (count,))
        assert robot.visible.dtype == np.bool_
    for solids in scene.solids:
        assert solids.transforms.shape == (len(solids.colors), 4, 4)
    for lines in scene.lines:
        assert lines.ends.shape == (len(lines.colors), 2, 3)
    for fill in scene.fills:
        assert fill.triangles.shape == (len(fill.colors), 3, 3)
    for array in arrays_of((scene.robots, scene.solids, scene.lines, scene.fills, scene.labels, scene.pictures)):
        assert array.dtype in (np.float32, np.bool_, np.uint8)
        assert np.isfinite(array).all()


def test_broken_regions_candidates_and_previews_are_left_out(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model)
    broken = replace(
        snapshot,
        reference=replace(snapshot.reference, support_polygon=np.zeros((0, 2)), q=np.full(model.nq, np.nan)),
        report=ModeReport(
            candidates=(make_candidate(boundary=np.zeros((2, 2))), make_candidate(pose=NOWHERE)),
            region=make_region(vertices=np.zeros((0, 2))),
            preview=Preview(title="x", q=np.zeros(3), feasible=True, region=make_region(vertices=np.full((4, 2), np.nan))),
            footsteps=(Footstep(side="left", pose=NOWHERE, delay=1.0),),
        ),
        position_com_in_world=np.full(3, np.nan),
        left=HandStatus(engaged=False, waiting="", target=NOWHERE),
    )
    scene = look(stage, broken)
    assert len(scene.robots) == 1
    assert all(np.isfinite(array).all() for array in arrays_of(scene) if array.dtype.kind == "f")


def test_a_scene_can_be_completed_from_what_was_made_of_the_snapshot(stage: Stage, model: RobotModel) -> None:
    snapshot, view = rich_snapshot(model), ViewState()
    world = compose_world(snapshot, view.settings, stage)
    assert complete(world, snapshot, view, Streams(snapshot_age=0.1)).robots is world.robots  # not uploaded again
    assert "robot OLD: 300 ms" in words(complete(world, snapshot, view, Streams(snapshot_age=0.3)))


def test_a_robot_of_another_kind_can_be_shown() -> None:
    g1 = load_model("g1")
    scene = look(Stage(g1), make_snapshot(g1), with_settings(view=Viewpoint.FIRST_PERSON))
    assert scene.robots[0].robot == "g1"
    assert scene.robots[0].visible.sum() > g1.n / 2


def test_the_cost_of_a_scene_is_reported(
    stage: Stage, model: RobotModel, record_property: Callable[[str, object], None]
) -> None:
    snapshot, streams, view = rich_snapshot(model), rich_streams(), ViewState(wheel=make_wheel(pointed=1))
    costs = []
    for _ in range(300):
        start = time.thread_time()
        compose(snapshot, view, streams, stage)
        costs.append(time.thread_time() - start)
    record_property("compose_median_us", 1e6 * float(np.median(costs)))
    print(f"one scene with something of everything: {1e6 * np.median(costs):.0f} us")


def make_approach(distance: float = 0.12, **changes: Any) -> Approach:
    pose = np.eye(4)
    pose[:3, :3] = [[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    pose[:3, 3] = (0.9, 0.3, 1.1)
    values: dict[str, Any] = {
        "pose": pose,
        "half_lengths": (0.03, 0.03),
        "is_round": True,
        "distance": distance,
        "axis": np.array([-1.0, 0.0, 0.0]),
        "tilt": 0.0,
        "max_tilt": 0.7,
    }
    return Approach(**(values | changes))


def draw_near_surface(model: RobotModel, approach: Approach, **changes: Any) -> tuple[Any, ...]:
    snapshot = make_snapshot(model)
    snapshot = with_report(snapshot, left=HandReport(approach=approach))
    return draw_approach(replace(snapshot, left=replace(snapshot.left, **changes)), "left")


@pytest.mark.parametrize("distance", [0.0, 0.04, 0.25])
def test_a_hand_near_a_surface_has_a_line_as_long_as_the_distance_that_is_written(model: RobotModel, distance: float) -> None:
    elements = draw_near_surface(model, make_approach(distance))
    way = max((e for e in elements if isinstance(e, Lines)), key=lambda e: e.width)
    assert np.linalg.norm(way.ends[0, 1] - way.ends[0, 0]) == pytest.approx(distance, abs=SINGLE)
    assert [e.text for e in elements if isinstance(e, Label)] == [f"{100 * distance:.0f} cm"]


def test_the_shadow_of_a_hand_shrinks_and_darkens_as_it_comes_near(model: RobotModel) -> None:
    reaches, darkness = [], []
    for distance in (0.28, 0.15, 0.0):
        elements = draw_near_surface(model, make_approach(distance))
        shadow = [e for e in elements if isinstance(e, Fill) and not e.colors[:, :3].any()]
        reaches.append(max(float(np.linalg.norm(e.triangles - (0.9, 0.3, 1.1), axis=2).max()) for e in shadow))
        darkness.append(1.0 - np.prod([1.0 - e.colors[0, 3] for e in shadow]))
    assert reaches == sorted(reaches, reverse=True)
    assert darkness == sorted(darkness)
    assert darkness[0] < darkness[-1]


def test_a_hand_that_would_be_refused_is_red_and_says_why(model: RobotModel) -> None:
    alarm = to_linear(palette.ALARM)
    askew = make_approach(axis=np.array([-0.6, 0.8, 0.0]), tilt=0.93, obstacle="turn the hand, 53 deg off")
    for approach, expected in ((askew, True), (make_approach(), False)):
        elements = draw_near_surface(model, approach)
        way = max((e for e in elements if isinstance(e, Lines)), key=lambda e: e.width)
        assert np.array_equal(way.colors[0], alarm) == expected
        (label,) = (e for e in elements if isinstance(e, Label))
        assert label.text.endswith("53 deg off") == expected


def test_a_hand_that_nobody_moves_is_shown_only_as_near_as_its_button_would_send_it(model: RobotModel) -> None:
    assert draw_near_surface(model, make_approach(0.25), engaged=True)
    assert not draw_near_surface(model, make_approach(0.25), engaged=False)
    assert draw_near_surface(model, make_approach(0.1), engaged=False)


def test_an_approach_that_is_not_a_number_is_not_drawn(model: RobotModel) -> None:
    for approach in (make_approach(math.nan), make_approach(pose=NOWHERE), make_approach(half_lengths=(math.inf, 0.1))):
        assert draw_near_surface(model, approach) == ()


def make_support(**changes: Any) -> Support:
    values = {"normal_force": 75.0, "desired_force": 74.0, "max_force": 200.0, "friction_ratio": 0.68, "margin_gain": 0.013}
    return Support(**(values | changes))


def read_gauges(model: RobotModel, stage: Stage, support: Support) -> list[Label]:
    snapshot = make_snapshot(model)
    snapshot = with_report(snapshot, left=HandReport(support=support))
    snapshot = replace(snapshot, left=replace(snapshot.left, effector="left_hand", contact=ContactState.LOADED))
    effectors = snapshot.reference.effector_poses
    return [element for element in draw_support(snapshot, "left", effectors, stage) if isinstance(element, Label)]


def test_a_hand_that_bears_tells_its_force_its_friction_and_what_it_adds(model: RobotModel, stage: Stage) -> None:
    texts = [label.text for label in read_gauges(model, stage, make_support())]
    assert texts == ["friction 68 %\n▮▮▮▮▮▮▮▮▯▯▯▯", "push 75 of 200 N\n▮▮▮▮▯▯▯▯▯▯▯▯", "+1.3 cm margin"]


@pytest.mark.parametrize(
    ("changes", "alarms"),
    [({}, 0), ({"friction_ratio": 0.95}, 1), ({"normal_force": 190.0}, 1), ({"margin_gain": -0.01}, 1)],
)
def test_a_gauge_near_its_bound_is_an_alarm(model: RobotModel, stage: Stage, changes: dict[str, float], alarms: int) -> None:
    labels = read_gauges(model, stage, make_support(**changes))
    assert sum(np.array_equal(label.background[:3], to_linear(palette.ALARM)[:3]) for label in labels) == alarms


def test_a_gauge_says_what_is_not_known(model: RobotModel, stage: Stage) -> None:
    texts = [label.text for label in read_gauges(model, stage, make_support(friction_ratio=math.nan, margin_gain=math.nan))]
    assert texts[0] == "friction: too light\n▯▯▯▯▯▯▯▯▯▯▯▯"
    assert len(texts) == 2
    assert read_gauges(model, stage, make_support(margin_gain=math.inf))[-1].text == "holds the robot"
    assert read_gauges(model, stage, make_support(normal_force=math.nan)) == []


@pytest.mark.parametrize("engaged", [True, False])
def test_a_tether_leads_from_the_robots_hand_to_the_operators(stage: Stage, model: RobotModel, engaged: bool) -> None:
    target = np.eye(4)
    target[:3, 3] = (0.5, 0.2, 1.1)
    status = HandStatus(engaged=engaged, waiting="", target=target)
    scene = look(stage, make_snapshot(model, left=status))
    (tether,) = (lines for lines in scene.lines if lines.anchor is Anchor.LEFT_HAND and lines.starts_at is Anchor.WORLD)
    assert tether.ends[0] == pytest.approx(np.array([target[:3, 3], np.zeros(3)]), abs=SINGLE)
    assert in_color(tether, palette.ENGAGED if engaged else palette.HELD).all()
    assert (tether.dash > 0.0) == (not engaged)  # not told by its colour alone
    lost = HandStatus(engaged=False, waiting="not tracked", target=NOWHERE)
    assert all(lines.starts_at is None for lines in look(stage, make_snapshot(model, left=lost, right=lost)).lines)


def test_a_controller_or_a_bare_hand_is_where_the_operators_is(stage: Stage, model: RobotModel) -> None:
    snapshot = make_snapshot(model)

    def at_left(view: ViewState) -> list[Solids]:
        return [solids for solids in look(stage, snapshot, view).solids if solids.anchor is Anchor.LEFT_HAND]

    controller, bare = at_left(ViewState()), at_left(hold("ext/hand_interaction_ext"))
    assert {solids.shape for solids in controller} == {Shape.CYLINDER, Shape.SPHERE, Shape.BOX}
    assert {solids.shape for solids in bare} == {Shape.CYLINDER, Shape.SPHERE}
    for solids in (*controller, *bare):
        assert np.abs(solids.transforms[:, :3, 3]).max() < 0.13  # in the hand [m]
    # the same objects again, which a renderer need not upload
    assert all(one is other for one, other in zip(controller, at_left(ViewState()), strict=True))
    fist, palm = (np.concatenate([solids.transforms[:, :3, 3] for solids in hand]) for hand in (controller, bare))
    assert fist[:, 0].max() > 0.05  # its face is beside the thumb
    assert palm[:, 2].min() < -0.09  # fingers lead away from the wrist


def test_hints_are_shown_only_at_a_hand_that_is_looked_at(stage: Stage, model: RobotModel) -> None:
    scene = look(stage, make_snapshot(model), ViewState(looked_at=frozenset({"right"})))
    assert words(scene, Anchor.LEFT_HAND) == "MOVING THE ROBOT"
    assert "squeeze: move this hand" in words(scene, Anchor.RIGHT_HAND)
