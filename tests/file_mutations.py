"""Mutations of files: what an editor, a disk or somebody who means harm may have made of them. Seeded, hence repeatable."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from typing import Any

import numpy as np

EXTREMES = (
    *("0", "-1", "1", "1e308", "-1e308", "1e6", "1e-300", "5e-324", "nan", "inf", "-inf", "-0.0", "99999999999999999999"),
    *("9" * 5000, "true", "1979-05-27", "[]", "{}", "[1.0]", "[nan, nan, nan]", "[1e6, -1e6, 1e6]", "[" * 2000 + "]" * 2000),
    *('""', f'"{"a" * 100_000}"', '"a\\u0000b"', '"\\u001b[31m"', '"a\\nb"', '"[/x]"', '"../../etc/passwd"', '"/etc/passwd"'),
    *('"~"', '"."', '"talos"', '"%s%n"', ".".join("a" * 3000)),
)
"""Values as TOML or JSON would have them, or nearly."""

_TOKEN = re.compile(r'"[^"\n]*"|\[[^\[\]\n]*\]|(?<![\w.-])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.])|\b(?:true|false)\b')


def mutate_text(random: np.random.Generator, text: str) -> str:
    """Return a text of keys and values with some of them replaced, taken away, doubled or put elsewhere."""
    for _ in range(int(random.integers(1, 4))):
        text = _pick(random, _TEXT_MUTATIONS)(random, text)
    return text


def mutate_bytes(random: np.random.Generator, data: bytes) -> bytes:
    """Return bytes of which some are changed, cut off, doubled or set to lengths that nothing has."""
    for _ in range(int(random.integers(1, 4))):
        if data:
            data = (flip_bytes, flip_bytes, _cut, _splice, _lengthen)[random.integers(5)](random, data)
    return data


def mutate_tree(random: np.random.Generator, value: Any) -> Any:
    """Return a decoded JSON or msgpack value with one of its parts replaced."""
    if isinstance(value, dict) and value and random.random() < 0.9:
        key = list(value)[random.integers(len(value))]
        if random.random() < 0.1:
            return {name: inner for name, inner in value.items() if name != key}
        return value | {key: mutate_tree(random, value[key])}
    if isinstance(value, (list, tuple)) and value and random.random() < 0.9:
        index = int(random.integers(len(value)))
        return [*value[:index], mutate_tree(random, value[index]), *value[index + 1 :]]
    return _pick(random, _TREE_EXTREMES)(value)


_TREE_EXTREMES: tuple[Callable[[Any], Any], ...] = (
    *(lambda _, new=new: new for new in (None, True, 0, -1, 1 << 31, (1 << 63) - 1, 1e308, -1e308, 5e-324, float("nan"))),
    *(lambda _, new=new: new for new in (float("inf"), "", "a" * 100_000, "a\0b", "\x1b[31m", "[/x]", "/etc/passwd", [], {})),
    *(
        lambda _, new=new: new
        for new in (b"", b"\xff" * 96, bytes(1000), "<f4", "|O", "<i8", "<U100", [1 << 40], [-1], [0, 9])
    ),
    lambda value: [value],
    lambda value: {"a": value},
    lambda value: value[: len(value) // 2] if isinstance(value, (bytes, str)) else value,
    lambda value: -value if isinstance(value, (int, float)) else value,
)


def _pick(random: np.random.Generator, values: tuple[Any, ...]) -> Any:
    return values[int(random.integers(len(values)))]


def _replace_value(random: np.random.Generator, text: str) -> str:
    tokens = list(_TOKEN.finditer(text))
    if not tokens:
        return text
    token = tokens[int(random.integers(len(tokens)))]
    return text[: token.start()] + _pick(random, EXTREMES) + text[token.end() :]


def _scale_number(random: np.random.Generator, text: str) -> str:
    numbers = [token for token in _TOKEN.finditer(text) if token[0][0] in "-0123456789"]
    if not numbers:
        return text
    token = numbers[int(random.integers(len(numbers)))]
    factor = _pick(random, (-1.0, 0.0, 1e-9, 1e-3, 0.5, 1.01, 10.0, 1e4))
    return text[: token.start()] + f"{factor * float(token[0]):.9g}" + text[token.end() :]


def _drop_line(random: np.random.Generator, text: str) -> str:
    lines = text.splitlines()
    del lines[int(random.integers(len(lines)))]
    return "\n".join(lines) or "a = 1"


def _double_line(random: np.random.Generator, text: str) -> str:
    lines = text.splitlines()
    lines.insert(int(random.integers(len(lines) + 1)), lines[int(random.integers(len(lines)))])
    return "\n".join(lines)


def _rename_key(random: np.random.Generator, text: str) -> str:
    index = int(random.integers(len(text)))
    return text[:index] + _pick(random, (*string.printable, "é", "\ufeff", "..", "'''")) + text[index + 1 :]


def flip_bytes(random: np.random.Generator, data: bytes) -> bytes:
    """Return bytes of which one to eight are others."""
    changed = bytearray(data)
    for index in random.integers(0, len(data), int(random.integers(1, 9))):
        changed[index] ^= int(random.integers(1, 256))
    return bytes(changed)


def _cut(random: np.random.Generator, data: bytes) -> bytes:
    return data[: int(random.integers(len(data)))]


def _splice(random: np.random.Generator, data: bytes) -> bytes:
    start, end, index = (int(n) for n in random.integers(0, len(data) + 1, 3))
    return data[:index] + data[min(start, end) : max(start, end)] + data[index:]


def _lengthen(random: np.random.Generator, data: bytes) -> bytes:
    index, size = int(random.integers(len(data))), int(_pick(random, (2, 4, 8)))
    return data[:index] + b"\xff" * (size - 1) + _pick(random, (b"\xff", b"\x7f", b"\x00")) + data[index + size :]


_TEXT_MUTATIONS = (*(_replace_value,) * 3, *(_scale_number,) * 4, _drop_line, _double_line, _rename_key)
