import base64
from collections.abc import Iterable
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.transcript.events import (
    Attachment,
    Error,
    Note,
    Payload,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import ArchivedRecord
from recense.limits import STATE_BYTES_MAX, TITLE_CODE_POINTS_MAX
from tests.importers.builders import (
    CLAUDE,
    FOLDER,
    SESSION,
    archived,
    claude_assistant,
    claude_record,
    claude_user,
    converted,
    facts_of,
    lines,
    payloads_of,
    read,
    text_block,
    tool_result,
    tool_use,
)

PICTURE = b"\x89PNG\r\n" + bytes(range(256)) * 8
IMAGE: dict[str, object] = {
    "type": "image",
    "source": {
        "type": "base64",
        "media_type": "image/png",
        "data": base64.b64encode(PICTURE).decode(),
    },
}


def event_ids(*records: object) -> list[str]:
    parsed = archived(CLAUDE, read(CLAUDE, lines(records)).records)
    return [event.event_id for event in converted(CLAUDE, parsed).events]


# --- people ---------------------------------------------------------------------------------------


def by_uuid(payloads: Iterable[Payload]) -> list[Payload]:
    """Return payloads whose message is named by its record's uuid alone, without the digest."""
    return [
        replace(payload, message=payload.message.partition("/")[0])
        if isinstance(payload, Text | Attachment) and payload.message is not None
        else payload
        for payload in payloads
    ]


def test_two_prompts_with_one_uuid_are_two_messages() -> None:
    first, second = payloads_of(
        CLAUDE, claude_user(1, "press the fern"), claude_user(1, "dry the moss")
    )
    assert isinstance(first, Text)
    assert isinstance(second, Text)
    assert first.message != second.message


def test_a_prompt_is_typed_text_that_knows_its_message_and_its_parent() -> None:
    assert by_uuid(payloads_of(CLAUDE, claude_user(2, "press the fern"))) == [
        Text(role="user", text="press the fern", standing="typed", message="u2", parent="u1")
    ]


def test_commands_that_hang_on_one_parent_are_no_rewind() -> None:
    texts = payloads_of(
        CLAUDE,
        claude_user(2, "<command-name>/clear</command-name>", parentUuid="u1"),
        claude_user(3, "<bash-input>ls</bash-input>", parentUuid="u1"),
        claude_user(4, "press the fern", parentUuid="u1"),
    )
    assert [text.parent for text in texts if isinstance(text, Text)] == [None, None, "u1"]


def test_the_parts_of_a_prompt_are_one_message_and_the_editors_is_another() -> None:
    blocks = [text_block("<ide_selection>line 3</ide_selection>"), text_block("why?"), IMAGE]
    assert by_uuid(payloads_of(CLAUDE, claude_user(1, blocks))) == [
        Text(role="user", text="line 3", standing="injected"),
        Text(role="user", text="why?", standing="typed", message="u1"),
        Attachment(
            name="",
            media_type="image/png",
            bytes=len(PICTURE),
            sha256=sha256(PICTURE).hexdigest(),
            message="u1",
        ),
    ]


def test_words_come_before_the_images_that_stand_before_them() -> None:
    kinds = [
        type(payload) for payload in payloads_of(CLAUDE, claude_user(1, [IMAGE, text_block("a")]))
    ]
    assert kinds == [Text, Attachment]


def test_a_small_image_has_a_size_and_no_blob() -> None:
    source = {"type": "base64", "media_type": "image/gif", "data": "R0lGODlhAQ=="}
    (only,) = by_uuid(payloads_of(CLAUDE, claude_user(1, [{"type": "image", "source": source}])))
    assert only == Attachment(name="", media_type="image/gif", bytes=7, message="u1")


def test_the_prompt_of_a_sub_agent_is_an_agents() -> None:
    record = claude_user(1, "look", agentId="abc", isSidechain=True)
    assert by_uuid(payloads_of(CLAUDE, record)) == [
        Text(role="user", text="look", standing="agent", message="u1")
    ]


def test_text_of_a_meta_record_is_injected() -> None:
    assert payloads_of(CLAUDE, claude_user(1, "You are a reviewer.", isMeta=True)) == [
        Text(role="user", text="You are a reviewer.", standing="injected")
    ]


def test_a_document_that_a_tool_shows_the_model_belongs_to_the_tool() -> None:
    record = claude_user(1, [IMAGE], isMeta=True, sourceToolUseID="t1")
    (only,) = payloads_of(CLAUDE, record)
    assert isinstance(only, Attachment)
    assert (only.call_id, only.message) == ("t1", None)


@pytest.mark.parametrize("content", ["be brief", [text_block("be brief")]])
def test_a_queued_prompt_is_queued_text(content: object) -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "content": content}
    attachment = claude_record(
        2, "attachment", attachment={"type": "queued_command", "prompt": content}
    )
    expected = Text(role="user", text="be brief", standing="queued", message=f"{SESSION}#0")
    assert payloads_of(CLAUDE, queued | {"sessionId": SESSION}, attachment) == [expected, expected]


