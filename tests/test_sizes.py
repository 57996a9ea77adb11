import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("app", "devices", "perception", "render", "retarget", "robots")

# What is longer is more than one thing, and is read by nobody from beginning to end.
MAX_CLASS = 300  # [lines]
MAX_FUNCTION = 50  # [lines] with the docstring, without decorators
MAX_MODE_MEMBERS = 8  # a new mode has to write each of them


def modules() -> list[Path]:
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py"))


def is_compiled(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function is a kernel: those take flat arrays and spell their loops out, since calls may cost inlining."""
    decorators = [each.func if isinstance(each, ast.Call) else each for each in function.decorator_list]
    return any(ast.unparse(decorator).rpartition(".")[2] == "njit" for decorator in decorators)


def find_too_long(source: str) -> Iterator[str]:
    """Yield what is too long in a file, in words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef):
            kind, limit = "class", MAX_CLASS
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_compiled(node):
            kind, limit = "function", MAX_FUNCTION
        else:
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > limit:
            yield f"line {node.lineno}: {kind} {node.name} has {length} lines, at most {limit}"


def public_members(body: list[ast.stmt]) -> set[str]:
    """Return the names that a class declares for others: attributes, properties and methods."""
    names = {each.name for each in body if isinstance(each, ast.FunctionDef)}
    names |= {each.target.id for each in body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)}
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_classes_and_functions_are_short_enough(file: Path) -> None:
    assert list(find_too_long(file.read_text())) == []


def test_a_mode_has_few_enough_members() -> None:
    tree = ast.parse((ROOT / "retarget" / "mode.py").read_text())
    (mode,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Mode")
    members = public_members(mode.body)
    assert {"enter", "update"} <= members
    assert len(members) <= MAX_MODE_MEMBERS, sorted(members)


@pytest.mark.parametrize(
    ("head", "statements", "found"),
    [
        ("def f():", MAX_FUNCTION - 1, False),
        ("def f():", MAX_FUNCTION, True),
        ("async def f():", MAX_FUNCTION, True),
        ("class C:\n def f():", MAX_FUNCTION, True),
        ("@cache\ndef f():", MAX_FUNCTION, True),
        ("@njit\ndef f():", MAX_FUNCTION, False),
        ("@numba.njit(cache=True)\ndef f():", MAX_FUNCTION, False),
        ("class C:", MAX_CLASS - 1, False),
        ("class C:", MAX_CLASS, True),
    ],
)
def test_what_is_too_long_by_a_line_is_found(head: str, statements: int, found: bool) -> None:
    assert bool(list(find_too_long(head + "\n  x = 1" * statements))) is found
