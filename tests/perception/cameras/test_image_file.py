"""A camera that is a picture in a file."""

import zlib

import numpy as np
import pytest
from camera_frames import PINHOLE, make_frames
from file_mutations import mutate_bytes
from PIL import Image

from handhold.perception.cameras import picture_file
from handhold.perception.cameras.calibration import Pinhole
from handhold.perception.cameras.camera_errors import CameraLibraryMissing, CameraLost
from handhold.perception.cameras.image_file import PERIOD, ImageFileCamera
from handhold.perception.cameras.picture_file import read_color, read_depth
from handhold.perception.errors import BadFrame, PerceptionError

EYE = Pinhole(fx=80.0, fy=80.0, cx=47.5, cy=31.5, baseline=0.05)
(FRAME,) = make_frames(1)
SIZE = (PINHOLE.width, PINHOLE.height)


class World:
    """A clock that goes on while somebody waits."""

    def __init__(self):
        self.now = 3.0

    def __call__(self):
        return self.now

    def sleep(self, duration):
        assert duration >= 0.0
        self.now += duration


@pytest.fixture
def folder(tmp_path):
    Image.fromarray(FRAME.depth).save(tmp_path / "depth.png")
    Image.fromarray(FRAME.color).save(tmp_path / "color.png")
    return tmp_path


def open_camera(folder, world, **options):
    return ImageFileCamera(folder / "depth.png", EYE, 1e-3, world, world.sleep, **options)


def test_the_picture_comes_out_as_it_is_in_the_file(folder):
    camera = open_camera(folder, World(), color=folder / "color.png")
    frame = camera.read(1.0)
    assert np.array_equal(frame.depth, FRAME.depth)
    assert frame.depth.dtype == np.uint16
    assert np.array_equal(frame.color, FRAME.color)
    assert frame.intrinsics == camera.intrinsics == EYE.with_size(*SIZE)
    assert frame.intrinsics.baseline == 0.05
    assert camera.title == "picture depth.png"


def test_it_comes_again_and_again_at_the_rate_of_a_camera(folder):
    world = World()
    camera = open_camera(folder, world)
    frames = [camera.read(1.0) for _ in range(10)]
    assert np.diff([frame.time for frame in frames]) == pytest.approx(PERIOD)
    assert {int(step) for step in np.diff([frame.number for frame in frames])} == {1}
    assert frames[0].color is None


def test_who_does_not_wait_gets_none_until_the_next_is_due(folder):
    world = World()
    camera = open_camera(folder, world)
    assert camera.read(0.0) is not None
    assert camera.read(0.0) is None
    assert camera.read(0.5 * PERIOD) is None
    assert camera.read(0.6 * PERIOD) is not None


def test_a_closed_camera_says_so(folder):
    camera = open_camera(folder, World())
    camera.close()
    with pytest.raises(CameraLost, match="closed"):
        camera.read(1.0)


def test_depth_in_another_unit_is_kept(folder):
    world = World()
    camera = ImageFileCamera(folder / "depth.png", EYE, 1e-4, world, world.sleep)
    assert camera.read(1.0).unit == 1e-4


def write(path, array, **options):
    Image.fromarray(array).save(path, **options)
    return path


def test_what_is_no_depth_image_is_refused_in_one_line(tmp_path):
    gradient = np.arange(64 * 96, dtype=np.uint16).reshape(64, 96)
    whole = write(tmp_path / "whole.png", gradient).read_bytes()
    (tmp_path / "cut.png").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "head.png").write_bytes(whole[:20])
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_text("depth")
    write(tmp_path / "grey.png", gradient.astype(np.uint8))
    write(tmp_path / "color.png", np.zeros((64, 96, 3), dtype=np.uint8))
    write(tmp_path / "float.png", np.full((64, 96), np.nan, dtype=np.float32), format="TIFF")
    write(tmp_path / "wide.png", np.zeros((1, 5000), dtype=np.uint16))
    np.save(tmp_path / "array.png", gradient)
    names = ("cut", "head", "empty", "text", "grey", "color", "float", "wide", "array", "missing")
    for path in (*(tmp_path / f"{name}.png" for name in names), tmp_path):
        with pytest.raises(BadFrame) as raised:
            read_depth(path)
        assert "\n" not in str(raised.value)
        assert ": give" in str(raised.value)
    with pytest.raises(BadFrame, match="8 bits of grey"):
        read_depth(tmp_path / "grey.png")
    with pytest.raises(BadFrame, match="5000 x 1"):
        read_depth(tmp_path / "wide.png")


