"""Questions about made histories, with any filter."""

from collections.abc import Iterator

from recense.core.instants import text_from_instant
from recense.operations.grep import GrepRequest
from recense.operations.recall import Exclude, RecallRequest
from tests.end_to_end.histories import DAY, EPOCH, History


def requests(history: History, count: int) -> Iterator[RecallRequest]:
    """Yield questions about a history, with any filter."""
    for _ in range(count):
        yield _request(history)


def _request(history: History) -> RecallRequest:
    chance, scribe = history.chance, history.scribe
    asks = chance.random()
    terms = tuple(scribe.term() for _ in range(chance.choice((1, 1, 1, 2, 3, 8))))
    question = scribe.words(4)[:200] if asks < 0.3 else None
    exclude = None
    if chance.random() < 0.2 and history.sessions:
        session, turn = chance.choice(history.sessions), "last"
        if history.events and chance.random() < 0.5:
            session, turn = chance.choice(history.events)
        exclude = Exclude(session=session, turn=turn)
    since, until = sorted((chance.randrange(4), chance.randrange(4)))
    day = [text_from_instant(EPOCH + each * DAY) for each in (since, until)]
    return RecallRequest(
        terms=() if question and question.strip() and asks < 0.1 else terms,
        question=question if question and question.strip() else None,
        limit=chance.choice((1, 3, 8, 25)),
        session=chance.choice(history.sessions)
        if history.sessions and chance.random() < 0.1
        else None,
        workspace=chance.choice((*[None] * 7, "/a", "/a/b", "/home/mira/herbarium")),
        since=day[0] if chance.random() < 0.15 else None,
        until=day[1] if chance.random() < 0.15 else None,
        origin=chance.choice((None, None, "all", "all", "all", "all", "subagent", "headless")),
        exclude=exclude,
    )


def grep_requests(history: History, count: int) -> Iterator[GrepRequest]:
    """Yield patterns about a history, of one line."""
    chance = history.chance
    for _ in range(count):
        pattern = history.scribe.term().split("\n")[0].split("\r")[0]
        if pattern.strip():
            yield GrepRequest(
                pattern=pattern,
                context=chance.randrange(3),
                limit=chance.choice((1, 20)),
                origin=chance.choice((None, "all")),
                everything=chance.random() < 0.1,
            )
