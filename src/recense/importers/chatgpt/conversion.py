"""Events from archived records of one ChatGPT conversation.

**Paths.** A node's messages carry its name, and each head chooses a path; what is off the path is
an abandoned branch: edited prompts, answers made anew. The path that counts is that of the newest
head, by the conversation's own instant, then by its newest message and its number of nodes: an
older export that is imported later does not turn the way back, and adds no title. Of two heads that
are equally new the one that was imported last counts.

**Ids.** An event's id derives from its node's name, a digest of what the node says and the part: a
message that an export caught half written is another one than the whole.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final, cast

import msgspec

from recense.core.ids import event_id
from recense.core.transcript.events import (
    Attachment,
    ConvertedEvent,
    InvocationOpened,
    Note,
    PathChosen,
    Payload,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import TITLE_BY_MODEL, ArchivedRecord, SessionFacts
from recense.core.transcript.remembering import forget_oldest
from recense.core.values import Value
from recense.importers.chatgpt.contents import (
    PROSE,
    STANDING_ORDERS,
    files_of,
    kind_of,
    words_of,
)
from recense.importers.chatgpt.reading import HEAD, NEWEST, NODES, PATH
from recense.importers.foreign_values import arguments_of, instant_of, size_of
from recense.importers.lines import identifier_of, list_of, mapping_of, text_of, title_of
from recense.limits import PATH_BYTES_REMEMBERED_MAX, TOOL_NODES_REMEMBERED_MAX
from recense.ports.sources import Conversion

SOURCE: Final = "chatgpt"

_TO_EVERYBODY: Final = frozenset({"", "all"})
_MODEL_CODE_POINTS_MAX: Final = 128


class _State(Value, kw_only=True, array_like=True):
    """What conversion remembers: how new the newest head was and its path (none where it is too
    long), whether nodes came after the last choice, whether there was a prompt, the last model, and
    for tool messages the call that they answer.
    """

    newness: tuple[int, int, int] | None = None
    path: tuple[str, ...] = ()
    has_unchosen: bool = False
    titled: bool = False
    model: str = ""
    calls: dict[str, str] = {}


_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_State)
_content_encoder: Final = msgspec.json.Encoder(order="sorted")


def convert(state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
    """Return the events and facts of the next records of one session."""
    converter = _Converter(_state_decoder.decode(state) if state else _State())
    for record in records:
        converter.take(record)
    return converter.conversion()


class _Converter:
    """Goes over records in order; what it must remember starts and ends as a `_State`."""

    def __init__(self, state: _State) -> None:
        self._newness = state.newness
        self._path = state.path
        self._has_unchosen = state.has_unchosen
        self._titled = state.titled
        self._model = state.model
        self._calls = dict(state.calls)
        self._events: list[ConvertedEvent] = []
        self._facts = SessionFacts()

    def conversion(self) -> Conversion:
        """Return what the records gave."""
        state = _State(
            newness=self._newness,
            path=self._path,
            has_unchosen=self._has_unchosen,
            titled=self._titled,
            model=self._model,
            calls=self._calls,
        )
        return Conversion(
            state=_state_encoder.encode(state), events=tuple(self._events), facts=self._facts
        )

    def take(self, archived: ArchivedRecord) -> None:
        """Add the events of the next record."""
        try:
            value = mapping_of(cast("object", msgspec.json.decode(archived.record)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        uuid = archived.uuid or ""
        if archived.type == HEAD:
            payloads = list(self._head(value))
            said: object = value
        else:
            message = mapping_of(value.get("message"))
            payloads = list(self._node(uuid, text_of(value.get("parent")), message))
            said = (message.get("author"), message.get("recipient"), message.get("content"))
        digest = blake2b(_content_encoder.encode(said), digest_size=8).hexdigest()
        self._events.extend(
            ConvertedEvent(
                event_id=event_id(SOURCE, f"{uuid}/{digest}", part),
                record_seq=archived.seq,
                at=archived.at,
                payload=payload,
            )
            for part, payload in enumerate(payloads)
        )

    # --- the conversation -------------------------------------------------------------------------

    def _head(self, head: dict[str, object]) -> Iterator[Payload]:
        """Choose the path of this head, or again that of the newest when this one is older."""
        newness = (
            instant_of(head.get("update_time")) or 0,
            size_of(head.get(NEWEST)),
            size_of(head.get(NODES)),
        )
        path = tuple(name for item in list_of(head.get(PATH)) if (name := identifier_of(item)))
        if self._newness is not None and newness < self._newness:
            path = self._path
        else:
            self._newness = newness
            self._learn(head)
        if path and (self._has_unchosen or path != self._path):
            yield PathChosen(nodes=path)
            self._has_unchosen = False
        is_short = sum(map(len, path)) + len(path) <= PATH_BYTES_REMEMBERED_MAX
        self._path = path if is_short else ()

    def _learn(self, head: dict[str, object]) -> None:
        title = title_of(head.get("title"))
        is_archived = head.get("is_archived")
        self._facts = SessionFacts(
            title=title or self._facts.title,
            title_rank=TITLE_BY_MODEL if title else self._facts.title_rank,
            shelved=is_archived if isinstance(is_archived, bool) else None,
        )

    # --- messages ---------------------------------------------------------------------------------

    def _node(self, node: str, parent: str, message: dict[str, object]) -> Iterator[Payload]:
        self._has_unchosen = True
        content = mapping_of(message.get("content"))
        metadata = mapping_of(message.get("metadata"))
        kind = kind_of(content)
        words = words_of(content)
        text = "\n".join(words)
        role = text_of(mapping_of(message.get("author")).get("role")).lower()
        if kind in STANDING_ORDERS or metadata.get("is_user_system_message") is True:
            yield from _note(text, node, boilerplate=True)
        elif kind in ("thoughts", "reasoning_recap"):
            yield from (Thinking(text=word) for word in words)
        elif role == "system":
            yield from _note(text, node, boilerplate=True)
        elif role == "tool":
            yield from self._result(node, parent, message, words)
        elif role == "assistant":
            yield from self._answer(node, message, text)
        elif role == "user" and kind in PROSE and not _is_hidden(message):
            yield from self._prompt(node, content, metadata, text)
        else:
            yield from _note(text, node)

    def _prompt(
        self, node: str, content: dict[str, object], metadata: dict[str, object], text: str
    ) -> Iterator[Payload]:
        if text and not self._titled:
            self._titled = True
            if self._facts.title is None:
                self._facts = SessionFacts(title=title_of(text), shelved=self._facts.shelved)
        if text:
            yield Text(role="user", text=text, message=node, node=node)
        yield from _attachments(content, metadata, node, message=node)

    def _answer(self, node: str, message: dict[str, object], text: str) -> Iterator[Payload]:
        content = mapping_of(message.get("content"))
        metadata = mapping_of(message.get("metadata"))
        model = text_of(metadata.get("model_slug"))[:_MODEL_CODE_POINTS_MAX]
        if model and model != self._model:
            self._model = model
            yield InvocationOpened(model=model)
        recipient = text_of(message.get("recipient"))
        if recipient not in _TO_EVERYBODY:
            yield ToolCall(call_id=node, name=recipient, arguments=arguments_of(text), node=node)
        elif _is_hidden(message) or kind_of(content) not in PROSE:
            yield from _note(text, node)
        elif text:
            yield Text(role="model", text=text, message=node, node=node)
        yield from _attachments(content, metadata, node, call_id=node)

    def _result(
        self, node: str, parent: str, message: dict[str, object], words: list[str]
    ) -> Iterator[Payload]:
        """A tool's answer to the call above it; between them may be other answers of the tool."""
        content = mapping_of(message.get("content"))
        metadata = mapping_of(message.get("metadata"))
        call_id = self._calls.get(parent, parent) or node
        self._calls[node] = call_id
        forget_oldest(self._calls, TOOL_NODES_REMEMBERED_MAX)
        files = list(_attachments(content, metadata, node, call_id=call_id))
        if words or files or not _is_hidden(message):
            yield ToolResult(
                call_id=call_id,
                content=words[0] if len(words) == 1 else words,
                failed=kind_of(content) == "system_error"
                or text_of(message.get("status")).startswith("failed"),
                node=node,
            )
        yield from files


def _is_hidden(message: dict[str, object]) -> bool:
    """Whether the service keeps a message from the person's eyes."""
    metadata = mapping_of(message.get("metadata"))
    weight = message.get("weight")
    return metadata.get("is_visually_hidden_from_conversation") is True or (
        isinstance(weight, int | float) and weight == 0
    )


def _note(text: str, node: str, *, boilerplate: bool = False) -> Iterable[Note]:
    return [Note(text=text, boilerplate=boilerplate, node=node)] if text else []


def _attachments(
    content: dict[str, object],
    metadata: dict[str, object],
    node: str,
    *,
    message: str | None = None,
    call_id: str | None = None,
) -> Iterator[Attachment]:
    for file in files_of(content, metadata):
        yield Attachment(
            name=file.name,
            media_type=file.media_type,
            bytes=file.bytes,
            message=message,
            call_id=call_id,
            node=node,
        )
