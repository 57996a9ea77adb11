r"""Where trackers sit on a body, learnt while somebody stands.

How a tracker is strapped on nobody knows. While the person stands upright the joint beside it is where a standing person's is,
and from then on it goes with the tracker:

.. math:: p = T\, T_0^{-1} p_0 .
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pinocchio as pin

from handhold.devices.tracked_human import Segment

CARRIED: Mapping[Segment, tuple[Segment, ...]] = {
    Segment.LEFT_FOOT: (Segment.LEFT_FOOT, Segment.LEFT_TOE),
    Segment.RIGHT_FOOT: (Segment.RIGHT_FOOT, Segment.RIGHT_TOE),
}
"""Segments whose beginnings go with a tracker, where that is not only the one that it is worn on."""


class TrackerMounts:
    """Where the trackers of one person sit; one that was not seen then is not used."""

    def __init__(self, trackers: Mapping[Segment, pin.SE3], positions: np.ndarray) -> None:
        """Learn it.

        Args:
            trackers: Poses of the trackers while the person stands, by the segment that they are worn on.
            positions: Where the person's segments began then, shape ``(23, 3)`` [m].
        """
        self._mounts = {
            segment: {carried: tracker.actInv(positions[carried]) for carried in CARRIED.get(segment, (segment,))}
            for segment, tracker in trackers.items()
        }

    def find_joints(self, trackers: Mapping[Segment, pin.SE3]) -> dict[Segment, np.ndarray]:
        """Return where the joints are that go with trackers, each of shape ``(3,)`` [m]."""
        return {
            carried: np.asarray(tracker.act(place))
            for segment, tracker in trackers.items()
            for carried, place in self._mounts.get(segment, {}).items()
        }


NO_MOUNTS = TrackerMounts({}, np.zeros((len(Segment), 3)))
"""Of a person who has not stood yet."""
