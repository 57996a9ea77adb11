"""Who is let in: by the headers of a request alone."""

from __future__ import annotations

import re

import pytest

from handhold.app.page.access import PageAccess

HOST = "127.0.0.1:8080"
OWN = f"http://{HOST}"
FOREIGN = "evil.example"
ACCESS = PageAccess(("127.0.0.1", "localhost", "[::1]"), 8080, b"a key")
TOKEN = ACCESS.query.removeprefix("?token=")
COOKIE = ACCESS.admit(f"/{ACCESS.query}", [("Host", HOST)]).cookie
SHOWN = ("Cookie", COOKIE.partition(";")[0])


def status(*headers: tuple[str, str], path: str = "/", websocket: bool = False) -> int:
    return ACCESS.admit(path, headers, websocket=websocket).status


def test_the_token_is_exchanged_for_a_cookie_that_other_sites_do_not_send() -> None:
    admission = ACCESS.admit(f"/{ACCESS.query}&fixedDpr=0.5", [("Host", HOST)])
    assert (admission.status, admission.location) == (303, "/?fixedDpr=0.5")
    name, *attributes = admission.cookie.split("; ")
    assert re.fullmatch(r"handhold-8080=[0-9a-f]{64}", name)
    assert attributes == ["HttpOnly", "SameSite=Strict", "Path=/"]
    assert TOKEN not in admission.cookie
    assert ACCESS.admit(f"/{ACCESS.query}", [("Host", HOST)]).location == "/"


@pytest.mark.parametrize("host", [HOST, "localhost:8080", "LocalHost:8080", "[::1]:8080"])
def test_the_cookie_is_taken_at_every_name_of_this_machine(host: str) -> None:
    assert status(("Host", host), SHOWN) == 200
    assert status(("Host", host), SHOWN, ("Origin", f"http://{host}"), websocket=True) == 200


@pytest.mark.parametrize("host", [FOREIGN, f"{FOREIGN}:8080", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8081", "", f"{HOST}."])
def test_another_name_is_refused_whatever_is_shown(host: str) -> None:
    for path in ("/", f"/{ACCESS.query}"):
        assert status(("Host", host), SHOWN, path=path) == 403
    assert status(("Host", host), SHOWN, ("Origin", f"http://{host}"), websocket=True) == 403


def test_a_request_names_one_host() -> None:
    assert status(SHOWN) == 403
    assert status(("Host", HOST), ("host", HOST), SHOWN) == 403


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:9999", f"http://{FOREIGN}", "null", "", f"https://{HOST}", "http://localhost:8080"]
)
def test_another_origin_is_refused_whatever_is_shown(origin: str) -> None:
    for websocket in (True, False):
        assert status(("Host", HOST), SHOWN, ("Origin", origin), websocket=websocket) == 403
    assert status(("Host", HOST), ("Origin", origin), path=f"/{ACCESS.query}") == 403
    assert status(("Host", HOST), SHOWN, ("Origin", OWN), ("Origin", origin), websocket=True) == 403


def test_a_websocket_says_where_it_comes_from_and_shows_the_cookie() -> None:
    assert status(("Host", HOST), SHOWN, websocket=True) == 403
    assert status(("Host", HOST), ("Origin", OWN), websocket=True) == 403
    assert status(("Host", HOST), ("Origin", OWN), path=f"/{ACCESS.query}", websocket=True) == 403
    assert status(("Host", HOST), ("Origin", OWN), SHOWN, websocket=True) == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_page_asks_for_with_the_cookie_is_refused(site: str) -> None:
    assert status(("Host", HOST), SHOWN, ("Sec-Fetch-Site", site)) == 403
    assert status(("Host", HOST), SHOWN, ("Sec-Fetch-Site", "none")) == 200
    assert status(("Host", HOST), SHOWN, ("Sec-Fetch-Site", "same-origin")) == 200


@pytest.mark.parametrize("dest", ["iframe", "frame", "embed", "object", "script"])
def test_what_another_page_would_show_within_itself_is_refused(dest: str) -> None:
    assert status(("Host", HOST), SHOWN, ("Sec-Fetch-Dest", dest)) == 403
    assert status(("Host", HOST), ("Sec-Fetch-Dest", dest), path=f"/{ACCESS.query}") == 403


@pytest.mark.parametrize("token", ["", "0" * 64, TOKEN[:-1], TOKEN + "0", TOKEN.upper() + "A", "\u00e4", "%ff"])
def test_a_wrong_token_is_refused_even_with_the_cookie(token: str) -> None:
    assert status(("Host", HOST), SHOWN, path=f"/?token={token}") == 403
    assert status(("Host", HOST), path=f"/?token={TOKEN}&token={token}") == 403


@pytest.mark.parametrize("value", ["", "0" * 64, TOKEN, SHOWN[1][14:-1], SHOWN[1][14:] + "0"])
def test_a_wrong_cookie_is_refused(value: str) -> None:
    assert status(("Host", HOST), ("Cookie", f"handhold-8080={value}")) == 403
    assert status(("Host", HOST), ("Cookie", SHOWN[1].replace("8080", "8081"))) == 403
    assert status(("Host", HOST)) == 403


def test_other_cookies_of_the_same_host_do_no_harm() -> None:
    assert status(("Host", HOST), ("Cookie", f"a=b; {SHOWN[1]} ; handhold-8080=x")) == 200


def test_a_session_has_one_key_and_two_sessions_have_two() -> None:
    assert PageAccess(("localhost",), 1, b"a key").query == ACCESS.query
    assert PageAccess(("localhost",), 1, b"another").query != ACCESS.query
