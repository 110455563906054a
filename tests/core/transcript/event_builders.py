"""Events by hand, for tests: short, numbered, at one-second steps."""

from collections.abc import Iterable

from hypothesis import strategies as st

from recense.core.transcript.events import (
    Attachment,
    Event,
    Note,
    PathChosen,
    Payload,
    Summary,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    encode_payload,
)


def event(number: int, payload: Payload | bytes) -> Event:
    """Return the ``number``-th event with this payload."""
    return Event(
        event_id=f"e{number}",
        at=1_700_000_000_000_000 + number * 1_000_000,
        recorded_at=0,
        payload=payload if isinstance(payload, bytes) else encode_payload(payload),
    )


def events(*payloads: Payload | bytes) -> list[Event]:
    """Return events e0, e1, … with these payloads."""
    return [event(number, payload) for number, payload in enumerate(payloads)]


def typed(text: str, *, parent: str | None = None, message: str | None = None) -> Text:
    """Return words that a person typed."""
    return Text(role="user", text=text, parent=parent, message=message)


def answer(text: str, *, message: str | None = None) -> Text:
    """Return words of the model."""
    return Text(role="model", text=text, message=message)


_words = st.sampled_from(
    ["deploy", "pgbouncer", "数据库", "ﬁn", "İstanbul", "[redacted:aws-access-key]", "a\nb", " "]
)
_texts = st.lists(_words, max_size=4).map(" ".join)
_keys = st.sampled_from([None, "m1", "m2", "m3"])
_nodes = st.sampled_from([None, "n1", "n2", "n3"])
_parents = st.sampled_from([None, "p1", "p2"])

payloads: st.SearchStrategy[Payload | bytes] = st.one_of(
    st.builds(
        Text,
        role=st.just("user"),
        text=_texts,
        standing=st.sampled_from(["typed", "queued", "agent", "injected", "boilerplate"]),
        message=_keys,
        parent=_parents,
        node=_nodes,
    ),
    st.builds(Text, role=st.just("model"), text=_texts, message=_keys, node=_nodes),
    st.builds(PathChosen, nodes=st.sets(st.sampled_from(["n1", "n2", "n3"])).map(tuple)),
    st.builds(Thinking, text=_texts, message=_keys),
    st.builds(ToolCall, call_id=st.sampled_from("ab"), name=st.just("Bash"), arguments=_texts),
    st.builds(ToolResult, call_id=st.sampled_from("ab"), content=_texts),
    st.builds(
        Attachment,
        name=st.sampled_from(["", "plan.pdf"]),
        media_type=st.just("image/png"),
        bytes=st.just(7),
        message=_keys,
        call_id=st.sampled_from([None, "a"]),
    ),
    st.builds(Summary, text=_texts),
    st.builds(Note, text=_texts, boilerplate=st.booleans()),
    st.just(b"{"),
)


def sessions_of_events() -> st.SearchStrategy[list[Event]]:
    """Generate the events of a session, some of them unreadable."""

    def number(drawn: Iterable[Payload | bytes]) -> list[Event]:
        return events(*drawn)

    return st.lists(payloads, max_size=25).map(number)
