"""Samples of a person from the datagrams of the MVN stream, whatever the network does to them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from handhold.devices.suits.mvn_character import MetaData, Scaling
from handhold.devices.suits.mvn_header import MvnHeader
from handhold.devices.suits.mvn_order import Place, SampleOrder, difference
from handhold.devices.suits.mvn_pose import BodyPose, compose_pose, join_items
from handhold.devices.suits.mvn_protocol import CenterOfMass, Datagram, SegmentItems, TimeCode
from handhold.devices.suits.mvn_units import CENTIMETRE, LONGEST_REACH, METRE, find_unit
from handhold.devices.suits.stamps import SampleStamps
from handhold.devices.suits.suit_errors import DatagramRefused
from handhold.devices.tracked_human import TrackedHuman

PENDING = 8
"""Samples that may wait for their datagrams at once; the oldest gives way."""

COM_REACH = 1.0
"""How far from the pelvis a person's centre of mass is at most [m]."""

KNOWN_TAGS = ("name", "xmid", "color")
"""What is remembered of a character's meta data: a sender may invent others without end."""

FARTHEST = 1e4
"""How far from the room's origin a person is taken for one [m]: single precision tells 1 mm there."""


@dataclass(slots=True)
class _Parts:
    """Datagrams of one type of one sample, by their index."""

    items: dict[int, SegmentItems] = field(default_factory=dict)
    last: int | None = None

    def add(self, header: MvnHeader, items: SegmentItems) -> None:
        """Take a datagram; one that is there already changes nothing."""
        if self.last is not None and (header.index > self.last or (header.is_last and header.index != self.last)):
            raise DatagramRefused("counts", "an index beyond a sample's last datagram")
        if header.is_last and any(index > header.index for index in self.items):
            raise DatagramRefused("counts", "a last datagram before others of its sample")
        self.last = header.index if header.is_last else self.last
        self.items.setdefault(header.index, items)

    @property
    def is_complete(self) -> bool:
        return self.last is not None and len(self.items) == self.last + 1


@dataclass(slots=True)
class _Sample:
    """What has come of one sample; ``arrived`` is when the first of it did."""

    arrived: float
    parts: dict[int, _Parts] = field(default_factory=dict)
    center_of_mass: CenterOfMass | None = None


