import base64
import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.events import (
    Attachment,
    Error,
    InvocationEnded,
    Note,
    Payload,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.limits import STATE_BYTES_MAX
from tests.importers.builders import (
    CODEX,
    FOLDER,
    SESSION,
    archived,
    codex_event,
    codex_line,
    codex_message,
    codex_meta,
    converted,
    facts_of,
    lines,
    payloads_of,
    read,
)

PICTURE = b"\x89PNG\r\n" + bytes(range(256)) * 8
URL = "data:image/png;base64," + base64.b64encode(PICTURE).decode()


def payloads(*records: object) -> list[Payload]:
    return payloads_of(CODEX, codex_meta(), *records)


def words(*records: object) -> list[tuple[str, str]]:
    return [
        (payload.standing if payload.role == "user" else "model", payload.text)
        for payload in payloads(*records)
        if isinstance(payload, Text)
    ]


def item(kind: str, at: int = 0, **fields: object) -> dict[str, object]:
    return codex_line("response_item", {"type": kind, **fields}, at)


# --- people and answers ---------------------------------------------------------------------------


@pytest.mark.parametrize("event_first", [True, False])
def test_a_prompt_that_is_written_twice_is_one_message(event_first: bool) -> None:
    copies = [codex_event("user_message", message="press the fern"), codex_line("turn_context", {})]
    copies.insert(2 if event_first else 0, codex_message("user", "press the fern", at=1))
    place = f"{SESSION}#1"
    assert payloads(*copies) == [
        Text(role="user", text="press the fern", message=place, parent=place)
    ]


@pytest.mark.parametrize("event_first", [True, False])
def test_an_answer_that_is_written_twice_is_one_message(event_first: bool) -> None:
    copies = [codex_event("agent_message", message="Done."), codex_event("token_count")]
    copies.insert(2 if event_first else 0, codex_message("assistant", "Done.", at=1))
    assert words(*copies) == [("model", "Done.")]


def test_words_said_twice_are_two_messages() -> None:
    turn = [
        codex_message("user", "go on"),
        codex_event("user_message", message="go on"),
        codex_event("agent_message", message="Done."),
        codex_message("assistant", "Done."),
    ]
    assert words(*turn, *turn) == [
        ("typed", "go on"),
        ("model", "Done."),
        ("typed", "go on"),
        ("model", "Done."),
    ]


def test_the_same_prompt_after_an_output_of_the_model_is_another_one() -> None:
    assert words(
        codex_message("user", "go on", at=1),
        codex_message("assistant", "Done.", at=2),
        codex_event("user_message", message="go on", at=3),
    ) == [("typed", "go on"), ("model", "Done."), ("typed", "go on")]


def test_copies_of_one_instant_are_twins_whatever_lies_between() -> None:
    assert words(
        codex_message("user", "go on", at=1),
        codex_message("assistant", "Done.", at=1),
        codex_event("user_message", message="go on", at=1),
    ) == [("typed", "go on"), ("model", "Done.")]


def test_either_channel_alone_is_enough() -> None:
    spoken = [("typed", "go"), ("model", "Done.")]
    assert words(codex_message("user", "go"), codex_message("assistant", "Done.")) == spoken
    assert (
        words(
            codex_event("user_message", message="go"), codex_event("agent_message", message="Done.")
        )
        == spoken
    )


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/x</cwd>\n</environment_context>",
        "<user_instructions>\nBe kind.\n</user_instructions>",
        "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>Be kind.</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    ],
)
def test_the_context_that_opens_every_session_is_boilerplate(text: str) -> None:
    assert words(codex_message("user", text)) == [("boilerplate", text)]


def test_other_text_in_one_tag_is_injected_and_quoted_tags_are_typed() -> None:
    told = "<user_shell_command>\nls\n</user_shell_command>"
    assert words(codex_message("user", told)) == [("injected", told)]
    assert words(codex_message("user", "<div>why?</div>")) == [("typed", "<div>why?</div>")]


def test_what_the_editor_says_before_the_request_is_injected() -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nwhy?"
    assert words(codex_message("user", text), codex_event("user_message", message=text)) == [
        ("injected", "# Context from my IDE setup:\n\n## Open tabs:\n- a.py"),
        ("typed", "why?"),
        ("injected", "# Context from my IDE setup:\n\n## Open tabs:\n- a.py"),
    ]


