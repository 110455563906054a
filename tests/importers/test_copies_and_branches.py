"""What an agent writes again counts once: branches, compactions, forks, fragments."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.messages import Message, can_match, visible_text
from recense.core.transcript.transcript import project
from tests.core.transcript.event_builders import events
from tests.importers.builders import (
    CLAUDE,
    CODEX,
    SESSION,
    archived,
    claude_assistant,
    claude_record,
    claude_user,
    codex_event,
    codex_message,
    codex_meta,
    converted,
    lines,
    payloads_of,
    read,
    text_block,
    without_copies,
)

Record = dict[str, object]

HISTORY: list[Record] = [
    claude_user(1, "press the fern"),
    claude_assistant(2, text_block("pressed")),
    claude_user(3, "dry the moss"),
    claude_assistant(4, text_block("dried")),
]
ORPHANS: list[Record] = [record | {"parentUuid": None} for record in HISTORY]
WORDS = ["press the fern", "pressed", "dry the moss", "dried"]


def messages_of(*records: Record) -> Sequence[Message]:
    kept = without_copies(read(CLAUDE, lines(records)).records)
    payloads = converted(CLAUDE, archived(CLAUDE, kept)).payloads()
    return project(events(*payloads)).messages


def live(messages: Sequence[Message]) -> list[str]:
    return [visible_text(message) for message in messages if not message.flags]


@pytest.mark.parametrize("copies", [HISTORY + ORPHANS, ORPHANS + HISTORY])
def test_messages_that_a_branch_writes_again_without_parents_appear_once(
    copies: list[Record],
) -> None:
    assert [visible_text(message) for message in messages_of(*copies)] == WORDS


@pytest.mark.parametrize(
    "before",
    [HISTORY, HISTORY + ORPHANS, ORPHANS, ORPHANS + HISTORY],
    ids=["parents", "parents first", "no parents", "no parents first"],
)
def test_a_rewind_is_noticed_whichever_copy_came_first(before: list[Record]) -> None:
    edited = claude_user(5, "dry the lichen", parentUuid="u2")
    answer = claude_assistant(6, text_block("done"))
    messages = messages_of(*before, edited, answer)
    assert live(messages) == ["press the fern", "pressed", "dry the lichen", "done"]
    assert [visible_text(message) for message in messages if message.flags] == WORDS[2:]


def test_a_prompt_without_a_parent_at_the_head_of_a_second_file_is_no_rewind() -> None:
    parsed = archived(CLAUDE, read(CLAUDE, lines(HISTORY)).records)
    other = [
        claude_user(7, "label it", parentUuid=None),
        claude_user(8, "and file it", parentUuid="u4"),
    ]
    later = archived(CLAUDE, read(CLAUDE, lines(other)).records)
    payloads = converted(CLAUDE, [*parsed, *later]).payloads()
    assert live(project(events(*payloads)).messages) == [*WORDS, "label it", "and file it"]


@given(st.lists(st.sampled_from([HISTORY, ORPHANS]), min_size=1, max_size=4))
def test_a_history_replayed_any_number_of_times_counts_once(replays: list[list[Record]]) -> None:
    replayed = [record for history in replays for record in history]
    assert live(messages_of(*replayed)) == WORDS


def test_compactions_that_replay_all_before_them_count_it_once() -> None:
    records: list[Record] = []
    for turn in range(1, 6):
        boundary = claude_record(
            100 + turn, "system", subtype="compact_boundary", parentUuid=None, content="Compacted"
        )
        summary = claude_user(200 + turn, f"summary {turn}", isCompactSummary=True)
        records += [*HISTORY, boundary, summary]
    messages = messages_of(*records)
    said = [visible_text(message) for message in messages if message.kind in ("user", "assistant")]
    assert said == WORDS
    assert [message.kind for message in messages].count("summary") == 5


def test_one_boundary_on_two_lines_is_one_and_fails_nothing() -> None:
    boundary = claude_record(9, "system", subtype="compact_boundary", content="Compacted")
    assert len(messages_of(*HISTORY, boundary, boundary)) == len(WORDS) + 1


def test_a_reply_whose_text_is_in_no_first_fragment_is_whole() -> None:
    records = [
        claude_assistant(1, {"type": "thinking", "thinking": "hm"}, message_id="m"),
        claude_assistant(2, text_block("first"), message_id="m"),
        claude_user(3, "<system-reminder>x</system-reminder>", isMeta=True),
        claude_assistant(4, text_block("second"), message_id="m"),
    ]
    answers = [message for message in messages_of(*records) if message.kind == "assistant"]
    assert [visible_text(message) for message in answers] == ["first\nsecond"]


def test_a_fork_holds_its_copies_under_the_ids_of_the_original() -> None:
    copied = [record | {"sessionId": "fork", "slug": "new"} for record in HISTORY]
    own = claude_user(5, "label it", sessionId="fork")
    original = read(CLAUDE, lines(HISTORY)).records
    fork = read(CLAUDE, lines([*copied, own])).records
    assert [(record.uuid, record.content) for record in fork[:4]] == [
        (record.uuid, record.content) for record in original
    ]
    ids = [event.event_id for event in converted(CLAUDE, archived(CLAUDE, fork)).events]
    assert ids[:4] == [
        event.event_id for event in converted(CLAUDE, archived(CLAUDE, original)).events
    ]
    assert len(set(ids)) == 5


def test_two_folders_in_one_directory_are_two_workspaces() -> None:
    folders = ["/a/b-c", "/a/b/c"]
    facts = [
        converted(
            CLAUDE,
            archived(
                CLAUDE,
                read(CLAUDE, lines([claude_user(1, "go", cwd=folder)]), "-a-b-c/s.jsonl").records,
            ),
        ).facts[0]
        for folder in folders
    ]
    assert [each.workspace for each in facts] == folders


# --- Codex ----------------------------------------------------------------------------------------


def test_prompts_rolled_back_and_edited_are_an_abandoned_branch() -> None:
    payloads = payloads_of(
        CODEX,
        codex_meta(),
        codex_message("user", "press the fern"),
        codex_message("assistant", "pressed"),
        codex_message("user", "dry the moss"),
        codex_message("assistant", "dried"),
        codex_event("thread_rolled_back", num_turns=1),
        codex_message("user", "dry the lichen"),
        codex_message("assistant", "done"),
    )
    messages = project(events(*payloads)).messages
    assert live(messages) == ["press the fern", "pressed", "dry the lichen", "done"]
    assert sum(can_match(message) for message in messages) == 4


def test_a_fork_of_codex_is_of_its_parents_family_and_keeps_its_own_copy() -> None:
    parent = [codex_meta(), codex_message("user", "press the fern")]
    fork = [codex_meta(id="fork", forked_from_id=SESSION), *parent]
    conversion = converted(CODEX, archived(CODEX, read(CODEX, lines(fork)).records))
    assert conversion.facts[0].revision_root == f"codex:{SESSION}"
    assert [visible_text(m) for m in project(events(*conversion.payloads())).messages] == [
        "press the fern"
    ]


def test_a_header_longer_than_most_lines_is_read_whole() -> None:
    header = codex_meta(base_instructions={"text": "be careful " * 20_000})
    readout = read(CODEX, lines([header, codex_message("user", "press")]))
    assert [record.type for record in readout.records] == [
        "session_meta",
        "response_item/message",
    ]
    assert CODEX.recognises(lines([header])[: 64 * 1024])