def test_what_the_harness_queues_is_left_to_the_record_that_takes_it_up() -> None:
    notice = "<task-notification>done</task-notification>"
    queued = {"type": "queue-operation", "operation": "enqueue", "content": notice}
    assert payloads_of(CLAUDE, queued | {"sessionId": SESSION}) == []


def test_an_approved_plan_is_a_note_unless_the_prompt_says_it() -> None:
    plan = "1. Dry the moss."
    assert payloads_of(CLAUDE, claude_user(1, "go", planContent=plan))[-1] == Note(text=plan)
    assert len(payloads_of(CLAUDE, claude_user(1, f"Do this:\n{plan}\n", planContent=plan))) == 1


# --- the model ------------------------------------------------------------------------------------


def test_fragments_of_one_answer_share_the_key_of_their_message() -> None:
    payloads = payloads_of(
        CLAUDE,
        claude_assistant(
            1, {"type": "thinking", "thinking": "hm", "signature": "s" * 90}, message_id="m1"
        ),
        claude_assistant(2, text_block("Done."), message_id="m1"),
        claude_assistant(3, tool_use("t1", "Bash", command="ls"), message_id="m1"),
        claude_assistant(4, text_block("All done."), message_id="m1"),
    )
    assert payloads == [
        Thinking(text="hm", message="m1"),
        Text(role="model", text="Done.", message="m1"),
        ToolCall(call_id="t1", name="Bash", arguments={"command": "ls"}),
        Text(role="model", text="All done.", message="m1"),
    ]


def test_encrypted_and_empty_blocks_give_nothing() -> None:
    assert (
        payloads_of(
            CLAUDE,
            claude_assistant(1, {"type": "redacted_thinking", "data": "x" * 2000}),
            claude_assistant(2, text_block("(no content)"), text_block("\n")),
            claude_assistant(3, {"type": "a-block-of-next-week", "text": "x"}),
        )
        == []
    )


def test_what_the_client_writes_as_the_model_is_an_error() -> None:
    failed = claude_assistant(1, text_block("API Error: 529 overloaded"), isApiErrorMessage=True)
    assert payloads_of(CLAUDE, failed) == [Error(text="API Error: 529 overloaded")]
    record = claude_assistant(2, text_block("No response requested."))
    message = record["message"]
    assert isinstance(message, dict)
    record["message"] = {**message, "model": "<synthetic>"}
    assert payloads_of(CLAUDE, record) == [Note(text="No response requested.", boilerplate=True)]


def test_a_tools_result_is_read_once_and_its_second_copy_never() -> None:
    record = claude_user(
        1,
        [tool_result("t1", "two ferns", is_error=True)],
        toolUseResult={"stdout": "two ferns and a secret copy"},
    )
    assert payloads_of(CLAUDE, record) == [
        ToolResult(call_id="t1", content="two ferns", failed=True)
    ]


def test_a_result_of_blocks_is_its_texts_and_its_images() -> None:
    blocks = [
        text_block("page one"),
        IMAGE,
        {"type": "tool_reference", "tool_name": "mcp__press__open"},
        text_block("page two"),
    ]
    result, image = payloads_of(CLAUDE, claude_user(1, [tool_result("t1", blocks)]))
    assert result == ToolResult(call_id="t1", content=["page one", "mcp__press__open", "page two"])
    assert isinstance(image, Attachment)
    assert (image.call_id, image.bytes) == ("t1", len(PICTURE))


def test_a_result_of_one_text_is_that_text() -> None:
    assert payloads_of(CLAUDE, claude_user(1, [tool_result("t1", [text_block("one")])])) == [
        ToolResult(call_id="t1", content="one")
    ]


def test_a_result_whose_body_lies_elsewhere_is_marked() -> None:
    preview = "<persisted-output>\nOutput too large (25.4KB). Full output saved to: /x"
    (only,) = payloads_of(CLAUDE, claude_user(1, [tool_result("t1", preview)]))
    assert isinstance(only, ToolResult)
    assert only.spilled


