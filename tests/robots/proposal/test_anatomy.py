"""The parts of humanoids are found from their URDF alone: held against what their descriptions, written by hand, say."""

import numpy as np
import pytest

from handhold.robots.description import load_description
from handhold.robots.model_file import ModelFile
from handhold.robots.proposal.anatomy import find_anatomy
from handhold.robots.proposal.errors import NotProposed
from handhold.robots.proposal.hands import find_hand
from handhold.robots.proposal.limits import find_limits
from handhold.robots.proposal.soles import find_rectangle, find_sole
from handhold.robots.proposal.source import Source, load_source

SOLE_TOLERANCE = 0.03
"""How far a proposed sole may reach beyond, or stay within, the one measured by hand [m]."""


def load(name: str) -> tuple[ModelFile, Source]:
    file = load_description(name).model_file()
    return file, load_source(file)


def find(source: Source):
    points = [source.place_points(joint) for joint in range(source.model.njoints)]
    return find_anatomy(source.model, source.positions, points, "here")


@pytest.mark.parametrize("name", ["talos", "g1", "icub"])
def test_legs_arms_and_where_it_looks_are_found(name: str) -> None:
    description = load_description(name)
    file, source = load(name)
    anatomy = find(source)
    turn = np.abs(np.array(anatomy.base_rpy)) - np.abs(np.array(description.base_rpy))
    np.testing.assert_allclose(turn, 0.0, atol=1e-6)
    source = load_source(file, anatomy.base_rpy)
    for side, leg, arm in zip(("left", "right"), anatomy.legs, anatomy.arms, strict=True):
        assert len(leg.joints) == 6
        assert len(arm.joints) == 7
        foot = source.model.frames[
            source.model.getFrameId(next(e.frame for e in description.effectors if e.name == f"{side}_foot"))
        ]
        assert foot.parentJoint == leg.joints[-1]
        by_hand = next(e.half_lengths for e in description.effectors if e.name == f"{side}_foot")
        sole = find_sole(source.place_points(leg.joints[-1]))
        np.testing.assert_allclose(sole.half_lengths, by_hand, atol=SOLE_TOLERANCE)
        hand = find_hand(source, arm, 9.81 * 40.0)
        assert hand.radius > 0.0
    assert not find_limits(source.model, anatomy).endless


def test_a_quadruped_is_refused_in_words() -> None:
    with pytest.raises(NotProposed, match="four legs"):
        find(load("anymal")[1])


def test_the_largest_rectangle_within_a_hull() -> None:
    np.testing.assert_allclose(find_rectangle(np.array([[0, 0], [2, 0], [2, 1], [0, 1]], dtype=float)), [[0, 0], [2, 1]])
    assert find_rectangle(np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])) is None
