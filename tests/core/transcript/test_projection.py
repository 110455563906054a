"""Projection: from events to messages, the same however they arrive."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript.changes import Change
from recense.core.transcript.events import (
    Attachment,
    Event,
    Note,
    PathChosen,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.messages import Message, Run, can_match, visible_text
from recense.core.transcript.projection import Projector
from recense.core.transcript.projection_state import decode_state, encode_state
from recense.core.transcript.transcript import project
from recense.core.transcript.visible import image, own_length
from recense.limits import STATE_BYTES_MAX, TOOL_RESULT_BYTES_MAX
from tests.core.transcript.event_builders import (
    answer,
    event,
    events,
    sessions_of_events,
    typed,
)


def _texts(session: list[Event]) -> list[str]:
    return [visible_text(message) for message in project(session).messages]


@given(st.lists(st.builds(Run, text=st.text(), synthetic=st.booleans()), max_size=4))
def test_the_own_length_is_that_of_the_image(runs: list[Run]) -> None:
    assert own_length(runs) == len(image(runs))


@given(sessions_of_events(), st.data())
def test_projecting_in_two_pieces_says_the_same_as_projecting_at_once(
    session: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(session)))
    fed = 0

    def recollect() -> Sequence[Message]:
        return project(session[:fed]).messages

    def feed_all(projector: Projector, first: int, last: int) -> list[Change]:
        nonlocal fed
        changes: list[Change] = []
        for fed in range(first, last):
            changes += projector.feed(session[fed])
        return changes

    whole = Projector(None, recollect)
    at_once = feed_all(whole, 0, len(session))
    first = Projector(None, recollect)
    pieces = feed_all(first, 0, cut)
    second = Projector(decode_state(encode_state(first.state())), recollect)
    pieces += feed_all(second, cut, len(session))
    assert pieces == at_once
    assert second.state() == whole.state()


@given(sessions_of_events())
def test_the_counters_are_those_of_the_messages_that_can_match(session: list[Event]) -> None:
    transcript = project(session)
    matching = [message for message in transcript.messages if can_match(message)]
    assert transcript.counts.messages == len(matching)
    assert transcript.counts.length == sum(own_length(message.runs) for message in matching)
    abandoned = [message for message in transcript.messages if "abandoned" in message.flags]
    assert transcript.counts.branch_messages == len(abandoned)


@given(sessions_of_events(), st.data())
def test_a_later_event_finishes_messages_and_changes_flags_and_nothing_else(
    session: list[Event], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(session)))
    before, after = project(session[:cut]).messages, project(session).messages
    assert len(after) >= len(before)
    for early, late in zip(before, after, strict=False):
        assert (early.event_id, early.turn, early.kind, early.at) == (
            late.event_id,
            late.turn,
            late.kind,
            late.at,
        )
        assert visible_text(late).startswith(visible_text(early))
        assert early.flags - {"abandoned"} <= late.flags  # a chosen path may take that one back


def test_positions_count_every_message_from_zero() -> None:
    messages = project(events(typed("one"), answer("two"), Note(text="three"))).messages
    assert [message.position for message in messages] == [0, 1, 2]


def test_a_turn_begins_where_a_person_typed_and_before_that_at_the_first_message() -> None:
    messages = project(
        events(Note(text="hello"), typed("ask"), answer("so"), typed("again"), answer("well"))
    ).messages
    assert [message.turn for message in messages] == ["e0", "e1", "e1", "e3", "e3"]


def test_a_prompt_without_words_opens_no_turn_since_there_is_no_message_to_name_it() -> None:
    messages = project(events(typed("ask"), typed(""), answer("so"))).messages
    assert [message.turn for message in messages] == ["e0", "e0"]


def test_an_attachment_that_stands_alone_opens_a_turn_of_the_persons() -> None:
    plan = Attachment(name="plan.pdf", media_type="application/pdf", bytes=9)
    messages = project(events(typed("ask"), answer("so"), plan)).messages
    assert (messages[2].turn, messages[2].by_person) == ("e2", True)


def test_injected_words_are_a_note_and_open_no_turn() -> None:
    reminder = Text(role="user", text="remember the rules", standing="injected")
    messages = project(events(typed("ask"), reminder)).messages
    assert (messages[1].kind, messages[1].turn) == ("note", "e0")


def test_the_prompt_of_an_agent_opens_a_turn_and_is_not_the_words_of_a_person() -> None:
    prompt = Text(role="user", text="look it up", standing="agent")
    messages = project(events(Note(text="start"), prompt)).messages
    assert (messages[1].turn, messages[1].by_person) == ("e1", False)


def test_fragments_of_one_reply_join_in_order_by_a_line_break() -> None:
    session = events(
        typed("ask"), answer("first", message="m"), ToolCall(call_id="c", name="Bash"),
        answer("second", message="m"),
    )  # fmt: skip
    assert _texts(session) == ["ask", "first\nsecond", "Bash"]


def test_two_prompts_under_one_parent_abandon_the_branch_between_them() -> None:
    session = events(
        typed("root", parent=None), answer("ready"),
        typed("try this", parent="p"), answer("done"), typed("and that", parent="q"),
        typed("rather this", parent="p"), answer("good"),
    )  # fmt: skip
    messages = project(session).messages
    abandoned = [visible_text(each) for each in messages if "abandoned" in each.flags]
    assert abandoned == ["try this", "done", "and that"]


def test_a_queued_prompt_joins_the_running_turn_and_steps_back_when_it_is_typed_after_all() -> None:
    queued = Text(role="user", text="also the docs ", standing="queued")
    session = events(typed("ask"), queued, answer("so"), typed("also the docs"))
    messages = project(session).messages
    assert messages[1].turn == "e0"
    assert [message.flags for message in messages] == [set(), {"superseded"}, set(), set()]


def test_images_delivered_with_a_queued_prompt_are_its_own_and_step_back_with_it() -> None:
    queued = Text(role="user", text="like this", standing="queued", message="q")
    image = Attachment(name="fern.png", media_type="image/png", bytes=7, message="q")
    delivered = project(events(typed("ask"), queued, image))
    assert [len(message.materials) for message in delivered.messages] == [0, 1]
    assert delivered.messages[1].turn == delivered.messages[0].turn
    retyped = project(events(typed("ask"), queued, image, typed("like this")))
    assert retyped.messages[1].flags == {"superseded"}
    assert retyped.counts == project(events(typed("ask"), typed("like this"))).counts


def test_a_queued_prompt_that_was_recorded_twice_counts_once() -> None:
    queued = Text(role="user", text="also the docs", standing="queued")
    messages = project(events(typed("ask"), queued, queued)).messages
    assert [can_match(message) for message in messages] == [True, True, False]


def test_names_of_attachments_follow_the_words_one_a_line() -> None:
    session = events(
        typed("see these", message="r"),
        Attachment(name="plan.pdf", media_type="application/pdf", bytes=9, message="r"),
        Attachment(name="", media_type="image/png", bytes=7, message="r"),
    )
    message = project(session).messages[0]
    assert visible_text(message) == "see these\nplan.pdf\n[image image/png, 7 bytes]"
    assert [run.synthetic for run in message.runs] == [False, True, True]
    assert [material.kind for material in message.materials] == ["pdf", "image"]


def test_an_image_in_a_tool_result_is_a_material_of_that_result() -> None:
    session = events(
        typed("ask"),
        ToolResult(call_id="c", content="one line"),
        Attachment(name="", media_type="image/png", bytes=7, sha256="0" * 64, call_id="c"),
    )
    result = project(session).messages[1]
    assert (result.kind, len(result.materials)) == ("tool_result", 1)


def test_thinking_is_attached_to_what_follows_it_and_never_visible() -> None:
    messages = project(events(typed("ask"), Thinking(text="hm"), answer("so"))).messages
    assert messages[1].thinking == ("hm",)
    assert "hm" not in visible_text(messages[1])


def test_a_redaction_marker_is_synthetic_text() -> None:
    message = project(events(typed("key [redacted:aws-access-key] here"))).messages[0]
    own = [run.text for run in message.runs if not run.synthetic]
    assert own == ["key ", " here"]


def test_a_tool_call_shows_its_name_and_what_a_person_would_recognise_it_by() -> None:
    call = ToolCall(
        call_id="c",
        name="Bash",
        arguments={"command": "make test", "timeout": 5, "description": "Run the tests"},
    )
    assert _texts(events(call)) == ["Bash\nmake test\nRun the tests"]


def test_a_tool_result_is_its_string_leaves_in_document_order_without_escapes() -> None:
    content = {"a": ["\x1b[31mred\x1b[0m", {"type": "text", "text": "two"}], "n": 3, "b": "last"}
    assert _texts(events(ToolResult(call_id="c", content=content))) == ["red\ntwo\nlast"]


def test_a_tool_result_beyond_the_limit_is_cut_at_a_line_and_the_rest_is_counted() -> None:
    line = "数据库" * 30 + "\n"
    content = line * (TOOL_RESULT_BYTES_MAX // len(line.encode()) + 10)
    transcript = project(events(ToolResult(call_id="c", content=content)))
    kept = "".join(run.text for run in transcript.messages[0].runs if not run.synthetic)
    assert content.startswith(kept)
    assert kept.endswith("数据库")
    beyond = transcript.counts.bytes_beyond_limit
    assert len(kept.encode()) + beyond == len(content.encode())
    assert f"{beyond} bytes more" in visible_text(transcript.messages[0])


def test_an_unreadable_event_is_counted_and_hides_nothing_else() -> None:
    transcript = project(events(typed("ask"), b'{"kind":"from the future"}', answer("so")))
    assert transcript.counts.unreadable_events == 1
    assert [visible_text(message) for message in transcript.messages] == ["ask", "so"]


def test_boilerplate_is_kept_and_never_matched() -> None:
    messages = project(events(Note(text="the same words", boilerplate=True))).messages
    assert [can_match(message) for message in messages] == [False]


def test_a_summary_is_a_message_of_its_own_kind() -> None:
    assert project(events(Summary(text="so far"))).messages[0].kind == "summary"


def test_the_state_stays_small_however_long_the_session_is() -> None:
    projector = Projector(None, list)
    for number, each in enumerate(
        events(*(typed(f"prompt {n}", parent=f"p{n}" * 40) for n in range(2_000)))
    ):
        projector.feed(each)
        if number % 500 == 0:
            projector.feed(
                events(Text(role="user", text=f"q{number}" * 9_000, standing="queued"))[0]
            )
    assert len(encode_state(projector.state())) <= STATE_BYTES_MAX


def _of_node(node: str, text: str) -> Text:
    return Text(role="model", text=text, node=node)


def test_the_chosen_path_answers_and_the_rest_is_abandoned() -> None:
    session = events(
        _of_node("a", "ask"), _of_node("b", "first"), _of_node("c", "second"), Note(text="aside")
    )
    session = [*session, event(4, PathChosen(nodes=("a", "c")))]
    answering = [visible_text(each) for each in project(session).messages if can_match(each)]
    assert answering == ["ask", "second", "aside"]
    assert project(session).counts.branch_messages == 1


def test_a_later_choice_takes_back_what_an_earlier_one_abandoned() -> None:
    session = events(
        _of_node("a", "ask"),
        _of_node("b", "first"),
        PathChosen(nodes=("a",)),
        _of_node("c", "second"),
        PathChosen(nodes=("a", "b")),
    )
    answering = [visible_text(each) for each in project(session).messages if can_match(each)]
    assert answering == ["ask", "first"]


def test_a_reply_of_thousands_of_fragments_is_joined_in_order() -> None:
    pieces = [f"piece {number}" for number in range(5_000)]
    session = events(*(answer(piece, message="m") for piece in pieces))
    assert _texts(session) == ["\n".join(pieces)]