# --- the harness ----------------------------------------------------------------------------------


def test_a_compaction_is_a_summary_and_its_boundary_boilerplate() -> None:
    text = "This session is being continued from a previous conversation. Ferns."
    assert payloads_of(
        CLAUDE,
        claude_record(1, "system", subtype="compact_boundary", content="Conversation compacted"),
        claude_user(2, text, isCompactSummary=True, isVisibleInTranscriptOnly=True),
        claude_user(3, text),
    ) == [
        Note(text="Conversation compacted", boilerplate=True),
        Summary(text=text),
        Summary(text=text),
    ]


def test_system_lines_are_notes_and_errors() -> None:
    assert payloads_of(
        CLAUDE,
        claude_record(1, "system", content="Running \x1b[1mStop\x1b[22m..."),
        claude_record(2, "system", content="Stop completed: 3 ferns"),
        claude_record(3, "system", subtype="away_summary", content="You were labelling."),
        claude_record(
            4, "system", subtype="api_error", error={"error": {"error": {"message": "busy"}}}
        ),
        claude_record(5, "system", subtype="api_error", error={}),
        claude_record(6, "system", subtype="stop_hook_summary", hookErrors=["lint failed"]),
        claude_record(7, "system", subtype="stop_hook_summary", hookErrors=[]),
        claude_record(8, "system", subtype="a-subtype-of-next-week", content="news"),
        claude_record(9, "system", subtype="empty", content=None),
    ) == [
        Note(text="Running \x1b[1mStop\x1b[22m...", boilerplate=True),
        Note(text="Stop completed: 3 ferns"),
        Note(text="You were labelling."),
        Error(text="busy"),
        Note(text="lint failed"),
        Note(text="news"),
    ]


def test_a_local_command_in_a_system_line_is_typed_and_its_output_injected() -> None:
    payloads = payloads_of(
        CLAUDE,
        claude_record(
            1, "system", subtype="local_command", content="<command-name>/mcp</command-name>"
        ),
        claude_record(
            2,
            "system",
            subtype="local_command",
            content="<local-command-stdout>dismissed</local-command-stdout>",
        ),
    )
    assert by_uuid(payloads) == [
        Text(role="user", text="/mcp", standing="typed", message="u1"),
        Text(role="user", text="dismissed", standing="injected"),
    ]


@pytest.mark.parametrize(
    ("attachment", "text"),
    [
        ({"type": "hook_success", "content": "said", "stdout": "printed"}, "said"),
        ({"type": "hook_success", "content": "", "stdout": "printed"}, "printed"),
        ({"type": "hook_success", "content": "", "stdout": "{}"}, ""),
        ({"type": "hook_additional_context", "content": ["a", "b"]}, "a\nb"),
        ({"type": "hook_blocking_error", "blockingError": {"blockingError": "no"}}, "no"),
        ({"type": "hook_non_blocking_error", "stdout": "", "stderr": "hm"}, "hm"),
    ],
)
def test_what_a_hook_says_is_a_note(attachment: dict[str, object], text: str) -> None:
    notes = payloads_of(CLAUDE, claude_record(1, "attachment", attachment=attachment))
    assert notes == ([Note(text=text)] if text else [])


# --- ids ------------------------------------------------------------------------------------------


def test_a_copy_in_a_fork_has_the_ids_of_its_original() -> None:
    records = [claude_user(1, "a"), claude_assistant(2, text_block("b"), tool_use("t", "Bash"))]
    stamp = {"sessionId": "fork", "slug": "s", "cwd": "/x", "version": "9", "parentUuid": None}
    copies = [record | stamp for record in records]
    assert event_ids(*copies) == event_ids(*records)


def test_one_uuid_with_two_messages_gives_two_events_in_either_order() -> None:
    one, other = claude_user(1, "fern"), claude_user(1, "moss")
    ids = event_ids(one, other)
    assert len(set(ids)) == 2
    assert event_ids(other, one) == ids[::-1]


def test_the_parts_of_a_record_have_ids_of_their_own() -> None:
    ids = event_ids(claude_assistant(1, text_block("a"), text_block("a")))
    assert len(set(ids)) == 2


def test_a_record_without_a_uuid_is_named_by_its_session_and_place() -> None:
    queued = {
        "type": "queue-operation",
        "operation": "enqueue",
        "content": "be brief",
        "sessionId": SESSION,
    }
    assert len(set(event_ids(queued, queued))) == 2
    assert event_ids(queued)[0] != event_ids(queued | {"sessionId": "other"})[0]


