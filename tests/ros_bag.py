"""Writes ``.bag`` recordings as librealsense did until it changed to ``.db3``: it only reads them now.

The format is that of ROS 1, version 2.0, with one chunk; topics and messages are librealsense's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from handhold.perception.cameras.depth_frame import DepthFrame, Intrinsics

TYPES = {
    "number": ("std_msgs/UInt32", "304a39449588c7f8ce2df6e8001c5fce"),
    "real": ("std_msgs/Float32", "73fcbf46b49191e672908e50842a83d4"),
    "text": ("std_msgs/String", "992ce8a1687cec8c8bd883ec73ca41d1"),
    "entry": ("diagnostic_msgs/KeyValue", "cf57fdc6617a881a88c16e768132149c"),
    "stream": ("realsense_msgs/StreamInfo", "311d7e24eac31bb87271d041bf70ff7d"),
    "pinhole": ("sensor_msgs/CameraInfo", "c9a58c1b0b154e0e6da7578cb991d214"),
    "place": ("geometry_msgs/Transform", "ac9eff44abf714214112b05d54a3cf9b"),
    "image": ("sensor_msgs/Image", "060021388200f6f0f447d0fcd9c64743"),
}
"""Names and checksums of the kinds of messages."""

HEAD = 4096  # length of the first record [bytes]
START = 1  # time of messages that describe something [ns]


def write_bag(path: Path, frames: Sequence[DepthFrame], *, has_rates: bool) -> None:
    """Write frames with colour, with or without the rate that the camera states."""
    bag = _Bag()
    bag.add("/file_version", "number", START, struct.pack("<I", 3))
    for name, value in (("Name", "Intel RealSense D455"), ("Serial Number", "4711")):
        bag.add("/device_0/info", "entry", START, _text(name) + _text(value))
    _describe(bag, "sensor_0", "Stereo Module", "Depth_0", "mono16", frames[0].intrinsics)
    _describe(bag, "sensor_1", "RGB Camera", "Color_0", "rgb8", frames[0].intrinsics)
    for option, value in (("Depth Units", frames[0].unit), ("Stereo Baseline", 1e3 * frames[0].intrinsics.baseline)):
        topic = f"/device_0/sensor_0/option/{option}"
        bag.add(f"{topic}/value", "real", START, struct.pack("<f", value))
        bag.add(f"{topic}/description", "text", START, _text(option))
    for frame in frames:
        assert frame.color is not None
        _add_image(bag, "sensor_0/Depth_0", "mono16", frame.depth, frame, has_rates)
        _add_image(bag, "sensor_1/Color_0", "rgb8", frame.color, frame, has_rates)
    path.write_bytes(bag.pack())


class _Bag:
    def __init__(self) -> None:
        self.topics: dict[str, tuple[int, str]] = {}
        self.messages: list[tuple[int, int, bytes]] = []

    def add(self, topic: str, kind: str, time: int, body: bytes) -> None:
        number, _ = self.topics.setdefault(topic, (len(self.topics), kind))
        self.messages.append((number, time, body))

    def pack(self) -> bytes:
        connections = b"".join(_connect(topic, number, kind) for topic, (number, kind) in self.topics.items())
        chunk, places = connections, {number: b"" for number, _ in self.topics.values()}
        counts = dict.fromkeys(places, 0)
        for number, time, body in self.messages:
            places[number] += _time(time) + struct.pack("<I", len(chunk))
            counts[number] += 1
            chunk += _record(body, op=b"\x02", conn=struct.pack("<I", number), time=_time(time))
        records = _record(chunk, op=b"\x05", compression=b"none", size=struct.pack("<I", len(chunk)))
        one = struct.pack("<I", 1)
        for number, count in counts.items():
            fields = {"ver": one, "conn": struct.pack("<I", number), "count": struct.pack("<I", count)}
            records += _record(places[number], op=b"\x04", **fields)
        magic = b"#ROSBAG V2.0\n"
        index = struct.pack("<Q", len(magic) + HEAD + len(records))
        times = [time for _, time, _ in self.messages]
        fields = {"ver": one, "chunk_pos": struct.pack("<Q", len(magic) + HEAD), "count": struct.pack("<I", len(counts))}
        fields |= {"start_time": _time(min(times)), "end_time": _time(max(times))}
        records += connections + _record(b"".join(struct.pack("<II", *each) for each in counts.items()), op=b"\x06", **fields)
        head = _fields(op=b"\x03", index_pos=index, conn_count=struct.pack("<I", len(counts)), chunk_count=one)
        return magic + head + _lengthen(b" " * (HEAD - len(head) - 4)) + records


def _describe(bag: _Bag, sensor: str, name: str, stream: str, encoding: str, intrinsics: Intrinsics) -> None:
    topic = f"/device_0/{sensor}"
    bag.add(f"{topic}/info", "entry", START, _text("Name") + _text(name))
    bag.add(f"{topic}/{stream}/info", "stream", START, struct.pack("<I", 30) + _text(encoding) + b"\1")
    matrix = (intrinsics.fx, 0, intrinsics.cx, 0, intrinsics.fy, intrinsics.cy, 0, 0, 1)
    pinhole = struct.pack("<III", 0, 0, 0) + _text("") + struct.pack("<II", intrinsics.height, intrinsics.width)
    pinhole += _text("Brown Conrady") + struct.pack("<I5d9d", 5, *[0.0] * 5, *matrix)
    # rectification and projection, binning and region of interest
    bag.add(f"{topic}/{stream}/info/camera_info", "pinhole", START, pinhole + bytes(8 * 9 + 8 * 12 + 8 + 17))
    bag.add(f"{topic}/{stream}/tf/0", "place", START, struct.pack("<7d", 0, 0, 0, 0, 0, 0, 1))


def _add_image(bag: _Bag, stream: str, encoding: str, image: np.ndarray, frame: DepthFrame, has_rates: bool) -> None:
    topic, time = f"/device_0/{stream}/image", round(frame.number * 1e9 / 30)
    # where the name of the frame says 1, the unit follows the image
    head = struct.pack("<I", frame.number) + _time(round(1e9 * frame.time)) + _text("1")
    size = struct.pack("<II", image.shape[0], image.shape[1]) + _text(encoding) + b"\0"
    content = struct.pack("<I", image.strides[0]) + _lengthen(image.tobytes()) + struct.pack("<f", frame.unit)
    bag.add(f"{topic}/data", "image", time, head + size + content)
    entries = {"system_time": "1.0", "timestamp_domain": "Hardware Clock"}
    for name, value in (entries | ({"Actual Fps": "30000"} if has_rates else {})).items():
        bag.add(f"{topic}/metadata", "entry", time, _text(name) + _text(value))


def _connect(topic: str, number: int, kind: str) -> bytes:
    name, checksum = (field.encode() for field in TYPES[kind])
    body = _fields(topic=topic.encode(), type=name, md5sum=checksum, message_definition=b"left out")[4:]
    return _record(body, op=b"\x07", conn=struct.pack("<I", number), topic=topic.encode())


def _record(body: bytes, **fields: bytes) -> bytes:
    return _fields(**fields) + _lengthen(body)


def _fields(**fields: bytes) -> bytes:
    return _lengthen(b"".join(_lengthen(name.encode() + b"=" + value) for name, value in fields.items()))


def _lengthen(body: bytes) -> bytes:
    return struct.pack("<I", len(body)) + body


def _text(text: str) -> bytes:
    return _lengthen(text.encode())


def _time(nanoseconds: int) -> bytes:
    return struct.pack("<II", *divmod(nanoseconds, 1_000_000_000))
