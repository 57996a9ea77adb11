"""Colour pictures as bytes: nothing is held back, what is lost or damaged is waited out."""

from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from camera_pictures import make_image

from handhold.app.link.config import LinkConfig, make_key
from handhold.app.link.pictures.encoded_picture import (
    MAX_PICTURE_BYTES,
    EncodedPicture,
    PictureEncoder,
    PictureFormat,
    PictureUnreadable,
)
from handhold.app.link.pictures.h264 import WHOLE_EVERY, H264Encoder
from handhold.app.link.pictures.jpeg import JpegEncoder
from handhold.app.link.pictures.picture_coding import PictureReader, make_encoder
from handhold.perception.cameras.color_picture import make_color_picture
from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics

ENCODERS = pytest.mark.parametrize("make", [JpegEncoder, H264Encoder])


def difference(one: np.ndarray | None, other: np.ndarray) -> float:
    assert one is not None
    return float(np.abs(one.astype(int) - other).mean())


@ENCODERS
def test_each_picture_comes_back_at_once(make: type[PictureEncoder]) -> None:
    encoder, reader = make(), PictureReader()
    for number in range(2 * WHOLE_EVERY + 2):
        picture = encoder.encode(make_image(number), 0.1 * number)
        assert (picture.time, picture.number) == (0.1 * number, number + 1)
        assert difference(reader.read(picture), make_image(number)) < 8.0


def test_video_takes_a_fifth_of_pictures() -> None:
    video, single = H264Encoder(), JpegEncoder()
    sizes = [(len(video.encode(make_image(k), 0.0).data), len(single.encode(make_image(k), 0.0).data)) for k in range(20)]
    assert 5 * sum(size for size, _ in sizes) < sum(size for _, size in sizes)


def test_after_a_loss_nothing_is_shown_until_the_next_whole_picture() -> None:
    encoder, reader = H264Encoder(), PictureReader()
    pictures = [encoder.encode(make_image(k), 0.0) for k in range(WHOLE_EVERY + 2)]
    shown = [reader.read(picture) is not None for picture in pictures if picture.number != 4]
    assert shown == [True] * 3 + [False] * (WHOLE_EVERY - 4) + [True] * 2


def test_who_comes_later_sees_from_the_next_whole_picture_on() -> None:
    encoder = H264Encoder()
    pictures = [encoder.encode(make_image(k), 0.0) for k in range(WHOLE_EVERY + 1)]
    reader = PictureReader()
    assert [reader.read(picture) is not None for picture in pictures[3:]] == [False] * (WHOLE_EVERY - 3) + [True]


def test_a_camera_of_another_size_begins_with_a_whole_picture() -> None:
    encoder, reader = H264Encoder(), PictureReader()
    reader.read(encoder.encode(make_image(0), 0.0))
    other = encoder.encode(make_image(1, (120, 160)), 0.0)
    assert other.whole
    assert difference(reader.read(other), make_image(1, (120, 160))) < 8.0


@ENCODERS
@pytest.mark.parametrize("seed", range(40))
def test_damaged_bytes_give_a_picture_or_an_error_that_says_so(make: type[PictureEncoder], seed: int) -> None:
    random = np.random.default_rng(seed)
    encoder, reader = make(), PictureReader()
    good = encoder.encode(make_image(0), 0.0)
    data = bytearray(good.data)
    for at in random.integers(0, len(data), 1 + seed % 8):
        data[at] = random.integers(256)
    with suppress(PictureUnreadable):
        image = reader.read(replace(good, data=bytes(data[: random.integers(len(data) + 1)])))
        assert image is None or image.dtype == np.uint8
    following = next(picture for number in range(1, 99) if (picture := encoder.encode(make_image(number), 0.0)).whole)
    assert difference(reader.read(following), make_image(following.number - 1)) < 8.0


@pytest.mark.parametrize("form", PictureFormat)
def test_bytes_that_are_no_picture_are_explained(form: PictureFormat) -> None:
    picture = EncodedPicture(time=0.0, number=1, format=form, whole=True, data=b"no picture" * 20)
    with pytest.raises(PictureUnreadable, match="the next whole one is waited for"):
        PictureReader().read(picture)


@ENCODERS
def test_noise_fits_into_a_message(make: type[PictureEncoder]) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (240, 424, 3), dtype=np.uint8)
    assert len(make().encode(noise, 0.0).data) < MAX_PICTURE_BYTES


def test_video_is_for_networks() -> None:
    config = LinkConfig(robot="talos", key=make_key())
    assert isinstance(make_encoder(config), JpegEncoder)
    assert isinstance(make_encoder(LinkConfig(robot="talos", key=make_key(), address="robot.example")), H264Encoder)


@pytest.mark.parametrize(("size", "shown"), [((480, 848), (240, 424)), ((481, 849), (160, 282)), ((101, 201), (100, 200))])
def test_a_picture_is_as_small_as_people_look_at_it(size: tuple[int, int], shown: tuple[int, int]) -> None:
    height, width = size
    pinhole = Intrinsics(width=width, height=height, fx=400.0, fy=400.0, cx=width / 2, cy=height / 2)
    depth, color = np.ones(size, dtype=np.uint16), np.full((*size, 3), (250, 20, 3), dtype=np.uint8)
    frame = DepthFrame(time=2.0, number=1, depth=depth, unit=0.001, intrinsics=pinhole)
    assert make_color_picture(frame) is None
    picture = make_color_picture(replace(frame, color=color))
    assert picture is not None
    assert picture.time == 2.0
    assert picture.image.shape == (*shown, 3)
    assert (picture.image == (250, 20, 3)).all()
