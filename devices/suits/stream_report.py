"""What people are told of a stream that arrives."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from handhold.devices.suits.xsens_mvn import MvnSuit


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReport:
    """What arrived of a suit's stream in a while.

    Attributes:
        rate: Samples a second [Hz].
        loss: Share of the samples that never came, 0 to 1.
        late: Datagrams so far that were overtaken by a newer sample.
        refused: Datagrams so far that were not believed, by the reason.
        segments: Segments of the newest sample that are tracked.
        age: Age of the newest sample [s]; None before the first.
        character: Number of the person; None before the first.
        name: What people call him, where he is called anything.
        others: Other characters in the stream, by their numbers.
        types: Datagrams so far, by their type.
    """

    rate: float
    loss: float
    late: int
    refused: dict[str, int]
    segments: int
    age: float | None
    character: int | None
    name: str
    others: tuple[int, ...]
    types: dict[str, int]

    def to_record(self) -> dict[str, Any]:
        """Return the report as a JSON object."""
        return asdict(self)

    def summarize(self) -> str:
        """Return the report as a line for people."""
        if self.character is None:
            came = sum(self.types.values())
            return f"no sample yet; {came} datagrams came{self._tell_refused()}"
        who = f"character {self.character}" + (f" '{self.name}'" if self.name.isprintable() and self.name else "")
        beside = f"; also character {', '.join(map(str, self.others))}" if self.others else ""
        age = "" if self.age is None or self.age < 1.0 else f", silent for {self.age:.0f} s"
        return (
            f"{who}{beside}: {self.rate:5.1f} Hz, {100.0 * self.loss:4.1f} % lost, {self.late} late, "
            f"{self.segments} of 23 segments{age}{self._tell_refused()}"
        )

    def _tell_refused(self) -> str:
        told = ", ".join(f"{count} for their {reason}" for reason, count in sorted(self.refused.items()))
        return f"; refused {told}" if told else ""


class StreamWatch:
    """Reads a suit, and tells now and then what has arrived."""

    def __init__(self, suit: MvnSuit, now: float) -> None:
        self._suit = suit
        self._since = now
        self._samples = suit.samples
        self._lost = suit.lost

    def report(self, now: float) -> StreamReport:
        """Return what arrived since the last report; the suit has been read in between.

        Args:
            now: The clock that the suit's samples are stamped with [s].
        """
        suit, assembly = self._suit, self._suit.assembly
        samples, lost = suit.samples - self._samples, suit.lost - self._lost
        elapsed, self._since = max(now - self._since, 1e-9), now
        self._samples, self._lost = suit.samples, suit.lost
        newest = assembly.newest
        return StreamReport(
            rate=samples / elapsed,
            loss=lost / max(1, lost + samples),
            late=assembly.late,
            refused=dict(suit.refused),
            segments=0 if newest is None else int(newest.tracked.sum()),
            age=None if newest is None else now - newest.time,
            character=assembly.character if newest is not None else None,
            name=assembly.meta_data.tags.get("name", ""),
            others=tuple(sorted(assembly.others)),
            types={f"{kind:02d}": count for kind, count in sorted(suit.received.items())},
        )
