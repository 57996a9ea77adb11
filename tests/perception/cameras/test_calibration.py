"""Intrinsics as people give them."""

import numpy as np
import pytest
from file_mutations import mutate_bytes, mutate_text

from handhold.perception.cameras.calibration import Pinhole, parse_pinhole, read_calibration
from handhold.perception.errors import BadFrame

MATRIX = """<{name} type_id="opencv-matrix"><rows>3</rows><cols>3</cols><dt>d</dt><data>
    5.75e+02 0. {cx} 0. 5.76e+02 2.3e+02 0. 0. 1.</data></{name}>"""
ROTATION = """<Rotation type_id="opencv-matrix"><rows>3</rows><cols>3</cols><dt>d</dt><data>
    1. 0. 0. 0. 1. 0. 0. 0. 1.</data></Rotation>"""
DISTORTION = """<IR_distortion type_id="opencv-matrix"><rows>1</rows><cols>5</cols><dt>d</dt><data>
    0. 0. 0. 0. 0.</data></IR_distortion>"""
YAML = """%YAML:1.0
---
image_width: 640
camera_matrix: !!opencv-matrix
   rows: 3
   cols: 3
   dt: d
   data: [ 5.75e+02, 0., 3.15e+02, 0., 5.76e+02, 2.3e+02,
       0., 0., 1. ]
distortion_coefficients: !!opencv-matrix
   rows: 1
   cols: 5
   dt: d
   data: [ 0., 0., 0., 0., 0. ]
"""
PINHOLE = Pinhole(fx=575.0, fy=576.0, cx=315.0, cy=230.0)


def xml(*parts):
    return '<?xml version="1.0"?>\n<opencv_storage>\n' + "\n".join(parts) + "\n</opencv_storage>\n"


def read(tmp_path, text):
    (tmp_path / "calibration").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_calibration(tmp_path / "calibration")


def test_numbers_are_read_in_their_order():
    assert parse_pinhole("575, 576,315,230") == PINHOLE
    assert parse_pinhole("575,576,315,230,0.05").baseline == 0.05
    assert PINHOLE.with_size(640, 480).width == 640


@pytest.mark.parametrize("text", ["", "575", "575,576,315", "575,576,315,230,0.05,1", "a,b,c,d", "575;576;315;230"])
def test_what_are_not_four_or_five_numbers_is_refused(text):
    with pytest.raises(BadFrame, match="fx,fy,cx,cy"):
        parse_pinhole(text)


@pytest.mark.parametrize(
    "text", ["nan,576,315,230", "575,inf,315,230", "0,576,315,230", "575,576,5000,230", "575,576,315,230,-1"]
)
def test_numbers_that_are_no_intrinsics_are_refused_with_the_size(text):
    with pytest.raises(BadFrame):
        parse_pinhole(text).with_size(640, 480)


def test_the_only_camera_matrix_of_a_file_counts(tmp_path):
    assert read(tmp_path, xml(ROTATION, MATRIX.format(name="K", cx=315.0), DISTORTION)) == PINHOLE
    assert read(tmp_path, YAML) == PINHOLE
    assert read(tmp_path, YAML.replace("\n", "\r\n")) == PINHOLE


@pytest.mark.parametrize("name", ["IR_intrinsic_params", "depthCameraMatrix", "left_matrix", "depth"])
def test_of_two_camera_matrices_that_of_the_depth_image_counts(name, tmp_path):
    matrices = [MATRIX.format(name="RGB_intrinsic_params", cx=1.0), MATRIX.format(name=name, cx=315.0)]
    assert read(tmp_path, xml(*matrices)) == PINHOLE
    assert read(tmp_path, xml(*reversed(matrices))) == PINHOLE


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        xml(),
        xml(ROTATION, DISTORTION),
        xml(MATRIX.format(name="K1", cx=1.0), MATRIX.format(name="K2", cx=2.0)),
        xml(MATRIX.format(name="K", cx="x")),
        xml(MATRIX.format(name="K", cx="nan 1")),
        xml(MATRIX.format(name="K", cx=1.0))[:-30],
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/hostname">]>' + xml(MATRIX.format(name="K", cx="&b;")),
        "<a>" * 100_000,
        YAML.replace("[", "("),
        b"\xff\xfe" + bytes(range(256)),
        " " * (1 << 21),
    ],
)
def test_what_has_no_camera_matrix_is_refused_in_one_line(text, tmp_path):
    with pytest.raises(BadFrame) as raised:
        read(tmp_path, text)
    assert "\n" not in str(raised.value)
    assert "give a calibration file" in str(raised.value)


def test_a_folder_or_nothing_is_no_calibration(tmp_path):
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(BadFrame):
            read_calibration(path)


def test_mutated_calibrations_are_read_or_refused(tmp_path):
    random = np.random.default_rng(0)
    sound = (xml(ROTATION, MATRIX.format(name="K", cx=315.0), DISTORTION), YAML)
    pinholes, words = [], []
    for k in range(300):
        text = sound[k % 2]
        content = (
            mutate_bytes(random, text.encode())
            if random.random() < 0.5
            else mutate_text(random, text).encode("utf-8", "replace")
        )
        try:
            pinholes.append(read(tmp_path, content))
        except BadFrame as error:
            words.append(str(error))
    assert min(len(pinholes), len(words)) > 30
    assert not any("\n" in line for line in words)
