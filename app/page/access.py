"""Who may have the page: the address that was opened, the token in it, and the cookie it is exchanged for (pure)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

TOKEN_NAME = "token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """What becomes of a request.

    Attributes:
        status: 200: it is admitted; 303: the token is exchanged for the cookie; 403: it is refused.
        reason: Why it was refused, in words.
        location: Where a request with a token is sent on to, without it.
        cookie: The cookie to set.
    """

    status: int
    reason: str = ""
    location: str = ""
    cookie: str = ""


ADMITTED = Admission(status=200)


class PageAccess:
    """Judges requests for one page of one session.

    A request must name the address that was opened (so that no name of somebody else that leads here is taken: DNS rebinding)
    and show the token or the cookie; one that a page of another origin makes is refused whatever it shows. Ports make another
    origin, but cookies are the same at all ports of a host: the origin is what keeps another page of this machine out.
    """

    def __init__(self, hosts: Iterable[str], port: int, key: bytes) -> None:
        """Take what is opened.

        Args:
            hosts: Names and addresses that the page may be opened by, IPv6 in brackets.
            port: Port it is served at.
            key: Secret of the session; token and cookie come from it, and outlive the process that serves the page.
        """
        self._addresses = frozenset(f"{host}:{port}" for host in hosts)
        self._token = _derive(key, "token")
        self._name = f"handhold-{port}"
        self._cookie = _derive(key, "cookie")

    @property
    def query(self) -> str:
        """What follows the address, as printed: ``?token=...``."""
        return f"?{urlencode({TOKEN_NAME: self._token})}"

    def admit(self, path: str, headers: Iterable[tuple[str, str]], *, websocket: bool = False) -> Admission:
        """Judge one request by its path (with its query) and its headers; ``websocket`` where it asks for one."""
        fields = _gather(headers)
        hosts = fields.get("host", ())
        if len(hosts) != 1 or hosts[0].lower() not in self._addresses:
            return _refuse("it was asked for by another name than that of its own address")
        foreign = _find_foreign(fields, f"http://{hosts[0].lower()}", websocket=websocket)
        if foreign:
            return _refuse(foreign)
        return self._identify(path, fields, websocket=websocket)

    def _identify(self, path: str, fields: Mapping[str, tuple[str, ...]], *, websocket: bool) -> Admission:
        query = parse_qsl(urlsplit(path).query, keep_blank_values=True)
        tokens = [value for name, value in query if name == TOKEN_NAME]
        if tokens and not websocket:
            if len(tokens) != 1 or not _are_equal(tokens[0], self._token):
                return _refuse("its token is that of another session")
            remaining = urlencode([pair for pair in query if pair[0] != TOKEN_NAME])
            cookie = f"{self._name}={self._cookie}; HttpOnly; SameSite=Strict; Path=/"
            return Admission(status=303, location=f"/?{remaining}" if remaining else "/", cookie=cookie)
        if fields.get("sec-fetch-site", ("none",)) not in {("none",), ("same-origin",)}:
            return _refuse("another page asked for it")
        if not any(_are_equal(value, self._cookie) for value in _list_cookies(fields.get("cookie", ()), self._name)):
            return _refuse("it lacks the token of the session")
        return ADMITTED


def _find_foreign(fields: Mapping[str, tuple[str, ...]], own: str, *, websocket: bool) -> str:
    """Return why a request comes from elsewhere than the page itself, or ``""``."""
    origins = tuple(origin.lower() for origin in fields.get("origin", ()))
    if origins != (own,) and (websocket or origins):
        return "a page of another origin asked for it"
    if fields.get("sec-fetch-dest", ("document",))[0] not in {"document", "empty", "websocket"}:
        return "another page would show it within itself"
    return ""


def _refuse(reason: str) -> Admission:
    return Admission(status=403, reason=reason)


def _derive(key: bytes, purpose: str) -> str:
    return hmac.new(key, f"handhold page {purpose}".encode(), hashlib.sha256).hexdigest()


def _are_equal(shown: str, own: str) -> bool:
    return hmac.compare_digest(shown.encode("utf-8", "surrogateescape"), own.encode())


def _gather(headers: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    fields: dict[str, tuple[str, ...]] = {}
    for name, value in headers:
        fields[name.lower()] = (*fields.get(name.lower(), ()), value.strip())
    return fields


def _list_cookies(lines: Iterable[str], name: str) -> list[str]:
    pairs = (pair.partition("=") for line in lines for pair in line.split(";"))
    return [value.strip() for own, _, value in pairs if own.strip() == name]
