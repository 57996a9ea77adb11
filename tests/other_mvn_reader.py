"""Another project's reader of the MVN stream (``pysio-hermes-mvn``, MIT), without the rest of that project."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np

# What its module of the parser takes from elsewhere, none of which the parsing needs.
_ELSEWHERE = {
    "hermes": (),
    "hermes.utils": (),
    "hermes.utils.time_utils": ("get_time", "get_time_s_from_utc_time_no_date_str"),
    "hermes.utils.types": ("LoggingSpec", "NewDataDict"),
    "hermes.utils.zmq_utils": ("IP_LOOPBACK", "PORT_MVN", "PORT_BACKEND", "PORT_SYNC_HOST", "PORT_KILL"),
    "hermes.base": (),
    "hermes.base.nodes": (),
    "hermes.base.nodes.producer": ("Producer",),
    "hermes.base.stream": ("Stream",),
    "hermes.mvn": (),
}


def _make_elsewhere() -> dict[str, ModuleType]:
    made = {}
    for name, members in _ELSEWHERE.items():
        made[name] = module = ModuleType(name)
        for member in members:
            setattr(module, member, type(member, (), {}) if member[0].isupper() else mock.Mock(return_value=0.0))
    vars(made["hermes.utils.types"]).update(LoggingSpec=object, NewDataDict=dict)
    return made


def _load(name: str, file: str) -> ModuleType:
    found = metadata.distribution("pysio-hermes-mvn").locate_file(file)
    spec = importlib.util.spec_from_file_location(name, str(found))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@contextmanager
def open_reader() -> Iterator[OtherReader]:
    """Load the reader, and forget it afterwards.

    Raises:
        PackageNotFoundError: It is not installed; './handhold setup --dev' does that.
    """
    with mock.patch.dict(sys.modules, _make_elsewhere()):
        _load("hermes.mvn.stream", "hermes/mvn/stream.py")
        yield OtherReader(_load("hermes.mvn.producer", "hermes/mvn/producer.py"))


class OtherReader:
    """Reads datagrams, one at a time."""

    def __init__(self, module: ModuleType) -> None:
        producer = module.MvnAnalyzeProducer.__new__(module.MvnAnalyzeProducer)
        setup = module.MVN_SEGMENT_SETUP["full_body"]
        producer._segment_id_mapping = {segment: index for index, segment in enumerate(setup)}
        producer._num_segments = len(setup)
        producer._xsens_sample_index = producer._xsens_message_start_time_s = producer._xsens_timestep_receive_time_s = None
        producer._topic = producer.topic = "mvn"
        producer._publish = self._take
        self._producer = producer
        self._taken: dict[str, Any] | None = None

    def read(self, data: bytes) -> dict[str, np.ndarray] | None:
        """Return what it reads from a datagram, by its own names; None where it takes nothing from it."""
        self._taken = None
        self._producer._buffer = data
        self._producer._process_buffer()
        return None if self._taken is None else next(iter(self._taken.values()))

    def _take(self, tag: str, process_time_s: float, data: dict[str, Any]) -> None:
        self._taken = data
