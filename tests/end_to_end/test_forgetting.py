"""Forgetting: a session goes with all that is its own, and no import brings it back."""

import base64
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from recense.errors import NotFound, StoreConflict
from recense.operations.recall import PrivateExcluded, RecallRequest
from recense.operations.sessions import OpenSession
from recense.services.memory import Memory
from tests.end_to_end.worlds import on_reference, on_sqlite
from tests.importers.builders import (
    SESSION,
    claude_assistant,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    lines,
    text_block,
    tool_result,
    tool_use,
)

FORK = "0a1b2c3d-0000-4000-8000-00000000f0f0"
OTHER = "0a1b2c3d-0000-4000-8000-00000000aaaa"

# Words that no compression shortens, so that they are found in a file if they are there.
WORDS = {
    name: f"canary{random.Random(number).getrandbits(160):040x}"
    for number, name in enumerate(
        ("shared", "alone", "answer", "result", "agent", "fork", "other", "title", "picture")
    )
}


def _session(picture: bytes) -> list[dict[str, object]]:
    image = {
        "type": "image",
        "source": {
            "type": "base64",
            "media_type": "image/png",
            "data": base64.b64encode(picture).decode(),
        },
    }
    return [
        claude_user(1, f"about {WORDS['shared']}"),
        claude_assistant(
            2, text_block(f"so {WORDS['answer']}"), tool_use("c", "Bash", command="x")
        ),
        claude_user(3, [tool_result("c", WORDS["result"] * 3_000)]),
        claude_user(4, [text_block(f"see {WORDS['alone']}"), image]),
        {"type": "custom-title", "customTitle": WORDS["title"], "sessionId": SESSION},
    ]


def _write(folder: Path) -> Path:
    """Write a session with an agent, a fork of its first records, and a session of its own."""
    projects = folder / "projects"
    agents = projects / SESSION / "subagents"
    agents.mkdir(parents=True)
    picture = b"\x89PNG\r\n" + WORDS["picture"].encode() * 40
    own = _session(picture)
    agent = [
        claude_user(100, f"do {WORDS['agent']}", isSidechain=True, agentId="a1"),
        claude_assistant(101, text_block("done"), isSidechain=True, agentId="a1"),
    ]
    fork = [record | {"sessionId": FORK} for record in own[:3]]
    fork.append(claude_user(200, f"but {WORDS['fork']}", sessionId=FORK, parentUuid="u3"))
    other = [claude_user(300, f"else {WORDS['other']}", sessionId=OTHER, parentUuid=None)]
    for path, records in {
        projects / f"{SESSION}.jsonl": own,
        agents / "agent-a1.jsonl": agent,
        projects / f"{FORK}.jsonl": fork,
        projects / f"{OTHER}.jsonl": other,
    }.items():
        path.write_bytes(lines(records))
    return projects


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """The folder of the sessions."""
    return _write(tmp_path / "source")


@pytest.fixture(params=[on_sqlite, on_reference])
def memory(request: pytest.FixtureRequest, tmp_path: Path, projects: Path) -> Memory:
    """A memory over each store, everything imported."""
    (tmp_path / "store").mkdir()
    opener: Callable[[Path], Memory] = request.param
    opened = opener(tmp_path / "store")
    opened.import_sessions("claude_code", [str(projects)])
    return opened


def _found(memory: Memory, *names: str) -> set[str]:
    """Return which of these words recall finds."""
    return {
        name
        for name in names
        if memory.recall(RecallRequest(terms=(WORDS[name],), origin="all")).passages
    }


def _in_files(folder: Path) -> set[str]:
    whole = b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())
    return {name for name, word in WORDS.items() if word.encode() in whole}


def test_everything_of_a_session_goes_and_what_others_hold_stays(memory: Memory) -> None:
    report = memory.forget_session(SESSION)
    assert {name.rpartition(":")[2] for name in report.sessions} == {SESSION, f"{SESSION}/a1"}
    assert [fork.session for fork in report.forks] == [f"claude_code:{FORK}"]
    assert report.forks[0].shared_records == 3
    assert _found(memory, *WORDS) == {"shared", "answer", "result", "fork", "other"}
    assert memory.sessions().total == 2
    assert not [check for check in memory.doctor().checks if not check.ok]


