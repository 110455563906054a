"""Recall against the plainest reading of its rules, and the narrowed path against the scan."""

import math
import unicodedata
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations, pairwise

from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from recense.core.instants import text_from_instant
from recense.core.text.redact import redact
from recense.core.transcript.messages import Message, Run
from recense.core.transcript.records import Counts, Origin, Session
from recense.operations.recall import Exclude, NotConverted, RecallRequest
from recense.ports.transcripts import TranscriptReader
from tests.core.recall.messages_by_hand import SECRET, message
from tests.services.recall_world import SECOND, T0, World

PlainHit = tuple[Session, Message, list[int], int, dict[tuple[int, int], float]]

KINDS = ("user", "assistant", "tool_call", "tool_result", "summary", "note")


def plain_fold(text: str) -> str:
    text = "".join("\ufffd" if each in "\x00\uffff" else each for each in text)
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def plain_image(runs: Sequence[Run]) -> str:
    return "\uffff".join(plain_fold(run.text) for run in runs if not run.synthetic)


def plain_redacted_image(each: Message) -> str:
    """Mask character by character: own text outside of findings, cut where anything was between."""
    text = "".join(run.text for run in each.runs)
    hidden = {at for span in redact(text).findings for at in range(span.start, span.end)}
    pieces: list[str] = []
    place, last = 0, None
    for number, run in enumerate(each.runs):
        for own in run.text:
            if not run.synthetic and place not in hidden:
                pieces = pieces if last == (number, place - 1) else [*pieces, ""]
                pieces[-1] += own
                last = (number, place)
            place += 1
    return "\uffff".join(map(plain_fold, pieces))


def plain_pairs(image: str, terms: Sequence[str]) -> dict[tuple[int, int], float]:
    """Return how near each two terms come: 48 bytes apart is 0, side by side is 1."""
    places: list[tuple[int, int, int]] = []
    for number, term in enumerate(terms):
        at = image.find(term)
        while at >= 0:
            end = at + len(term)
            if not (_is_inside_a_word(image, at) or _is_inside_a_word(image, end)):
                places.append((at, end, number))
            at = image.find(term, end)
    places.sort()
    near = dict.fromkeys(combinations(range(len(terms)), 2), 0.0)
    for (_, end, one), (start, _, other) in pairwise(places):
        if one != other and end <= start:
            pair = (min(one, other), max(one, other))
            near[pair] = max(near[pair], 1 - len(image[end:start].encode()) / 48)
    return near


def _is_inside_a_word(image: str, at: int) -> bool:
    around = image[max(0, at - 1) : at + 1]
    return len(around) > 1 and around.isalpha() and all(ord(each) < 0x2000 for each in around)


def plain_recall(world: World, request: RecallRequest) -> list[tuple[str, int, float]]:
    """Return (session, position, score) by the rules as they are written, nothing made clever."""
    terms = list(dict.fromkeys(plain_fold(term.strip()) for term in request.terms))
    rows = [
        row
        for row in world.sessions()
        if not _is_hidden(row, world) and _is_wanted(row, request.origin)
    ]
    every = [(row, each) for row in rows for each in world.messages[row.session_id]]
    excluded = request.exclude
    banned: set[bytes | None] = set()
    turn = None
    if excluded is not None:
        of_session = world.messages.get(excluded.session, ())
        turn = of_session[-1].turn if excluded.turn == "last" and of_session else excluded.turn
        banned = {each.identity for each in of_session if each.turn == turn} - {None}
    hits: list[PlainHit] = []
    seen: dict[bytes, str] = {}
    for row, each in every:
        if each.flags or each.identity in banned or not _is_in_time(each, request):
            continue
        if excluded and (row.session_id, each.turn) == (excluded.session, turn):
            continue
        stored, redacted = plain_image(each.runs), plain_redacted_image(each)
        tfs = [redacted.count(term) if term in stored else 0 for term in terms]
        if any(tfs) and (
            each.identity is None
            or seen.setdefault(each.identity, row.session_id) == row.session_id
        ):
            pairs = plain_pairs(redacted, terms) if sum(map(bool, tfs)) > 1 else {}
            hits.append((row, each, tfs, len(redacted), pairs))
    n = max(sum(row.owned_messages for row in rows), len(hits))
    total = max(sum(row.owned_length for row in rows), sum(hit[3] for hit in hits))
    dfs = [sum(hit[2][term] > 0 for hit in hits) for term in range(len(terms))]

    def idf(df: int) -> float:
        return math.log(1 + (n - df + 0.5) / (df + 0.5))

    def together(hit: PlainHit) -> float:
        return sum(
            idf(sum(other[4].get(pair, 0) > 0 for other in hits)) * share * 2.2 / (share + 1.2)
            for pair, share in hit[4].items()
        )

    def score(hit: PlainHit) -> float:
        weight = 0.5 if hit[1].kind in {"tool_result", "summary", "note"} else 1.0
        norm = 1.2 * (0.25 + 0.75 * hit[3] / (total / n))
        terms_alone = sum(
            idf(df) * tf * 2.2 / (tf + norm) for tf, df in zip(hit[2], dfs, strict=True) if tf
        )
        return weight * terms_alone + together(hit)

    ranked = sorted(
        ((round(score(hit), 9), *hit) for hit in hits),
        key=lambda hit: (
            *(-hit[0], hit[2].at is None, -(hit[2].at or 0)),
            *(hit[1].session_id, hit[2].ordinal),
        ),
    )
    best: dict[tuple[str, str], tuple[float, *PlainHit]] = {}
    for hit in ranked:
        best.setdefault((hit[1].session_id, hit[2].turn), hit)
    turns = list(best.values())
    places = _plain_quota([_plain_family(hit[1]) for hit in turns], request.limit)
    return [(turns[at][1].session_id, turns[at][2].position, turns[at][0]) for at in places]


