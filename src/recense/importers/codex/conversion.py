"""Events from archived records of one Codex session.

**Twins.** What a person types and what a model answers is written twice: as a response item, which
the model saw or made, and as an event for the screen, in either order. The first of the two becomes
the message and the second gives no text. They are twins when they say the same and either have one
instant, or nothing that parts them lies between: an output of the model parts two prompts, a prompt
two answers. Each copy has one twin, so that words said twice stay two messages. Reasoning and tool
results are read from response items only.

**Rewinds.** A rollback undoes a number of turns. Here a prompt's parent is its own place; the first
prompt after a rollback takes the parent of the first prompt that was undone, as if it had been
typed there, and projection abandons what lies between.

**Forks.** A prompt that is edited after the fact begins a fork: another file, with the lines up to
there. Its headers, its own and those that came with copied lines, lead to the root of the family.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal, cast

import msgspec
from msgspec.structs import replace

from recense.core.ids import event_id
from recense.core.transcript.events import (
    Attachment,
    ConvertedEvent,
    Error,
    InvocationEnded,
    Note,
    Payload,
    Summary,
    Text,
    ToolCall,
)
from recense.core.transcript.records import (
    TITLE_BY_PERSON,
    TITLE_BY_PROMPT,
    ArchivedRecord,
    Origin,
    SessionFacts,
    session_id_of,
    title_replaces,
)
from recense.core.transcript.remembering import forget_oldest, stand_in
from recense.core.values import Value
from recense.importers.codex.headers import header_of
from recense.importers.codex.items import file_name, images_of, tool_payloads, words_of
from recense.importers.codex.prompts import parts_of
from recense.importers.codex.reading import session_id_of_header
from recense.importers.lines import folder_of, list_of, mapping_of, text_of, title_of
from recense.limits import FILES_NAMED_MAX, PROMPTS_ROLLED_BACK_MAX, TWINS_WAITING_MAX
from recense.ports.sources import Conversion

SOURCE: Final = "codex"

Channel = Literal["item", "event"]

_WORDS_BYTES: Final = 8

_PLAIN_ABORTS: Final = frozenset({"interrupted", "replaced", "review_ended"})
"""Reasons that say no more than that a turn was aborted."""

_OLD_FOLDER: Final = re.compile(
    r"<cwd>([^<>\n]{1,4096})</cwd>|Current working directory: ([^\n]{1,4096})"
)


class _Twin(Value, kw_only=True, array_like=True):
    """A text that waits for its second copy. ``epoch`` counts what may not lie between the two."""

    role: Literal["user", "model"]
    channel: Channel
    words: bytes
    epoch: int
    at: int | None
    position: int


class _ConversionState(Value, kw_only=True, array_like=True):
    """What conversion must know of the records before.

    ``outputs`` and ``turns`` count what a model put out and what people typed; ``prompts`` holds
    the places of the parents of prompts, oldest first; ``rewind_to`` is that of the next prompt.
    ``files`` are names of images by the calls that look at them; ``root`` is the session that this
    one is a fork of, as far as headers have led.
    """

    session: str = ""
    workspace: str = ""
    is_of_an_agent: bool = False
    titled: bool = False
    outputs: int = 0
    turns: int = 0
    twins: tuple[_Twin, ...] = ()
    prompts: tuple[int, ...] = ()
    rewind_to: int | None = None
    files: dict[bytes, str] = {}
    root: str = ""


_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_ConversionState)


def convert(state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
    """Return the events and facts of the next records of one session."""
    return _Converter(_state_decoder.decode(state) if state else _ConversionState()).over(records)


class _Converter:
    """Goes over records in order; what it must remember starts and ends as a `_ConversionState`."""

    def __init__(self, state: _ConversionState) -> None:
        self._session = state.session
        self._workspace = state.workspace
        self._is_of_an_agent = state.is_of_an_agent
        self._titled = state.titled
        self._outputs = state.outputs
        self._turns = state.turns
        self._twins = list(state.twins)
        self._prompts = list(state.prompts)
        self._rewind_to = state.rewind_to
        self._files = dict(state.files)
        self._root = state.root
        self._events: list[ConvertedEvent] = []
        self._facts_workspace: str | None = None
        self._title: str | None = None
        self._title_rank = TITLE_BY_PROMPT
        self._origin: Origin | None = None
        self._parent: str | None = None
        self._revision_root: str | None = None
        self._shelved: bool | None = None

    def over(self, records: Sequence[ArchivedRecord]) -> Conversion:
        """Return what the next records give."""
        for record in records:
            self._take(record)
        state = _ConversionState(
            session=self._session,
            workspace=self._workspace,
            is_of_an_agent=self._is_of_an_agent,
            titled=self._titled,
            outputs=self._outputs,
            turns=self._turns,
            twins=tuple(self._twins),
            prompts=tuple(self._prompts),
            rewind_to=self._rewind_to,
            files=self._files,
            root=self._root,
        )
        return Conversion(
            state=_state_encoder.encode(state),
            events=tuple(self._events),
            facts=SessionFacts(
                workspace=self._facts_workspace,
                title=self._title,
                title_rank=self._title_rank,
                origin=self._origin,
                parent_session_id=self._parent,
                revision_root=self._revision_root,
                shelved=self._shelved,
            ),
        )

    def _take(self, archived: ArchivedRecord) -> None:
        """Convert one record; one that is no JSON object gives nothing."""
        try:
            record = mapping_of(cast("object", msgspec.json.decode(archived.record)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        self._events.extend(
            ConvertedEvent(
                event_id=event_id(SOURCE, self._place(archived.position), part),
                record_seq=archived.seq,
                at=archived.at,
                payload=payload,
            )
            for part, payload in enumerate(self._payloads(record, archived))
        )

    def _place(self, position: int) -> str:
        """Return what names a record, and a message by its record, in this session."""
        return f"{self._session}#{position}"

    def _payloads(self, record: dict[str, object], archived: ArchivedRecord) -> Iterable[Payload]:
        payload = mapping_of(record.get("payload"))
        match record.get("type"):
            case "session_meta":
                self._meta(payload, session_id_of_header(record))
            case "turn_context":
                self._enter_folder(payload.get("cwd"))
            case "recense-shelved":
                self._shelved = True
            case "compacted":
                text = text_of(payload.get("message"))
                return [Summary(text=text)] if text.strip() else []
            case "event_msg":
                return self._event(payload, archived)
            case "response_item":
                return self._item(payload, archived)
            case None:
                self._session = self._session or session_id_of_header(record) or ""
            case _:
                return self._item(record, archived)
        return ()

    # --- the session ------------------------------------------------------------------------------

    def _meta(self, meta: dict[str, object], session: str | None) -> None:
        """The header: the first one is the session's own, later ones came with copied lines."""
        header = header_of(meta)
        is_own = not self._session
        if is_own:
            self._session = session or ""
            self._enter_folder(meta.get("cwd"))
            self._origin = header.origin
            self._is_of_an_agent = header.origin == "subagent"
            if header.parent is not None:
                self._parent = session_id_of(SOURCE, header.parent)
        if header.forked_from is not None and (is_own or session == self._root):
            self._root = header.forked_from
            self._revision_root = session_id_of(SOURCE, header.forked_from)

    def _enter_folder(self, folder: object) -> None:
        path = folder_of(folder)
        if path is not None and path != self._workspace:
            self._workspace = self._facts_workspace = path

    def _offer_title(self, title: str, rank: int) -> None:
        if title and (self._title is None or title_replaces(rank, self._title_rank)):
            self._title = title
            self._title_rank = rank

    # --- response items ---------------------------------------------------------------------------

    def _item(self, item: dict[str, object], archived: ArchivedRecord) -> Iterator[Payload]:
        match item.get("type"):
            case "message":
                yield from self._message(item, archived)
            case "agent_message":
                text = "\n".join(words_of(item.get("content")))
                if text.strip():
                    key = self._place(archived.position)
                    yield Text(role="user", text=text, standing="agent", message=key)
            case _:
                self._outputs += 1
                for payload in tool_payloads(item, self._place(archived.position)):
                    yield self._with_name(payload)

    def _with_name(self, payload: Payload) -> Payload:
        """Return the payload; an image that a call looked at has the name that the call gave."""
        match payload:
            case ToolCall(name="view_image", arguments=arguments):
                name = file_name(text_of(mapping_of(arguments).get("path")))
                self._files[stand_in(payload.call_id, _WORDS_BYTES)] = name
                forget_oldest(self._files, FILES_NAMED_MAX)
            case Attachment(name="", call_id=str() as call_id):
                name = self._files.get(stand_in(call_id, _WORDS_BYTES), "")
                return replace(payload, name=name)
            case _:
                pass
        return payload

    def _message(self, item: dict[str, object], archived: ArchivedRecord) -> Iterator[Payload]:
        content = item.get("content")
        match item.get("role"):
            case "user":
                yield from self._people(words_of(content), "item", archived, content)
            case "assistant":
                yield from self._answer("\n".join(words_of(content)), "item", archived)
            case _:  # what the harness tells the model to be
                text = "\n".join(words_of(content))
                if text.strip():
                    yield Note(text=text, boilerplate=True)

    def _people(
        self, texts: list[str], channel: Channel, archived: ArchivedRecord, content: object = None
    ) -> Iterator[Payload]:
        """User text from either channel: the harness's parts as they are, the person's once."""
        typed: list[str] = []
        for text in texts:
            for words, standing in parts_of(text):
                if standing == "typed":
                    typed.append(words)
                    continue
                if not self._workspace and (folder := _OLD_FOLDER.search(words)):
                    self._enter_folder((folder.group(1) or folder.group(2)).strip())
                yield Text(role="user", text=words, standing=standing)
        position = archived.position
        if typed:
            words = "\n".join(typed)
            first = self._first_copy("user", channel, words, self._outputs, archived)
            if first is None:
                yield self._prompt(words, position)
            else:
                position = first
        yield from images_of(content, message=self._place(position))

    def _prompt(self, words: str, position: int) -> Text:
        self._turns += 1
        if not self._titled:
            self._titled = True
            self._offer_title(title_of(words), TITLE_BY_PROMPT)
        parent = position if self._rewind_to is None else self._rewind_to
        self._rewind_to = None
        self._prompts = [*self._prompts, parent][-PROMPTS_ROLLED_BACK_MAX:]
        return Text(
            role="user",
            text=words,
            standing="agent" if self._is_of_an_agent else "typed",
            message=self._place(position),
            parent=self._place(parent),
        )

    def _answer(self, text: str, channel: Channel, archived: ArchivedRecord) -> Iterator[Payload]:
        if not text.strip():
            return
        if self._first_copy("model", channel, text, self._turns, archived) is None:
            self._outputs += 1
            yield Text(role="model", text=text, message=self._place(archived.position))

    def _first_copy(
        self,
        role: Literal["user", "model"],
        channel: Channel,
        text: str,
        epoch: int,
        archived: ArchivedRecord,
    ) -> int | None:
        """Return the place of the first copy of a text, or None when this is the first copy."""
        words = stand_in("".join(text.split()), _WORDS_BYTES)
        for index, twin in enumerate(self._twins):
            if (
                (twin.role, twin.words) == (role, words)
                and twin.channel != channel
                and (twin.epoch == epoch or (twin.at is not None and twin.at == archived.at))
            ):
                del self._twins[index]
                return twin.position
        twin = _Twin(
            role=role,
            channel=channel,
            words=words,
            epoch=epoch,
            at=archived.at,
            position=archived.position,
        )
        self._twins = [*self._twins, twin][-TWINS_WAITING_MAX:]
        return None

    # --- events for the screen --------------------------------------------------------------------

    def _event(self, event: dict[str, object], archived: ArchivedRecord) -> Iterator[Payload]:
        match event.get("type"):
            case "user_message":
                texts = [text_of(event.get("message"))]
                yield from self._people(texts, "event", archived)
            case "agent_message":
                yield from self._answer(text_of(event.get("message")), "event", archived)
            case "error":
                error = mapping_of(event.get("error"))
                text = text_of(event.get("message")) or text_of(error.get("message"))
                if text.strip():
                    yield Error(text=text)
            case "turn_aborted":
                reason = text_of(event.get("reason"))
                cause = None if reason in _PLAIN_ABORTS else reason or None
                yield InvocationEnded(status="aborted", cause=cause)
            case "thread_rolled_back":
                self._roll_back(event.get("num_turns"))
            case "thread_name_updated":
                self._offer_title(title_of(event.get("thread_name")), TITLE_BY_PERSON)
            case "entered_review_mode":
                yield from _note(event.get("user_facing_hint"))
            case "exited_review_mode":
                yield from _note(_review(mapping_of(event.get("review_output"))))
            case _:
                pass

    def _roll_back(self, turns: object) -> None:
        if isinstance(turns, int) and turns > 0 and self._prompts:
            undone = self._prompts[-turns:]
            del self._prompts[-turns:]
            self._rewind_to = undone[0]


def _note(text: object) -> Iterator[Note]:
    if text_of(text).strip():
        yield Note(text=text_of(text))


def _review(output: dict[str, object]) -> str:
    """Return what a review found, as text."""
    lines = [text_of(output.get("overall_explanation"))]
    for item in list_of(output.get("findings")):
        finding = mapping_of(item)
        lines += [text_of(finding.get("title")), text_of(finding.get("body"))]
    return "\n".join(line for line in lines if line.strip())
