"""Feeds mutated files to a reader of ours in a process of bounded memory, and says what came of it.

    PYTHONPATH=src:tests:tests/app python tests/file_fuzz.py READER SEED COUNT

READER is one of robot, urdf, world, motion, keys, log, replay, settings, mvnx, bvh, joints. Prints one JSON object: how many
files were read and refused, what went wrong in any other way (seed of the case, error), the largest memory and time that one
took.
"""

from __future__ import annotations

import contextlib
import io
import json
import resource
import sys
import tempfile
import time
import traceback
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from file_mutations import flip_bytes, mutate_bytes, mutate_text, mutate_tree
from log_files import LogMessage, read_messages, write_messages
from mcap.writer import CompressionType
from people import make_human
from recording_files import write_bvh, write_joints, write_mvnx
from sessions import DT, HEADER, record_session, recorded_file

from handhold.app.errors import MAX_LINE_LENGTH, to_line
from handhold.app.host.cycle import Cycle
from handhold.app.host.surfaces import list_surfaces
from handhold.app.logs.checks import check_start
from handhold.app.logs.reader import LogReader
from handhold.app.logs.recording import CycleRecord, Recorder
from handhold.app.main import EXIT_CODES
from handhold.app.station.settings_file import load_settings
from handhold.devices.stop import Stop
from handhold.devices.suits.joint_positions import LAYOUTS
from handhold.devices.suits.open_recording import open_recording
from handhold.devices.tracked_human import TrackedHuman
from handhold.retarget.motions.authoring.key_postures import load_key_postures
from handhold.retarget.motions.check import examine
from handhold.retarget.motions.motion_file import read_motion
from handhold.robots.model import load_model
from handhold.robots.robot import RobotState
from handhold.robots.self_collision import measure_nominal_clearances
from handhold.robots.worlds import load_world

TESTS = Path(__file__).parent

Random = np.random.Generator

MEMORY = 1 << 30
"""Memory that reading a file may take beside what the process has before [bytes]."""

MAX_DURATION = 120.0
"""CPU time that reading one file may take [s]; the sound ones take less than 1 s."""

ROOT = TESTS.parent
FAMILIES = tuple(family for family in EXIT_CODES if family is not OSError)
CYCLES = 60


class Reader(Protocol):
    """What is fuzzed."""

    def write(self, random: Random) -> None:
        """Write a mutated file."""

    def read(self) -> None:
        """Read it."""


class Robot:
    """A robot whose description is mutated."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "robot.toml"
        (folder / "hopper.urdf").write_text((TESTS / "robots" / "hopper.urdf").read_text())
        self.texts = [(TESTS / "robots" / "hopper.toml").read_text(), (ROOT / "robots/descriptions/talos.toml").read_text()]

    def write(self, random: Random) -> None:
        """Write a mutated description."""
        text = self.texts[int(random.random() < 0.2)]
        self.file.write_bytes(_mutate(random, text))

    def read(self) -> None:
        """Load the model, as ``robot check`` does."""
        measure_nominal_clearances(load_model(str(self.file)))


class Urdf(Robot):
    """A robot whose URDF is mutated."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.urdf = (folder / "hopper.urdf").read_text()
        self.file.write_text(self.texts[0])

    def write(self, random: Random) -> None:
        """Write a mutated URDF."""
        (self.file.parent / "hopper.urdf").write_bytes(_mutate(random, self.urdf))


class World:
    """A mutated world."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "world.toml"
        self.texts = [(ROOT / f"robots/worlds/{name}.toml").read_text() for name in ("table", "steps", "blocks")]

    def write(self, random: Random) -> None:
        """Write a mutated world."""
        self.file.write_bytes(_mutate(random, self.texts[random.integers(len(self.texts))]))

    def read(self) -> None:
        """Load it, and list its surfaces as a session does."""
        list_surfaces(load_world(str(self.file)))


class Keys:
    """Mutated key postures."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "keys.toml"
        self.texts = [file.read_text() for file in sorted((ROOT / "retarget/motions/shipped/talos").glob("*.toml"))]

    def write(self, random: Random) -> None:
        """Write mutated key postures."""
        self.file.write_bytes(_mutate(random, self.texts[random.integers(len(self.texts))]))

    def read(self) -> None:
        """Load them."""
        load_key_postures(self.file)