def test_images_of_a_prompt_join_its_message_also_when_the_event_came_first() -> None:
    content = [
        {"type": "input_text", "text": "see"},
        {"type": "input_text", "text": "<image name=[Image #1]>"},
        {"type": "input_image", "image_url": URL},
        {"type": "input_text", "text": "</image>"},
    ]
    message = codex_line("response_item", {"type": "message", "role": "user", "content": content})
    text, image = payloads(codex_event("user_message", message="see"), message)
    assert isinstance(text, Text)
    assert image == Attachment(
        name="",
        media_type="image/png",
        bytes=len(PICTURE),
        sha256=sha256(PICTURE).hexdigest(),
        message=text.message,
    )


def test_an_image_that_lies_elsewhere_is_no_attachment() -> None:
    content = [{"type": "input_image", "image_url": "https://example.invalid/a.png"}]
    message = codex_line("response_item", {"type": "message", "role": "user", "content": content})
    assert payloads(message) == []


def test_what_the_model_is_told_to_be_is_boilerplate() -> None:
    assert payloads(codex_message("developer", "Be kind.")) == [
        Note(text="Be kind.", boilerplate=True)
    ]


def test_a_rollback_gives_the_next_prompt_the_parent_of_the_first_one_undone() -> None:
    records = [
        codex_message("user", "one", at=1),
        codex_message("user", "two", at=2),
        codex_message("user", "three", at=3),
        codex_event("thread_rolled_back", num_turns=2),
        codex_message("user", "two again", at=4),
        codex_event("thread_rolled_back", num_turns=1),
        codex_message("user", "two once more", at=5),
        codex_message("user", "four", at=6),
    ]
    parents = [payload.parent for payload in payloads(*records) if isinstance(payload, Text)]
    one, two, three, again, more, four = parents
    assert len({one, two, three, four}) == 4
    assert two == again == more


def test_a_rollback_of_more_than_there_is_goes_back_to_the_start() -> None:
    records = [
        codex_event("thread_rolled_back", num_turns=1),
        codex_message("user", "one", at=1),
        codex_event("thread_rolled_back", num_turns=9),
        codex_message("user", "two", at=2),
    ]
    one, two = (payload.parent for payload in payloads(*records) if isinstance(payload, Text))
    assert one == two


# --- tools ----------------------------------------------------------------------------------------


def test_reasoning_is_its_summary_and_never_its_cipher() -> None:
    assert payloads(
        item(
            "reasoning",
            summary=[{"type": "summary_text", "text": "Look first."}],
            content=None,
            encrypted_content="gAAAA" + "x" * 2000,
        )
    ) == [Thinking(text="Look first.")]


def test_a_call_has_its_arguments_as_a_value_and_its_result_the_bare_output() -> None:
    output = json.dumps({"output": "a.txt\n", "metadata": {"exit_code": 0}})
    assert payloads(
        item("function_call", name="shell", arguments='{"command":["ls"]}', call_id="c1"),
        item("function_call_output", call_id="c1", output=output),
    ) == [
        ToolCall(call_id="c1", name="shell", arguments={"command": ["ls"]}),
        ToolResult(call_id="c1", content="a.txt\n"),
    ]


@pytest.mark.parametrize(
    ("output", "content", "failed"),
    [
        ("plain text", "plain text", False),
        ("{not json", "{not json", False),
        ('{"files":["a"]}', '{"files":["a"]}', False),
        ('{"output":"no","metadata":{"exit_code":2}}', "no", True),
        ({"content": "no", "success": False}, "no", True),
        (
            [{"type": "input_text", "text": "a"}, {"type": "input_text", "text": "b"}],
            ["a", "b"],
            False,
        ),
        ({"type": "input_text", "text": "a"}, "a", False),
        ("", "", False),
        (None, None, False),
    ],
)
def test_a_result_is_read_from_whatever_form_it_has(
    output: object, content: object, failed: bool
) -> None:
    assert payloads(item("function_call_output", call_id="c1", output=output)) == [
        ToolResult(call_id="c1", content=content, failed=failed)
    ]