def test_with_its_forks_the_text_is_gone_altogether(memory: Memory) -> None:
    report = memory.forget_session(SESSION, with_forks=True)
    assert report.forks == ()
    assert _found(memory, *WORDS) == {"other"}


@pytest.mark.parametrize("with_forks", [True, False])
@pytest.mark.parametrize("archive_only", [True, False])
def test_no_byte_of_it_is_in_any_file_of_the_store(
    tmp_path: Path, projects: Path, with_forks: bool, archive_only: bool
) -> None:
    store = tmp_path / "store"
    store.mkdir()
    with on_sqlite(store) as memory:
        memory.import_sessions("claude_code", [str(projects)], archive_only=archive_only)
        assert {"alone", "agent", "title", "picture"} <= _in_files(store) or archive_only
        report = memory.forget_session(SESSION, with_forks=with_forks)
        assert report.bytes_gone
        gone = {"alone", "agent", "title", "picture"}
        gone |= {"shared", "answer", "result", "fork"} if with_forks else set()
        assert not _in_files(store) & gone
    assert not _in_files(store) & gone


@pytest.mark.parametrize("with_forks", [True, False])
def test_a_later_import_leaves_it_out_and_counts_it(
    memory: Memory, projects: Path, tmp_path: Path, with_forks: bool
) -> None:
    memory.forget_session(SESSION, with_forks=with_forks)
    before = memory.digest()
    copies = tmp_path / "copies"
    projects.rename(copies)  # other paths: nothing is skipped for being unchanged
    report = memory.import_sessions("claude_code", [str(copies)])
    assert (report.messages_new, report.sessions_new) == (0, 0)
    (source,) = report.sources
    assert source.records.forgotten == (5 + 2 + 4 if with_forks else 5 + 2)
    assert source.bytes == sum(path.stat().st_size for path in copies.rglob("*.jsonl"))
    assert source.files_failed == 0
    assert memory.digest() == before


def test_a_forgotten_session_does_not_come_back_by_growing(memory: Memory, projects: Path) -> None:
    memory.forget_session(SESSION)
    with (projects / f"{SESSION}.jsonl").open("ab") as file:
        file.write(lines([claude_user(5, f"more {WORDS['alone']}")]))
    report = memory.import_sessions("claude_code", [str(projects)])
    assert report.messages_new == 0
    assert _found(memory, "alone") == set()


def test_a_new_agent_of_a_forgotten_session_stays_out(memory: Memory, projects: Path) -> None:
    memory.forget_session(SESSION)
    (projects / SESSION / "subagents" / "agent-a2.jsonl").write_bytes(
        lines([claude_user(400, "again", isSidechain=True, agentId="a2")])
    )
    assert memory.import_sessions("claude_code", [str(projects)]).sessions_new == 0


def test_a_fork_that_comes_later_brings_only_what_is_its_own(
    tmp_path: Path, projects: Path
) -> None:
    fork = projects / f"{FORK}.jsonl"
    kept = fork.read_bytes()
    fork.unlink()
    memory = on_reference(tmp_path)
    memory.import_sessions("claude_code", [str(projects)])
    memory.forget_session(SESSION)
    fork.write_bytes(kept)
    assert memory.import_sessions("claude_code", [str(projects)]).messages_new == 1
    assert _found(memory, *WORDS) == {"fork", "other"}


def test_forgetting_what_is_not_there_is_not_success(memory: Memory) -> None:
    with pytest.raises(NotFound):
        memory.forget_session("claude_code:nobody")


def test_a_forgotten_session_may_be_named_again(memory: Memory) -> None:
    memory.forget_session(f"claude_code:{SESSION}")
    again = memory.forget_session(f"claude_code:{SESSION}")
    assert (again.records, again.messages) == (0, 0)


