"""A network that is late: relays one TCP port to another, each direction with a delay of its own.

Run as a process: ``python -m handhold.app.lab.safety.delay_relay PORT TARGET_PORT``. It prints ``ready``, then takes lines of
two delays [s], to the target and from it, which hold for whatever arrives from then on. Order is kept.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from handhold.app.session.priority import HOST_NICENESS, ask_for_priority

LOOPBACK = "127.0.0.1"
CHUNK = 1 << 16


class _Relay:
    """The relay of all connections; attributes: ``delays`` to and from the target [s]."""

    def __init__(self, target: int) -> None:
        self.delays = [0.0, 0.0]
        self._target = target
        self._tasks: set[asyncio.Task[None]] = set()

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection until either side ends it."""
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self._target)
        except OSError:
            writer.close()
            return
        for index, source, sink in ((0, reader, far_writer), (1, far_reader, writer)):
            task = asyncio.create_task(self._forward(index, source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(self, index: int, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        waiting: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()
        loop = asyncio.get_running_loop()
        delivery = asyncio.create_task(_deliver(waiting, sink))
        try:
            while data := await source.read(CHUNK):
                waiting.put_nowait((loop.time() + self.delays[index], data))
        except OSError:
            pass
        waiting.put_nowait((loop.time() + self.delays[index], b""))
        await delivery


async def _deliver(waiting: asyncio.Queue[tuple[float, bytes]], sink: asyncio.StreamWriter) -> None:
    loop = asyncio.get_running_loop()
    try:
        while True:
            due, data = await waiting.get()
            await asyncio.sleep(max(0.0, due - loop.time()))
            if not data:
                break
            sink.write(data)
            await sink.drain()
    except OSError:
        pass
    sink.close()


async def _main(port: int, target: int) -> None:
    # a network is no process that waits for others
    ask_for_priority(HOST_NICENESS)
    relay = _Relay(target)
    await asyncio.start_server(relay.connect, LOOPBACK, port)
    print("ready", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        relay.delays = [float(word) for word in line.split()]
        print("done", flush=True)


class Network:
    """A relay that runs in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def delay(self, to_host: float, from_host: float) -> None:
        """Let whatever is sent from now on be late by so much [s]."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{to_host} {from_host}\n")
        self._process.stdin.flush()
        self._process.stdout.readline()


@contextmanager
def late_network(port: int, target: int) -> Iterator[Network]:
    """Relay a port to another while the block lasts, without delay at first."""
    command = [sys.executable, "-m", "handhold.app.lab.safety.delay_relay", str(port), str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield Network(process)
        finally:
            process.kill()


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2])))
