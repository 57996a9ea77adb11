"""Errors of the app package, and errors as people read them."""

MAX_LINE_LENGTH = 1000
"""Longest error that is printed [characters]; names and paths come from files that anybody may have written."""


class AppError(Exception):
    """A command cannot do what it was asked; the message says why and what mends it."""


def to_line(error: BaseException) -> str:
    """Return what an error says in one line that no terminal takes for a command."""
    line = "".join(letter if letter.isprintable() else "?" for letter in " ".join(str(error).split()))
    return line if len(line) <= MAX_LINE_LENGTH else f"{line[: MAX_LINE_LENGTH // 2]} ... {line[-MAX_LINE_LENGTH // 2 :]}"
