"""TOML files as tables whose keys are all known: read, screened and validated, each mistake named with its remedy."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from handhold.robots.errors import DescriptionError, closest
from handhold.robots.files import read_file

MAX_FILE_SIZE = 300_000
"""Size beyond which a file is refused [bytes]: a robot takes 5 kB, a world of a thousand solids 150 kB."""

MAX_NUMBER = 1e6
"""Largest number in a file, in SI units: beyond it squares and products of a few would overflow."""

MAX_TEXT_LENGTH = 1000
"""Longest string or key [characters]."""

DEEPEST = 12
"""Tables and arrays within each other; ours go six deep."""

_DOTTED = re.compile(r"[,=\[\]{}#\n]")
_MAX_DOTS = 50
_SHOWN = 60
_MIN_POSITIVE = 1e-6


def _check_usable(value: float) -> float:
    if value < _MIN_POSITIVE:
        raise ValueError(f"must be {_MIN_POSITIVE:g} or more")
    return value


Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False), AfterValidator(_check_usable)]
"""A number above 0 by so much that its inverse is of some use."""

Fraction = Annotated[float, Field(gt=0.0, le=1.0)]
UnitInterval = Annotated[float, Field(ge=0.0, le=1.0)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]
"""A name on a command line, which may become part of a file's."""

Length = Annotated[Positive, Field(le=1e3)]
"""A length of an object [m]."""

Coordinate = Annotated[float, Field(ge=-1e3, le=1e3)]
Vector3 = tuple[Coordinate, Coordinate, Coordinate]


class Table(BaseModel):
    """A TOML table whose keys are all known and whose values do not change."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


TableT = TypeVar("TableT", bound=Table)


def load_table(file: Path, table: type[TableT]) -> TableT:
    """Read and validate a TOML file; its path becomes the table's ``source``.

    Raises:
        DescriptionError: The file cannot be read, is no TOML, or has a key that is wrong or missing.
    """
    content = _parse(file)
    for key, problem in list_excesses(content):
        raise DescriptionError(str(file), key, problem, "correct the value")
    try:
        return table.model_validate(content | {"source": str(file)})
    except ValidationError as error:
        raise _first_mistake(str(file), error, table) from None


def list_excesses(value: Any, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield key and problem of what no file of ours has, whatever it describes: depth, lengths, sizes of numbers.

    Args:
        value: A table, an array or a value, as a parser returns it.
        key: Its dotted key; empty for a whole file.
        depth: How many tables and arrays it is in.
    """
    if depth > DEEPEST:
        yield shorten(key), f"nested more than {DEEPEST} deep"
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _list_text_excesses(name, shorten(key))
            yield from list_excesses(inner, f"{key}.{name}" if key else name, depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from list_excesses(inner, f"{key}.{index}", depth + 1)
    elif isinstance(value, str):
        yield from _list_text_excesses(value, key)
    elif isinstance(value, (int, float)) and abs(value) > MAX_NUMBER and abs(value) != float("inf"):
        # the infinite is left to the table, which says that numbers must be finite
        yield key, f"{_say_number(value)} is larger than anything here can be ({MAX_NUMBER:g}, in SI units)"


def _list_text_excesses(text: str, key: str) -> Iterator[tuple[str, str]]:
    if len(text) > MAX_TEXT_LENGTH:
        yield key, f"a text of {len(text)} characters is too long; at most {MAX_TEXT_LENGTH} are taken"
    elif not text.isprintable():
        yield key, "a text has a line break or a control character in it"


def _say_number(value: float) -> str:
    return f"{value:g}" if isinstance(value, float) or abs(value) < 1e300 else "the number"


def shorten(text: str) -> str:
    """Return a text for a message: no longer than a line takes, and printable."""
    shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
    return "".join(letter if letter.isprintable() else "?" for letter in shown)


def _parse(file: Path) -> dict[str, Any]:
    try:
        text = read_file(file, MAX_FILE_SIZE).decode("utf-8").replace("\r\n", "\n")
        # the parser's time grows with the square of a dotted key's parts
        if any(len(re.findall(r"(?<!\.)\.", part)) > _MAX_DOTS for part in _DOTTED.split(text)):
            raise DescriptionError(str(file), "", f"a key of more than {_MAX_DOTS} parts", "nest tables less deep")
        return tomllib.loads(text)
    except OSError as error:
        raise DescriptionError(str(file), "", error.strerror or "cannot be read", "check the path") from None
    except RecursionError:
        raise DescriptionError(str(file), "", f"nested more than {DEEPEST} deep", "nest tables less deep") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DescriptionError(str(file), "", f"not valid TOML ({error})", "mend the line named") from None
    except ValueError:
        raise DescriptionError(str(file), "", "a number has thousands of digits", "correct the value") from None


def _first_mistake(source: str, error: ValidationError, table: type[Table]) -> DescriptionError:
    mistakes = error.errors(include_url=False)
    # A misspelled key is also a missing one: report the spelling.
    first = next((mistake for mistake in mistakes if mistake["type"] == "extra_forbidden"), mistakes[0])
    where = first["loc"]
    key = ".".join(str(part) for part in where)
    if first["type"] == "extra_forbidden":
        known = tuple(name for name in _table_at(table, where[:-1]).model_fields if name != "source")
        near = closest(str(where[-1]), known, 1, min_similarity=0.6)
        remedy = f"did you mean '{near[0]}'?" if near else f"the keys here are: {', '.join(known)}"
        return DescriptionError(source, key, "no such key", remedy)
    if first["type"] == "missing":
        return DescriptionError(source, key, "this key is missing", "add it")
    problem = first["msg"].removeprefix("Value error, ")
    shown = "" if isinstance(first["input"], dict) else f" (it is {shorten(repr(first['input']))})"
    return DescriptionError(source, key, f"{problem}{shown}", "correct the value")


def _table_at(table: type[Table], where: tuple[int | str, ...]) -> type[Table]:
    """Return the kind of the table at a location in a file, such as ``("effectors", 0)``."""
    for part in where:
        if part in table.model_fields:
            annotation = table.model_fields[str(part)].annotation
            kinds = (annotation, *getattr(annotation, "__args__", ()))
            table = next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Table)), table)
    return table
