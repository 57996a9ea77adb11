import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# Three floors: devices, perception and robots on the ground, retarget and render above them, app on top.
ALLOWED_IMPORTS = {
    "devices": set(),
    "perception": set(),
    "robots": set(),
    "retarget": {"devices", "perception", "robots"},
    "render": {"devices", "perception", "robots", "retarget"},
    "app": {"devices", "perception", "robots", "retarget", "render"},
}
# OpenGL is drawn in render/ and bound to the OpenXR session in devices/; the window that shares it belongs to both.
GRAPHICS_LIBRARIES = {"OpenGL", "glfw"}
GRAPHICS_FILES = ("render/gl/*.py", "render/openxr/*.py", "devices/openxr/*.py")


def modules() -> list[Path]:
    return sorted(file for package in ALLOWED_IMPORTS for file in (ROOT / package).rglob("*.py"))


def imported_modules(file: Path, source: str) -> Iterator[str]:
    """Yield the full names of what a file imports, those within functions included."""
    yield from names_of_imports(file, ast.walk(ast.parse(source)))


def names_of_imports(file: Path, nodes: Iterator[ast.AST]) -> Iterator[str]:
    package = ["handhold", *file.relative_to(ROOT).parts[:-1]]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, node.module] if node.module else above)
            yield start
            yield from (f"{start}.{alias.name}" for alias in node.names)


def forbidden_imports(file: Path, source: str) -> set[str]:
    """Return the packages of ours that a file imports and must not."""
    package = file.relative_to(ROOT).parts[0]
    names = (name.split(".") for name in imported_modules(file, source))
    ours = {parts[1] for parts in names if parts[0] == "handhold" and len(parts) > 1 and parts[1] in ALLOWED_IMPORTS}
    return ours - ALLOWED_IMPORTS[package] - {package}


@pytest.mark.parametrize("file", modules(), ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_go_down_the_floors_only(file: Path) -> None:
    assert forbidden_imports(file, file.read_text()) == set()


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("robots", "import handhold.retarget.engagement.filters"),
        ("robots", "from handhold import devices"),
        ("retarget", "def f():\n    from handhold.render.snapshot import Snapshot"),
        ("retarget", "from ..render import snapshot"),
        ("render", "from handhold.app.main import main"),
    ],
)
def test_an_import_up_the_floors_is_found(package: str, source: str) -> None:
    assert forbidden_imports(ROOT / package / "made_up.py", source)


def nodes_that_run(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all nodes but those that only a type checker sees."""
    yield node
    for_types = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    for child in node.orelse if for_types else ast.iter_child_nodes(node):
        yield from nodes_that_run(child)


def import_graph(sources: Mapping[Path, str]) -> dict[str, set[str]]:
    """Return which modules each module imports when it is loaded or when its functions run.

    What is imported for types alone is left out: a function that works on an object may be called by that object's class, and
    names it in its signature (``retarget/bracing/seiko/settling.py``); neither needs the other to be loaded.
    """
    names = {file: ".".join(["handhold", *file.relative_to(ROOT).with_suffix("").parts]) for file in sources}
    names = {file: name.removesuffix(".__init__") for file, name in names.items()}
    ours = set(names.values())
    return {
        names[file]: ours.intersection(names_of_imports(file, nodes_that_run(ast.parse(source)))) - {names[file]}
        for file, source in sources.items()
    }


def find_circle(graph: Mapping[str, set[str]]) -> list[str]:
    """Return modules each of which the next one imports, the first one again at the end; none where there is no circle."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    circle = find_circle(import_graph({file: file.read_text() for file in modules()}))
    assert not circle, " is imported by ".join(circle)


@pytest.mark.parametrize(
    ("last", "circle"),
    [
        ("from handhold.robots import first", True),
        ("def f():\n    import handhold.robots.first", True),
        ("from ..robots.first import something", True),
        ("if TYPE_CHECKING:\n    pass\nelse:\n    import handhold.robots.first", True),
        ("if TYPE_CHECKING:\n    import handhold.robots.first", False),
        ("import handhold.robots.third", False),
        ("import handhold.robots.fourth", False),
    ],
)
def test_a_made_up_circle_of_three_is_found(last: str, circle: bool) -> None:
    imports = {"first": "import handhold.robots.second", "second": "from .third import x", "third": last, "fourth": ""}
    found = find_circle(import_graph({ROOT / "robots" / f"{name}.py": source for name, source in imports.items()}))
    assert {name.rpartition(".")[2] for name in found} == ({"first", "second", "third"} if circle else set())


def test_our_packages_are_named_in_full() -> None:
    # `import robots` works from the root by accident; it would load every module a second time.
    for file in [*modules(), *sorted((ROOT / "benchmarks").rglob("*.py"))]:
        first = {name.split(".")[0] for name in imported_modules(file, file.read_text())}
        assert not first & ALLOWED_IMPORTS.keys(), file


def test_only_the_code_that_draws_in_a_headset_imports_opengl() -> None:
    for file in modules():
        relative = file.relative_to(ROOT)
        first = {name.split(".")[0] for name in imported_modules(file, file.read_text())}
        if first & GRAPHICS_LIBRARIES:
            assert any(relative.match(pattern) for pattern in GRAPHICS_FILES), relative


def test_a_snapshot_can_be_had_without_graphics() -> None:
    import subprocess
    import sys

    program = "import sys, handhold.render.snapshot; sys.exit(any(m in sys.modules for m in ('OpenGL', 'glfw', 'viser')))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_every_folder_at_the_top_is_reachable_as_a_package_of_handhold() -> None:
    for package in ALLOWED_IMPORTS:
        link = ROOT / "src" / "handhold" / package
        assert link.is_symlink()
        assert link.resolve() == ROOT / package


def test_no_folder_or_class_is_a_drawer_for_anything() -> None:
    drawers = {"common", "utils", "util", "helpers", "helper", "misc", "manager"}
    for file in modules():
        assert not drawers & {part.removesuffix(".py") for part in file.relative_to(ROOT).parts}, file
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ClassDef):
                assert not node.name.endswith(("Manager", "Helper", "Utils")), f"{file}: {node.name}"
