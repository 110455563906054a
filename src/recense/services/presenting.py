"""Presenting: from a hit to the passage that leaves.

Laws: what leaves has been redacted whole and then cut. Sizes are bytes of the JSON that leaves:
a message at most MESSAGE_BYTES_MAX, a passage PASSAGE_BYTES_MAX. A draft holds every text
already cut to a message's size, so that the drafts of a whole answer are small and can be fitted
again when they have to share an envelope.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
from msgspec.structs import replace

from recense.core.instants import text_from_instant
from recense.core.recall.passages import Surroundings, TextSpan, best_span
from recense.core.text.snippets import Excerpt, excerpt_around, excerpt_from
from recense.core.transcript.materials import shown
from recense.core.transcript.messages import Material, role_of, trust_of
from recense.limits import EXCERPT_BYTES_MIN, MESSAGE_BYTES_MAX
from recense.operations.recall import Passage, PassageMessage
from recense.services.texts import TurnTexts

_encoder: Final = msgspec.json.Encoder()

_REACH_CODE_POINTS: Final = 512
"""Terms further apart than this are not one place: a window shows about twice as much."""


class Focus(msgspec.Struct, frozen=True, kw_only=True):
    """What a long text is cut around: the terms searched for, and what each says."""

    folded_terms: tuple[str, ...] = ()
    weights: tuple[float, ...] = ()


class MessageDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A message as it would leave with all the room a message may have, and the place in its text
    that stays when it gets less. ``is_cut`` says that it has more materials than it shows.
    """

    view: PassageMessage
    span: TextSpan | None
    is_cut: bool


class PassageDraft(msgspec.Struct, frozen=True, kw_only=True):
    """A passage before its room is known.

    ``frame`` is the passage without messages, its flags no shorter in JSON than they will be.
    ``outward`` are the neighbours, nearest first, each with whether it is before the anchor.
    """

    frame: Passage
    anchor: MessageDraft
    opening: MessageDraft | None
    outward: tuple[tuple[MessageDraft, bool], ...]


def json_size(value: object) -> int:
    """Return the bytes of the JSON of a value."""
    return len(_encoder.encode(value))


def draft_passage(
    frame: Passage,
    texts: TurnTexts,
    around: Surroundings,
    *,
    focus: Focus,
    offset: int | None = None,
) -> PassageDraft:
    """Return the draft of a passage; ``around`` are places among the messages of ``texts``.

    ``offset`` makes the anchor's text begin there instead of around its best place.
    """

    def draft(place: int) -> MessageDraft:
        return _draft(texts, place, frame.session, focus)

    return PassageDraft(
        frame=replace(frame, has_more_before=around.more_before, has_more_after=around.more_after),
        anchor=_draft(texts, texts.anchor, frame.session, focus, offset=offset),
        opening=None if around.opening is None else draft(around.opening),
        outward=tuple((draft(place), is_before) for place, is_before in around.outward()),
    )


def fit(draft: PassageDraft, bytes_max: int) -> Passage | None:
    """Return the passage within its room, or None when its anchor does not fit.

    Room is spent on the anchor, the opening, then outward; a side ends where a message does not
    fit.
    """
    room = _Room(bytes_max - json_size(draft.frame))
    anchor = room.take(draft.anchor)
    if anchor is None:
        return None
    opening = None if draft.opening is None else room.take(draft.opening)
    sides: dict[bool, list[PassageMessage]] = {True: [], False: []}
    closed: set[bool] = set()
    for neighbour, is_before in draft.outward:
        message = None if is_before in closed else room.take(neighbour)
        if message is None:
            closed.add(is_before)
        else:
            sides[is_before].append(message)
    return replace(
        draft.frame,
        messages=(
            *([] if opening is None else [opening]),
            *reversed(sides[True]),
            anchor,
            *sides[False],
        ),
        has_more_before=draft.frame.has_more_before or True in closed,
        has_more_after=draft.frame.has_more_after or False in closed,
        truncated=room.is_short,
    )


class _Room:
    """Bytes that are left of a passage, and whether anything had to be left out for want of
    them.
    """

    def __init__(self, bytes_max: int) -> None:
        self._left = bytes_max
        self.is_short = False

    def take(self, draft: MessageDraft) -> PassageMessage | None:
        """Return a message cut to the room it gets; None when too little of it could be shown."""
        message = _within(draft, min(self._left, MESSAGE_BYTES_MAX))
        if message is None or draft.is_cut or len(message.text) < message.length:
            self.is_short = True
        if message is not None:
            self._left -= json_size(message) + len(",")
        return message


def materials_within(views: Iterable[Material], bytes_max: int) -> Iterator[Material]:
    """Yield materials that may leave, in order, as many as fit into ``bytes_max`` of JSON."""
    left = bytes_max
    for view in views:
        left -= json_size(view) + 1
        if left < 0:
            return
        yield view


def _draft(
    texts: TurnTexts,
    place_of_message: int,
    session_id: str,
    focus: Focus,
    offset: int | None = None,
) -> MessageDraft:
    message = texts.messages[place_of_message]
    runs = texts.redacted_runs(message)
    text = "".join(run.text for run in runs)
    shown_materials = [shown(material, session_id) for material in message.materials]
    materials = tuple(materials_within(shown_materials, MESSAGE_BYTES_MAX // 2))
    frame = PassageMessage(
        role=role_of(message),
        kind=message.kind,
        text="",
        at=None if message.at is None else text_from_instant(message.at),
        is_anchor=place_of_message == texts.anchor,
        trust=trust_of(message),
        offset=len(text),  # as many digits as an offset can have, until the room is measured
        length=len(text),
        materials=materials,
    )
    room = MESSAGE_BYTES_MAX - json_size(frame)
    place = None
    if offset is None:
        place = best_span(runs, focus.folded_terms, focus.weights, _REACH_CODE_POINTS)
    excerpt = excerpt_from(text, offset or 0, room) if place is None else _around(text, place, room)
    return MessageDraft(
        view=replace(frame, text=excerpt.text, offset=excerpt.offset),
        span=place
        and TextSpan(start=max(place.start - excerpt.offset, 0), end=place.end - excerpt.offset),
        is_cut=len(materials) < len(message.materials),
    )


def _around(text: str, place: TextSpan, room: int) -> Excerpt:
    return excerpt_around(text, place.start, min(place.end, len(text)), room)


def _within(draft: MessageDraft, room: int) -> PassageMessage | None:
    """Return the message cut to its room; None when too little of its text could be shown."""
    view = draft.view
    if json_size(view) <= room:
        return view
    text_room = room - json_size(replace(view, text="", offset=view.length))
    if text_room < EXCERPT_BYTES_MIN:
        return None
    if draft.span is None:
        excerpt = excerpt_from(view.text, 0, text_room)
    else:
        excerpt = _around(view.text, draft.span, text_room)
    return replace(view, text=excerpt.text, offset=view.offset + excerpt.offset)
