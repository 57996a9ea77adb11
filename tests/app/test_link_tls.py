"""The link between two machines: TLS with certificates on both sides, made here by openssl; nobody else gets in."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from stations import PATIENCE, free_port, wait_until

from handhold.app.link import HostLink, LinkConfig, LinkError, StationLink, TlsFiles, make_key
from handhold.devices.operator_input import OperatorInput

KEY = make_key()

REFUSAL_TIME = 3.0
"""Time in which a station that may connect has done so ten times over [s]."""


def openssl(*words: str, folder: Path) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


def make_authority(folder: Path) -> None:
    words = "req -x509 -newkey rsa:2048 -nodes -keyout authority.key -out authority.pem -days 2 -subj /CN=authority"
    openssl(*words.split(), folder=folder)


def make_certificate(folder: Path, name: str) -> TlsFiles:
    """Make a certificate for this machine that the folder's authority has signed."""
    (folder / "names.cnf").write_text("subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n", "ascii")
    openssl(*f"req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}".split(), folder=folder)
    sign = f"x509 -req -in {name}.csr -CA authority.pem -CAkey authority.key -CAcreateserial -days 2 -extfile names.cnf"
    openssl(*sign.split(), "-out", f"{name}.pem", folder=folder)
    return TlsFiles(
        authority=str(folder / "authority.pem"),
        certificate=str(folder / f"{name}.pem"),
        private_key=str(folder / f"{name}.key"),
    )


def arrives(station: LinkConfig, host: HostLink, timeout: float) -> bool:
    """Return whether samples of a station reach a host."""
    with StationLink(station, time.monotonic) as link:
        sequence = iter(range(1, 10**6))

        def sent() -> bool:
            link.send(OperatorInput(time=time.monotonic(), sequence=next(sequence), device="tls"))
            time.sleep(0.02)
            return host.newest_input() is not None

        return wait_until(sent, timeout)


@pytest.fixture
def trusted(tmp_path: Path) -> Path:
    make_authority(tmp_path)
    return tmp_path


def test_two_sides_of_one_authority_meet(trusted: Path) -> None:
    port = free_port()
    with HostLink(
        LinkConfig(robot="talos", key=KEY, port=port, tls=make_certificate(trusted, "host")), time.monotonic
    ) as host:
        station = LinkConfig(robot="talos", key=KEY, port=port, tls=make_certificate(trusted, "station"))
        assert arrives(station, host, timeout=PATIENCE)


def test_a_station_of_another_authority_or_of_none_stays_outside(trusted: Path) -> None:
    port = free_port()
    stranger = trusted / "stranger"
    stranger.mkdir()
    make_authority(stranger)
    with HostLink(
        LinkConfig(robot="talos", key=KEY, port=port, tls=make_certificate(trusted, "host")), time.monotonic
    ) as host:
        assert not arrives(
            LinkConfig(robot="talos", key=KEY, port=port, tls=make_certificate(stranger, "x")), host, REFUSAL_TIME
        )
        assert not arrives(LinkConfig(robot="talos", key=KEY, port=port), host, REFUSAL_TIME)


def test_a_certificate_that_is_not_there_is_one_clear_line(tmp_path: Path) -> None:
    missing = TlsFiles(authority="no.pem", certificate="no.pem", private_key="no.key")
    with pytest.raises(LinkError, match="check the address and the files") as caught:
        HostLink(LinkConfig(robot="talos", key=KEY, port=free_port(), tls=missing), time.monotonic)
    assert "\n" not in str(caught.value)
