import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.events import (
    Attachment,
    InvocationOpened,
    Note,
    Payload,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import SessionFacts
from recense.importers.openai_messages import OpenAiMessages
from recense.ports.sources import Importer
from tests.importers.builders import archived, converted, facts_of, lines, payloads_of, read

OPENAI: Importer = OpenAiMessages()

PROMPT: dict[str, object] = {"role": "user", "content": "where do ferns grow"}


def of_message(**fields: object) -> list[Payload]:
    """Return what a message gives, after a prompt, without the keys that join fragments."""
    given = payloads_of(OPENAI, PROMPT, fields)[1:]
    return [_plain(payload) for payload in given]


def _plain(payload: Payload) -> Payload:
    match payload:
        case Text(role=role, text=text, standing=standing):
            return Text(role=role, text=text, standing=standing)
        case Attachment(name=name, media_type=media_type, bytes=size, sha256=sha256):
            return Attachment(name=name, media_type=media_type, bytes=size, sha256=sha256)
        case _:
            return payload


def test_each_role_speaks_as_itself() -> None:
    assert of_message(role="user", content="a") == [Text(role="user", text="a")]
    assert of_message(role="USER", content="a") == [Text(role="user", text="a")]
    assert of_message(role="assistant", content="a") == [Text(role="model", text="a")]
    for role in ("system", "developer", "Developer"):
        assert of_message(role=role, content="a") == [Note(text="a", boilerplate=True)]
    assert of_message(role="narrator", content="a") == [Note(text="a")]


@pytest.mark.parametrize("content", [None, "", " ", [], {}, 5, [None, 5, {}], [{"type": "text"}]])
@pytest.mark.parametrize("role", ["user", "assistant", "system", "narrator"])
def test_a_message_without_words_gives_nothing(role: str, content: object) -> None:
    assert of_message(role=role, content=content) == []
    assert of_message(role=role) == []


PARTS: list[tuple[object, str]] = [
    ({"type": "text", "text": "a"}, "a"),
    ({"type": "input_text", "text": "a"}, "a"),
    ({"type": "output_text", "text": "a", "annotations": []}, "a"),
    ({"type": "text", "text": {"value": "a", "annotations": []}}, "a"),
    ({"type": "refusal", "refusal": "a"}, "a"),
    ({"type": "a part of next week", "text": "a"}, "a"),
    ("a", "a"),
]


@pytest.mark.parametrize(("part", "expected"), PARTS)
def test_words_are_found_in_every_kind_of_part(part: object, expected: str) -> None:
    assert of_message(role="user", content=[part]) == [Text(role="user", text=expected)]
    assert of_message(role="assistant", content=[part, "b"]) == [
        Text(role="model", text=f"{expected}\nb")
    ]


def test_what_a_model_adds_to_its_words_is_thinking_or_an_answer() -> None:
    assert of_message(role="assistant", content="a", reasoning_content="hm") == [
        Thinking(text="hm"),
        Text(role="model", text="a"),
    ]
    assert of_message(role="assistant", content=None, refusal="no") == [
        Text(role="model", text="no")
    ]
    assert of_message(role="assistant", audio={"id": "x", "transcript": "la"}) == [
        Text(role="model", text="la")
    ]


def call(arguments: object, **fields: object) -> dict[str, object]:
    function = {"name": "search", "arguments": arguments}
    return {"id": "c1", "type": "function", "function": function} | fields


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ('{"query": "ferns"}', {"query": "ferns"}),
        ("{not json", "{not json"),
        ("", ""),
        ("[1]", "[1]"),
        ({"query": "ferns"}, {"query": "ferns"}),
        (None, None),
    ],
)
def test_arguments_are_read_where_they_are_json(arguments: object, expected: object) -> None:
    assert of_message(role="assistant", content=None, tool_calls=[call(arguments)]) == [
        ToolCall(call_id="c1", name="search", arguments=expected)
    ]


def test_calls_of_every_age_name_their_tool() -> None:
    legacy = {"name": "search", "arguments": '{"query": "ferns"}'}
    expected = ToolCall(call_id="search", name="search", arguments={"query": "ferns"})
    assert of_message(role="assistant", content=None, function_call=legacy) == [expected]
    custom = {"id": "c2", "type": "custom", "custom": {"name": "run", "input": "ls"}}
    assert of_message(role="assistant", tool_calls=[custom]) == [
        ToolCall(call_id="c2", name="run", arguments="ls")
    ]


def test_results_answer_their_call() -> None:
    assert of_message(role="tool", tool_call_id="c1", content="damp") == [
        ToolResult(call_id="c1", content="damp")
    ]
    assert of_message(role="function", name="search", content='{"t": 21}') == [
        ToolResult(call_id="search", content='{"t": 21}')
    ]
    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert of_message(role="tool", tool_call_id="c1", content=parts) == [
        ToolResult(call_id="c1", content="a\nb")
    ]
    assert of_message(role="tool", tool_call_id="c1", content={"rows": ["x"]}) == [
        ToolResult(call_id="c1", content={"rows": ["x"]})
    ]


