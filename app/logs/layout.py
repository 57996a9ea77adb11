"""How the values of one control cycle lie in a log: packed in 10 us, unpacked bit for bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Generic, TypeVar, get_type_hints

import msgspec
import numpy as np

from handhold.app.errors import AppError
from handhold.app.link.messages import ARRAY_TYPES, MAX_DIMENSIONS, MAX_LENGTH, decode_value, encode_value

ValueT = TypeVar("ValueT")


class LayoutError(AppError):
    """A value does not have the layout that a log was started with, or bytes of a log do not."""


class Column(msgspec.Struct, frozen=True):
    """One array of a value.

    Attributes:
        name: Name of the field.
        dtype: Numpy's name of its type.
        tail: Its shape without the first length, which may change from cycle to cycle.
    """

    name: str
    dtype: str
    tail: tuple[int, ...]


class Layout(Generic[ValueT]):
    """Packs a dataclass: its floats, the first length of every array, the arrays' bytes, then all other fields in msgpack."""

    def __init__(self, value_type: type[ValueT], columns: tuple[Column, ...]) -> None:
        """Take the columns of a log.

        Raises:
            LayoutError: They are not the arrays of this type (the log is of another version).
        """
        hints = get_type_hints(value_type)
        self.value_type = value_type
        self.columns = columns
        self._floats, arrays, self._others = _split(hints)
        if arrays != tuple(column.name for column in columns):
            raise LayoutError(f"the arrays of {value_type.__name__} are not those of this log; use the release that wrote it")
        self._get_floats = _getter(self._floats)
        self._get_arrays = _getter(arrays)
        self._get_others = _getter(self._others)
        self._dtypes = [_find_dtype(column) for column in columns]
        self._head = struct.Struct(f"<{len(self._floats)}d{len(arrays)}II")
        self._encoder = msgspec.msgpack.Encoder(enc_hook=encode_value)
        other_types = tuple[tuple(hints[name] for name in self._others)]  # type: ignore[misc,valid-type]
        self._decoder = msgspec.msgpack.Decoder(other_types, dec_hook=decode_value)

    @classmethod
    def of(cls, value: ValueT) -> Layout[ValueT]:
        """Return the layout of a value and of all that have its shapes."""
        value_type = type(value)
        arrays = {name: getattr(value, name) for name in _split(get_type_hints(value_type))[1]}
        return cls(value_type, tuple(Column(name, array.dtype.str, array.shape[1:]) for name, array in arrays.items()))

    def pack(self, value: ValueT) -> list[bytes]:
        """Return the bytes of a value in pieces.

        Raises:
            LayoutError: An array has another type than the first value had.
        """
        arrays: tuple[np.ndarray, ...] = self._get_arrays(value)
        if [array.dtype for array in arrays] != self._dtypes:
            raise LayoutError(f"an array of {self.value_type.__name__} has changed its type")
        others = self._encoder.encode(self._get_others(value)) if self._others else b""
        head = self._head.pack(*self._get_floats(value), *map(len, arrays), len(others))
        return [head, *[array.tobytes() for array in arrays], others]

    def unpack(self, data: bytes, offset: int) -> tuple[ValueT, int]:
        """Return the value that starts at an offset, and the offset behind it.

        Raises:
            LayoutError: The bytes are too few, or not these fields.
        """
        try:
            head = self._head.unpack_from(data, offset)
            offset += self._head.size
            values: dict[str, Any] = dict(zip(self._floats, head, strict=False))
            for column, dtype, length in zip(self.columns, self._dtypes, head[len(self._floats) : -1], strict=True):
                values[column.name], offset = _read_array(data, offset, dtype, (length, *column.tail))
            if self._others:
                others = self._decoder.decode(data[offset : offset + head[-1]])
                values |= zip(self._others, others, strict=True)
        except (struct.error, ValueError, msgspec.MsgspecError) as error:
            raise LayoutError(f"a {self.value_type.__name__} of the log cannot be read ({error})") from None
        return self.value_type(**values), offset + head[-1]


def _read_array(data: bytes, offset: int, dtype: np.dtype[Any], shape: tuple[int, ...]) -> tuple[np.ndarray, int]:
    count = math.prod(shape)
    if count * dtype.itemsize > len(data) - offset:
        raise ValueError("an array that is longer than what is left")
    # copied because bytes start anywhere, while Eigen's sums may depend on the alignment of what they add up
    array = np.frombuffer(data, dtype, count, offset).reshape(shape).copy()
    array.flags.writeable = False
    return array, offset + count * dtype.itemsize


def _find_dtype(column: Column) -> np.dtype[Any]:
    dtype = ARRAY_TYPES.get(column.dtype)
    if dtype is None or len(column.tail) >= MAX_DIMENSIONS or not all(0 <= length <= MAX_LENGTH for length in column.tail):
        raise LayoutError(
            f"an array '{column.name}' of type {column.dtype[:20]!r} or shape (..., {column.tail[:4]}) is none of ours"
        )
    return dtype


def _split(hints: dict[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the names of the floats, of the arrays and of the other fields."""
    floats = tuple(name for name, hint in hints.items() if hint is float)
    arrays = tuple(name for name, hint in hints.items() if hint is np.ndarray)
    return floats, arrays, tuple(name for name in hints if name not in floats and name not in arrays)


def _getter(names: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if not names:
        return lambda _value: ()
    get = attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)