def test_an_image_in_a_result_is_an_attachment_of_the_call() -> None:
    output = [{"type": "input_image", "image_url": URL}, {"type": "input_text", "text": "a"}]
    result, image = payloads(item("custom_tool_call_output", call_id="c1", output=output))
    assert result == ToolResult(call_id="c1", content="a")
    assert isinstance(image, Attachment)
    assert (image.call_id, image.bytes) == ("c1", len(PICTURE))


def test_a_patch_names_the_files_it_touches() -> None:
    patch = "*** Begin Patch\n*** Update File: src/a b.py\n@@\n*** Add File: new.md\n*** End Patch"
    (call,) = payloads(item("custom_tool_call", name="apply_patch", input=patch, call_id="c1"))
    assert call == ToolCall(
        call_id="c1",
        name="apply_patch",
        arguments={"paths": ["src/a b.py", "new.md"], "input": patch},
    )


def test_calls_that_the_service_runs_are_calls() -> None:
    action: dict[str, object] = {"type": "search", "query": "moss"}
    shell: dict[str, object] = {"type": "exec", "command": ["ls"]}
    assert payloads(
        item("web_search_call", action=action),
        item("local_shell_call", call_id="c2", action=shell),
        item("tool_search_call", call_id="c3", arguments={"query": "press"}),
        item("image_generation_call", id="c4", revised_prompt="a fern", result=""),
    ) == [
        ToolCall(call_id=f"{SESSION}#1", name="web_search", arguments=action),
        ToolCall(call_id="c2", name="local_shell", arguments=shell),
        ToolCall(call_id="c3", name="tool_search", arguments={"query": "press"}),
        ToolCall(call_id="c4", name="image_generation", arguments={"prompt": "a fern"}),
    ]


# --- the session ----------------------------------------------------------------------------------


def test_compactions_errors_and_aborts() -> None:
    assert payloads(
        codex_line("compacted", {"message": "Ferns were pressed."}),
        codex_line("compacted", {"message": "", "replacement_history": []}),
        codex_event("error", message="stream closed"),
        codex_event("turn_aborted", reason="interrupted"),
        codex_event("turn_aborted", reason="out of ink"),
        codex_event("exited_review_mode", review_output={"overall_explanation": "Fine."}),
    ) == [
        Summary(text="Ferns were pressed."),
        Error(text="stream closed"),
        InvocationEnded(status="aborted"),
        InvocationEnded(status="aborted", cause="out of ink"),
        Note(text="Fine."),
    ]


def test_the_folder_and_the_title_of_a_session() -> None:
    facts = facts_of(CODEX, codex_meta(), codex_message("user", "press\nthe fern"))
    assert (facts.workspace, facts.title, facts.title_rank) == (FOLDER, "press the fern", 0)
    assert (facts.origin, facts.parent_session_id) == (None, None)
    named = codex_event("thread_name_updated", thread_name="Herbarium")
    assert facts_of(CODEX, codex_meta(), codex_message("user", "a"), named).title == "Herbarium"


def test_the_older_form_tells_the_folder_in_its_first_message() -> None:
    header = {"id": SESSION, "timestamp": "2025-08-01T09:00:00Z", "instructions": None}
    context = "<environment_context>\n  <cwd>/home/mira/old</cwd>\n</environment_context>"
    message = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": context}],
    }
    assert facts_of(CODEX, header, message).workspace == "/home/mira/old"
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"}
    assert payloads_of(CODEX, header, call) == [ToolCall(call_id="c1", name="shell", arguments={})]


@pytest.mark.parametrize("source", ["exec", "mcp"])
def test_a_run_without_a_terminal_is_headless(source: str) -> None:
    assert facts_of(CODEX, codex_meta(source=source)).origin == "headless"


def test_a_sub_agent_names_its_parent_and_its_prompt_is_an_agents() -> None:
    spawn = {"parent_thread_id": "parent-1", "depth": 1}
    meta = codex_meta(source={"subagent": {"thread_spawn": spawn}})
    copied = codex_meta(id="parent-1")
    facts = facts_of(CODEX, meta, copied)
    assert (facts.origin, facts.parent_session_id) == ("subagent", "codex:parent-1")
    (text,) = payloads_of(CODEX, meta, copied, codex_message("user", "look"))
    assert isinstance(text, Text)
    assert text.standing == "agent"


