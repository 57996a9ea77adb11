"""What is kept of earlier snapshots is what would be drawn of the newest one, and stays the same object while it can."""

from __future__ import annotations

import copy
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from snapshots import make_snapshot, move_joints

from handhold.app.lab.gallery.parts import make_person
from handhold.devices.stop import Stop
from handhold.render.composition.compose import complete, compose_world
from handhold.render.composition.element_memory import ElementMemory
from handhold.render.elements.stage import Stage
from handhold.render.interface.ahead import Ahead
from handhold.render.interface.settings import PicturePosition, Settings, Viewpoint
from handhold.render.interface.view_state import ViewState
from handhold.render.interface.wheel import Wheel
from handhold.render.kinematics import JointPoses
from handhold.render.scene import Anchor, Scene
from handhold.render.snapshot import Snapshot
from handhold.render.streams import PictureFrame, Streams
from handhold.retarget.mode_report import Candidate, Footstep, Preview, StabilityRegion
from handhold.robots.model import RobotModel, load_model

CHANGES: list[dict[str, Any]] = [
    {"note": "not now"},
    {"looked_at": frozenset({"left"})},
    {"announcing": 3.0},
    {"settings": Settings(picture=PicturePosition.HEAD, hints=False)},
    {"wheel": Wheel(hand="left", pose=np.eye(4)), "note": "not now"},
    {"transform_room_to_world": np.diag([-1.0, -1.0, 1.0, 1.0]).astype(np.float32)},
]
"""Views of which each differs from the first in what is shown."""
SINGLE = 1e-6
"""Poses are told in single precision [m]."""


def make_snapshots(model: RobotModel) -> list[Snapshot]:
    """Return snapshots of which each differs from the others in one thing that is shown."""
    region = StabilityRegion(
        vertices=np.array([(0.1, 0.0), (0.0, 0.2), (-0.1, 0.0)]), height=0.0, margin=0.05, edge=0, limit=""
    )
    corners = 0.1 * np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0)])
    candidate = Candidate(pose=np.eye(4), boundary=corners, hand="left", gain=0.01, chosen=False, age=0.1)
    moved = np.eye(4)
    moved[0, 3] = 0.3
    base = make_snapshot(model, region=region, candidates=(candidate,))
    changes: list[dict[str, Any]] = [
        {},
        {"q": move_joints(model, base.q, {"arm_left_2_joint": 0.5})},
        {"position_com_in_world": base.position_com_in_world + 0.02},
        {"contact_wrenches": 0.5 * base.contact_wrenches},
        {"report": replace(base.report, region=replace(region, margin=0.01))},
        {"report": replace(base.report, region=None)},
        {"report": replace(base.report, candidates=(replace(candidate, pose=moved),))},
        {"report": replace(base.report, candidates=())},
        {"left": replace(base.left, target=moved, engaged=True)},
        {"report": replace(base.report, preview=Preview(title="brace", q=base.q, feasible=True, region=region))},
        {"report": replace(base.report, footsteps=(Footstep(side="left", pose=moved, delay=0.5),))},
        {"report": replace(base.report, person=make_person(model, base.q, (0.1, 0.0, 0.0)))},
        {"report": replace(base.report, person=make_person(model, base.q, (0.2, 0.0, 0.0)))},
        {"report": replace(base.report, person=make_person(model, base.q, (0.1, 0.0, 0.0), following=False))},
        {"mode": "walking"},
        {"stop": Stop.HOLD},
    ]
    return [replace(base, **change) for change in changes]


def test_scenes_do_not_depend_on_what_was_shown_before(model: RobotModel, stage: Stage) -> None:
    memory, rng = ElementMemory(), np.random.default_rng(0)
    snapshots = make_snapshots(model)
    for number in rng.integers(len(snapshots), size=80):
        settings = Settings(view=Viewpoint.FIRST_PERSON if rng.random() < 0.2 else Viewpoint.THIRD_PERSON)
        # each comes with arrays of its own, as from the link
        kept = compose_world(copy.deepcopy(snapshots[number]), settings, stage, memory=memory)
        assert describe(kept) == describe(compose_world(snapshots[number], settings, stage))