class Motion:
    """A mutated motion."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "motion.npz"
        self.model = load_model("talos")
        with np.load(ROOT / "retarget/motions/shipped/talos/squat.npz") as archive:
            arrays = {name: archive[name] for name in archive.files}
        self.header = json.loads(str(arrays["header"]))
        self.header["contacts"] = [contact | {"end": 0.2} for contact in self.header["contacts"]]
        self.times, self.postures = arrays["times"][:11], arrays["postures"][:11]

    def write(self, random: Random) -> None:
        """Write a motion whose bytes, header, numbers or array headers are mutated."""
        kind = random.integers(5)
        header, times, postures = self.header, self.times.copy(), self.postures.copy()
        if kind == 0:
            header = mutate_tree(random, header)
        if kind == 1:
            array = times if random.random() < 0.5 else postures
            array.flat[random.integers(array.size)] = random.choice([np.nan, np.inf, 1e308, 1e3, 5e-324, -1.0, 3.2, 0.0801])
        stream = io.BytesIO()
        with contextlib.suppress(UnicodeEncodeError):
            np.savez(stream, header=np.array(json.dumps(header, default=str)), times=times, postures=postures)
        data = stream.getvalue()
        if kind == 2:
            data = mutate_bytes(random, data)
        self.file.write_bytes(_spoil_member(random, data) if kind > 2 else data)

    def read(self) -> None:
        """Read and examine it, as ``motion check`` does."""
        examine(read_motion(self.file), self.model)


class Log:
    """A mutated log."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "log.mcap"
        file = self.record(folder / "whole")
        self.data = file.read_bytes()
        self.header, self.messages = read_messages(file)

    def record(self, folder: Path) -> Path:
        """Record what is then mutated."""
        return recorded_file(folder, CYCLES)

    def write(self, random: Random) -> None:
        """Write a log whose bytes or messages are mutated."""
        if random.random() < 0.3:
            self.file.write_bytes(mutate_bytes(random, self.data))
            return
        messages, header = list(self.messages), dict(self.header)
        for _ in range(int(random.integers(1, 3))):
            messages = _mutate_messages(random, messages)
        if random.random() < 0.2:
            header = mutate_tree(random, header)
        packing = (
            list(CompressionType)[random.integers(len(CompressionType))] if random.random() < 0.3 else CompressionType.LZ4
        )
        chunk_size = 1 << int(random.integers(8, 20))
        write_messages(self.file, header, messages, packing=packing, chunk_size=chunk_size)

    def read(self) -> None:
        """Read all of it."""
        for _ in LogReader(self.file).entries():
            pass


class Replayed(Log):
    """A mutated log of a robot that stands, whose cycles are computed again."""

    def __init__(self, folder: Path) -> None:
        self.model = load_model("talos")
        self._cycle: Cycle | None = None
        self._time = 0.0
        super().__init__(folder)

    def record(self, folder: Path) -> Path:
        """Record a session in which Talos stands."""
        start = self._make_state(0.0)
        _, records = record_session(folder, CYCLES)
        recorder = Recorder(folder, "standing", HEADER, start)
        for record in records:
            recorder.record(replace(record, robot_state=self._make_state(record.host_time)))
        recorder.close(CYCLES * DT, CYCLES, {})
        return recorder.file

    def _make_state(self, moment: float) -> RobotState:
        model = self.model
        wrenches = np.zeros((len(model.effectors), 6))
        wrenches[:2, 2] = 0.5 * model.weight
        at_rest = {"v": np.zeros(model.nv), "joint_torques": np.zeros(model.n)}
        return RobotState(time=moment, q=model.q_nominal, contact_wrenches=wrenches, **at_rest)

    def read(self) -> None:
        """Feed what can be read to a control cycle, the same as long as the robot stands: making one takes a second."""
        log = LogReader(self.file)
        check_start(log.start, self.model)
        for entry in log.entries():
            if isinstance(entry, CycleRecord):
                self._step(entry)

    def _step(self, record: CycleRecord) -> None:
        if self._cycle is None:
            self._cycle = Cycle(self.model, self._make_state(self._time))
        self._time += DT
        state, sample = replace(record.robot_state, time=self._time), replace(record.sample, age=record.age)
        _, snapshot = self._cycle.step(sample, state, record.surfaces, record.dt)
        self._cycle = None if snapshot.stop == Stop.DAMP else self._cycle


class SettingsFile:
    """Mutated settings, which are never refused: those shipped take their place, and a line says so."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "settings.json"
        self.text = '{"view": "third person", "turn_angle": 30, "haptics": 0.5,\n"seated": true, "left_handed": false}'

    def write(self, random: Random) -> None:
        """Write mutated settings."""
        self.file.write_bytes(_mutate(random, self.text))

    def read(self) -> None:
        """Load them."""
        _, problem = load_settings(self.file)
        if problem:
            raise FAMILIES[-1](problem)


class Mvnx:
    """A mutated recording of MVN."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "recording.mvnx"
        self.text = self.make([make_human(0.1 * frame) for frame in range(20)])

    def make(self, people: list[TrackedHuman]) -> str:
        """Return the recording that is then mutated."""
        return write_mvnx(people, 4, 60.0)

    def write(self, random: Random) -> None:
        """Write a mutated recording."""
        self.file.write_bytes(_mutate(random, self.text))

    def read(self) -> None:
        """Read all of it."""
        open_recording(self.file)