def test_items_of_the_responses_api_are_read() -> None:
    assert of_message(
        type="message", role="user", content=[{"type": "input_text", "text": "a"}]
    ) == [Text(role="user", text="a")]
    arguments = '{"query": "ferns"}'
    assert of_message(
        type="function_call", call_id="c", name="s", arguments=arguments, id="fc"
    ) == [ToolCall(call_id="c", name="s", arguments={"query": "ferns"})]
    assert of_message(type="function_call_output", call_id="c", output="damp") == [
        ToolResult(call_id="c", content="damp")
    ]
    assert of_message(type="web_search_call", id="w", action={"query": "ferns"}) == [
        ToolCall(call_id="w", name="web_search", arguments={"query": "ferns"})
    ]
    mcp = of_message(type="mcp_call", id="m", name="s", arguments="{}", output="damp")
    assert [type(payload) for payload in mcp] == [ToolCall, ToolResult]
    summary = [{"type": "summary_text", "text": "hm"}]
    assert of_message(type="reasoning", id="r", summary=summary, encrypted_content="e") == [
        Thinking(text="hm")
    ]


PNG = base64.b64encode(b"\x89PNG\r\n" + b"fern" * 20).decode()
FILES: list[tuple[dict[str, object], Attachment]] = [
    (
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}},
        Attachment(name="", media_type="image/png", bytes=86),
    ),
    (
        {"type": "image_url", "image_url": {"url": "https://f.example/fern.png"}},
        Attachment(name="https://f.example/fern.png", media_type="image/*", bytes=0),
    ),
    (
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
        Attachment(name="", media_type="image/png", bytes=86),
    ),
    (
        {"type": "input_image", "file_id": "file-1"},
        Attachment(name="file-1", media_type="image/*", bytes=0),
    ),
    (
        {
            "type": "file",
            "file": {"filename": "f.pdf", "file_data": f"data:application/pdf;base64,{PNG}"},
        },
        Attachment(name="f.pdf", media_type="application/pdf", bytes=86),
    ),
    (
        {"type": "input_file", "filename": "f.pdf", "file_data": PNG},
        Attachment(name="f.pdf", media_type="application/octet-stream", bytes=86),
    ),
    (
        {"type": "input_audio", "input_audio": {"data": PNG, "format": "wav"}},
        Attachment(name="", media_type="audio/wav", bytes=86),
    ),
]


@pytest.mark.parametrize(("part", "expected"), FILES)
def test_files_of_every_kind_are_attachments(part: dict[str, object], expected: Attachment) -> None:
    assert of_message(role="user", content=["see", part]) == [
        Text(role="user", text="see"),
        expected,
    ]
    assert of_message(role="tool", tool_call_id="c", content=[part]) == [
        ToolResult(call_id="c"),
        expected,
    ]


def test_a_long_image_becomes_a_blob() -> None:
    data = base64.b64encode(b"\x89PNG\r\n" + b"fern" * 2000).decode()
    part = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}}
    (image,) = of_message(role="user", content=[part])
    assert isinstance(image, Attachment)
    assert image.bytes == 8006
    assert image.sha256 is not None


def test_words_and_files_of_a_message_are_joined() -> None:
    message = {"role": "user", "content": ["see", FILES[0][0]]}
    text, image = payloads_of(OPENAI, message)
    assert isinstance(text, Text)
    assert isinstance(image, Attachment)
    assert text.message == image.message


def test_a_conversation_says_its_title_folder_model_and_orders() -> None:
    made = {
        "title": "Ferns",
        "model": "m",
        "instructions": "be kind",
        "cwd": "/home/mira/herbarium",
    }
    made |= {"messages": [PROMPT]}
    assert facts_of(OPENAI, made) == SessionFacts(
        title="Ferns", title_rank=2, workspace="/home/mira/herbarium"
    )
    opened, orders, prompt = payloads_of(OPENAI, made)
    assert opened == InvocationOpened(model="m")
    assert orders == Note(text="be kind", boilerplate=True)
    assert isinstance(prompt, Text)
    assert facts_of(OPENAI, PROMPT) == SessionFacts(title="where do ferns grow")


def test_the_same_place_with_other_words_is_another_event() -> None:
    def ids(text: str) -> set[str]:
        records = read(OPENAI, lines([PROMPT, {"role": "user", "content": text}])).records
        return {event.event_id for event in converted(OPENAI, archived(OPENAI, records)).events}

    assert len(ids("a") | ids("b")) == 3
    assert ids("a") == ids("a")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3)
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [
        "content",
        "tool_calls",
        "function_call",
        "refusal",
        "reasoning",
        "output",
        "id",
        "name",
        "audio",
    ]
)
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["user", "assistant", "tool", "system", "x"]),
        "type": st.sampled_from(["message", "function_call", "function_call_output", "reasoning"]),
    },
).flatmap(lambda start: st.dictionaries(KEYS, JSON, max_size=3).map(lambda rest: start | rest))


@given(st.lists(MESSAGES, max_size=6), st.lists(st.integers(0, 6), max_size=3))
def test_any_messages_convert_alike_however_the_archive_is_cut(
    messages: list[dict[str, object]], cuts: list[int]
) -> None:
    data = json.dumps({"messages": [PROMPT, *messages], "title": None}).encode()
    records = archived(OPENAI, read(OPENAI, data).records)
    whole = converted(OPENAI, records)
    pieces = converted(OPENAI, records, cuts=[min(cut, len(records)) for cut in cuts])
    assert (pieces.events, pieces.state) == (whole.events, whole.state)
    for size in cuts:
        prefix = converted(OPENAI, records[:size])
        assert prefix.events == whole.events[: len(prefix.events)]
