"""What an address alone asks: sessions, their messages, and the bytes of materials."""

import base64
from collections.abc import Sequence

import httpx2
import pytest

from tests.importers.builders import claude_user, lines
from tests.servers.http.serving_world import RunningServer, problem

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


def session_of(*texts: str) -> list[dict[str, object]]:
    return [claude_user(number, text) for number, text in enumerate(texts, start=1)]


def upload(
    client: httpx2.Client, records: Sequence[object], name: str = "a.jsonl"
) -> httpx2.Response:
    return client.post(
        f"/v1/import?source=claude_code&name={name}",
        content=lines(records),
        headers={"content-type": "application/x-ndjson"},
    )


def with_picture(client: httpx2.Client) -> str:
    """Import a session with a picture, and return the id of that."""
    source = {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(PICTURE).decode("ascii"),
    }
    content = [{"type": "text", "text": "see the needle"}, {"type": "image", "source": source}]
    assert upload(client, [claude_user(1, content)]).json()["partial"] is False
    (material,) = client.post("/v1/recall", json={"terms": ["needle"]}).json()["materials"]
    return str(material["id"])


def test_sessions_are_listed_and_shown_page_by_page(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        upload(client, session_of("where is the herbarium", "in the attic", "thank you"))
        (listed,) = client.get("/v1/sessions?limit=10&source=claude_code").json()["sessions"]
        assert listed["messages"] == 3
        page = client.get(f"/v1/sessions/{listed['session']}?first=1&count=1").json()
        assert [each["text"] for each in page["messages"]] == ["in the attic"]
        assert page["total"] == 3
        assert client.get("/v1/sessions?offset=1").json()["sessions"] == []


@pytest.mark.parametrize("query", ["limit=x", "limt=1", "limit=1&limit=2", "limit", "=1", "%ff=1"])
def test_a_query_that_cannot_be_read_is_refused(server: RunningServer, query: str) -> None:
    with server.client(server.key()) as client:
        assert problem(client.get(f"/v1/sessions?{query}")).code == "invalid_request"


@pytest.mark.parametrize(
    "name", ["nobody", "..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "a%00b", "%0d%0ax:%20y", "a//b"]
)
def test_an_id_is_no_path(server: RunningServer, name: str) -> None:
    with server.client(server.key()) as client:
        for place in ("sessions", "materials"):
            assert problem(client.get(f"/v1/{place}/{name}")).status in {400, 404}


def test_an_id_that_is_no_text_is_refused(server: RunningServer) -> None:
    with server.client(server.key()) as client:
        assert problem(client.get("/v1/sessions/%ff")).code == "invalid_request"


def test_a_material_is_given_whole_and_in_parts(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        material = with_picture(client)
        whole = client.get(f"/v1/materials/{material}")
        assert whole.content == PICTURE
        assert whole.headers["content-type"] == "image/png"
        assert whole.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in whole.headers["content-security-policy"]
        tag, length = whole.headers["etag"], len(PICTURE)
        for asked, first, last in (
            ("bytes=0-3", 0, 3),
            ("bytes=10-", 10, length - 1),
            ("bytes=-4", length - 4, length - 1),
            (f"bytes=5-{length * 2}", 5, length - 1),
        ):
            part = client.get(
                f"/v1/materials/{material}", headers={"range": asked, "if-range": tag}
            )
            assert part.status_code == 206
            assert part.content == PICTURE[first : last + 1]
            assert part.headers["content-range"] == f"bytes {first}-{last}/{length}"
            assert part.headers["content-length"] == str(len(part.content))


@pytest.mark.parametrize(
    "asked", ["bytes=9-1", "lines=1-2", "bytes=", "bytes=a-b", "bytes=0-1,4-5"]
)
def test_a_range_that_is_none_is_answered_by_the_whole(
    server: RunningServer, namespace: str, asked: str
) -> None:
    with server.client(server.key(namespace)) as client:
        whole = client.get(f"/v1/materials/{with_picture(client)}", headers={"range": asked})
        assert whole.status_code == 200
        assert whole.content == PICTURE


def test_a_range_of_another_version_is_answered_by_the_whole(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        headers = {"range": "bytes=0-1", "if-range": '"of before"'}
        whole = client.get(f"/v1/materials/{with_picture(client)}", headers=headers)
        assert whole.status_code == 200


def test_a_range_behind_the_end_is_refused(server: RunningServer, namespace: str) -> None:
    with server.client(server.key(namespace)) as client:
        for asked in (f"bytes={len(PICTURE)}-", "bytes=-0"):
            refused = client.get(f"/v1/materials/{with_picture(client)}", headers={"range": asked})
            assert problem(refused).code == "range_refused"


def test_the_material_of_another_namespace_is_not_found(
    server: RunningServer, namespace: str
) -> None:
    with server.client(server.key(namespace)) as client:
        material = with_picture(client)
    with server.client(server.key(f"{namespace}-other")) as other:
        assert problem(other.get(f"/v1/materials/{material}")).code == "not_found"
