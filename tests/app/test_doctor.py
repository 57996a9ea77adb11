import json
import socket
from pathlib import Path

import pytest

from handhold.app.logs.store import DEFAULT_CAP
from handhold.app.session.doctor import FindingState, active_openxr_manifest, examine, find_cameras, find_logs


def test_a_busy_port_is_found_and_mended(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        finding = next(f for f in examine(port, tmp_path, DEFAULT_CAP) if f.name == f"port {port}")
    assert finding.state is FindingState.MISSING
    assert "--port" in finding.mend


def test_the_runtime_named_by_the_environment_comes_first(tmp_path: Path) -> None:
    named = tmp_path / "named.json"
    named.write_text("{}")
    active = tmp_path / ".config" / "openxr" / "1" / "active_runtime.json"
    active.parent.mkdir(parents=True)
    active.write_text(json.dumps({"file_format_version": "1.0.0"}))
    assert active_openxr_manifest({"XR_RUNTIME_JSON": str(named)}, tmp_path) == named
    assert active_openxr_manifest({}, tmp_path) == active


def test_a_runtime_that_is_named_but_gone_is_none(tmp_path: Path) -> None:
    assert active_openxr_manifest({"XR_RUNTIME_JSON": str(tmp_path / "gone.json")}, tmp_path) is None


def test_a_manifest_that_no_runtime_stands_behind_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps({"file_format_version": "1.0.0", "runtime": {"library_path": "./none.so"}}))
    monkeypatch.setenv("XR_RUNTIME_JSON", str(broken))
    finding = next(f for f in examine(0, tmp_path, DEFAULT_CAP) if f.name == "OpenXR runtime")
    assert finding.state is FindingState.OPTIONAL
    assert "does not answer" in finding.found


def test_the_logs_are_told_with_their_folder_size_cap_and_those_that_are_kept(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    sizes = {"talos-20260101-000000.mcap": 2, "talos-20260101-000000.2.mcap": 1, "kept/g1-20260101-000000.mcap": 3}
    for name, size in sizes.items():
        with (tmp_path / name).open("wb") as file:
            file.truncate(size * 100_000_000)
    finding = find_logs(tmp_path, 1.0)
    assert finding.state is FindingState.OK
    assert finding.found == f"1 logs, 0.3 of 1 GB, 1 kept (0.3 GB) in {tmp_path}"
    above = find_logs(tmp_path, 0.2)
    assert above.state is FindingState.OPTIONAL
    assert f"{tmp_path / 'kept'}" in above.mend
    assert find_logs(tmp_path / "none", 1.0).found.startswith("0 logs")


TITLE = "Intel(R) RealSense(TM) Depth Camera 455"


def connect_camera(folder: Path, speed: str) -> tuple[Path, Path]:
    """Lay out what the kernel tells of one camera; returns where, and where it is opened."""
    devices, nodes = folder / "devices", folder / "nodes"
    told = {
        "idVendor": "8086",
        "product": "Intel(R) RealSense(TM) Depth Camera 455 ",
        "busnum": "2",
        "devnum": "7",
        "speed": speed,
    }
    (devices / "2-1").mkdir(parents=True)
    for name, text in told.items():
        (devices / "2-1" / name).write_text(f"{text}\n")
    (nodes / "002").mkdir(parents=True)
    (nodes / "002" / "007").touch()
    return devices, nodes


def test_a_camera_that_can_be_used_is_told_by_its_name(tmp_path: Path) -> None:
    finding = find_cameras(*connect_camera(tmp_path, "5000"))
    assert finding.state is FindingState.OK
    assert finding.found == f"{TITLE} (USB 3)"


def test_what_keeps_a_camera_from_being_used_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    devices, nodes = connect_camera(tmp_path, "480")
    assert "USB 3 port" in find_cameras(devices, nodes).mend
    (nodes / "002" / "007").unlink()
    assert "udev" in find_cameras(devices, nodes).mend
    monkeypatch.setattr("handhold.app.session.doctor.find_spec", lambda _name: None)
    assert "handhold[camera]" in find_cameras(devices, nodes).mend
    assert find_cameras(tmp_path / "none", nodes).found == "none connected"
