"""``handhold camera``: the planes of a picture, in words, as JSON and drawn; and what is refused."""

import json

import numpy as np
import pytest
from PIL import Image

from handhold.app.main import run
from handhold.perception.cameras.depth_frame import Intrinsics
from handhold.perception.simulation.rasteriser import Rasteriser
from handhold.perception.simulation.stereo_noise import StereoNoise
from handhold.perception.simulation.triangles import make_box

PINHOLE = Intrinsics(width=848, height=480, fx=425.0, fy=425.0, cx=424.0, cy=240.0, baseline=0.095)
NUMBERS = "425,425,424,240,0.095"


@pytest.fixture(scope="module")
def picture(tmp_path_factory):
    """A picture of a box before a wall."""
    rasteriser = Rasteriser(PINHOLE)
    for size, place in (((3.0, 3.0, 0.1), (0.0, 0.0, 2.1)), ((0.3, 0.3, 0.2), (0.1, 0.1, 1.2))):
        box = make_box(size)
        rasteriser.draw(box.corners + np.array(place), box.faces)
    depth = StereoNoise().apply(rasteriser.inverse_depth, PINHOLE, np.random.default_rng(0))
    file = tmp_path_factory.mktemp("camera") / "depth.png"
    Image.fromarray(depth).save(file)
    return file


def test_the_planes_of_a_picture_are_told(picture, capsys):
    assert run(["camera", str(picture), "--intrinsics", NUMBERS, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    distances = sorted(plane["distance"] for plane in told["planes"])
    assert distances == pytest.approx([1.0, 2.0], abs=5e-3)
    assert told["sigma_px"] == pytest.approx(0.08, rel=0.1)


def test_their_time_is_measured(picture, capsys):
    assert run(["bench", "planes", "--frame", str(picture), "--intrinsics", NUMBERS, "--json"]) == 0
    figures = {figure["name"]: figure["value"] for figure in json.loads(capsys.readouterr().out)["figures"]}
    assert figures["frame_planes"] > 1
    assert figures["frame_extraction_kernels"] > 0.0


def test_they_are_told_in_words_too(picture, capsys):
    assert run(["camera", str(picture), "--intrinsics", NUMBERS]) == 0
    assert "2 planes, noise 0.08 px" in capsys.readouterr().out


def test_they_are_drawn(picture, tmp_path):
    drawn = tmp_path / "planes.png"
    assert run(["camera", str(picture), "--intrinsics", NUMBERS, "--picture", str(drawn)]) == 0
    pixels = np.asarray(Image.open(drawn).convert("RGB")).astype(int)
    assert pixels.shape == (480, 848, 3)
    # each plane in a colour of its own
    assert np.abs(pixels[240, 460] - pixels[60, 60]).max() > 50


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["telescope"], 8, "is no camera"),
        (["{picture}"], 8, "--intrinsics"),
        (["{picture}", "--intrinsics", "1,2"], 5, "intrinsics"),
        (["{picture}", "--intrinsics", "nan,425,424,240"], 5, "intrinsics"),
        (["{picture}", "--intrinsics", "425,425,4000,240"], 5, "optical axis"),
        (["{picture}", "--intrinsics", "1e9,425,424,240"], 5, "focal lengths"),
        (["{picture}", "--intrinsics", NUMBERS, "--picture", "planes.jpg"], 8, "ends in .png"),
        (["{picture}", "--intrinsics", NUMBERS, "--picture", "no_folder/planes.png"], 8, "no folder"),
        (["live:"], 8, "is no camera"),
        (["MISSING.PNG", "--intrinsics", NUMBERS], 5, "MISSING.PNG"),
        (["missing.png", "--intrinsics", NUMBERS], 5, "missing.png"),
        (["missing.db3"], 5, "missing.db3"),
        (["{text}", "--intrinsics", NUMBERS], 5, "text.png"),
    ],
)
def test_what_cannot_be_used_is_refused_in_one_line(words, code, said, picture, tmp_path, capsys):
    (tmp_path / "text.png").write_text("no picture")
    words = [word.format(picture=picture, text=tmp_path / "text.png") for word in words]
    assert run(["camera", *words]) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert len(err.strip().splitlines()) == 1


def test_a_camera_that_is_not_connected_is_said_to_be(capsys):
    assert run(["camera", "live"]) == 5
    assert "connect" in capsys.readouterr().err