def _is_hidden(row: Session, world: World) -> bool:
    """A session is hidden with the session it is a sub-agent of; a circle of parents ends."""
    line: list[Session] = []
    while row not in line:
        line.append(row)
        parent = world.rows.get(row.parent_session_id or "")
        if row.origin == "subagent" and parent is not None:
            row = parent
    return any(each.private for each in line)


def _plain_quota(families: list[str], limit: int) -> list[int]:
    first: list[int] = []
    for place, family in enumerate(families):
        taken = sum(families[other] == family for other in first)
        if len(first) < limit and taken < max(1, limit // 3):
            first.append(place)
    rest = [place for place in range(len(families)) if place not in first]
    return sorted(first + rest[: limit - len(first)])


def _plain_family(row: Session) -> str:
    return (row.origin == "subagent" and row.parent_session_id) or row.session_id


def _is_in_time(each: Message, request: RecallRequest) -> bool:
    if each.at is None:
        return request.since is None and request.until is None
    return (request.since or "") <= text_from_instant(each.at) <= (request.until or "9")


def _is_wanted(row: Session, origin: Origin | str | None) -> bool:
    if origin is None:
        return row.origin in {"interactive", "agent"}
    return origin in {"all", row.origin}


words = st.sampled_from(
    [
        *(
            "deploy",
            "Deploy",
            "ＤＥＰＬＯＹ",
            "deployment",
            "straße",
            "STRASSE",
            "ﬁn",
            "数据库",
            "迁移",
        ),
        *(
            "aba",
            "ab",
            "of the",
            "é",
            "e\u0301",
            '"',
            "\\",
            "\n",
            "\x00",
            "\uffff",
            "C++",
            "100%",
            SECRET,
        ),
    ]
)
texts = st.lists(words, min_size=1, max_size=5).map(" ".join)
some_runs = st.lists(
    st.builds(Run, text=texts, synthetic=st.sampled_from([False, False, True])),
    min_size=1,
    max_size=3,
)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Draw sessions with equal texts, equal instants, copies, turns, flags and sub-agents."""
    world = World()
    for name in "abcde"[: draw(st.integers(1, 5))]:
        messages = [
            message(
                position,
                *draw(some_runs),
                kind=draw(st.sampled_from(KINDS)),
                turn=f"e{draw(st.integers(0, 2))}",
                at=draw(st.sampled_from([None, T0, T0 + SECOND, T0 + 2 * SECOND])),
                identity=draw(st.sampled_from([None, None, b"one", b"two"])),
                flags=frozenset(draw(st.sampled_from([(), (), (), ("abandoned",)]))),
            )
            for position in range(draw(st.integers(0, 6)))
        ]
        is_child = name in "cde"
        parent = draw(st.sampled_from([None, "s:a", "s:b"])) if is_child else None
        world.add(
            name,
            *messages,
            start=draw(st.sampled_from([None, T0, T0 + 5])),
            origin=draw(st.sampled_from(["interactive", "agent", "headless", "subagent"])),
            parent=parent,
            private=draw(st.sampled_from([False, False, False, True])),
            owned=draw(st.sampled_from([None, (0, 0), (40, 900)])),
        )
    return world


instants = st.sampled_from([None, T0, T0 + SECOND, T0 + 2 * SECOND])


@st.composite
def requests(draw: st.DrawFn) -> RecallRequest:
    since, until = draw(instants), draw(instants)
    if since is not None and until is not None and since > until:
        since, until = until, since
    exclude = draw(
        st.none()
        | st.builds(
            Exclude,
            session=st.sampled_from(["s:a", "s:b", "s:z"]),
            turn=st.sampled_from(["last", "e0", "e1"]),
        )
    )
    terms = draw(
        st.lists(words.filter(lambda word: word not in {SECRET, "\n"}), min_size=1, max_size=3)
    )
    return RecallRequest(
        terms=tuple(terms),
        limit=draw(st.sampled_from([1, 2, 3, 8])),
        origin=draw(st.sampled_from([None, "all", "subagent"])),
        since=None if since is None else text_from_instant(since),
        until=None if until is None else text_from_instant(until),
        exclude=exclude,
    )


@given(worlds(), requests())
def test_an_answer_is_what_the_rules_say(world: World, request: RecallRequest) -> None:
    if request.exclude is not None and world.rows.get(request.exclude.session) is not None:
        row = world.rows[request.exclude.session]
        assume(not _is_hidden(row, world))  # it is not read, not even to learn what to leave out
    answer = world.recall().recall(request)
    found = [(each.session, each.position, round(each.score, 9)) for each in answer.passages]
    assert found == plain_recall(world, request)


class Honest:
    """A source that names exactly the sessions in which a term stands, and one for luck."""

    def __init__(self, world: World, *, luck: int) -> None:
        self._world = world
        self._luck = luck

    def offer(
        self, reader: TranscriptReader, eligible: Sequence[Session], folded_terms: Sequence[str]
    ) -> Sequence[Session] | None:
        return [
            row
            for number, row in enumerate(eligible)
            if number == self._luck
            or any(
                term in plain_image(each.runs)
                for each in self._world.messages[row.session_id]
                for term in folded_terms
            )
        ]


@given(worlds(), requests(), st.integers(-1, 4), st.booleans())
def test_narrowing_changes_nothing_but_the_path(
    world: World, request: RecallRequest, luck: int, asks: bool
) -> None:
    if asks:
        question = "where did we deploy the 数据库?"
        request = RecallRequest(terms=request.terms, question=question, limit=request.limit)
    scanned = world.recall().recall(replace(request, explain=True))
    narrowed = world.recall(Honest(world, luck=luck)).recall(replace(request, explain=True))
    assert (scanned.path, narrowed.path) == ("scan", "narrowed")
    assert narrowed.passages == scanned.passages
    assert narrowed.gaps == scanned.gaps
    assert narrowed.terms == scanned.terms


def unconverted(world: World, names: AbstractSet[str]) -> World:
    """Return the world before these sessions were converted: their rows know little of them."""
    before = World()
    before.messages, before.is_complete = world.messages, dict(world.rows)
    before.rows = {
        name: row
        if name not in names
        else replace(
            row,
            origin="interactive",
            parent_session_id=None,
            workspace=None,
            title=None,
            counts=Counts(),
            owned_messages=0,
            owned_length=0,
            records=2,
            converted_through=1,
        )
        for name, row in world.rows.items()
    }
    return before


@given(worlds(), requests(), st.sets(st.sampled_from(["s:a", "s:b", "s:c", "s:d", "s:e"])))
def test_an_answer_is_the_same_before_and_after_conversion(
    world: World, request: RecallRequest, names: set[str]
) -> None:
    if request.limit > 1:  # sub-agents of one session, all asked for: the quota has something to do
        request = replace(request, origin="all", exclude=None)
        for name in world.rows.keys() & {"s:c", "s:d", "s:e"}:
            row = world.rows[name]
            world.rows[name] = replace(row, origin="subagent", parent_session_id="s:a")
    after = world.recall().recall(replace(request, explain=True))
    before = unconverted(world, names).recall().recall(replace(request, explain=True))
    assert before.passages == after.passages
    told = tuple(gap for gap in before.gaps if not isinstance(gap, NotConverted))
    assert told == after.gaps
