import pytest

from tests.importers.builders import (
    CLAUDE,
    CODEX,
    SESSION,
    claude_user,
    codex_message,
    codex_meta,
    line,
)

HEAD_BYTES = 64 * 1024


def test_each_source_knows_its_folders() -> None:
    assert CLAUDE.roots({}, "/home/mira") == ("/home/mira/.claude/projects",)
    assert CLAUDE.roots({"CLAUDE_CONFIG_DIR": "/etc/c"}, "/home/mira") == ("/etc/c/projects",)
    assert CODEX.roots({}, "/home/mira") == (
        "/home/mira/.codex/sessions",
        "/home/mira/.codex/archived_sessions",
    )
    assert CODEX.roots({"CODEX_HOME": "/x"}, "/home/mira") == (
        "/x/sessions",
        "/x/archived_sessions",
    )


@pytest.mark.parametrize(
    ("path", "is_claimed"),
    [
        ("p/0f.jsonl", True),
        ("p/agent-1f.jsonl", True),
        ("p/0f/subagents/workflows/run1/agent-1f.jsonl", True),
        ("p/0f/subagents/workflows/run1/journal.jsonl", False),
        ("p/0f/subagents/agent-1f.meta.json", False),
        ("p/0f/tool-results/a.txt", False),
        ("history.jsonl", False),
        ("p/0f.jsonl.zst", False),
    ],
)
def test_claude_code_claims_the_files_of_sessions(path: str, is_claimed: bool) -> None:
    assert CLAUDE.claims(path) is is_claimed


@pytest.mark.parametrize(
    ("path", "is_passed_over"),
    [
        (f"/h/{SESSION}/subagents/workflows/run1/journal.jsonl", True),
        (f"/h/{SESSION}/workflows/run1.json", True),
        (f"/h/{SESSION}/subagents/workflows/run1/agent-1f.jsonl", False),
        ("/h/workflows/conversations.json", False),
        ("/h/journal.jsonl", False),
    ],
)
def test_what_a_workflow_keeps_beside_its_sessions_is_passed_over_with_a_reason(
    path: str, is_passed_over: bool
) -> None:
    for importer in (CLAUDE, CODEX):
        assert bool(importer.passes_over(path)) is is_passed_over


@pytest.mark.parametrize(
    ("path", "is_claimed"),
    [
        ("2026/02/03/rollout-2026-02-03T11-00-00-0f.jsonl", True),
        ("2026/02/03/rollout-2026-02-03T11-00-00-0f.jsonl.zst", True),
        ("history.jsonl", False),
        ("session_index.jsonl", False),
        ("state_5.sqlite", False),
    ],
)
def test_codex_claims_the_files_of_sessions(path: str, is_claimed: bool) -> None:
    assert CODEX.claims(path) is is_claimed


CLAUDE_HEADS = {
    "a prompt": line(claude_user(1, "a")),
    "a summary alone": line({"type": "summary", "summary": "s", "leafUuid": "u"}),
    "undo data first": line({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}}),
    "a queue first": line({"type": "queue-operation", "operation": "x", "sessionId": SESSION}),
    "a bad line first": b"oops\n" + line(claude_user(1, "a")),
}
CODEX_HEADS = {
    "a header": line(codex_meta()),
    "an item": line(codex_message("user", "a")),
    "the older form": line({"id": SESSION, "timestamp": "2025-08-01T09:00:00Z", "git": None}),
    "a bad line first": b"oops\n" + line(codex_meta()),
}
FOREIGN_HEADS = {
    "codex exec --json": b'{"type":"thread.started","thread_id":"0f"}\n{"type":"turn.started"}\n'
    b'{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"x"}}\n',
    "messages": line({"role": "user", "content": "a", "timestamp": "2025-08-01T09:00:00Z"}),
    "a cousin with parts": line(
        {
            "uuid": "u",
            "sessionId": SESSION,
            "type": "user",
            "message": {"role": "user", "parts": [{"text": "a"}]},
        }
    ),
    "gemini": line({"sessionId": SESSION, "projectHash": "0f", "kind": "main"}),
    "copilot": line({"type": "session.start", "id": "e", "data": {"sessionId": SESSION}}),
    "a web export": line({"loglines": [{"type": "user", "timestamp": "x"}]}),
    "prompts to type again": line({"session_id": SESSION, "ts": 1, "text": "a"}),
    "a list": b"[1, 2]\n",
    "prose": b"# Notes\n\nferns\n",
    "an image": b"\x89PNG\r\n\x1a\n" + b"\x00" * 90,
}


@pytest.mark.parametrize("head", CLAUDE_HEADS.values(), ids=CLAUDE_HEADS)
def test_claude_code_recognises_its_own(head: bytes) -> None:
    assert CLAUDE.recognises(head)
    assert not CODEX.recognises(head)


@pytest.mark.parametrize("head", CODEX_HEADS.values(), ids=CODEX_HEADS)
def test_codex_recognises_its_own(head: bytes) -> None:
    assert CODEX.recognises(head)
    assert not CLAUDE.recognises(head)


@pytest.mark.parametrize("head", FOREIGN_HEADS.values(), ids=FOREIGN_HEADS)
def test_neither_recognises_another_format(head: bytes) -> None:
    assert not CLAUDE.recognises(head)
    assert not CODEX.recognises(head)


def test_an_empty_head_and_one_cut_inside_its_first_record_may_be_anything() -> None:
    for importer in (CLAUDE, CODEX):
        assert importer.recognises(b"")
        assert importer.recognises(b'{"ty')


def test_a_first_record_longer_than_the_head_is_recognised_by_how_it_begins() -> None:
    long = "x" * (200 * 1024)
    codex = line(codex_meta(base_instructions={"text": long}))[:HEAD_BYTES]
    claude = line(claude_user(1, long))[:HEAD_BYTES]
    assert (CODEX.recognises(codex), CLAUDE.recognises(codex)) == (True, False)
    assert (CODEX.recognises(claude), CLAUDE.recognises(claude)) == (False, True)


@pytest.mark.parametrize("field", ["text", "content", "body"])
def test_a_first_record_longer_than_the_head_without_a_field_of_the_format_is_not_its_own(
    field: str,
) -> None:
    head = line({"type": "user", field: "x" * HEAD_BYTES})[:HEAD_BYTES]
    assert (CODEX.recognises(head), CLAUDE.recognises(head)) == (False, False)


def test_a_snapshot_of_files_longer_than_the_head_is_of_claude_code() -> None:
    snapshot = {"messageId": "m1", "trackedFileBackups": {"a" * HEAD_BYTES: ""}}
    record = {"type": "file-history-snapshot", "messageId": "m1", "snapshot": snapshot}
    head = line(record)[:HEAD_BYTES]
    assert (CODEX.recognises(head), CLAUDE.recognises(head)) == (False, True)
