"""Who is let in: keys, names, pages."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from recense.errors import HostRefused, SettingsInvalid
from recense.servers.http.hosts import AllowedHosts
from recense.servers.http.options import ServeOptions
from tests.servers.http.serving_world import RunningServer, problem, running

EVERYWHERE = "0.0.0.0"  # noqa: S104 -- where nothing listens in a test: it is refused before


def test_without_a_key_nothing_is_answered_but_health(server: RunningServer) -> None:
    with server.client() as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/readyz").json() == {"status": "ok"}
        for path in ("/metrics", "/schema", "/v1/sessions", "/v1/changes", "/v1/keys", "/nothing"):
            refused = client.get(path)
            assert problem(refused).code == "key_missing"
            assert refused.headers["www-authenticate"].startswith("Bearer")
        assert problem(client.post("/v1/recall", json={})).code == "key_missing"


@pytest.mark.parametrize("authorization", ["", "Bearer", "Basic bWlyYTptaXJh", "rcl_a_b"])
def test_what_is_no_bearers_key_is_none(server: RunningServer, authorization: str) -> None:
    with server.client(authorization=authorization) as client:
        assert problem(client.post("/v1/recall", json={})).code in {"key_missing", "key_refused"}


def test_a_key_that_nobody_issued_is_refused(server: RunningServer) -> None:
    with server.client("rcl_" + "a" * 16 + "_" + "a" * 52) as client:
        assert problem(client.post("/v1/recall", json={})).code == "key_refused"


def asked_at(server: RunningServer, path: str, key: str | None = None) -> bytes:
    proof = "" if key is None else f"authorization: Bearer {key}\r\n"
    asked = f"GET {path} HTTP/1.1\r\nhost: localhost\r\n{proof}connection: close\r\n\r\n"
    return server.raw(asked.encode("latin-1"))


@pytest.mark.parametrize(
    "path",
    [
        "/%68ealthz",
        "/healthz%2F",
        "/healthz%00",
        "/healthz%3F",
        "/healthz%2e",
        "//healthz",
        "/v1/%73essions",
        "/v1/%73essions/claude_code:x",
        "/v1/sessions%2Fabc",
        "/v1%2fsessions",
        "/v1//sessions",
        "//v1/sessions",
        "/%2e%2e/metrics",
        "/%6dcp",
        "/mcp%2Fx",
        "/v1/sessions/%00",
        "/v1/sessions/a%0Ab",
        "/v1/sessions/%ff",
        "/v1/sessions/%zz",
        "/v1/sessions/a%",
        "/v1/sessions/%2F",
        "/v1/sessions//",
        "/v1/materials/%7f",
    ],
)
def test_an_address_that_is_written_in_another_way_is_refused(
    server: RunningServer, path: str
) -> None:
    for key in (None, server.key()):
        came = asked_at(server, path, key)
        assert came.startswith(b"HTTP/1.1 400 ")
        assert b'"code":"invalid_request"' in came
        assert b"percent-encode an id once" in came


@pytest.mark.parametrize("path", ["/healthz/", "/readyz/", "/healthz/x", "/v1/./sessions"])
def test_what_needs_no_key_is_at_its_own_address_alone(server: RunningServer, path: str) -> None:
    assert asked_at(server, path).startswith(b"HTTP/1.1 401 ")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a%2Fb", "a/b"),
        ("a/b", "a/b"),
        ("a//b", "a//b"),
        ("%2573", "%73"),
        ("..%2Fkeys", "../keys"),
        ("x%3Fy", "x?y"),
        ("%7Ea", "~a"),
    ],
)
def test_an_id_in_an_address_is_decoded_once_and_is_no_path(
    server: RunningServer, written: str, meant: str
) -> None:
    came = asked_at(server, f"/v1/sessions/{written}", server.key())
    assert came.startswith(b"HTTP/1.1 404 ")
    assert f"no session '{meant}'" in came.decode()


def test_a_body_is_not_waited_for_before_the_key_is_known(server: RunningServer) -> None:
    came = server.raw(
        b"POST /v1/recall HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000000\r\n"
        b"connection: close\r\n\r\n{"
    )
    assert came.startswith(b"HTTP/1.1 401 ")


def test_a_key_allows_what_its_scopes_allow(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace, ["recall"])) as client:
        assert client.post("/v1/recall_facts", json={}).status_code == 200
        refused = client.post("/v1/remember", json={"text": "tea at four"})
        assert problem(refused).code == "scope_missing"
        assert problem(client.get("/metrics")).code == "scope_missing"
        assert problem(client.get("/v1/keys")).code == "scope_missing"
        assert problem(client.post("/v1/import")).code == "scope_missing"
    with server.client(server.key(namespace, ["remember", "read-only"])) as client:
        refused = client.post("/v1/remember", json={"text": "tea at four"})
        assert problem(refused).code == "scope_missing"
        assert problem(client.get("/v1/changes")).code == "scope_missing"


HOSTS_ELSEWHERE = (
    "evil.example",
    "evil.example:80",
    "localhost.evil.example",
    "",
    "[::1].evil.example",
    "[::1]evil",
    "[::1]:80:evil",
    "[::1",
    "[127.0.0.1]",
    "localhost:80:evil",
    "localhost:evil",
    "localhost:65536",
    "localhost:-1",
    "localhost:080000",
    "localhost:8\xb2",
    "localhost@evil.example",
    "localhost/evil",
    "localhost evil",
    "localhost,evil.example",
    "127.0.0.1.",
    ":80",
)


@pytest.mark.parametrize("host", HOSTS_ELSEWHERE)
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/v1/sessions"])
def test_a_call_to_another_name_is_refused_also_where_no_key_is_needed(
    server: RunningServer, host: str, path: str
) -> None:
    asked = f"GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    came = server.raw(asked.encode("latin-1"))
    assert came.startswith(b"HTTP/1.1 403 ")
    assert b'"code":"host_refused"' in came


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]:80"])
def test_a_call_to_the_server_by_its_name_is_answered_at_whatever_port(
    server: RunningServer, host: str
) -> None:
    """A port may be another on the way, where one is handed on."""
    asked = f"GET /healthz HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n"
    assert server.raw(asked.encode()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    ("host", "is_taken"),
    [
        ("192.0.2.7:7373", True),
        ("[2001:db8::7]", True),
        ("[192.0.2.7]", False),
        ("2001:db8::7", False),
        ("[2001:db8::7].evil.example", False),
        ("192.0.2.7:99999", False),
        ("192.0.2.7.evil.example", False),
    ],
)
def test_where_others_are_listened_to_an_address_in_digits_is_one_and_nothing_more(
    host: str, is_taken: bool
) -> None:
    hosts = AllowedHosts(EVERYWHERE)
    with nullcontext() if is_taken else pytest.raises(HostRefused):
        hosts.require_host(host.encode())


@pytest.mark.parametrize(
    "header", ["authorization", "content-type", "host", "idempotency-key", "last-event-id"]
)
def test_what_is_said_once_is_refused_when_it_is_said_twice(
    server: RunningServer, header: str
) -> None:
    asked = (
        "POST /v1/recall_facts HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        f"content-length: 0\r\n{header}: localhost\r\n{header}: localhost\r\n\r\n"
    )
    assert server.raw(asked.encode()).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("method", ["OPTIONS", "GET"])
@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_a_page_that_names_two_origins_is_refused_whichever_comes_first(
    tmp_path: Path, method: str, order: slice
) -> None:
    allowed = "https://notes.example"
    with running(tmp_path, ServeOptions(origins=(allowed,), insecure=True)) as server:
        origins = "".join(
            f"origin: {each}\r\n" for each in [allowed, "https://evil.example"][order]
        )
        asked = (
            f"{method} /healthz HTTP/1.1\r\nhost: localhost\r\n{origins}connection: close\r\n\r\n"
        )
        came = server.raw(asked.encode())
    assert came.startswith(b"HTTP/1.1 400 ")
    assert b"access-control-allow-origin" not in came


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost:1"])
def test_a_page_from_elsewhere_is_refused_whatever_key_it_has(
    server: RunningServer, origin: str
) -> None:
    with server.client(server.key(), origin=origin) as client:
        refused = client.post("/v1/recall_facts", json={})
        assert problem(refused).code == "origin_refused"
        assert "access-control-allow-origin" not in refused.headers
        assert problem(client.options("/v1/recall_facts")).code == "origin_refused"


def test_a_page_of_the_server_itself_may_ask(server: RunningServer) -> None:
    with server.client(server.key(), origin=server.address) as client:
        answer = client.post("/v1/recall_facts", json={})
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers


def test_pages_and_names_that_are_allowed_may_ask_and_no_others(tmp_path: Path) -> None:
    allowed = "https://notes.example"
    options = ServeOptions(origins=(allowed,), hosts=("memory.example",), insecure=True)
    with running(tmp_path, options) as server:
        with server.client(origin=allowed, host="memory.example") as client:
            asked = client.options("/v1/recall_facts")
            assert asked.status_code == 204
            assert asked.headers["access-control-allow-origin"] == allowed
            assert "authorization" in asked.headers["access-control-allow-headers"]
            answer = client.post("/v1/recall_facts", json={})
            assert answer.headers["access-control-allow-origin"] == allowed
            assert "origin" in answer.headers["vary"]
        with server.client(origin="https://notes.example.evil.example") as client:
            assert problem(client.post("/v1/recall_facts", json={})).code == "origin_refused"


def test_insecure_answers_without_keys_and_says_so(tmp_path: Path) -> None:
    with running(tmp_path, ServeOptions(insecure=True)) as server:
        server.log.line_with('"insecure"')
        with server.client() as client:
            assert client.post("/v1/recall_facts", json={}).status_code == 200
        with server.client("rcl_" + "a" * 16 + "_" + "a" * 52) as client:
            assert problem(client.post("/v1/recall_facts", json={})).code == "key_refused"


def test_insecure_is_for_this_machine_alone(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsInvalid, match="can be reached from elsewhere"),
        running(tmp_path, ServeOptions(insecure=True, host=EVERYWHERE)),
    ):
        pass


def test_who_can_be_reached_from_elsewhere_needs_a_key_that_somebody_has(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsInvalid, match="no key was ever issued"),
        running(tmp_path, ServeOptions(host=EVERYWHERE)),
    ):
        pass


@pytest.mark.parametrize("origin", ["*", "https://notes.example/", "notes.example", "file:///a"])
def test_an_origin_that_is_none_is_refused_at_the_start(tmp_path: Path, origin: str) -> None:
    with (
        pytest.raises(SettingsInvalid, match="is no origin"),
        running(tmp_path, ServeOptions(origins=(origin,))),
    ):
        pass