class MvnAssembly:
    """Puts datagrams together to samples of one person.

    Datagrams may be lost, come twice or in another order: a sample that lacks one never comes, and one that is older than the
    newest finished one is dropped. A suit that begins anew (``SampleOrder``) is another run, with another name. Of several
    characters one counts: the one asked for, or the first one seen. The classic datagrams do not tell which foot stands.

    Attributes:
        newest: The newest sample; None before the first.
        character: The character that counts; None before the first where none was asked for.
        meta_data: What the character is called.
        scaling: Its lengths, as last told.
        time_of_day: Time of day that the newest type 25 told, ``""`` before the first.
        late: Datagrams that were overtaken by a finished sample.
        others: Datagrams of other characters, by their numbers.
    """

    def __init__(self, name: str, character: int | None = None, unit: float | None = None) -> None:
        """Begin without a sample.

        Args:
            name: What samples are called, up to their run and their character; another one each time a suit is opened.
            character: Number of the character that counts; None for the first one seen.
            unit: What positions are in [m], 1 or 0.01; None to tell it by the person's lengths.
        """
        self.newest: TrackedHuman | None = None
        self.character = character
        self.meta_data = MetaData({})
        self.scaling: Scaling | None = None
        self.time_of_day = ""
        self.late = 0
        self.others: Counter[int] = Counter()
        self._name = name
        self._given_unit = unit
        self._begin_run(0)

    @property
    def lost(self) -> int:
        """Samples that never came."""
        return self._lost + self._order.lost

    def take(self, datagram: Datagram, arrived: float) -> bool:
        """Take a datagram, and say whether it made or completed the newest sample.

        Args:
            datagram: The datagram.
            arrived: When it arrived, on the receiver's clock [s].

        Raises:
            DatagramRefused: It contradicts others of its sample, or tells of no person.
        """
        header, payload = datagram.header, datagram.payload
        if self.character not in (None, header.character):
            self.others[header.character] += 1
            return False
        if not isinstance(payload, SegmentItems | CenterOfMass):
            self._remember(datagram)
            return False
        place = self._order.place(header)
        if place is Place.LATE:
            self.late += 1
            return False
        if place is Place.STRANGE:
            raise DatagramRefused("order", f"sample {header.sample} fits nowhere")
        if place is Place.RESTARTED:
            self._begin_run(self._run + 1)
        return self._add(header, payload, arrived)

    def _begin_run(self, run: int) -> None:
        self._lost = self.lost if run else 0
        self._run = run
        self._order = SampleOrder()
        self._stamps = SampleStamps()
        self._units: dict[int, float] = {}
        self._samples: dict[tuple[int, int], _Sample] = {}
        self._count = 0

    def _remember(self, datagram: Datagram) -> None:
        payload = datagram.payload
        if self.character is None:
            return
        if isinstance(payload, TimeCode):
            self.time_of_day = payload.text
        elif isinstance(payload, MetaData):
            told = {name: value for name, value in payload.tags.items() if name in KNOWN_TAGS}
            self.meta_data = MetaData({**self.meta_data.tags, **told})
        elif isinstance(payload, Scaling) and payload.segments:
            self.scaling = payload

    def _add(self, header: MvnHeader, payload: SegmentItems | CenterOfMass, arrived: float) -> bool:
        # by character as well: before the first sample nobody knows which one counts
        key = (header.character, header.sample)
        sample = self._find(key, arrived)
        if isinstance(payload, CenterOfMass):
            sample.center_of_mass = payload
        else:
            sample.parts.setdefault(header.type, _Parts()).add(header, payload)
        try:
            return self._finish(header, sample)
        except DatagramRefused:
            # whichever of its datagrams was wrong, nothing more is made of them
            self._samples.pop(key)
            raise

    def _find(self, key: tuple[int, int], arrived: float) -> _Sample:
        if key not in self._samples and len(self._samples) >= PENDING:
            del self._samples[min(self._samples, key=lambda each: difference(each[1], key[1]))]
        return self._samples.setdefault(key, _Sample(arrived))

    def _finish(self, header: MvnHeader, sample: _Sample) -> bool:
        """Make the newest sample of what has come of it, where that is enough."""
        whole = {kind: join_items(parts.items) for kind, parts in sample.parts.items() if parts.is_complete}
        pose = compose_pose(whole) if whole else None
        if pose is None:
            return False
        is_known = self._order.newest == header.sample
        human = self._make_human(header, pose, sample, is_known)
        self.newest, self.character = human, header.character
        if not is_known:
            self._count += 1
            self._order.finish(header)
            ahead = {key: each for key, each in self._samples.items() if difference(key[1], header.sample) >= 0}
            self._samples = {key: each for key, each in ahead.items() if key[0] == header.character}
        return True

    def _make_human(self, header: MvnHeader, pose: BodyPose, sample: _Sample, is_known: bool) -> TrackedHuman:
        unit = self._find_unit(pose)
        positions = unit * pose.positions
        center = positions[pose.tracked][0]
        _check_person(positions[pose.tracked], center)
        before = self.newest if is_known else None
        com = sample.center_of_mass
        return TrackedHuman(
            time=before.time if before else self._stamps.stamp(1e-3 * header.time_code, sample.arrived),
            sequence=before.sequence if before else self._count,
            suit=f"{self._name} run {self._run} character {header.character}",
            positions=positions,
            orientations=pose.orientations,
            tracked=pose.tracked,
            position_com=None if com is None else _place_com(com, center, unit),
        )

    def _find_unit(self, pose: BodyPose) -> float:
        """Return the unit of a pose's positions [m]; told once a run for each type, since senders mix them."""
        if self._given_unit is not None:
            return self._given_unit
        if pose.source not in self._units:
            self._units[pose.source] = find_unit(pose.positions, pose.tracked)
        return self._units[pose.source]


def _check_person(positions: np.ndarray, center: np.ndarray) -> None:
    """Look whether segments are where those of a person can be.

    Raises:
        DatagramRefused: They are not.
    """
    if np.abs(center).max() > FARTHEST:
        raise DatagramRefused("person", "a person more than 10 km away")
    if np.abs(positions - center).max() > LONGEST_REACH:
        raise DatagramRefused("person", f"a segment more than {LONGEST_REACH} m from the first one")


def _place_com(com: CenterOfMass, center: np.ndarray, unit: float) -> np.ndarray | None:
    """Return a centre of mass [m], in the one of the units that lets it lie in the person; None where neither does."""
    for scale in (unit, METRE, CENTIMETRE):
        if np.linalg.norm(scale * com.position - center) < COM_REACH:
            return scale * com.position
    return None
