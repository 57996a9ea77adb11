"""On which feet a person stands."""

from dataclasses import replace

import numpy as np
import pytest

from handhold.app.lab.scenarios.kinematic_human import HumanPose, make_human
from handhold.devices.tracked_human import Segment
from handhold.retarget.whole_body.human_stance import HumanStance


@pytest.fixture
def stance(calibration):
    return HumanStance(calibration)


def swing(human, forward, up):
    """Return a person whose right foot is elsewhere."""
    positions = human.positions.copy()
    positions[Segment.RIGHT_FOOT] += [forward, 0.0, up]
    return replace(human, positions=positions)


def test_a_foot_counts_as_lifted_by_its_height(stance):
    assert stance.lifted == (False, False)
    stance.read(make_human(HumanPose(right_lift=0.08), 1.0, 1))
    assert stance.lifted == (False, True)
    stance.read(make_human(HumanPose(right_lift=0.03), 1.1, 2))
    assert stance.lifted == (False, True), "not put down yet"
    stance.read(make_human(HumanPose(), 1.2, 3))
    assert stance.lifted == (False, False)


def test_a_swinging_foot_moves_nothing_but_itself(stance):
    still = stance.read(make_human(HumanPose(), 1.0, 1))
    swung = stance.read(swing(make_human(HumanPose(), 1.1, 2), 0.4, 0.2))
    others = [segment for segment in Segment if segment is not Segment.RIGHT_FOOT]
    assert np.allclose(swung.positions[others], still.positions[others], atol=1e-9)
    assert swung.positions[Segment.RIGHT_FOOT] - still.positions[Segment.RIGHT_FOOT] == pytest.approx([0.4, 0.0, 0.2])


def test_who_stands_on_a_higher_level_stands_as_well(stance):
    still = stance.read(make_human(HumanPose(), 1.0, 1))
    human = make_human(HumanPose(), 1.1, 2)
    higher = stance.read(replace(human, positions=human.positions + np.array([0.0, 0.0, 0.4])))
    assert np.allclose(higher.positions, still.positions, atol=1e-9)
    assert stance.lifted == (False, False)
