"""Clouds and pictures from the cameras to a station, by a link of their own."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from camera_pictures import make_image
from stations import free_port, wait_until

from handhold.app.link.config import LinkConfig, make_key
from handhold.app.link.pictures.h264 import H264Encoder
from handhold.app.link.view_link import ViewLink, ViewSender
from handhold.perception.cameras.color_picture import ColorPicture
from handhold.perception.cameras.point_cloud import MAX_POINTS, PointCloud


@pytest.fixture
def config() -> LinkConfig:
    return LinkConfig(robot="talos", port=free_port(), key=make_key())


@pytest.fixture
def sender(config: LinkConfig) -> Iterator[ViewSender]:
    with closing(ViewSender(config, time.monotonic)) as opened:
        yield opened


def make_cloud(seed: int, count: int = MAX_POINTS) -> PointCloud:
    random = np.random.default_rng(seed)
    positions = random.normal(size=(count, 3)).astype(np.float32)
    return PointCloud(time=time.monotonic(), positions=positions, colors=random.integers(0, 256, (count, 3), dtype=np.uint8))


def arrives(sender: ViewSender, link: ViewLink, cloud: PointCloud) -> bool:
    sender.send(cloud)
    time.sleep(0.02)
    seen = link.newest()
    return seen is not None and seen.cloud is not None and len(seen.cloud.positions) == len(cloud.positions)


def test_a_cloud_arrives_bit_for_bit_and_tells_how_old_it_is(config: LinkConfig, sender: ViewSender) -> None:
    with closing(ViewLink(config, time.monotonic)) as link:
        assert link.newest() is None
        cloud = make_cloud(0)
        wait_until(lambda: arrives(sender, link, cloud))
        seen = link.newest()
        assert seen is not None
        assert seen.cloud is not None
        assert seen is link.newest()
        np.testing.assert_array_equal(seen.cloud.positions, cloud.positions)
        np.testing.assert_array_equal(seen.cloud.colors, cloud.colors)
        assert seen.cloud_taken_at == pytest.approx(cloud.time, abs=1e-9)
        before = seen.cloud.version
        wait_until(lambda: arrives(sender, link, make_cloud(1, 10)))
        assert link.newest().cloud.version > before  # type: ignore[union-attr]


def test_what_is_no_cloud_is_refused_and_the_last_one_stays(config: LinkConfig, sender: ViewSender) -> None:
    with closing(ViewLink(config, time.monotonic)) as link:
        good = make_cloud(0, 100)
        wait_until(lambda: arrives(sender, link, good))
        before = link.refused
        bad = replace(make_cloud(1, 50), positions=np.full((50, 3), np.nan, np.float32))
        wait_until(lambda: bool(arrives(sender, link, bad) or link.refused > before))
        seen = link.newest()
        assert seen is not None
        assert seen.cloud is not None
        assert len(seen.cloud.positions) == 100


@pytest.mark.parametrize("coder", ["jpeg", "h264"])
def test_a_picture_arrives_and_tells_how_old_it_is(config: LinkConfig, coder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if coder == "h264":  # as where the link crosses a network
        monkeypatch.setattr("handhold.app.link.view_link.make_encoder", lambda _: H264Encoder())
    with closing(ViewSender(config, time.monotonic)) as sender, closing(ViewLink(config, time.monotonic)) as link:
        picture = ColorPicture(time=time.monotonic(), image=make_image(0))

        def arrives_whole() -> bool:
            sender.send_picture(picture)
            time.sleep(0.02)
            return (views := link.newest()) is not None and views.picture is not None

        wait_until(arrives_whole)
        views = link.newest()
        assert views is not None
        assert views.picture is not None
        assert np.abs(views.picture.image.astype(int) - picture.image).mean() < 8.0
        assert views.picture_taken_at == pytest.approx(picture.time, abs=1e-9)
        assert link.message == ""
        streams = views.to_streams(0.0, picture.time + 2.0)
        assert streams.picture_age == pytest.approx(2.0)


def test_pictures_that_cannot_be_decoded_here_are_explained(config: LinkConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handhold.app.link.view_link.make_encoder", lambda _: H264Encoder())
    monkeypatch.delitem(sys.modules, "handhold.app.link.pictures.h264")
    monkeypatch.setitem(sys.modules, "av", None)
    with closing(ViewSender(config, time.monotonic)) as sender, closing(ViewLink(config, time.monotonic)) as link:

        def is_explained() -> bool:
            sender.send_picture(ColorPicture(time=time.monotonic(), image=make_image(0)))
            time.sleep(0.02)
            link.newest()
            return bool(link.message)

        wait_until(is_explained)
        assert "pip install 'handhold[video]'" in link.message


def test_whoever_lacks_the_key_gets_no_cloud(config: LinkConfig, sender: ViewSender) -> None:
    stranger = replace(config, key=make_key())
    with closing(ViewLink(stranger, time.monotonic)) as link, closing(ViewLink(config, time.monotonic)) as station:
        cloud = make_cloud(0, 100)
        wait_until(lambda: arrives(sender, station, cloud))
        assert link.newest() is None
