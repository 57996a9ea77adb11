import ast
from collections.abc import Iterator
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
GRAPHICS_FILES = ("render/gl/*.py", "render/headset*.py", "render/mirror*.py", "devices/openxr*.py")


def modules() -> list[Path]:
    return sorted(file for package in ALLOWED_IMPORTS for file in (ROOT / package).rglob("*.py"))


def imported_modules(file: Path, source: str) -> Iterator[str]:
    """Yield the full names of what a file imports, those within functions included."""
    package = ["handhold", *file.relative_to(ROOT).parts[:-1]]
    for node in ast.walk(ast.parse(source)):
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
        ("robots", "import handhold.retarget.filters"),
        ("robots", "from handhold import devices"),
        ("retarget", "def f():\n    from handhold.render.snapshot import Snapshot"),
        ("retarget", "from ..render import snapshot"),
        ("render", "from handhold.app.main import main"),
    ],
)
def test_an_import_up_the_floors_is_found(package: str, source: str) -> None:
    assert forbidden_imports(ROOT / package / "made_up.py", source)


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
