"""What ``handhold camera`` shows while one watches: a window of the terminal and a page, with every plane and its figures."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from browser import open_chromium, open_page, wait_for_picture
from PIL import Image
from rich.console import Console

from handhold.app.camera.inspection import Inspection, Inspector
from handhold.app.camera.inspection_page import InspectionPage
from handhold.app.camera.inspection_scene import CAMERA_POSE, make_scene
from handhold.app.camera.inspection_table import InspectionTable
from handhold.app.camera.open_camera import open_camera
from handhold.app.camera.planes_picture import choose_color
from handhold.app.main import run
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import UNIT, StereoNoise
from handhold.perception.simulation.triangles import make_box

PINHOLE = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)
NUMBERS = "425,425,424,240,0.095"


@pytest.fixture(scope="module")
def frame() -> DepthFrame:
    """A box before a wall, the wall red and the box green."""
    rasteriser, color = Rasteriser(PINHOLE), np.full((480, 848, 3), (220, 30, 20), dtype=np.uint8)
    for size, place in (((3.0, 3.0, 0.1), (0.0, 0.0, 2.1)), ((0.3, 0.3, 0.2), (0.1, 0.1, 1.2))):
        box = make_box(size)
        rasteriser.draw(box.corners + np.array(place), box.faces)
    color[rasteriser.inverse_depth > 0.8] = (20, 200, 30)
    depth = StereoNoise().apply(rasteriser.inverse_depth, PINHOLE, np.random.default_rng(0))
    return DepthFrame(time=3.0, number=7, depth=depth, unit=UNIT, intrinsics=PINHOLE, color=color)


@pytest.fixture(scope="module")
def picture(frame: DepthFrame, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("camera") / "depth.png"
    Image.fromarray(frame.depth).save(file)
    return file


@pytest.fixture(scope="module")
def inspection(frame: DepthFrame, picture: Path) -> Inspection:
    return Inspector(open_camera(str(picture), NUMBERS, UNIT), time.thread_time).inspect(frame)


def test_an_image_is_told_in_a_line_and_as_a_record(inspection: Inspection) -> None:
    assert inspection.summarize().startswith("picture depth.png, image 7: 2 planes, noise 0.08 px, ")
    record = inspection.to_record()
    assert sorted(plane["distance"] for plane in record["planes"]) == pytest.approx([1.0, 2.0], abs=5e-3)


def test_a_camera_that_comes_back_with_another_size_is_taken_as_it_is(inspection: Inspection, picture: Path) -> None:
    inspector = Inspector(open_camera(str(picture), NUMBERS, UNIT), time.thread_time)
    half = Intrinsics(width=424, height=240, fx=212.5, fy=212.5, cx=212.0, cy=120.0, baseline=0.095)
    small = replace(inspection.frame, depth=inspection.frame.depth[::2, ::2].copy(), intrinsics=half, color=None)
    assert len(inspector.inspect(inspection.frame).patches) == 2
    assert len(inspector.inspect(small).patches) == 2


def test_the_scene_has_points_planes_and_the_picture_as_the_camera_saw_them(inspection: Inspection) -> None:
    scene = make_scene(inspection, 3)
    assert scene.cloud is not None
    colors = {tuple(color) for color in scene.cloud.colors.tolist()}
    assert {(220, 30, 20), (20, 200, 30)} <= colors
    # the wall stands 2 m before the camera, which looks along x
    wall = scene.cloud.positions[(scene.cloud.colors == (220, 30, 20)).all(axis=1)]
    assert np.median(wall[:, 0]) == pytest.approx(2.0, abs=0.01)
    assert len(scene.labels) == len(inspection.patches)
    words = sorted(label.text.split(" m,")[0] for label in scene.labels)
    assert [float(word) for word in words] == pytest.approx([1.0, 2.0], abs=5e-3)
    for lines, patch in zip(scene.lines, inspection.patches, strict=False):
        ends = (lines.ends.reshape(-1, 3) - CAMERA_POSE[:3, 3]) @ CAMERA_POSE[:3, :3]
        assert np.abs(ends @ patch.plane.normal + patch.plane.distance).max() < 1e-5
    (screen,) = scene.pictures
    assert screen.image.shape == (240, 424, 3)
    assert make_scene(replace(inspection, frame=replace(inspection.frame, color=None)), 4).pictures == ()


def test_a_picture_may_have_its_colours_in_another(frame: DepthFrame, picture: Path, tmp_path: Path) -> None:
    Image.fromarray(frame.color).save(tmp_path / "color.png")  # type: ignore[arg-type]
    with closing(open_camera(str(picture), NUMBERS, UNIT, tmp_path / "color.png")) as camera:
        seen = camera.read(1.0)
    assert seen is not None
    np.testing.assert_array_equal(seen.color, frame.color)


def test_the_window_of_the_terminal_has_a_row_a_plane_and_stays(inspection: Inspection) -> None:
    out = io.StringIO()
    with closing(InspectionTable(Console(file=out, width=120, force_terminal=True))) as table:
        table.say("the camera is gone")
        table.show(inspection)
    assert "2 planes" in out.getvalue()
    assert "away [m]" in out.getvalue()
    assert "area [m2]" in out.getvalue()
    assert "2.000" in out.getvalue()


def test_watching_ends_by_ctrl_c_with_the_last_image(picture: Path) -> None:
    words = ["camera", str(picture), "--intrinsics", NUMBERS, "--unit", str(UNIT), "--watch", "--json"]
    program = f"from handhold.app.main import main; import sys; sys.argv[1:] = {words!r}; main()"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        try:
            first = json.loads(watching.stdout.readline())
        finally:
            watching.send_signal(signal.SIGINT)
        out, err = watching.communicate()
    assert len(first["planes"]) == 2
    assert watching.returncode == 0
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["live", "--watch", "--picture", "a.png"], "--picture"),
        (["live", "--browser", "--frames", "3"], "--frames"),
        (["live", "--port", "8090"], "--port"),
        (["room.ply", "--watch"], "--watch"),
        (["room.ply", "--browser"], "--browser"),
        (["room.ply", "--intrinsics", NUMBERS], "--intrinsics"),
        (["live", "--color", "a.png"], "--color"),
        (["a.db3", "--unit", "0.01"], "--unit"),
    ],
)
def test_options_that_mean_nothing_together_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["camera", *words]) == 8
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.alone
def test_the_page_shows_planes_in_their_colours_and_no_buttons_for_a_robot(inspection: Inspection) -> None:
    with closing(InspectionPage()) as shown, open_chromium() as browser:
        page, _ = open_page(browser, shown.server)
        shown.show(inspection)

        def has_all(pixels: np.ndarray) -> bool:
            return all((np.abs(pixels.astype(int) - choose_color(k)).max(axis=-1) < 60).sum() > 20 for k in range(2))

        wait_for_picture(page, has_all, "both planes")
        assert [button.inner_text() for button in page.query_selector_all("#hh button")] == ["Details"]
