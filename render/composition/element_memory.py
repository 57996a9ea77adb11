"""What was drawn of earlier snapshots, kept as the same objects while what it was made of stays the same.

Elements are made by pure functions of a snapshot, or of one and the state of the interface. Which parts of it such a function
reads is noted while it runs: as long as those are what they were, it would read no others, and return what it has returned.
Every snapshot comes with arrays of its own; two parts are the same where their contents are. Of what is ``DIVIDED`` each
attribute is a part of its own: what tells of a contact is not drawn anew because the hand moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

import numpy as np

from handhold.render.interface.view_state import ViewState
from handhold.render.snapshot import HandStatus, Snapshot
from handhold.retarget.mode_report import HandReport, ModeReport
from handhold.robots.reference import Reference

T = TypeVar("T")

DIVIDED = (Snapshot, HandStatus, HandReport, ModeReport, Reference, ViewState)
"""Types of attributes whose own attributes are parts."""


@dataclass(frozen=True, eq=False, slots=True)
class _Kept:
    """What a function has returned.

    Attributes:
        arguments: Its arguments besides the snapshot.
        parts: The parts of the snapshot that it has read, by name.
        made: What it has returned.
    """

    arguments: tuple[object, ...]
    parts: frozenset[str]
    made: Any


class ElementMemory:
    """Draws elements of one snapshot after another, and gives those that did not change as they are."""

    def __init__(self) -> None:
        """Know nothing."""
        self._subject: object = None
        self._parts: dict[str, Any] = {}
        self._read_together: Callable[[Any], Any] = attrgetter("__class__")
        self._kept: dict[tuple[object, ...], _Kept] = {}
        self._shared: dict[str, Any] = {}
        self._made: dict[str, tuple[Hashable, Any]] = {}

    def take(self, subject: object) -> None:
        """Take the snapshot, or what else is drawn from now on, and forget what was made of parts that are others now."""
        if subject is self._subject:
            return
        self._subject = subject
        changed = {
            name: part
            for (name, old), part in zip(self._parts.items(), self._read_parts(subject), strict=True)
            if part is not old and not _is_alike(part, old)
        }
        if changed:
            self._parts.update(changed)
            self._kept = {key: kept for key, kept in self._kept.items() if kept.parts.isdisjoint(changed)}

    def _read_parts(self, subject: object) -> tuple[Any, ...]:
        """Return all parts that are known, in their order; None where there is nothing that one would be a part of."""
        if len(self._parts) > 1:
            try:
                return cast(tuple[Any, ...], self._read_together(subject))
            except AttributeError:
                pass
        return tuple(_read(attrgetter(name), subject) for name in self._parts)

    def _note_parts(self, names: Iterable[str]) -> None:
        """Keep parts of the subject that have been read for the first time."""
        self._parts.update((name, attrgetter(name)(self._subject)) for name in names)
        if self._parts:
            self._read_together = attrgetter(*self._parts)

    def reuse(self, name: str, value: Any) -> Any:
        """Return a value that was computed of the snapshot, by a name: the last one's object where it has the same content."""
        self._shared[name] = reuse(value, self._shared.get(name))
        return self._shared[name]

    def keep(self, name: str, key: Hashable, make: Callable[[], T]) -> T:
        """Return what was made for the last snapshot by a name and a key; it is made again only for another key."""
        if name not in self._made or self._made[name][0] != key:
            self._made[name] = (key, make())
        return cast(T, self._made[name][1])

    def draw(self, function: Callable[..., T], *arguments: object) -> T:
        """Return what a pure function makes of the snapshot, its first argument, and of others: numbers, or the same objects.

        Calls of one function are told apart by the first of the others, where that is a text.
        """
        key = (function, arguments[0]) if arguments and isinstance(arguments[0], str) else (function,)
        kept = self._kept.get(key)
        if kept is not None and all(map(_is, kept.arguments, arguments)):
            return cast(T, kept.made)
        parts: set[str] = set()
        made = function(_Watched(self._subject, "", parts), *arguments)
        self._note_parts(parts.difference(self._parts))
        self._kept[key] = _Kept(arguments, frozenset(parts), made)
        return made


class _Watched:
    """A snapshot, or an attribute of it that is divided, that notes which parts are read."""

    __slots__ = ("_parts", "_path", "_value")

    def __init__(self, value: Any, path: str, parts: set[str]) -> None:
        self._value, self._path, self._parts = value, path, parts

    def __getattr__(self, name: str) -> Any:
        part = getattr(self._value, name)
        path = f"{self._path}{name}"
        if isinstance(part, DIVIDED):
            return _Watched(part, f"{path}.", self._parts)
        self._parts.add(path)
        return part


def _read(get: Callable[[Any], Any], subject: object) -> Any:
    """Return a part; None where there is nothing that it would be a part of."""
    try:
        return get(subject)
    except AttributeError:
        return None


def _is(a: object, b: object) -> bool:
    return a is b or (type(a) is float and a == b)


def reuse(new: Any, old: Any) -> Any:
    """Return an old object where it has the content of a new one, and the new one where it has not."""
    return old if _is_alike(new, old) else new


def _is_alike(new: Any, old: Any) -> bool:
    if new is old:
        return True
    if type(new) is not type(old):
        return False
    if isinstance(new, np.ndarray):
        return new.shape == old.shape and new.dtype == old.dtype and new.tobytes() == old.tobytes()
    if isinstance(new, tuple):
        return len(new) == len(old) and all(map(_is_alike, new, old))
    names = _list_fields(cast(Hashable, type(new)))
    if names:
        return all(_is_alike(getattr(new, name), getattr(old, name)) for name in names)
    return bool(new == old)


@cache
def _list_fields(kind: Hashable) -> tuple[str, ...]:
    """Return the names of a dataclass's fields; none of any other type."""
    return tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
