from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.events import (
    Attachment,
    InvocationOpened,
    Note,
    PathChosen,
    Payload,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import SessionFacts, SourceRecord
from recense.importers.chatgpt.reading import HEAD
from recense.limits import PATH_BYTES_REMEMBERED_MAX, STATE_BYTES_MAX
from tests.importers.builders import archived, converted, read
from tests.importers.trees import (
    BACK,
    CHATGPT,
    NEWER,
    OLDER,
    START,
    conversation,
    export,
    node,
    nodes_of,
    root,
    said,
)

MULTIMODAL = {
    "content_type": "multimodal_text",
    "parts": [
        {
            "content_type": "image_asset_pointer",
            "asset_pointer": "file-service://file-1",
            "size_bytes": 1234,
            "width": 10,
            "height": 10,
        },
        "which fern is this",
    ],
}


def payloads(*conversations: object) -> list[Payload]:
    """Return what the conversations of an export give, all of one session, each record once."""
    records = read(CHATGPT, export(*conversations)).records
    kept: dict[tuple[str | None, bytes], SourceRecord] = {}
    for record in records:
        kept.setdefault((record.uuid, record.content), record)
    return converted(CHATGPT, archived(CHATGPT, kept.values())).payloads()


def of_node(each: Mapping[str, object]) -> list[Payload]:
    """Return what a node gives, without the choice of a path."""
    given = payloads(conversation([root(), node("call", "root"), each], "n"))
    return [payload for payload in given if not isinstance(payload, PathChosen)]


def last_path(given: list[Payload]) -> tuple[str, ...]:
    return [payload for payload in given if isinstance(payload, PathChosen)][-1].nodes


def facts(*conversations: object) -> SessionFacts:
    records = read(CHATGPT, export(*conversations)).records
    (page,) = converted(CHATGPT, archived(CHATGPT, records)).facts
    return page


def test_words_carry_their_node_and_the_head_chooses_the_path() -> None:
    assert payloads(OLDER) == [
        Text(role="user", text="where do ferns grow", message="u1", node="u1"),
        Text(role="model", text="in damp shade", message="a1", node="a1"),
        Text(role="user", text="and orchids", message="u2", node="u2"),
        Text(role="model", text="on mountains", message="a2", node="a2"),
        PathChosen(nodes=("root", "u1", "a1", "u2", "a2")),
    ]


@pytest.mark.parametrize(
    "order", [[OLDER, NEWER, BACK], [BACK, NEWER, OLDER], [NEWER, BACK, OLDER]]
)
def test_the_newest_export_says_the_path_in_whichever_order_they_come(
    order: list[object],
) -> None:
    given = payloads(*order)
    assert last_path(given) == ("root", "u1", "a1", "u2", "a2", "u4", "a4")
    texts = [payload.text for payload in given if isinstance(payload, Text)]
    assert len(set(texts)) == 8


def test_what_only_an_older_export_has_is_off_the_newest_path() -> None:
    lost = conversation(
        [*nodes_of(OLDER), node("gone", "a1", "user", "lost")], "gone", updated=START
    )
    given = payloads(NEWER, lost)
    assert [type(payload) for payload in given[-2:]] == [Text, PathChosen]
    assert last_path(given) == ("root", "u1", "a1", "u3", "a3")


def test_a_path_that_is_chosen_already_is_not_chosen_again() -> None:
    given = payloads(OLDER, OLDER | {"update_time": START + 50, "title": "Orchids"})
    assert sum(isinstance(payload, PathChosen) for payload in given) == 1


def test_without_times_the_export_with_the_newest_message_and_most_nodes_is_newest() -> None:
    older, newer = (each | {"update_time": None} for each in (OLDER, NEWER))
    for order in ([older, newer], [newer, older]):
        assert last_path(payloads(*order)) == ("root", "u1", "a1", "u3", "a3")


def test_a_path_too_long_to_remember_is_chosen_and_the_state_stays_small() -> None:
    count = PATH_BYTES_REMEMBERED_MAX // 36 + 100
    long = [
        node(f"{number:036}", f"{number - 1:036}" if number else "root") for number in range(count)
    ]
    records = read(CHATGPT, export(conversation([root(), *long], f"{count - 1:036}"))).records
    result = converted(CHATGPT, archived(CHATGPT, records))
    assert len(last_path(result.payloads())) == count + 1
    assert len(result.state) < STATE_BYTES_MAX
    short = [*long[:1200]]
    records = read(CHATGPT, export(conversation([root(), *short], f"{1199:036}"))).records
    state = converted(CHATGPT, archived(CHATGPT, records)).state
    assert PATH_BYTES_REMEMBERED_MAX // 2 < len(state) < STATE_BYTES_MAX


def test_the_title_of_the_newest_export_counts_and_else_the_first_prompt() -> None:
    assert facts(OLDER) == SessionFacts(title="Ferns", title_rank=2, shelved=False)
    renamed = OLDER | {"title": "Orchids", "update_time": START + 50, "is_archived": True}
    assert facts(renamed, OLDER) == SessionFacts(title="Orchids", title_rank=2, shelved=True)
    untitled = OLDER | {"title": None}
    del untitled["is_archived"]
    assert facts(untitled) == SessionFacts(title="where do ferns grow")


# --- what a node may say --------------------------------------------------------------------------


def test_a_call_of_a_tool_is_what_is_said_to_anybody_but_all() -> None:
    code = {"content_type": "code", "language": "unknown", "text": 'search("ferns")'}
    assert of_node(said("assistant", code, recipient="browser")) == [
        ToolCall(call_id="n", name="browser", arguments='search("ferns")', node="n")
    ]
    text = {"content_type": "text", "parts": ['{"prompt": "a fern"}']}
    assert of_node(said("assistant", text, recipient="dalle.text2im")) == [
        ToolCall(call_id="n", name="dalle.text2im", arguments={"prompt": "a fern"}, node="n")
    ]
    assert of_node(said("assistant", code)) == [
        Text(role="model", text='search("ferns")', message="n", node="n")
    ]


RESULTS: dict[str, tuple[dict[str, object], object]] = {
    "output": ({"content_type": "execution_output", "text": "42"}, "42"),
    "text": ({"content_type": "text", "parts": ["a", "b"]}, ["a", "b"]),
    "a page": (
        {"content_type": "tether_browsing_display", "result": "L1: ferns", "summary": None},
        "L1: ferns",
    ),
    "a quote": (
        {"content_type": "tether_quote", "url": "https://f.example", "title": "F", "text": "damp"},
        ["F", "https://f.example", "damp"],
    ),
    "a web page": (
        {"content_type": "sonic_webpage", "url": "https://f.example", "text": "damp", "title": ""},
        ["https://f.example", "damp"],
    ),
    "a kind of next week": ({"content_type": "spores", "result": {"text": 1}, "text": "x"}, "x"),
}


@pytest.mark.parametrize(("content", "expected"), RESULTS.values(), ids=RESULTS)
def test_what_a_tool_says_is_the_result_of_the_call_above_it(
    content: dict[str, object], expected: object
) -> None:
    assert of_node(said("tool", content)) == [
        ToolResult(call_id="call", content=expected, node="n")
    ]


def test_results_that_follow_each_other_answer_one_call() -> None:
    output = {"content_type": "execution_output", "text": "x"}
    made = conversation(
        [
            root(),
            node("c", "root", "assistant", "run", recipient="python"),
            node("t1", "c", "tool", content=output),
            node("t2", "t1", "tool", content=output),
            node("t3", "t2", "tool", content=output),
        ],
        "t3",
    )
    results = [payload for payload in payloads(made) if isinstance(payload, ToolResult)]
    assert [result.call_id for result in results] == ["c", "c", "c"]


def test_a_failed_tool_is_marked() -> None:
    error = {"content_type": "system_error", "name": "Timeout", "text": "too slow"}
    (result,) = of_node(said("tool", error))
    assert result == ToolResult(
        call_id="call", content=["Timeout", "too slow"], failed=True, node="n"
    )
    output = {"content_type": "execution_output", "text": "x"}
    (result,) = of_node(said("tool", output, status="failed_with_in_kernel_exception"))
    assert isinstance(result, ToolResult)
    assert result.failed


def test_thoughts_are_thinking() -> None:
    thoughts = {
        "content_type": "thoughts",
        "thoughts": [{"summary": "Ferns", "content": "They like shade"}],
    }
    recap = {"content_type": "reasoning_recap", "content": "Thought for 5 seconds"}
    assert of_node(said("assistant", thoughts)) == [
        Thinking(text="Ferns"),
        Thinking(text="They like shade"),
    ]
    assert of_node(said("assistant", recap)) == [Thinking(text="Thought for 5 seconds")]


ORDERS = [
    said("system", {"content_type": "text", "parts": ["be kind"]}),
    said("user", {"content_type": "user_editable_context", "user_instructions": "be kind"}),
    said("assistant", {"content_type": "model_editable_context", "model_set_context": "be kind"}),
    said(
        "system",
        {"content_type": "text", "parts": ["be kind"]},
        metadata={"is_user_system_message": True},
    ),
]


@pytest.mark.parametrize("each", ORDERS)
def test_standing_orders_are_never_matched(each: dict[str, object]) -> None:
    assert of_node(each) == [Note(text="be kind", boilerplate=True, node="n")]


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize(
    "fields",
    [{"weight": 0}, {"weight": 0.0}, {"metadata": {"is_visually_hidden_from_conversation": True}}],
)
def test_what_is_hidden_from_the_person_is_a_note(role: str, fields: dict[str, object]) -> None:
    each = said(role, {"content_type": "text", "parts": ["hidden words"]}, **fields)
    assert of_node(each) == [Note(text="hidden words", node="n")]


@pytest.mark.parametrize(
    "each",
    [
        said("user", {"content_type": "spores", "text": "words"}),
        said("assistant", {"content_type": "spores", "result": "words"}),
        said("narrator", {"content_type": "text", "parts": ["words"]}),
        node("n", "call", author=None, content={"parts": ["words"]}),
    ],
)
def test_what_is_not_known_is_a_note_when_it_holds_words(each: dict[str, object]) -> None:
    assert of_node(each) == [Note(text="words", node="n")]


def test_an_image_is_an_attachment_named_by_what_was_attached() -> None:
    attached = [
        {"id": "file-1", "name": "fern.png", "mimeType": "image/png", "size": 9},
        {"id": "file-2", "name": "list.pdf", "mime_type": "application/pdf", "size": 77},
    ]
    assert of_node(said("user", MULTIMODAL, metadata={"attachments": attached})) == [
        Text(role="user", text="which fern is this", message="n", node="n"),
        Attachment(name="fern.png", media_type="image/png", bytes=1234, message="n", node="n"),
        Attachment(name="list.pdf", media_type="application/pdf", bytes=77, message="n", node="n"),
    ]
    (_, image) = of_node(said("user", MULTIMODAL))
    assert image == Attachment(name="", media_type="image/*", bytes=1234, message="n", node="n")


def test_an_image_that_a_tool_made_stands_in_its_result() -> None:
    made = {"content_type": "multimodal_text", "parts": MULTIMODAL["parts"][:1]}
    assert of_node(said("tool", made)) == [
        ToolResult(call_id="call", content=[], node="n"),
        Attachment(name="", media_type="image/*", bytes=1234, call_id="call", node="n"),
    ]


def test_speech_is_its_transcript_and_its_sound() -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "hello fern", "direction": "in"},
        {
            "content_type": "real_time_user_audio_video_asset_pointer",
            "audio_asset_pointer": {
                "content_type": "audio_asset_pointer",
                "asset_pointer": "sediment://file_9",
                "size_bytes": 55,
            },
        },
    ]
    assert of_node(said("user", {"content_type": "multimodal_text", "parts": parts})) == [
        Text(role="user", text="hello fern", message="n", node="n"),
        Attachment(name="", media_type="audio/*", bytes=55, message="n", node="n"),
    ]