def test_the_interface_does_not_depend_on_what_was_shown_before(model: RobotModel, stage: Stage) -> None:
    memory, rng = ElementMemory(), np.random.default_rng(0)
    snapshots: list[Snapshot | None] = [*make_snapshots(model), None]
    views = [ViewState(), *(replace(ViewState(), **change) for change in CHANGES)]
    picture = PictureFrame(image=np.zeros((4, 4, 3), dtype=np.uint8), version=0)
    for _ in range(80):
        snapshot, view = snapshots[rng.integers(len(snapshots))], views[rng.integers(len(views))]
        age = 1.0 if rng.random() < 0.3 else 0.0
        streams = Streams(snapshot_age=age, picture=picture if rng.random() < 0.7 else None, picture_age=age)
        kept = complete(Scene(), copy.deepcopy(snapshot), view, streams, memory=memory)
        assert describe(kept) == describe(complete(Scene(), snapshot, view, streams))


def test_an_interface_of_which_nothing_has_changed_is_the_same_objects(model: RobotModel) -> None:
    memory, view, snapshot = ElementMemory(), ViewState(note="no"), make_snapshots(model)[0]
    before = complete(Scene(), snapshot, view, Streams(), memory=memory)
    walked = replace(view, vignette=0.5, ahead=Ahead(position=np.ones(3)))
    after = complete(Scene(), copy.deepcopy(snapshot), walked, Streams(snapshot_age=0.01), memory=memory)
    assert before.labels
    assert before.labels == after.labels
    assert before.solids == after.solids


def test_what_has_not_changed_is_the_same_object(model: RobotModel, stage: Stage) -> None:
    memory = ElementMemory()
    snapshots = make_snapshots(model)
    settings = Settings()
    before = compose_world(snapshots[0], settings, stage, memory=memory)
    again = compose_world(copy.deepcopy(snapshots[0]), settings, stage, memory=memory)
    for name in ("solids", "lines", "fills", "labels"):
        assert getattr(before, name) == getattr(again, name), name
    chosen = compose_world(copy.deepcopy(snapshots[6]), settings, stage, memory=memory)
    assert set(before.fills) & set(chosen.fills), "a surface that moves leaves the region as it is"
    assert not set(before.fills) >= set(chosen.fills)


def test_a_hand_that_moves_leaves_what_is_told_of_its_contact(model: RobotModel, stage: Stage) -> None:
    memory, settings = ElementMemory(), Settings()
    snapshots = make_snapshots(model)
    before = compose_world(snapshots[0], settings, stage, memory=memory)
    moved = replace(snapshots[0], left=replace(snapshots[0].left, target=snapshots[8].left.target))
    after = compose_world(moved, settings, stage, memory=memory)
    strip = [label for label in before.labels if label.anchor is Anchor.AHEAD]
    assert strip
    assert set(strip) <= set(after.labels)
    assert set(after.solids) - set(before.solids), "the ball where the hand is asked to be"


@pytest.mark.parametrize("name", ["talos", "g1", "icub"])
def test_joints_are_where_pinocchio_has_them(name: str) -> None:
    model = load_model(name).pinocchio
    poses, data, rng = JointPoses(load_model(name)), model.createData(), np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform(-2.0, 2.0, model.nq)
        q[3:7] /= np.linalg.norm(q[3:7])
        pin.forwardKinematics(model, data, q)
        exact = np.array([pose.homogeneous for pose in data.oMi])
        np.testing.assert_allclose(poses.compute(q), exact, atol=SINGLE)


def describe(piece: Any) -> Any:
    """Return the content of a scene or of a piece of it."""
    if isinstance(piece, np.ndarray):
        return piece.shape, piece.tobytes()
    if isinstance(piece, Scene) or is_dataclass(piece):
        return [describe(getattr(piece, field.name)) for field in fields(piece)]
    return [describe(part) for part in piece] if isinstance(piece, tuple) else piece