def test_a_review_is_a_sub_agent_without_a_parent() -> None:
    facts = facts_of(CODEX, codex_meta(source={"subagent": "review"}))
    assert (facts.origin, facts.parent_session_id) == ("subagent", None)


@pytest.mark.parametrize(
    ("fields", "origin"),
    [
        ({"source": "vscode"}, None),
        ({"source": None, "originator": "codex_exec"}, "headless"),
        ({"source": "cli", "originator": "codex_exec"}, None),
        ({"thread_source": "subagent"}, "subagent"),
        ({"source": {"subagent": {"other": "guardian"}}}, "subagent"),
    ],
)
def test_who_drives_a_session_is_read_from_its_header(
    fields: dict[str, object], origin: object
) -> None:
    assert facts_of(CODEX, codex_meta(**fields)).origin == origin


def test_a_fork_names_the_root_of_its_family_through_the_headers_it_copied() -> None:
    own = codex_meta(id="third", forked_from_id="second")
    assert facts_of(CODEX, own).revision_root == "codex:second"
    copied = codex_meta(id="second", forked_from_id="first")
    foreign = codex_meta(id="other", forked_from_id="elsewhere")
    facts = facts_of(CODEX, own, foreign, copied, codex_meta(id="first"))
    assert facts.revision_root == "codex:first"
    assert facts_of(CODEX, codex_meta(id="first")).revision_root is None


def test_a_sub_agent_that_begins_with_its_parents_lines_is_no_version_of_it() -> None:
    spawn = {"parent_thread_id": "parent-1"}
    meta = codex_meta(source={"subagent": {"thread_spawn": spawn}}, forked_from_id="parent-1")
    assert facts_of(CODEX, meta).revision_root is None


def test_the_root_of_a_family_is_found_however_the_records_are_cut() -> None:
    records = [
        codex_meta(id="third", forked_from_id="second"),
        codex_message("user", "press"),
        codex_meta(id="second", forked_from_id="first"),
    ]
    parsed = archived(CODEX, read(CODEX, lines(records)).records)
    facts = converted(CODEX, parsed, cuts=[1, 2]).facts
    assert [each.revision_root for each in facts] == ["codex:second", None, "codex:first"]


@pytest.mark.parametrize(
    ("folder", "shelved"),
    [("/h/.codex/archived_sessions/2026", True), ("/h/.codex/sessions/2026", None)],
)
def test_a_session_in_the_folder_of_archived_ones_is_shelved(folder: str, shelved: object) -> None:
    data = lines([codex_meta(), codex_message("user", "press")])
    readout = read(CODEX, data, f"{folder}/rollout-{SESSION}.jsonl")
    assert readout.offset == len(data)
    parsed = archived(CODEX, readout.records)
    assert converted(CODEX, parsed).facts[0].shelved is shelved
    plain = archived(CODEX, read(CODEX, data).records)
    ids = [event.event_id for event in converted(CODEX, plain).events]
    assert [event.event_id for event in converted(CODEX, parsed).events] == ids


def test_an_image_has_the_name_that_its_tag_or_the_call_that_looked_at_it_gave() -> None:
    content = [
        {"type": "input_text", "text": '<image name=[Image #1] path="/h/fern.png">'},
        {"type": "input_image", "image_url": URL},
        {"type": "input_text", "text": "</image>"},
        {"type": "input_image", "image_url": URL},
        {"type": "input_file", "filename": "key.pdf", "file_data": URL},
        {"type": "input_text", "text": "which is it?"},
    ]
    output = [{"type": "input_image", "image_url": URL}]
    files = [
        payload
        for payload in payloads(
            codex_line("response_item", {"type": "message", "role": "user", "content": content}),
            item("function_call", name="view_image", call_id="c1", arguments='{"path":"/h/m.png"}'),
            item("function_call_output", call_id="c1", output=output),
        )
        if isinstance(payload, Attachment)
    ]
    assert [(file.name, file.call_id) for file in files] == [
        ("fern.png", None),
        ("", None),
        ("key.pdf", None),
        ("m.png", "c1"),
    ]
    assert {(file.sha256, file.bytes) for file in files} == {
        (sha256(PICTURE).hexdigest(), len(PICTURE))
    }


