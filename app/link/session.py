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


def open_session(config: LinkConfig, *, listen: bool) -> zenoh.Session:
    """Open the link's session: the host listens, a station connects and keeps trying.

    Raises:
        LinkError: The port is taken, or a certificate cannot be used.
    """
    try:
        with _credentials(config.key) as credentials:
            return zenoh.open(_make_config(config, credentials, listen=listen))
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


def _make_config(config: LinkConfig, credentials: dict[str, str], *, listen: bool) -> zenoh.Config:
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
        # a frozen station's full queue must not hold up the control loop: the host drops at once; a station waits [us]
        "transport/link/tx/queue/congestion_control/drop/wait_before_drop": 0 if listen else 1000,
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
