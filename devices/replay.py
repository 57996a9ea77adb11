"""A recorded operator, played at the speed at which he was recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from handhold.devices.device import HapticPulse
from handhold.devices.errors import DeviceNotOpen, RecordingEmpty
from handhold.devices.operator_input import OperatorInput
from handhold.devices.stop import Stop, choose_stop


class ReplayDevice:
    """Operator device that plays recorded samples (see ``OperatorDevice``).

    The first sample is played when the device is opened, the others as much later as they were recorded later. Once the last
    one is over the operator is gone: samples go on, without focus and with nothing tracked, so that the robot holds.

    Attributes:
        name: ``"replay"``; the name within each sample also tells the run and the recorded device.
    """

    name = "replay"

    def __init__(self, samples: Iterable[OperatorInput], *, clock: Callable[[], float]) -> None:
        """Remember what to play; nothing is taken from it yet.

        Args:
            samples: Samples in the order of their times. They are taken one by one, so that a long recording need not be in
                memory; to be opened twice it must be iterable twice.
            clock: The monotonic clock [s].
        """
        self._samples = samples
        self._clock = clock
        self._present: OperatorInput | None = None

    def open(self) -> None:
        """Start playing from the first sample on.

        Raises:
            RecordingEmpty: There is no sample.
        """
        self._upcoming: Iterator[OperatorInput] = iter(self._samples)
        first = next(self._upcoming, None)
        if first is None:
            raise RecordingEmpty
        self._present, self._stop = first, first.stop
        self._next = next(self._upcoming, None)
        self._start = self._clock()
        self._first_time = first.time
        self._sequence = 0

    @property
    def ended(self) -> bool:
        """Whether the last sample has been reached."""
        return self._present is not None and self._next is None

    def read(self) -> OperatorInput:
        """Return the sample that is due, as of now; one that lasts is returned again, with another sequence number.

        Raises:
            DeviceNotOpen: ``open`` has not succeeded.
        """
        if self._present is None:
            raise DeviceNotOpen(self.name)
        now = self._clock()
        over = self.ended
        # a stop lies in one cycle's sample alone: those that are passed over must not lose it
        stop, self._stop = self._stop, Stop.NONE
        while self._next is not None and self._next.time - self._first_time <= now - self._start:
            self._present, self._next = self._next, next(self._upcoming, None)
            stop = choose_stop(stop, self._present.stop)
        device = f"{self.name} {self._start:.6f} {self._present.device}"
        sequence, self._sequence = self._sequence, self._sequence + 1
        if over:
            return OperatorInput(time=now, sequence=sequence, device=device, origin=self._present.origin, focused=False)
        return replace(self._present, time=now, sequence=sequence, device=device, age=0.0, stop=stop)

    def pulse(self, pulse: HapticPulse) -> None:
        """Do nothing: nobody is there to feel it."""

    def close(self) -> None:
        """Stop playing."""
        self._present = None
