"""Errors of the app package, and errors as people read them."""

import os

MAX_LINE_LENGTH = 1000
"""Longest error that is printed [characters]; names and paths come from files that anybody may have written."""


class AppError(Exception):
    """A command cannot do what it was asked; the message says why and what mends it."""


def to_line(error: BaseException) -> str:
    """Return what an error says in one line that no terminal takes for a command."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(error).split()))
    return line if len(line) <= MAX_LINE_LENGTH else f"{line[: MAX_LINE_LENGTH // 2]} ... {line[-MAX_LINE_LENGTH // 2 :]}"


def find_damaged_code(error: SystemError) -> AppError | None:
    """Return what an error of a compiled function says to people; None for any other error.

    A compiled function raises no such error: its code does not fit together with that of those it calls, which is what two
    processes may leave behind where the folder of compiled code was taken away from under them.
    """
    if "CPUDispatcher" not in str(error):
        return None
    folder = os.environ.get("NUMBA_CACHE_DIR", "")
    return AppError(f"compiled code is damaged: end every handhold, then delete the folder {folder}; it is made anew")