# --- laws -----------------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda children: (
        st.lists(children, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "text", "content", "image_url", "output", "metadata"]),
            children,
            max_size=3,
        )
    ),
    max_leaves=5,
)
KINDS = (
    "message agent_message reasoning function_call function_call_output custom_tool_call"
    " local_shell_call web_search_call image_generation_call user_message error turn_aborted"
    " thread_rolled_back thread_name_updated exited_review_mode"
).split()
SHAPELESS = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional=dict.fromkeys(
        (
            "role content arguments input output action summary result message error reason"
            " num_turns thread_name review_output call_id id source cwd"
        ).split(),
        JSON,
    ),
)


@given(
    st.lists(
        st.builds(
            codex_line,
            st.sampled_from(
                ["response_item", "event_msg", "session_meta", "turn_context", "compacted"]
            ),
            SHAPELESS,
        )
        | SHAPELESS,
        max_size=2,
    )
)
def test_no_record_of_any_shape_makes_conversion_raise(records: list[dict[str, object]]) -> None:
    converted(CODEX, archived(CODEX, read(CODEX, lines(records)).records))


SESSION_RECORDS = st.lists(
    st.sampled_from(
        [
            codex_message("user", "go on"),
            codex_message("user", "<environment_context>x</environment_context>"),
            codex_event("user_message", message="go on"),
            codex_message("assistant", "Done.", at=1),
            codex_event("agent_message", message="Done."),
            codex_event("thread_rolled_back", num_turns=1),
            item("function_call", name="shell", arguments="{}", call_id="c"),
            codex_line("turn_context", {"cwd": "/elsewhere"}),
            codex_event("thread_name_updated", thread_name="Ferns"),
        ]
    ),
    max_size=14,
)


@given(SESSION_RECORDS, st.lists(st.integers(0, 15), max_size=4))
def test_conversion_gives_the_same_events_and_state_however_it_is_cut(
    records: list[dict[str, object]], cuts: list[int]
) -> None:
    parsed = archived(CODEX, read(CODEX, lines([codex_meta(), *records])).records)
    whole = converted(CODEX, parsed)
    pieces = converted(CODEX, parsed, cuts=[min(cut, len(parsed)) for cut in cuts])
    assert pieces.events == whole.events
    assert pieces.state == whole.state
    ids = [event.event_id for event in whole.events]
    assert len(set(ids)) == len(ids)


def test_the_state_stays_within_its_bound_whatever_a_session_holds() -> None:
    records = [codex_meta(id="s" * 128, cwd="/" + "語" * 100_000)]
    records += [codex_message("user", f"prompt {number}") for number in range(1000)]
    records += [codex_message("assistant", f"answer {number}") for number in range(1000)]
    state = converted(CODEX, archived(CODEX, read(CODEX, lines(records)).records)).state
    assert len(state) <= STATE_BYTES_MAX


@pytest.mark.parametrize(
    "path",
    ["timestamp", "id", "call_id", "payload.id", "payload.call_id", "payload.cwd"],
)
def test_what_codex_writes_to_name_things_is_structure(path: str) -> None:
    assert CODEX.is_structural(tuple(path.split(".")))


@pytest.mark.parametrize(
    "path",
    [
        "payload.arguments",
        "payload.input",
        "payload.output",
        "payload.output.id",
        "payload.output.call_id",
        "payload.content.text",
        "payload.message",
        "payload.action.id",
        "payload.source.cwd",
        "payload.git.repository_url",
    ],
)
def test_nothing_that_a_person_model_or_tool_can_write_is_structure(path: str) -> None:
    assert not CODEX.is_structural(tuple(path.split(".")))


def test_encrypted_reasoning_is_opaque() -> None:
    assert CODEX.is_opaque(("payload", "encrypted_content"))
    assert CODEX.is_opaque(("encrypted_content",))
    assert not CODEX.is_opaque(("payload", "output", "encrypted_content"))