class Bvh(Mvnx):
    """A mutated recording for animation."""

    def make(self, people: list[TrackedHuman]) -> str:
        """Return the recording that is then mutated."""
        return write_bvh(people, 60.0, "Zrotation Xrotation Yrotation", 0.01)


class Joints(Mvnx):
    """A mutated array of joint positions, bare or packed."""

    def write(self, random: Random) -> None:
        """Write an array whose bytes, or whose text in front, are mutated."""
        data = write_joints([make_human(0.1 * frame) for frame in range(5)], LAYOUTS[53][0])
        if random.random() < 0.5:
            head = mutate_text(random, data[10:128].decode("latin1"))[:60_000].encode("utf-8", "replace")
            data = data[:10] + head + data[128:]
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("global_joint_positions.npy", data)
        chosen = stream.getvalue() if random.random() < 0.5 else data
        self.file.write_bytes(mutate_bytes(random, chosen) if random.random() < 0.5 else chosen)


READERS: dict[str, Callable[[Path], Reader]] = {
    "robot": Robot,
    "urdf": Urdf,
    "world": World,
    "keys": Keys,
    "motion": Motion,
    "log": Log,
    "replay": Replayed,
    "settings": SettingsFile,
    "mvnx": Mvnx,
    "bvh": Bvh,
    "joints": Joints,
}


def _mutate(random: Random, text: str) -> bytes:
    if random.random() < 0.2:
        return mutate_bytes(random, text.encode())
    return mutate_text(random, text).encode("utf-8", "surrogatepass")


def _spoil_member(random: Random, data: bytes) -> bytes:
    """Mutate the text in front of one of an archive's arrays, or the array's bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as packed, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as spoilt:
        names = packed.namelist()
        chosen = names[random.integers(len(names))]
        for name in names:
            content = packed.read(name)
            if name == chosen:
                head = content[10:128].decode("latin1")
                content = content[:10] + mutate_text(random, head)[:60_000].encode("utf-8", "replace") + content[128:]
            spoilt.writestr(name, content)
    return out.getvalue()


def _mutate_messages(random: Random, messages: list[LogMessage]) -> list[LogMessage]:
    topics = sorted({topic for topic, _, _ in messages})
    topic = topics[random.integers(len(topics))]
    of_topic = [index for index, message in enumerate(messages) if message[0] == topic]
    index = of_topic[random.integers(len(of_topic))]
    kind = random.integers(9)
    if kind == 0:
        return [message for message in messages if message[0] != topic] or messages
    if kind == 1:
        return [*messages[:index], *messages[index + 1 :]] or messages
    if kind == 2:
        other = int(random.integers(len(messages)))
        messages[index], messages[other] = messages[other], messages[index]
        return messages
    _, moment, data = messages[index]
    if kind <= 4:
        data = mutate_bytes(random, data) if kind == 3 else _mutate_payload(random, topic, data)
    messages[index] = (topic, moment, flip_bytes(random, data) if kind > 4 and data else data)
    return messages


def _mutate_payload(random: Random, topic: str, data: bytes) -> bytes:
    encoding = {"/layouts": msgspec.json, "/event": msgspec.json, "/end": msgspec.json}.get(topic, msgspec.msgpack)
    try:
        return encoding.encode(mutate_tree(random, encoding.decode(data)))
    except (msgspec.MsgspecError, UnicodeError, OverflowError, TypeError):
        return mutate_bytes(random, data)


def _judge(reader: Reader, result: dict[str, int]) -> str:
    """Read a file once; return what is wrong with how that went, or nothing."""
    began = time.process_time()
    try:
        reader.read()
        result["read"] += 1
    except FAMILIES as error:
        result["refused"] += 1
        line = to_line(error)
        if len(line) > MAX_LINE_LENGTH + 5 or not line.isprintable() or not line:
            return f"no line: {line[:300]!r}"
    except Exception as error:
        return "".join(traceback.format_exception(error)[-3:])[-600:]
    spent = time.process_time() - began
    return f"took {spent:.0f} s" if spent > MAX_DURATION else ""


def main(name: str, seed: str, count: str) -> None:
    """Feed files to a reader, and print what came of it."""
    failures, result = [], {"read": 0, "refused": 0}
    with tempfile.TemporaryDirectory() as folder:
        reader: Reader = READERS[name](Path(folder))
        _bound_memory()
        for case in range(int(count)):
            random = np.random.default_rng([int(seed), case])
            reader.write(random)
            problem = _judge(reader, result)
            if problem:
                failures.append([case, problem])
    print(json.dumps(result | {"peak_mb": _read_peak(), "failures": failures[:20], "failed": len(failures)}))


def _read_peak() -> int:
    """Read the largest memory of this program [MB]; ``getrusage`` would count what the process that started it had."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) // 1024


def _bound_memory() -> None:
    """Let the process have ``MEMORY`` more than it has."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main(*sys.argv[1:])
