"""Exchange messages: the pieces in which a session is read for facts.

Laws:

- A piece is a message of the person, or one of the agent with its tool calls *and their results*:
  a call and its result are never apart. What the harness said is in none, and neither is what
  repeats an earlier answer of ours: a fact must not become evidence of itself.
- Its fingerprint is over exactly what a reader is shown of it. A title, an instant or a summary
  changes nothing; a result that arrives late changes the piece that holds its call, and no other.
- What a prefix of a session gives are the first pieces of the whole, but for such late results and
  for what a rewind takes out.
- Equal pieces are told apart by their occurrence: how many there are of them before.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Final, assert_never

from recense.core.extraction.views import Author, ViewMessage, ViewPart
from recense.core.recall.echo import is_echo
from recense.core.text.redact import redact
from recense.core.text.tokens import BYTES_PER_TOKEN
from recense.core.transcript.messages import Message, visible_text
from recense.core.values import Value
from recense.limits import VIEW_PARTS_MAX

_ENDS: Final = (
    (b"\n",),
    (b". ", b"! ", b"? ", "。".encode(), "！".encode(), "？".encode()),
    (b" ", b"\t", "\u3000".encode()),
)
"""What a window ends behind, the best first: a line, a sentence, a word. Cut in a word, a statement
would give a value that nobody said."""

_CONTINUATION_MASK: Final = 0xC0
_CONTINUATION: Final = 0x80


class Exchange(Value, kw_only=True):
    """A piece of a session. ``position`` is that of its first message, ``at`` the instant of it,
    ``turn`` its turn. ``fingerprint`` is 64 hexadecimal digits, ``size`` the bytes of its texts in
    UTF-8. ``is_open`` says that a call in it has no result yet.
    """

    position: int
    turn: str
    at: int | None
    parts: tuple[ViewPart, ...]
    fingerprint: str
    occurrence: int
    size: int
    is_open: bool

    @property
    def unit(self) -> tuple[str, int]:
        """What its coverage is kept by."""
        return self.fingerprint, self.occurrence


class Window(Value, kw_only=True):
    """The bytes from ``start`` up to ``end`` of an exchange, as they are shown."""

    start: int
    end: int
    message: ViewMessage


def exchanges_of(messages: Iterable[Message]) -> list[Exchange]:
    """Return the pieces of a session whose messages are given by position, in that order."""
    seen: Counter[str] = Counter()
    found: list[Exchange] = []
    for group in _grouped(messages):
        parts = tuple(_parts(group))
        if not parts:
            continue
        first = group[0]
        found.append(
            _exchange(
                parts,
                seen,
                position=first.position,
                turn=first.turn,
                at=first.at,
                is_open=_has_open_call(group),
            )
        )
    return found


def told_exchanges(parts: Iterable[ViewPart], at: int) -> list[Exchange]:
    """Return the pieces of a text that was told at an instant, by who says what in it, in order: a
    part of the person each, and what others say between two of them together.
    """
    groups: list[list[ViewPart]] = []
    for part in parts:
        if part.author == "user" or not groups or groups[-1][-1].author == "user":
            groups.append([])
        groups[-1].append(part)
    seen: Counter[str] = Counter()
    return [
        _exchange(tuple(group), seen, position=position, turn="", at=at, is_open=False)
        for position, group in enumerate(groups)
    ]


def tokens_of(size: int) -> int:
    """Return about how many tokens so many bytes are: see `recense.core.text.tokens`."""
    return -(-size // BYTES_PER_TOKEN)


def window(exchange: Exchange, start: int, bytes_max: int) -> Window:
    """Return as much of an exchange from a byte on as ``bytes_max`` and VIEW_PARTS_MAX parts hold:
    it ends after a line where one ends in its second half, else after a sentence, else after a
    word; never inside a character; and is never empty before the end: one character is shown though
    it is longer.
    """
    at = 0
    end = start
    parts: list[ViewPart] = []
    for part in exchange.parts:
        data = _data(part.text)
        begin = max(0, start - at)
        room = bytes_max - (end - start)
        if begin < len(data) and room > 0:
            stop = _cut(data, begin, begin + room)
            if parts and stop > begin + room:
                break
            parts.append(
                ViewPart(author=part.author, text=data[begin:stop].decode(), event_id=part.event_id)
            )
            end = at + stop
            if stop < len(data) or len(parts) == VIEW_PARTS_MAX:
                break
        at += len(data)
    return Window(start=start, end=end, message=ViewMessage(parts=tuple(parts), at=exchange.at))


def _exchange(
    parts: tuple[ViewPart, ...],
    seen: Counter[str],
    *,
    position: int,
    turn: str,
    at: int | None,
    is_open: bool,
) -> Exchange:
    """Return a piece of these parts; ``seen`` counts it."""
    fingerprint = _fingerprint(parts)
    seen[fingerprint] += 1
    return Exchange(
        position=position,
        turn=turn,
        at=at,
        parts=parts,
        fingerprint=fingerprint,
        occurrence=seen[fingerprint] - 1,
        size=sum(len(_data(part.text)) for part in parts),
        is_open=is_open,
    )


def _grouped(messages: Iterable[Message]) -> Iterator[list[Message]]:
    """Yield the messages of each piece, in the order in which the pieces begin."""
    groups: list[list[Message]] = []
    by_call: dict[str, list[Message]] = {}
    running: list[Message] | None = None  # the agent's piece that further calls belong to
    for message in messages:
        if message.flags:
            continue
        match message.kind:
            case "user":
                groups.append([message])
                running = None
            case "assistant":
                running = [message]
                groups.append(running)
            case "tool_call":
                if running is None or running[-1].kind == "tool_result":
                    running = []
                    groups.append(running)
                running.append(message)
                if message.call_id is not None:
                    by_call[message.call_id] = running
            case "tool_result":
                group = by_call.get(message.call_id or "")
                if group is None:
                    group = [] if running is None else running
                    if not group:
                        running = group
                        groups.append(group)
                group.append(message)
            case "summary" | "note":
                pass
            case _:
                assert_never(message.kind)
    yield from groups


def _parts(group: Sequence[Message]) -> Iterator[ViewPart]:
    for message in group:
        text = "" if is_echo(message) else redact(visible_text(message)).text
        if text.strip():
            yield ViewPart(author=_author(message), text=text, event_id=message.event_id)


def _author(message: Message) -> Author:
    if message.kind == "user" and message.by_person:
        return "user"
    return "tool" if message.kind == "tool_result" else "agent"


def _fingerprint(parts: Iterable[ViewPart]) -> str:
    digest = sha256()
    for part in parts:
        data = _data(part.text)
        digest.update(f"{part.author} {len(data)}\n".encode())
        digest.update(data)
    return digest.hexdigest()


def _has_open_call(group: Iterable[Message]) -> bool:
    calls = Counter(message.call_id for message in group if message.kind == "tool_call")
    answered = {message.call_id for message in group if message.kind == "tool_result"}
    return any(call not in answered for call in calls)


def _data(text: str) -> bytes:
    # A lone surrogate has no bytes of its own; what stands for it is as long wherever it is asked.
    return text.encode("utf-8", "replace")


def _cut(data: bytes, begin: int, stop: int) -> int:
    """Return where a window that begins at a byte ends, at ``stop`` or before."""
    if stop >= len(data):
        return len(data)
    middle = begin + (stop - begin) // 2
    for marks in _ENDS:
        ends = [at + len(mark) for mark in marks if (at := data.rfind(mark, middle, stop)) >= 0]
        if ends:
            return max(ends)
    end = stop
    while end > begin and data[end] & _CONTINUATION_MASK == _CONTINUATION:
        end -= 1
    if end > begin:
        return end
    end = stop  # not one character fits
    while end < len(data) and data[end] & _CONTINUATION_MASK == _CONTINUATION:
        end += 1
    return end
