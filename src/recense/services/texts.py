"""Texts: the messages of found hits, from the index where it vouches, else from the whole session.

Law: what is shown of a message is the same either way: an indexed message is put together from its
own events, and redacted like any other unless the index says that redacting it changes nothing. An
event that is not what it was when it was indexed is an error (StoreCorrupt), never a shorter text.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile

from msgspec.structs import replace

from recense.core.recall.passages import NEIGHBOURS
from recense.core.recall.predicate import redacted_runs
from recense.core.transcript.messages import Flag, LoadedSession, Message, Run
from recense.core.transcript.records import Session
from recense.core.transcript.visible import image
from recense.core.values import Value
from recense.errors import NotFound, StoreCorrupt
from recense.ports.index import IndexedMessages, MessageImage, VouchedSession
from recense.ports.transcripts import TranscriptReader
from recense.services.conversion import Load
from recense.services.rebuilding import rebuilt

IsVisible = Callable[[Message], bool]


class TurnTexts(Value, kw_only=True):
    """Messages of one turn by position, enough of them for a passage, and where the anchor is among
    them. ``clean`` are the positions of those that redaction does not change.
    """

    session: Session
    messages: Sequence[Message]
    anchor: int
    clean: frozenset[int] = frozenset()

    def redacted_runs(self, message: Message) -> tuple[Run, ...]:
        """Return the runs of one of the messages after redacting its visible text whole."""
        return message.runs if message.position in self.clean else redacted_runs(message)


class Texts:
    """The messages of one snapshot. A session that has to be loaded is kept until another one is
    asked for: ask session by session.
    """

    def __init__(self, reader: TranscriptReader, load: Load, index: IndexedMessages | None) -> None:
        self._reader = reader
        self._load = load
        self._index = index
        self._loaded: LoadedSession | None = None
        self._vouched: dict[str, VouchedSession | None] = {}

    def session(self, session_id: str) -> Session:
        """Return the row of a session, with what conversion in memory knows of it. Raises NotFound
        for one that is not there.
        """
        vouched = self._vouched_session(session_id)
        return self._session(session_id).session if vouched is None else vouched.session

    def position_of(self, session_id: str, event_id: str) -> int | None:
        """Return the position of the message that an event opened, or None."""
        vouched = self._vouched_session(session_id)
        if self._index is not None and vouched is not None:
            found = self._index.of_event(vouched.number, event_id)
            return None if found is None else found.position
        for message in self._session(session_id).transcript.messages:
            if message.event_id == event_id:
                return message.position
        return None

    def last_turn(self, session_id: str) -> str | None:
        """Return the turn of the last message of a session; None where it has none."""
        vouched = self._vouched_session(session_id)
        if self._index is not None and vouched is not None:
            last = next(self._index.before(vouched.number, _BEYOND), None)
            return None if last is None else last.turn
        messages = self._session(session_id).transcript.messages
        return messages[-1].turn if messages else None

    def around(
        self, session_id: str, position: int, before: int, after: int, is_visible: IsVisible
    ) -> TurnTexts:
        """Return a message and what is visible around it in its turn: at least one more on each
        side than is asked for where there is one, and the message that opened the turn.
        """
        vouched = self._vouched_session(session_id)
        if self._index is None or vouched is None:
            loaded = self._session(session_id)
            messages = loaded.transcript.messages
            return TurnTexts(session=loaded.session, messages=messages, anchor=position)
        anchor = self._at(vouched, position)
        rows = [
            *reversed(self._neighbours(vouched, anchor, before, is_visible, is_before=True)),
            anchor,
            *self._neighbours(vouched, anchor, after, is_visible, is_before=False),
        ]
        return TurnTexts(
            session=vouched.session,
            messages=[self._message(vouched, row) for row in rows],
            anchor=rows.index(anchor),
            clean=frozenset(
                row.position
                for row in rows
                if row.redacted is None and vouched.is_redaction_current
            ),
        )

    def message(self, session_id: str, position: int) -> Message:
        """Return a message, without its thinking."""
        vouched = self._vouched_session(session_id)
        if vouched is None:
            return self._session(session_id).transcript.messages[position]
        return self._message(vouched, self._at(vouched, position))

    def with_materials(self, session_id: str, turn: str) -> list[Message]:
        """Return the messages of a turn that have materials, by position."""
        vouched = self._vouched_session(session_id)
        if self._index is not None and vouched is not None:
            rows = self._index.with_materials(vouched.number, turn)
            return [self._message(vouched, row) for row in rows]
        messages = self._session(session_id).transcript.messages
        return [each for each in messages if each.turn == turn and each.materials]

    def identities_of_turn(self, session_id: str, turn: str) -> frozenset[bytes]:
        """Return the identities of the messages of a turn; none where there is no such turn."""
        vouched = self._vouched_session(session_id)
        of_turn: Iterable[Message | MessageImage]
        if self._index is None or vouched is None:
            messages = self._session(session_id).transcript.messages
            of_turn = (each for each in messages if each.turn == turn)
        else:
            opening = self._index.of_event(vouched.number, turn)
            if opening is None or opening.turn != turn:
                return frozenset()
            rest = self._index.after(vouched.number, opening.position)
            of_turn = (opening, *self._same_turn(turn, rest))
        return frozenset(each.identity for each in of_turn if each.identity is not None)

    def redacted_image(self, session_id: str, position: int) -> str:
        """Return the redacted image of a message."""
        vouched = self._vouched_session(session_id)
        if vouched is None:
            message = self._session(session_id).transcript.messages[position]
            return image(redacted_runs(message))
        row = self._at(vouched, position)
        if not vouched.is_redaction_current:
            return image(redacted_runs(self._message(vouched, row)))
        return (row.image if row.redacted is None else row.redacted).decode()

    def _neighbours(
        self,
        vouched: VouchedSession,
        anchor: MessageImage,
        count: int,
        is_visible: IsVisible,
        *,
        is_before: bool,
    ) -> list[MessageImage]:
        """Return one more of the visible neighbours on a side than asked for, the nearest first;
        before the anchor also the opening of the turn.
        """
        if self._index is None:
            return []
        side = self._index.before if is_before else self._index.after
        found: list[MessageImage] = []
        opening: MessageImage | None = None
        for row in self._same_turn(anchor.turn, side(vouched.number, anchor.position)):
            if row.live and row.kind in NEIGHBOURS and is_visible(_placed(row)):
                found.append(row)
                if len(found) > count:
                    break
        if is_before and count and len(found) > count:
            opening = self._index.of_event(vouched.number, anchor.turn)
        if opening is not None and opening not in found and opening.live:
            found.append(opening)
        return found

    def _same_turn(self, turn: str, rows: Iterator[MessageImage]) -> Iterator[MessageImage]:
        """Yield rows up to the first of another turn: the messages of a turn are neighbours."""
        return takewhile(lambda row: row.turn == turn, rows)

    def _message(self, vouched: VouchedSession, row: MessageImage) -> Message:
        """Return an indexed message as its session has it, but for its thinking."""
        ordinals = (row.ordinal, *row.more_ordinals)
        message = rebuilt(self._reader.events_at(vouched.session.session_id, ordinals))
        return replace(
            message,
            position=row.position,
            ordinal=row.ordinal,
            turn=row.turn,
            flags=_flags(row),
        )

    def _at(self, vouched: VouchedSession, position: int) -> MessageImage:
        found = None if self._index is None else self._index.at(vouched.number, position)
        if found is None:
            raise StoreCorrupt(
                f"the message index lacks message {position} of {vouched.session.session_id!r}",
                hint="make it anew: recense index --anew",
            )
        return found

    def _vouched_session(self, session_id: str) -> VouchedSession | None:
        if self._index is None:
            return None
        if session_id not in self._vouched:
            self._vouched[session_id] = self._index.vouched(session_id)
        return self._vouched[session_id]

    def _session(self, session_id: str) -> LoadedSession:
        if self._loaded is None or self._loaded.session.session_id != session_id:
            row = self._reader.session(session_id)
            if row is None:
                raise NotFound(f"no session {session_id!r}", hint="list the sessions again")
            self._loaded = self._load(self._reader, row)
        return self._loaded


_BEYOND = 2**62
"""A position after every message."""


def _placed(row: MessageImage) -> Message:
    """Return a message without text at the place of a row: whether it is seen hangs on no more."""
    return Message(
        position=row.position,
        event_id="",
        ordinal=row.ordinal,
        turn=row.turn,
        kind=row.kind,
        at=row.at,
        runs=(),
        identity=row.identity,
        flags=_flags(row),
    )


def _flags(row: MessageImage) -> frozenset[Flag]:
    """Return flags by which a message that is not live is left out; which ones is not kept."""
    return frozenset() if row.live else frozenset({"abandoned"})