def test_a_picture_of_another_size_is_not_laid_over_the_depth_image(folder):
    write(folder / "small.png", FRAME.color[::2, ::2])
    with pytest.raises(BadFrame, match="48 x 32 pixels, where the depth image has 96 x 64"):
        open_camera(folder, World(), color=folder / "small.png")


def test_grey_and_transparent_pictures_are_colour_pictures(tmp_path):
    grey = FRAME.color[:, :, 0]
    color = read_color(write(tmp_path / "grey.png", grey), SIZE)
    assert np.array_equal(color, np.repeat(grey[:, :, None], 3, axis=2))
    transparent = np.dstack([FRAME.color, grey])
    assert np.array_equal(read_color(write(tmp_path / "see-through.png", transparent), SIZE), FRAME.color)


def test_intrinsics_of_another_picture_are_refused(folder):
    world = World()
    far = Pinhole(fx=600.0, fy=600.0, cx=320.0, cy=240.0)
    with pytest.raises(BadFrame, match="optical axis"):
        ImageFileCamera(folder / "depth.png", far, 1e-3, world, world.sleep)


def mutate_chunk(random, content):
    """Return a PNG of which one chunk is mutated, with the checksum that it then has to have: without, none is looked at."""
    chunks, start = [], 8
    while start < len(content):
        length = int.from_bytes(content[start : start + 4], "big")
        chunks.append((content[start + 4 : start + 8], content[start + 8 : start + 8 + length]))
        start += 12 + length
    k = int(random.integers(len(chunks)))
    kind, body = chunks[k]
    if kind == b"IDAT" and random.random() < 0.5:
        body = zlib.compress(mutate_bytes(random, zlib.decompress(b"".join(part for name, part in chunks if name == b"IDAT"))))
        chunks = [chunk for chunk in chunks[:k] if chunk[0] != b"IDAT"] + [(kind, body), chunks[-1]]
    else:
        chunks[k] = (kind, mutate_bytes(random, body))
    whole = [len(b).to_bytes(4, "big") + a + b + zlib.crc32(a + b).to_bytes(4, "big") for a, b in chunks]
    return content[:8] + b"".join(whole)


def test_mutated_pictures_are_read_or_refused(folder):
    random = np.random.default_rng(0)
    sound = {name: (folder / f"{name}.png").read_bytes() for name in ("depth", "color")}
    images, words = [], []
    for _ in range(400):
        name = "depth" if random.random() < 0.7 else "color"
        mutate = mutate_chunk if random.random() < 0.7 else mutate_bytes
        (folder / "mutated.png").write_bytes(mutate(random, sound[name]))
        try:
            images.append(read_depth(folder / "mutated.png") if name == "depth" else read_color(folder / "mutated.png", SIZE))
        except PerceptionError as error:
            words.append(str(error))
    assert min(len(images), len(words)) > 30
    assert not any("\n" in line for line in words)
    assert {(image.ndim, image.dtype.name) for image in images} == {(2, "uint16"), (3, "uint8")}


def test_a_missing_library_is_named(folder, monkeypatch):
    def fail(name):
        raise ModuleNotFoundError(f"No module named '{name}'")

    monkeypatch.setattr(picture_file.importlib, "import_module", fail)
    with pytest.raises(CameraLibraryMissing, match=r"pip install 'handhold\[camera\]'"):
        read_depth(folder / "depth.png")