def test_the_model_is_named_when_it_changes() -> None:
    def answer(name: str, parent: str, slug: str) -> dict[str, object]:
        return node(name, parent, "assistant", name, metadata={"model_slug": slug})

    made = [root(), answer("a", "root", "m1"), answer("b", "a", "m1"), answer("c", "b", "m2")]
    opened = [
        each for each in payloads(conversation(made, "c")) if isinstance(each, InvocationOpened)
    ]
    assert opened == [InvocationOpened(model="m1"), InvocationOpened(model="m2")]


SHAPES: list[dict[str, object]] = [
    {"content": None},
    {"content": "x"},
    {"content": {"content_type": 5, "parts": 7}},
    {"content": {"content_type": "text", "parts": [None, 5, [], {}]}},
    {"author": "x", "metadata": [], "recipient": 3, "status": None, "weight": "0"},
    {"metadata": {"attachments": [None, 5, {"id": [], "size": "9", "name": None}]}},
    {"content": {"content_type": "thoughts", "thoughts": [None, 3]}},
    {"create_time": [], "end_turn": "?", "channel": {}},
]


@pytest.mark.parametrize("fields", SHAPES)
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_no_shape_of_a_message_makes_conversion_raise(role: str, fields: dict[str, object]) -> None:
    of_node(node("n", "call", role, "words") | {"message": {"author": {"role": role}} | fields})