# --- facts ----------------------------------------------------------------------------------------


def test_the_first_folder_is_the_workspace() -> None:
    facts = facts_of(CLAUDE, claude_user(1, "a"), claude_user(2, "b", cwd="/elsewhere"))
    assert facts.workspace == FOLDER


@pytest.mark.parametrize(
    ("entrypoint", "origin"),
    [("cli", None), (None, None), ("sdk-py", "headless"), ("print", "headless")],
)
def test_a_run_without_a_terminal_is_headless(entrypoint: object, origin: object) -> None:
    assert facts_of(CLAUDE, claude_user(1, "a", entrypoint=entrypoint)).origin == origin


def test_a_sub_agent_of_a_headless_run_stays_a_sub_agent() -> None:
    record = claude_user(1, "a", entrypoint="sdk-py", agentId="abc", isSidechain=True)
    assert facts_of(CLAUDE, record).origin is None


def test_the_first_prompt_is_the_title_on_one_line_and_cut() -> None:
    words = "press  the\nfern " * 40
    facts = facts_of(CLAUDE, claude_user(1, words), claude_user(2, "later"))
    assert facts.title is not None
    assert facts.title.startswith("press the fern press")
    assert len(facts.title) <= TITLE_CODE_POINTS_MAX
    assert facts.title_rank == 0


def test_a_bare_command_is_the_title_only_when_a_model_takes_it_up() -> None:
    clear = claude_user(1, "<command-name>/clear</command-name>")
    answer = claude_user(2, "<local-command-stdout>cleared</local-command-stdout>")
    prompt = claude_user(3, "press the fern")
    assert facts_of(CLAUDE, clear, answer, prompt).title == "press the fern"
    assert facts_of(CLAUDE, clear, claude_assistant(2, text_block("x")), prompt).title == "/clear"
    assert facts_of(CLAUDE, clear).title is None


def test_given_titles_rank_above_made_ones_and_the_last_of_a_rank_holds() -> None:
    prompt = claude_user(1, "press the fern")
    made = {"type": "ai-title", "aiTitle": "Fern pressing", "sessionId": SESSION}
    given_title = {"type": "custom-title", "customTitle": "Herbarium", "sessionId": SESSION}
    renamed = {"type": "custom-title", "customTitle": "My herbarium", "sessionId": SESSION}
    facts = facts_of(CLAUDE, prompt, given_title, made, renamed)
    assert (facts.title, facts.title_rank) == ("My herbarium", 3)
    assert facts_of(CLAUDE, prompt, made).title_rank == 2


@pytest.mark.parametrize("comes_first", [True, False])
def test_a_summary_is_the_title_of_the_session_that_has_its_leaf(comes_first: bool) -> None:
    mine = {"type": "summary", "summary": "Ferns", "leafUuid": "u1"}
    foreign = {"type": "summary", "summary": "Engines", "leafUuid": "elsewhere"}
    prompt = claude_user(1, "press the fern")
    records = [mine, foreign, prompt] if comes_first else [prompt, mine, foreign]
    facts = facts_of(CLAUDE, *records)
    assert (facts.title, facts.title_rank) == ("Ferns", 1)
    assert facts_of(CLAUDE, foreign, prompt).title == "press the fern"


def test_a_summary_finds_its_leaf_on_a_later_page() -> None:
    mine = {"type": "summary", "summary": "Ferns", "leafUuid": "u2"}
    data = lines([claude_user(1, "a"), claude_user(2, "b"), claude_user(3, "c"), mine])
    parsed = archived(CLAUDE, read(CLAUDE, data).records)
    facts = converted(CLAUDE, parsed, cuts=[1, 2, 3]).facts
    assert [page.title for page in facts] == ["a", None, None, "Ferns"]


# --- laws -----------------------------------------------------------------------------------------


def bare(record: bytes) -> ArchivedRecord:
    return ArchivedRecord(
        seq=0,
        position=0,
        uuid="u1",
        identity=b"",
        type="user",
        at=None,
        disposition="parsed",
        record=record,
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "source", "data", "message", "input"]),
            children,
            max_size=3,
        )
    ),
    max_leaves=5,
)
SHAPELESS = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "system", "attachment", "summary", "x"])},
    optional=dict.fromkeys(
        (
            "message content attachment subtype error planContent hookErrors summary leafUuid"
            " customTitle cwd entrypoint isMeta uuid parentUuid operation"
        ).split(),
        JSON,
    ),
)


