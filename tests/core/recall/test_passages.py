"""What stands around an anchor, the best place in a text, and fair shares."""

from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.passages import TextSpan, best_span, fair_shares, surroundings
from recense.core.text.fold import fold
from recense.core.transcript.messages import Message, MessageKind, Run, can_match
from recense.core.transcript.visible import image
from tests.core.recall.messages_by_hand import message, runs, texts

kinds = st.sampled_from(["user", "assistant", "tool_call", "tool_result", "summary", "note"])


def conversation(*kinds_of_turn: MessageKind, turn: str = "e0") -> list[Message]:
    return [message(place, "x", kind=kind, turn=turn) for place, kind in enumerate(kinds_of_turn)]


@given(
    st.lists(st.tuples(kinds, st.sampled_from(["e0", "e2"]), st.booleans()), min_size=1),
    st.data(),
)
def test_neighbours_are_visible_messages_of_the_turn_without_holes(
    drawn: list[tuple[MessageKind, str, bool]], data: st.DataObject
) -> None:
    messages = [
        message(
            place,
            "x",
            kind=kind,
            turn=turn,
            flags=frozenset({"abandoned"}) if is_flagged else frozenset(),
        )
        for place, (kind, turn, is_flagged) in enumerate(drawn)
    ]
    anchor = data.draw(st.integers(0, len(messages) - 1))
    before, after = data.draw(st.integers(0, 4)), data.draw(st.integers(0, 4))
    around = surroundings(messages, anchor, before, after, can_match)
    shown = [
        place
        for place, each in enumerate(messages)
        if each.turn == messages[anchor].turn
        and each.kind in {"user", "assistant", "tool_call"}
        and not each.flags
        and place != anchor
    ]
    earlier = [place for place in reversed(shown) if place < anchor]
    later = [place for place in shown if place > anchor]
    assert around.before == tuple(earlier[:before])
    assert around.after == tuple(later[:after])
    assert around.more_before == (len(earlier) > before)
    assert around.more_after == (len(later) > after)
    if around.opening is not None:
        assert around.opening in earlier[before:]
        assert messages[around.opening].event_id == messages[anchor].turn


def test_the_prompt_that_opened_the_turn_is_shown_when_the_window_does_not_reach_it() -> None:
    messages = conversation("user", "assistant", "tool_call", "tool_call", "assistant", "tool_call")
    assert surroundings(messages, 5, 4, 4, can_match).opening == 0
    assert surroundings(messages, 4, 4, 4, can_match).opening is None
    assert surroundings(messages, 5, 0, 4, can_match).opening is None
    assert (
        surroundings(conversation("note", "user", "assistant"), 2, 1, 1, can_match).opening is None
    )


def test_neighbours_come_outward_side_by_side() -> None:
    messages = conversation("user", "assistant", "assistant", "assistant", "assistant")
    around = surroundings(messages, 3, 4, 4, can_match)
    assert list(around.outward()) == [(2, True), (4, False), (1, True), (0, True)]


def text_of(drawn: list[Run]) -> str:
    return "".join(run.text for run in drawn)


@given(runs, st.lists(texts.filter(str.strip), min_size=1, max_size=3))
def test_the_best_place_holds_a_term_where_one_stands(drawn: list[Run], terms: list[str]) -> None:
    folded = [fold(term) for term in terms]
    span = best_span(drawn, folded, [1.0] * len(folded), 50)
    if span is None:
        assert not any(term in image(drawn) for term in folded)
    else:
        assert 0 <= span.start < span.end <= len(text_of(drawn))
        covered = fold(text_of(drawn)[span.start : span.end])
        assert any(term in covered for term in folded)


def test_terms_that_stand_together_are_the_best_place() -> None:
    text = "pool " + "." * 600 + "pool and timeout here" + "." * 600 + "timeout"
    span = best_span([Run(text=text)], ["pool", "timeout"], [1.0, 1.0], 100)
    assert span == TextSpan(start=605, end=605 + len("pool and timeout"))


def test_the_term_that_says_more_is_the_best_place() -> None:
    runs_of_text = [Run(text="pool"), Run(text=" [x] ", synthetic=True), Run(text="ﬁ Timeout")]
    assert best_span(runs_of_text, ["pool", "timeout"], [1.0, 2.0], 5) == TextSpan(start=11, end=18)
    assert best_span(runs_of_text, ["pool", "timeout"], [2.0, 1.0], 5) == TextSpan(start=0, end=4)
    assert best_span(runs_of_text, ["pool", "timeout"], [2.0, 1.0], 50) == TextSpan(start=0, end=18)


@given(st.lists(st.integers(0, 5_000), max_size=25), st.integers(0, 50_000))
def test_shares_are_fair_and_waste_nothing(sizes: list[int], total: int) -> None:
    shares = fair_shares(sizes, total)
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    assert sum(shares) <= total
    if sum(sizes) <= total:
        assert shares == sizes
    else:
        assert total - sum(shares) < len(sizes)
        cut = [share for share, size in zip(shares, sizes, strict=True) if share < size]
        assert max(cut) - min(cut) <= 1
        assert all(share <= max(cut) + 1 for share in shares)
