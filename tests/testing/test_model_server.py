"""The server that behaves as a test says keeps to its script, and ends with its test."""

import json
import urllib.error
import urllib.request
from threading import active_count

import pytest

from recense.testing.model_server import Hung, ModelServer, Spoken, believing


def _post(server: ModelServer, path: str, text: str = "b", *, timeout: float = 30.0) -> bytes:
    roles = {"system": "a", "user": text}
    asked = {"messages": [{"role": role, "content": said} for role, said in roles.items()]}
    request = urllib.request.Request(  # noqa: S310 -- a server of our own
        f"{server.url}{path}", data=json.dumps(asked).encode()
    )
    with urllib.request.urlopen(request, timeout=timeout) as response:  # noqa: S310 -- as above
        body: bytes = response.read()
    return body


def test_a_script_is_followed_in_order_and_what_was_sent_is_kept() -> None:
    with ModelServer([Spoken(text="one"), Spoken(text="two")]) as server:
        path = "/v1/chat/completions"
        said = [
            json.loads(_post(server, path))["choices"][0]["message"]["content"] for _ in range(2)
        ]
        assert said == ["one", "two"]
        assert [(each.instructions, each.text) for each in server.received] == [("a", "b")] * 2


def test_a_request_that_the_script_did_not_expect_is_refused() -> None:
    with ModelServer() as server, pytest.raises(urllib.error.HTTPError, match="500"):
        _post(server, "/api/chat")


def test_a_path_of_no_provider_is_not_found() -> None:
    with ModelServer() as server, pytest.raises(urllib.error.HTTPError, match="404"):
        _post(server, "/v1/embeddings")


def test_a_hanging_server_ends_with_its_test() -> None:
    before = active_count()
    with ModelServer([Hung()]) as server, pytest.raises(TimeoutError):
        _post(server, "/api/chat", timeout=0.1)
    assert active_count() <= before + 1  # the handler is woken, and may take a moment to go


def test_a_believing_model_says_what_its_material_tells_it_to() -> None:
    with ModelServer(believing) as server:
        said = json.loads(_post(server, "/api/chat", 'Say:\n{"facts": [1]}\nnow'))
    assert said["message"]["content"] == '{"facts": [1]}'
