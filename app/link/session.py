"""Zenoh as the link uses it: one endpoint, peers that prove the session's key, a rate for each of them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import zenoh

from handhold.app.link.config import LinkConfig, LinkError, TlsFiles
from handhold.app.link.seal import derive

USER = "handhold"

MAX_RATES = {"operator": 500.0, "stop": 500.0, "lease": 50.0, "surfaces": 30.0}
"""Messages a second that one peer gets through on each topic of the host's [Hz]; the others end in zenoh, before our code.

A headset sends at 144 Hz at most. Zenoh keeps these counts for each connection, so that a peer that floods starves nobody.
"""

MAX_PEERS = 16
"""Connections that a host takes."""

MAX_MESSAGE_BYTES = 1 << 21
"""Nothing that we send is larger."""


BULK_WAIT = 0.1
"""How long who sends something large waits for the connection to take it, before it is dropped [s].

A cloud is seven times what is sent at once: of a process that waits for nothing, on busy cores, none would ever arrive.
"""


def open_session(config: LinkConfig, *, listen: bool, bulk: bool = False) -> zenoh.Session:
    """Open the link's session: the host listens, a station connects and keeps trying.

    Args:
        config: Where, and with which key.
        listen: Whether this side listens.
        bulk: Whether it is for large messages, and whoever sends them may wait ``BULK_WAIT``; never a control loop.

    Raises:
        LinkError: The port is taken, or a certificate cannot be used.
    """
    try:
        with _credentials(config.key) as credentials:
            return zenoh.open(_make_config(config, credentials, listen=listen, wait=_choose_wait(listen=listen, bulk=bulk)))
    except zenoh.ZError as error:
        if "in use" in str(error):
            raise LinkError(
                f"the link's port {config.port} on {config.address} is in use; "
                "stop what uses it (another handhold?) or choose another port"
            ) from None
        reason = str(error).split(" at /")[0]
        raise LinkError(f"the link at {config.endpoint} cannot be opened: {reason}; check the address and the files") from None


@contextmanager
def _credentials(key: bytes) -> Iterator[dict[str, str]]:
    """Let zenoh read who may connect: whoever knows a password that only the session's key gives (it is never sent)."""
    password = derive(key, "transport").hex()
    handle, name = tempfile.mkstemp(prefix="handhold-")  # readable by this user alone
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(f"{USER}:{password}\n")
        yield {"user": USER, "password": password, "dictionary_file": name}
    finally:
        Path(name).unlink()


def _choose_wait(*, listen: bool, bulk: bool) -> float:
    """Return how long a message may wait for a full connection before it is dropped [s].

    A frozen station's full queue must not hold up the control loop: the host drops at once; a station waits a little.
    """
    if bulk:
        return BULK_WAIT
    return 0.0 if listen else 1e-3


def _make_config(config: LinkConfig, credentials: dict[str, str], *, listen: bool, wait: float) -> zenoh.Config:
    endpoints = [config.endpoint]
    settings: dict[str, Any] = {
        "mode": "peer",
        "listen/endpoints": endpoints if listen else [],
        "connect/endpoints": [] if listen else endpoints,
        "connect/timeout_ms": -1,
        "connect/exit_on_failure": False,
        "connect/retry": {"period_init_ms": 100, "period_max_ms": 500, "period_increase_factor": 1.5},
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": int(1e6 * wait),
        "transport/link/rx/max_message_size": MAX_MESSAGE_BYTES,
        "transport/unicast/max_sessions": MAX_PEERS,
        "transport/shared_memory/enabled": False,
        "transport/auth/usrpwd": credentials,
    }
    if listen:
        settings["downsampling"] = [_limit_rates(config)]
    if config.tls is not None:
        settings["transport/link/tls"] = _tls_settings(config.tls)
    result = zenoh.Config()
    for path, value in settings.items():
        result.insert_json5(path, json.dumps(value))
    return result


def _limit_rates(config: LinkConfig) -> dict[str, Any]:
    rules = [{"key_expr": config.topic(name), "freq": rate} for name, rate in MAX_RATES.items()]
    return {"id": "rates", "flows": ["ingress"], "messages": ["put", "delete"], "rules": rules}


def _tls_settings(tls: TlsFiles) -> dict[str, Any]:
    return {
        "root_ca_certificate": tls.authority,
        "listen_certificate": tls.certificate,
        "listen_private_key": tls.private_key,
        "connect_certificate": tls.certificate,
        "connect_private_key": tls.private_key,
        "enable_mtls": True,
        "verify_name_on_connect": True,
    }
