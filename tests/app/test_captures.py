"""The parts of captures that are played."""

import numpy as np
import pytest
from people import make_human

from handhold.app.lab.scenarios.climb import (
    MAX_STEP,
    SHORTEST,
    CapturesMissing,
    Timeline,
    find_standing_parts,
    load_capture,
)
from handhold.app.lab.scenarios.suit_losses import LIMB_JUMP, RESTART, ROOM_JUMP, spoil
from handhold.devices.tracked_human import Segment

FEET = [Segment.LEFT_FOOT, Segment.RIGHT_FOOT]


@pytest.mark.parametrize("sequence", [0, 1])
def test_in_each_part_both_feet_stand_on_one_level(sequence):
    recording = load_capture(sequence)
    parts = find_standing_parts(recording)
    assert len(parts) >= 3
    for begin, end in parts:
        assert end - begin >= SHORTEST * recording.rate
        ankles = recording.positions[begin:end, FEET]
        assert np.ptp(ankles[:, :, 2], axis=1).max() < MAX_STEP
        assert np.ptp(ankles, axis=0).max() < 0.1  # [m] in all of a part


def test_a_timeline_holds_the_first_frame_of_every_part():
    timeline = Timeline.of(load_capture(1))
    first = find_standing_parts(timeline.recording)[0][0]
    held = timeline.track(6.0, True)
    assert np.array_equal(held.positions, timeline.recording.positions[first])
    assert timeline.track(timeline.duration + 5.0, True).sequence == len(timeline.frames) - 1


def test_a_capture_that_there_is_not_is_told_with_how_to_get_it():
    with pytest.raises(CapturesMissing, match="setup --dev"):
        load_capture(99)


def test_a_spoilt_sample_is_what_its_time_says():
    human = make_human(0.0)
    arm = spoil(human, sum(LIMB_JUMP) / 2.0).positions - spoil(human, LIMB_JUMP[0] - 0.1).positions
    assert arm[Segment.LEFT_HAND, 1] == pytest.approx(0.5)
    assert abs(arm[Segment.RIGHT_HAND, 1]) < 1e-9
    room = spoil(human, ROOM_JUMP).positions - spoil(human, ROOM_JUMP - 0.1).positions
    assert np.allclose(room[:, 0], 0.5, atol=1e-3)
    assert spoil(human, RESTART).suit != spoil(human, RESTART - 0.1).suit
