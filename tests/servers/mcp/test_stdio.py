import json
import signal
from collections.abc import Generator
from pathlib import Path
from typing import cast

import pytest

from recense.limits import MCP_ENDING_SECONDS_MAX, MCP_LINE_BYTES_MAX
from recense.operations.agents import ResumeAgent
from recense.operations.recall import RecallRequest
from recense.settings.loading import load_settings
from recense.wiring import open_memory
from tests.servers.mcp.stdio_client import HELLO, SECONDS_MAX, Said, StdioClient

STRANGE = {
    "PYTHONIOENCODING": "cp1252",
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
}
WAITING = (str(Path(__file__).with_name("waiting_program.py")),)
STATELESS: Said = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": HELLO["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Generator[StdioClient]:
    """A process for all tests that leave it running, in a locale that knows no UTF-8."""
    with StdioClient(tmp_path_factory.mktemp("mcp"), environment=STRANGE) as client:
        yield client.begin()


def code_of(answer: Said) -> object:
    return cast("Said", answer["error"])["code"]


def test_the_three_waits_at_the_end_take_less_than_two_seconds() -> None:
    assert 3 * MCP_ENDING_SECONDS_MAX < 2


@pytest.mark.parametrize(
    ("line", "code", "named"),
    [
        (b"\xff\xfe{}", -32700, None),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, None),
        (b"Content-Length: 12", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', -32700, None),
        (b"[1,2,3]", -32600, None),
        (b"null", -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"id":"seven"}', -32600, "seven"),
        (b'{"id":[1]}', -32600, None),
        (rb'{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":"a\ud83d"}}', -32600, 8),
        (rb'{"jsonrpc":"2.0","id":9,"method":"ping","params":"\ud83d"', -32700, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32700, None),
        (b'{"jsonrpc":"2.0","id":1.0,"result":{}}', -32600, None),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_and_the_session_lives(
    client: StdioClient, line: bytes, code: int, named: object
) -> None:
    client.write_bytes(line + b"\r\n")
    answer = client.answer_to(named)
    assert code_of(answer) == code
    assert client.ask("ping", {})["result"] == {}


@pytest.mark.parametrize("named", ["1.5", "2.0", "1e3", "null", "true", "false", "{}", "[1]"])
@pytest.mark.parametrize("method", ["ping", "tools/list", "notifications/initialized"])
def test_a_request_whose_id_can_be_none_is_answered_and_the_session_lives(
    client: StdioClient, named: str, method: str
) -> None:
    """Else who asked so would wait for ever: it would be taken for a notification."""
    client.write_bytes(f'{{"jsonrpc":"2.0","id":{named},"method":"{method}"}}\n'.encode())
    answer = client.answer_to(None)
    assert code_of(answer) == -32600
    assert "the id of a request" in str(answer)
    assert client.ask("ping", {})["result"] == {}


def test_empty_lines_mean_nothing(client: StdioClient) -> None:
    client.write_bytes(b"\n \r\n\n")
    assert client.ask("ping", {})["result"] == {}


def test_a_line_longer_than_lines_may_be_is_refused_unread(client: StdioClient) -> None:
    client.write_bytes(b'{"jsonrpc":"' + b"x" * MCP_LINE_BYTES_MAX + b'"}\n')
    assert code_of(client.answer_to(None)) == -32600
    assert client.ask("ping", {})["result"] == {}


def test_a_line_of_ten_megabytes_is_read_and_refused_for_what_it_asks(client: StdioClient) -> None:
    result = client.call("remember", {"text": "x" * 10_000_000})
    assert result["isError"] is True
    assert client.ask("ping", {})["result"] == {}


def test_text_is_utf_8_whatever_the_locale(client: StdioClient) -> None:
    text = "Das Café in 東京 hat 🐝\u2028und ✓."
    client.call("remember", {"text": text})
    result = client.call("recall", {"terms": ["café"]})
    structured = cast("dict[str, list[Said]]", result["structuredContent"])
    assert [fact["text"] for fact in structured["facts"]] == [text]


def test_calls_at_once_are_each_answered(client: StdioClient) -> None:
    kept = [
        client.send("tools/call", {"name": "remember", "arguments": {"text": f"Fact {n} of Ada."}})
        for n in range(20)
    ]
    found = [
        client.send("tools/call", {"name": "recall", "arguments": {"terms": ["ada"]}})
        for _ in range(20)
    ]
    for named in reversed(kept + found):
        assert cast("Said", client.answer_to(named)["result"])["isError"] is False


def test_the_stateless_protocol_is_spoken_and_an_end_of_stdin_ends_it_all(tmp_path: Path) -> None:
    with StdioClient(tmp_path) as client:
        found = client.answer_to(client.send("server/discover", {}, STATELESS))
        assert "2026-07-28" in str(found["result"])
        asked = [client.send("tools/list", {}, STATELESS) for _ in range(4)]
        assert client.leave() == 0
        assert all("result" in client.answer_to(named) for named in asked)
        assert client.lines.get(timeout=SECONDS_MAX) is None
        assert client.end() == ""


def test_a_recall_that_nobody_waits_for_stops_and_stray_prints_reach_no_client(
    tmp_path: Path,
) -> None:
    recall = {"name": "recall", "arguments": {"terms": ["bees"]}}
    with StdioClient(tmp_path, program=WAITING) as client:
        client.begin()
        asked = client.send("tools/call", recall)
        assert client.diagnosis() == "recall began"
        client.tell("notifications/cancelled", {"requestId": asked})
        assert client.diagnosis() == "recall ended"
        assert client.ask("ping", {})["result"] == {}
        left = client.send("tools/call", recall, {"progressToken": "far"})
        assert client.diagnosis() == "recall began"
        assert client.next_line()["method"] == "notifications/progress"
        assert client.leave() == 0
        assert client.diagnosis() == "recall ended"
        lines = list(iter(lambda: client.lines.get(timeout=SECONDS_MAX), None))
        assert all(json.loads(line).get("id") in {None, left} for line in lines)


def test_an_end_of_stdin_gives_back_the_agents_that_were_taken(tmp_path: Path) -> None:
    with StdioClient(tmp_path, "--agent") as client:
        held = client.begin().call("agent_resume", {"agent": "ada", "holder": "first"})
        assert held["isError"] is False
        assert client.leave() == 0
    settings = load_settings(
        {"store": f"sqlite:///{tmp_path / 'recense.db'}"}, {}, str(tmp_path), str(tmp_path)
    )
    with open_memory(settings, create=False) as memory:
        memory.agents.resume(ResumeAgent(agent="ada", holder="second")).release()


def test_what_is_remembered_stays_in_the_namespace_that_is_named(tmp_path: Path) -> None:
    with StdioClient(tmp_path, "--namespace", "team-a") as client:
        client.begin().call("remember", {"text": "Ada keeps bees."})
        assert client.leave() == 0
    for namespace, found in (("team-a", 1), ("default", 0)):
        settings = load_settings(
            {"store": f"sqlite:///{tmp_path / 'recense.db'}", "namespace": namespace},
            {},
            str(tmp_path),
            str(tmp_path),
        )
        with open_memory(settings) as memory:
            assert len(memory.recall(RecallRequest(terms=("bees",))).facts) == found


def test_told_to_end_it_ends_and_so_does_one_whose_client_reads_no_more(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with StdioClient(tmp_path) as told, StdioClient(other) as deaf:
        told.begin().process.send_signal(signal.SIGTERM)
        assert told.process.wait(SECONDS_MAX) == 0
        deaf.begin().listens.clear()
        deaf.ask("ping", {})
        assert deaf.lines.get(timeout=SECONDS_MAX) is None
        deaf.write({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert deaf.process.wait(SECONDS_MAX) == 0