@given(
    st.permutations([OLDER, NEWER, BACK, OLDER | {"title": None}]),
    st.lists(st.integers(0, 40), max_size=5),
)
def test_the_events_do_not_depend_on_how_the_archive_is_cut(
    order: list[object], cuts: list[int]
) -> None:
    records = archived(CHATGPT, read(CHATGPT, export(*order)).records)
    whole = converted(CHATGPT, records)
    pieces = converted(CHATGPT, records, cuts=[min(cut, len(records)) for cut in cuts])
    assert (pieces.events, pieces.state) == (whole.events, whole.state)
    for size in cuts:
        prefix = converted(CHATGPT, records[:size])
        assert prefix.events == whole.events[: len(prefix.events)]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda below: (
        st.lists(below, max_size=3) | st.dictionaries(st.text(max_size=5), below, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(["author", "content", "metadata", "recipient", "weight", "status"])


@given(st.dictionaries(KEYS, JSON), JSON)
def test_no_value_in_a_message_or_a_head_makes_conversion_raise(
    message: dict[str, object], value: object
) -> None:
    made = conversation(
        [root(), root("n") | {"parent": "root", "message": message}],
        "n",
        title=value,
        updated=value,
    )
    payloads(made | {"current_node": value, "create_time": value, "is_archived": value})
    records = read(CHATGPT, export(made)).records
    for record in archived(CHATGPT, records):
        if record.type == HEAD:
            broken = msgspec.structs.replace(record, record=msgspec.json.encode(value))
            converted(CHATGPT, [broken])