@given(st.lists(SHAPELESS, max_size=2))
def test_no_record_of_any_shape_makes_conversion_raise(records: list[dict[str, object]]) -> None:
    converted(
        CLAUDE, archived(CLAUDE, read(CLAUDE, lines([claude_user(1, "a"), *records])).records)
    )


@given(st.binary(max_size=60))
def test_a_record_that_is_no_json_gives_no_event(data: bytes) -> None:
    assert CLAUDE.convert(b"", [bare(data + b"}")]).events == ()


SESSION_RECORDS = st.lists(
    st.sampled_from(
        [
            claude_user(1, "press the fern"),
            claude_user(1, "press the moss"),
            claude_user(2, "<command-name>/model</command-name>"),
            claude_user(3, "<local-command-stdout>x</local-command-stdout>"),
            claude_user(4, [tool_result("t1", [text_block("a"), IMAGE])]),
            claude_assistant(5, text_block("a"), tool_use("t1", "Bash", command="ls")),
            claude_record(6, "system", subtype="away_summary", content="recap"),
            {"type": "summary", "summary": "Ferns", "leafUuid": "u4"},
            {"type": "ai-title", "aiTitle": "Pressing", "sessionId": SESSION},
            {"type": "queue-operation", "operation": "enqueue", "content": "q"},
        ]
    ),
    max_size=12,
)


@given(SESSION_RECORDS, st.lists(st.integers(0, 13), max_size=4))
def test_conversion_gives_the_same_events_and_state_however_it_is_cut(
    records: list[dict[str, object]], cuts: list[int]
) -> None:
    parsed = archived(CLAUDE, read(CLAUDE, lines([claude_user(9, "start"), *records])).records)
    whole = converted(CLAUDE, parsed)
    pieces = converted(CLAUDE, parsed, cuts=[min(cut, len(parsed)) for cut in cuts])
    assert pieces.events == whole.events
    assert pieces.state == whole.state


def test_the_state_stays_within_its_bound_whatever_a_session_holds() -> None:
    records: list[dict[str, object]] = [
        {"type": "summary", "summary": "語" * 500, "leafUuid": f"x{number}"}
        for number in range(100)
    ]
    records += [claude_user(number, "/" + "x" * 100_000) for number in range(1, 5)]
    records += [claude_user(number, "<bash-stdout>x</bash-stdout>") for number in range(2_000)]
    data = lines([claude_record(1, "progress", data={}), *records])
    state = converted(CLAUDE, archived(CLAUDE, read(CLAUDE, data).records)).state
    assert len(state) <= STATE_BYTES_MAX


# --- structure ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "uuid",
        "parentUuid",
        "sessionId",
        "timestamp",
        "cwd",
        "requestId",
        "leafUuid",
        "message.id",
        "message.content.id",
        "message.content.tool_use_id",
    ],
)
def test_what_the_agent_writes_to_name_things_is_structure(path: str) -> None:
    assert CLAUDE.is_structural(tuple(path.split(".")))


@pytest.mark.parametrize(
    "path",
    [
        "message.content",
        "message.content.text",
        "message.content.input.id",
        "message.content.input.cwd",
        "message.content.content",
        "message.content.content.id",
        "message.content.content.text",
        "toolUseResult.uuid",
        "toolUseResult.agentId",
        "toolUseResult.sessionId",
        "attachment.prompt",
        "attachment.content.uuid",
        "data.message.uuid",
        "content",
        "summary",
        "gitBranch",
        "planContent",
        "snapshot.trackedFileBackups.id",
    ],
)
def test_nothing_that_a_person_model_or_tool_can_write_is_structure(path: str) -> None:
    assert not CLAUDE.is_structural(tuple(path.split(".")))


def test_signatures_and_encrypted_thinking_are_opaque_and_images_are_not() -> None:
    assert CLAUDE.is_opaque(("message", "content", "signature"))
    assert CLAUDE.is_opaque(("message", "content", "data"))
    assert not CLAUDE.is_opaque(("message", "content", "source", "data"))
    assert not CLAUDE.is_opaque(("message", "content", "input", "signature"))


def test_a_secret_beside_an_id_is_redacted_and_the_id_is_not() -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"
    record = claude_user(
        1, [tool_result("toolu_01" + "A" * 20, f"token {secret}")], toolUseResult={"uuid": secret}
    )
    (kept,) = archived(CLAUDE, read(CLAUDE, lines([record])).records)
    assert secret.encode() not in kept.record
    assert b"toolu_01AAAAAAAAAAAAAAAAAAAA" in kept.record
