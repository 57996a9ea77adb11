"""Where a session's cameras sit: watched, told, and corrected when somebody says so."""

from __future__ import annotations

import math
from collections.abc import Sequence

from handhold.app.camera.mapper import Mapper
from handhold.app.camera.mounting_store import FoundMounting, MountingStore

PERIOD = 1.0
"""How often what is found is written, and what was accepted is read [s]."""


class MountingUpkeep:
    """Keeps the mountings of a session's cameras.

    Attributes:
        message: What the operator should know, in words; empty where nothing is wrong.
    """

    def __init__(self, store: MountingStore, mappers: Sequence[Mapper]) -> None:
        """Take over what was accepted before.

        Args:
            store: Its files.
            mappers: The cameras, which watch their mountings.

        Raises:
            MountingsUnreadable: A file is damaged.
        """
        self._store, self._mappers = store, mappers
        self._version, self._updated_at = 0, -math.inf
        self._written: tuple[FoundMounting, ...] = ()
        self.message = ""
        self._take_accepted()

    def update(self, now: float) -> None:
        """Go on to a time [s].

        Raises:
            MountingsUnreadable: A file is damaged.
        """
        if now - self._updated_at < PERIOD:
            return
        self._updated_at = now
        self._take_accepted()
        found = tuple(
            FoundMounting.of(mapper.camera, each) for mapper in self._mappers if (each := mapper.mounting) is not None
        )
        wrong = next((each for each in found if each.is_wrong), None)
        self.message = "" if wrong is None else self._describe(wrong)
        if found != self._written:
            self._write(found)

    def _write(self, found: tuple[FoundMounting, ...]) -> None:
        try:
            self._store.write_found(found)
        except OSError as error:
            # a disk that is full must not blind the robot: it is tried again, and said as long as nothing else is wrong
            self.message = self.message or f"what is found of cameras' mountings cannot be kept: {error.strerror}"
        else:
            self._written = found

    def _take_accepted(self) -> None:
        version = self._store.version
        if version == self._version:
            return
        corrections = self._store.read_corrections()
        for mapper in self._mappers:
            mapper.correct(corrections.get(mapper.camera))
        self._version = version

    def _describe(self, found: FoundMounting) -> str:
        if found.is_known:
            return f"camera '{found.camera}' is off: handhold robot mounting {self._store.robot} --correct"
        return f"camera '{found.camera}' is off, it is not known how far: move a hand about before it"
