"""The clients where there is no server, and when they are closed."""

import asyncio
import socket
from collections.abc import Generator

import pytest

from recense.client import clients
from recense.client.clients import AsyncClient, Client
from recense.client.problems import error_of
from recense.errors import InvalidRequest, ServerUnreachable
from recense.operations.facts import RememberFact
from recense.operations.recall import RecallRequest

ASKED = RecallRequest(terms=("tea",))
FACT = RememberFact(subject="mira", predicate="likes", value="tea")


def wait_not(_seconds: float) -> None:
    """Pause for no time."""


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> Generator[str]:
    """An address at which nobody listens, and nobody can while the test runs."""
    monkeypatch.setattr(clients.time, "sleep", wait_not)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_closed_client_says_that_it_is_closed_and_sends_nothing(nobody: str) -> None:
    client = Client(nobody)
    client.close()
    client.close()
    for ask in (lambda: client.recall(ASKED), lambda: client.remember_fact(FACT)):
        with pytest.raises(InvalidRequest, match="the client is closed") as refused:
            ask()
        assert "make another" in refused.value.hint
    with Client(nobody) as ended:
        pass
    with pytest.raises(InvalidRequest, match="the client is closed"):
        ended.recall(ASKED)


def test_a_closed_client_of_coroutines_says_so_too(nobody: str) -> None:
    async def asked() -> None:
        async with AsyncClient(nobody) as client:
            pass
        await client.aclose()
        with pytest.raises(InvalidRequest, match="the client is closed"):
            await client.recall(ASKED)

    asyncio.run(asked())


def test_a_client_that_is_closed_while_it_asks_says_so(
    nobody: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(nobody)

    def close(_seconds: float) -> None:
        client.close()

    monkeypatch.setattr(clients.time, "sleep", close)
    with pytest.raises(InvalidRequest, match="the client is closed"):
        client.recall(ASKED)


def test_who_is_not_reached_is_named_with_the_port(nobody: str) -> None:
    with Client(nobody) as client, pytest.raises(ServerUnreachable) as failed:
        client.recall(ASKED)
    assert f"recall was not answered: {nobody}: " in failed.value.message


def test_a_port_that_goes_without_saying_is_said() -> None:
    with Client("https://localhost") as client:
        said = client._access.unanswered(OSError("refused"))  # pyright: ignore[reportPrivateUsage] - no connection is made
    assert said.why == "https://localhost:443: refused"


@pytest.mark.parametrize("end", ["/mcp", "/mcp/", "/tenant/mcp"])
def test_the_address_of_models_is_told_from_that_of_clients(end: str) -> None:
    hint = error_of(406, b'{"jsonrpc":"2.0"}', f"http://127.0.0.1:7373{end}").hint
    assert hint.endswith(f"ask http://127.0.0.1:7373{end.rstrip('/').removesuffix('/mcp')}")


def test_another_address_is_not_blamed() -> None:
    for address in ("", "http://mcp", "http://127.0.0.1:7373/mcp/more"):
        assert "a proxy on the way" in error_of(406, b"", address).hint
