"""Streams: what is still arriving, where it is held, and when it goes."""

from msgspec.structs import replace

from recense.conformance.material import (
    append,
    archive,
    arrive,
    birth,
    contents,
    event,
    next_page,
    session_of,
    streams_of,
)
from recense.conformance.vocabulary import Case, check, expect, expect_equal, expect_raises
from recense.errors import NotFound, StoreConflict
from recense.limits import CHUNK_BYTES
from recense.ports.commits import OpenStream
from recense.ports.transcripts import TranscriptStore

PAYLOAD = b'{"kind":"text","role":"model","text":""}'


def _with_session(case: Case) -> TranscriptStore:
    store = case.subject()
    archive(store, [], births=[birth("alpha"), birth("beta")])
    return store


@check("what arrives of a stream joins what it holds, and its beginning stays")
def _(case: Case) -> None:
    store = _with_session(case)
    append(store, replace(next_page(store, "alpha"), events=(event("e0"),)))
    arrive(store, "alpha", "reply", "deploy ", at=5, payload=PAYLOAD)
    append(store, replace(next_page(store, "alpha"), events=(event("e1"),)))
    arrive(store, "alpha", "reply", "", at=6, payload=b"{}")
    arrive(store, "alpha", "reply", "in progress \x00 😀", at=None, payload=b"{}")
    expected = OpenStream(
        stream_key="reply",
        after_ordinal=1,
        at=5,
        payload=PAYLOAD,
        text="deploy in progress \x00 😀",
    )
    expect_equal("streams", streams_of(store, "alpha"), [expected])
    expect_equal("counted", session_of(store, "alpha").open_streams, 1)
    expect_equal("of another session", streams_of(store, "beta"), [])
    expect_equal("of nobody", streams_of(store, "nobody"), [])
    expect_equal("after opening it again", streams_of(case.reopened(store), "alpha"), [expected])


@check("a stream of any length and of any characters comes back as it came")
def _(case: Case) -> None:
    store = _with_session(case)
    texts = ["x" * (CHUNK_BYTES - 1) + "数" * CHUNK_BYTES, "😀" * CHUNK_BYTES, "é", "\n" * 9]
    for text in texts:
        arrive(store, "alpha", "reply", text)
    (found,) = streams_of(store, "alpha")
    expect("every character is the same", holds=found.text == "".join(texts))


@check("a stream that begins with nothing is open")
def _(case: Case) -> None:
    store = _with_session(case)
    arrive(store, "alpha", "", "", at=None)
    expect_equal("texts", [each.text for each in streams_of(store, "alpha")], [""])
    expect_equal("counted", session_of(store, "alpha").open_streams, 1)


@check("streams are listed by where they began, then by key")
def _(case: Case) -> None:
    store = _with_session(case)
    for key in ("z", "数", "a"):
        arrive(store, "alpha", key, "x")
    append(store, replace(next_page(store, "alpha"), events=(event("e0"),)))
    for key in ("B", "b"):
        arrive(store, "alpha", key, "x")
    arrive(store, "alpha", "z", "x")
    found = [(each.after_ordinal, each.stream_key) for each in streams_of(store, "alpha")]
    expect_equal("order", found, [(0, "a"), (0, "z"), (0, "数"), (1, "B"), (1, "b")])
    expect_equal("counted", session_of(store, "alpha").open_streams, 5)


@check("an arrival that does not go on from what the stream holds is a conflict")
def _(case: Case) -> None:
    store = _with_session(case)
    arrive(store, "alpha", "reply", "good ")
    before = contents(store)
    for expected_length in (0, 4, 6):
        expect_raises(
            f"expecting {expected_length}",
            StoreConflict,
            lambda length=expected_length: arrive(store, "alpha", "reply", "day", length=length),
        )
    expect_raises(
        "a stream that is not there",
        StoreConflict,
        lambda: arrive(store, "alpha", "other", "day", length=5),
    )
    expect_raises("nobody's", NotFound, lambda: arrive(store, "nobody", "reply", "day", length=0))
    expect_equal("contents", contents(store), before)


@check("a stream goes in the commit whose events complete it, and may begin anew")
def _(case: Case) -> None:
    store = _with_session(case)
    for session_id in ("alpha", "beta"):
        for key in ("reply", "aside"):
            arrive(store, session_id, key, "deploy " * CHUNK_BYTES)
    wrong = replace(next_page(store, "alpha"), expected_events=7, ended_streams=("reply",))
    expect_raises("a refused page", StoreConflict, lambda: store.append(wrong))
    expect_equal("before", len(streams_of(store, "alpha")), 2)
    page = replace(
        next_page(store, "alpha"), events=(event("e0"),), ended_streams=("reply", "reply", "none")
    )
    append(store, page)
    expect_equal("left", [each.stream_key for each in streams_of(store, "alpha")], ["aside"])
    expect_equal("counted", session_of(store, "alpha").open_streams, 1)
    expect_equal("of another session", session_of(store, "beta").open_streams, 2)
    arrive(store, "alpha", "reply", "anew")
    found = {each.stream_key: each for each in streams_of(store, "alpha")}["reply"]
    expect_equal("begun anew", (found.text, found.after_ordinal), ("anew", 1))
    expect_equal("faults", list(store.check()), [])


@check("a closed session takes no more of a stream, and its open ones can be ended")
def _(case: Case) -> None:
    store = _with_session(case)
    arrive(store, "alpha", "reply", "deploy ")
    append(store, replace(next_page(store, "alpha"), closed=True))
    for key, length in (("reply", 7), ("other", 0)):
        expect_raises(
            key,
            StoreConflict,
            lambda key=key, length=length: arrive(store, "alpha", key, "x", length=length),
        )
    expect_equal("as it was", [each.text for each in streams_of(store, "alpha")], ["deploy "])
    append(store, replace(next_page(store, "alpha"), ended_streams=("reply",)))
    expect_equal("ended", streams_of(store, "alpha"), [])
