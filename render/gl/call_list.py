"""Calls of OpenGL that are noted one by one, and made all at once by compiled code, as often as there are eyes.

A call by ``ctypes`` costs the processor 1 us, of which OpenGL itself takes a tenth, and an eye takes 115 of them: both eyes
were a fifth of a frame.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from handhold.render.gl.functions import Function

TEN_INTEGERS, INTEGER_AND_FLOAT, FOUR_FLOATS = 10, 11, 12
"""Kinds of calls besides those with up to six integers, whose kind is their number."""

KINDS = {
    **{"i" * count: count for count in range(7)},
    "i" * 10: TEN_INTEGERS,
    "if": INTEGER_AND_FLOAT,
    "ffff": FOUR_FLOATS,
}
"""Kinds of calls by ``Function.arguments``."""


class CannotBeNoted(TypeError):
    """A function returns something, or takes arguments of a kind that no call that every frame makes takes."""


class CallList:
    """Notes calls, ``calls(function, *arguments)``, and makes them again and again.

    Functions are those of ``gl/functions.py`` that every frame calls. What an argument points to must lie in a buffer of
    OpenGL's: memory of ours may be another's when the call is made.
    """

    def __init__(self) -> None:
        """Begin without a call."""
        self._words: list[float] = []
        self._packed = np.zeros(0)
        # compiled now: no frame must wait for it
        _submit(self._packed)

    def __call__(self, function: Function, *arguments: float) -> None:
        """Note a call.

        Raises:
            CannotBeNoted: Compiled code cannot make it.
        """
        kind = KINDS.get(function.arguments)
        if kind is None or function.returns:
            raise CannotBeNoted(function.arguments)
        self._words += (kind, len(arguments), function.address, *arguments)

    def clear(self) -> None:
        """Forget all calls."""
        self._words = []

    def pack(self) -> None:
        """Make what has been noted ready to be submitted."""
        # float64 holds whole numbers up to 2^53: addresses within a process, names, sizes and offsets
        self._packed = np.frombuffer(array("d", self._words)) if self._words else np.zeros(0)

    def submit(self) -> None:
        """Make all calls that are ready, in their order."""
        _submit(self._packed)


def _make_caller(integers: int, floats: int) -> Any:
    """Return what calls, in compiled code, a function at an address with some integers and then some floats.

    The conventions of x86-64 and ARM64 pass an integer of any size in a register or slot of 64 bits, of which a function reads
    what it needs, and ignore registers that it has no argument for.
    """
    kinds = (types.int64,) * integers + (types.float32,) * floats

    @intrinsic
    def call(_typing: Any, _address: Any, _arguments: Any) -> Any:
        def generate(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            address, packed = values
            arguments = [builder.extract_value(packed, number) for number in range(len(kinds))]
            taken = [ir.IntType(64)] * integers + [ir.FloatType()] * floats
            function = builder.inttoptr(address, ir.FunctionType(ir.VoidType(), taken).as_pointer())
            builder.call(function, arguments)
            return context.get_dummy_value()

        return types.void(types.int64, types.Tuple(kinds)), generate

    return call


_call_six = _make_caller(6, 0)
_call_ten = _make_caller(10, 0)
_call_float = _make_caller(1, 1)
_call_four_floats = _make_caller(0, 4)


@njit(cache=True, nogil=True)
def _submit(words: np.ndarray) -> None:
    """Make calls, each of which is its kind, the number of its arguments, its address, and the arguments."""
    start = 0
    given = np.zeros(10)
    while start < len(words):
        kind, count, address = int(words[start]), int(words[start + 1]), int(words[start + 2])
        given[:count] = words[start + 3 : start + 3 + count]
        start += 3 + count
        if kind == FOUR_FLOATS:
            _call_four_floats(
                address, (np.float32(given[0]), np.float32(given[1]), np.float32(given[2]), np.float32(given[3]))
            )
        elif kind == INTEGER_AND_FLOAT:
            _call_float(address, (int(given[0]), np.float32(given[1])))
        elif kind == TEN_INTEGERS:
            _call_ten(
                address,
                (
                    int(given[0]),
                    int(given[1]),
                    int(given[2]),
                    int(given[3]),
                    int(given[4]),
                    int(given[5]),
                    int(given[6]),
                    int(given[7]),
                    int(given[8]),
                    int(given[9]),
                ),
            )
        else:
            _call_six(address, (int(given[0]), int(given[1]), int(given[2]), int(given[3]), int(given[4]), int(given[5])))
