"""Sessions that are uploaded."""

import os
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from recense.servers.http import bodies, uploading
from tests.importers.builders import claude_user, line, lines
from tests.servers.http.serving_world import RunningServer, problem, running
from tests.servers.http.test_sessions_and_materials import session_of, upload


def sent(
    client: httpx2.Client, content: bytes | Iterator[bytes], query: str = ""
) -> httpx2.Response:
    return client.post(
        f"/v1/import{query}", content=content, headers={"content-type": "application/x-ndjson"}
    )


def test_what_is_uploaded_is_found_and_uploaded_again_is_nothing_new(
    server: RunningServer, namespace: str
) -> None:
    records = session_of("where is the herbarium", "in the attic")
    with server.client(server.key(namespace)) as client:
        first = upload(client, records).json()
        assert first["partial"] is False
        assert first["bytes"] == len(lines(records))
        assert first["report"]["messages_new"] == 2
        (passage,) = client.post("/v1/recall", json={"terms": ["herbarium"]}).json()["passages"]
        assert "herbarium" in str(passage)
        for name in ("a.jsonl", "b.jsonl"):
            assert upload(client, records, name).json()["report"]["messages_new"] == 0


def test_an_upload_comes_piece_by_piece(server: RunningServer, namespace: str) -> None:
    records = session_of(*(f"line {number} " + "of a long tale " * 500 for number in range(100)))

    def pieces() -> Iterator[bytes]:
        whole = lines(records)
        for start in range(0, len(whole), 50_000):
            yield whole[start : start + 50_000]

    with server.client(server.key(namespace)) as client:
        imported = sent(client, pieces(), "?source=claude_code").json()
        assert imported["report"]["messages_new"] == 100


def test_a_source_is_guessed_from_the_beginning(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        imported = sent(client, lines(session_of("where is the herbarium"))).json()
        assert imported["report"]["messages_new"] == 1


def test_what_fails_in_part_says_so_and_names_no_place_of_the_server(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        answer = sent(client, b"this is no session\n", "?name=tale.jsonl")
        imported = answer.json()
        assert imported["partial"] is True
        (failure,) = [one for each in imported["report"]["sources"] for one in each["failures"]]
        assert failure["path"] == "tale.jsonl"
        assert uploading.IMPORT not in answer.text
        assert ".uploads" not in answer.text


@pytest.mark.parametrize("name", ["..", "a/b", "%2Fetc%2Fpasswd", "a%00", "", ".hidden", "a" * 200])
def test_a_name_is_no_path(server: RunningServer, namespace: str, name: str) -> None:
    with server.client(server.key(namespace)) as client:
        refused = sent(client, line(claude_user(1, "hello")), f"?name={name}")
        assert problem(refused).code == "invalid_request"


def test_a_source_that_there_is_not_is_refused(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        assert problem(sent(client, b"{}\n", "?source=nobody")).code == "invalid_request"


@pytest.mark.parametrize("query", ["source=nobody", "name=..", "named=x", "source=claude_code&x"])
def test_what_no_upload_could_mend_is_refused_before_any_of_it_came(
    server: RunningServer, namespace: str, query: str
) -> None:
    came = server.raw(
        f"POST /v1/import?{query} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
        f"{server.key(namespace)}\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n"
        "content-length: 1000000\r\n\r\n".encode()
    )
    assert came.startswith(b"HTTP/1.1 400 ")
    assert b"application/problem+json" in came


def test_an_upload_of_another_type_is_refused(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        refused = client.post("/v1/import", json={})
        assert problem(refused).code == "content_type_refused"


def test_an_upload_that_is_too_long_is_refused_and_leaves_nothing(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "UPLOAD_BYTES_MAX", 1_000)
    with server.client(server.key(namespace)) as client:
        assert problem(sent(client, b" " * 1_001)).code == "request_too_large"
        assert problem(sent(client, iter([b" " * 600] * 3))).code == "request_too_large"
        assert client.get("/v1/sessions").json()["total"] == 0
    folder = Path(server.server.listening.store.removeprefix("sqlite://")).parent
    assert not [each for each in folder.rglob("*") if each.is_file() and ".uploads" in str(each)]


def test_an_upload_that_pauses_is_ended(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "UPLOAD_PAUSE_SECONDS_MAX", 0.05)
    came = server.raw(
        f"POST /v1/import HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer "
        f"{server.key(namespace)}\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n"
        "content-length: 100\r\n\r\n{".encode()
    )
    assert came.startswith(b"HTTP/1.1 408 ")


def test_uploads_beyond_those_that_are_taken_are_told_so(
    server: RunningServer, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uploading, "UPLOADS_AT_ONCE_MAX", 0)
    with server.client(server.key(namespace)) as client:
        refused = upload(client, session_of("hello"))
        assert problem(refused).code == "server_busy"
        assert refused.headers["retry-after"] == "1"


@pytest.mark.skipif(os.name != "posix", reason="modes of files are those of POSIX")
@pytest.mark.parametrize("was_there", [False, True])
def test_uploads_lie_where_nobody_else_can_look(tmp_path: Path, was_there: bool) -> None:
    spool = tmp_path / "store.db.uploads"
    if was_there:
        spool.mkdir()
        spool.chmod(0o755)
    before = os.umask(0)
    try:
        with running(tmp_path) as server, server.client(server.key()) as client:
            assert upload(client, session_of("hello")).status_code == 200
    finally:
        os.umask(before)
    assert spool.stat().st_mode & 0o777 == 0o700


def test_what_a_killed_server_left_is_removed_when_it_is_old(tmp_path: Path) -> None:
    spool = tmp_path / "store.db.uploads"
    for name in ("old", "new"):
        (spool / name).mkdir(parents=True)
        (spool / name / "a.jsonl").write_bytes(b"{}\n")
    os.utime(spool / "old", (1_000_000, 1_000_000))
    uploading.empty_spool(str(spool), int((spool / "new").stat().st_mtime * 1_000_000))
    assert [each.name for each in spool.iterdir()] == ["new"]
    uploading.empty_spool(str(tmp_path / "nothing"), 0)


def test_two_servers_on_one_store_take_one_upload_of_a_name_at_a_time(tmp_path: Path) -> None:
    with running(tmp_path) as first, running(tmp_path) as second:
        key = first.key()

        def pieces() -> Iterator[bytes]:
            yield lines(session_of("where is the herbarium"))
            with second.client(key) as other:
                refused = problem(sent(other, lines(session_of("in the attic"))))
            assert refused.code == "request_in_progress"

        with first.client(key) as client:
            assert sent(client, pieces()).json()["report"]["messages_new"] == 1
        with second.client(key) as client:
            assert sent(client, lines(session_of("in the attic"))).status_code == 200