def test_a_session_of_the_api_stays_forgotten(memory: Memory) -> None:
    opened = memory.session_open(OpenSession(session="notes"))
    memory.forget_session(opened.session)
    with pytest.raises(StoreConflict):
        memory.session_open(OpenSession(session="notes"))


def test_a_hidden_session_is_read_by_no_search_until_it_is_shown_again(memory: Memory) -> None:
    name = f"claude_code:{SESSION}"
    anchor = memory.recall(RecallRequest(terms=(WORDS["alone"],))).passages[0].anchor
    assert memory.hide_session(name).private
    answer = memory.recall(RecallRequest(terms=(WORDS["alone"],), origin="all"))
    assert answer.passages == ()
    assert PrivateExcluded(sessions=2) in answer.gaps  # itself and its agent
    assert _found(memory, "agent", "fork") == {"fork"}
    with pytest.raises(NotFound):
        memory.recall(RecallRequest(terms=(WORDS["alone"],), session=name))
    listed = {each.session: each.private for each in memory.sessions().sessions}
    assert listed[name]
    assert memory.unhide_session(name).private is False
    assert memory.recall(RecallRequest(terms=(WORDS["alone"],))).passages[0].anchor == anchor


def _codex(name: str, *said: str, **meta: object) -> bytes:
    records: list[object] = [codex_meta(id=name, **meta)]
    for second, text in enumerate(said):
        records.append(codex_message("user", text, at=second))
        records.append(codex_event("user_message", at=second, message=text))
    return lines(records)


@pytest.fixture
def rollouts(tmp_path: Path) -> Path:
    """A Codex session, a version of it that was edited and sent again, and its sub-agent's."""
    folder = tmp_path / "rollouts"
    folder.mkdir()
    spawned = {"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}}
    for name, content in {
        SESSION: _codex(SESSION, WORDS["shared"], WORDS["alone"]),
        FORK: _codex(FORK, WORDS["shared"], WORDS["fork"], forked_from_id=SESSION),
        OTHER: _codex(OTHER, WORDS["agent"], source=spawned),
    }.items():
        (folder / f"rollout-2026-02-03T11-00-00-{name}.jsonl").write_bytes(content)
    return folder


def test_a_version_that_says_whose_it_is_counts_as_a_fork(tmp_path: Path, rollouts: Path) -> None:
    memory = on_reference(tmp_path)
    memory.import_sessions("codex", [str(rollouts)])
    plan = memory.plan_forgetting(SESSION)
    assert {name.rpartition(":")[2] for name in plan.sessions} == {SESSION, OTHER}
    assert [fork.session for fork in plan.forks] == [f"codex:{FORK}"]
    memory.forget_session(SESSION, with_forks=True)
    assert memory.sessions().total == 0


def test_a_sub_agent_whose_records_alone_tell_its_parent_is_forgotten_with_it(
    tmp_path: Path, rollouts: Path
) -> None:
    late = next(rollouts.glob(f"*{OTHER}.jsonl"))
    content = late.read_bytes()
    late.unlink()
    memory = on_reference(tmp_path)
    memory.import_sessions("codex", [str(rollouts)])
    memory.forget_session(SESSION)
    late.write_bytes(content)
    report = memory.import_sessions("codex", [str(rollouts)])
    assert report.messages_new == 0
    assert _found(memory, *WORDS) == {"shared", "fork"}


def test_hiding_a_session_hides_a_sub_agent_that_is_not_converted_yet(
    tmp_path: Path, rollouts: Path
) -> None:
    memory = on_reference(tmp_path)
    memory.import_sessions("codex", [str(rollouts)], archive_only=True)
    memory.hide_session(SESSION)
    assert _found(memory, *WORDS) == {"shared", "fork"}
    answer = memory.recall(RecallRequest(terms=("anything",), origin="all"))
    assert PrivateExcluded(sessions=2) in answer.gaps
