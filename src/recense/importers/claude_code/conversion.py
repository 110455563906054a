"""Events from archived records of one Claude Code session.

**Ids.** An event's id derives from its record's uuid, a digest of what the record says, and the
part. The digest is there because the tool has handed out one uuid with two different messages: both
must live, whichever was imported first. It covers the content alone, as the archive keeps it, so
that a copy in a forked or resumed session has the ids of its original. A record without a uuid is
named by its session and place.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Final

import msgspec

from recense.core.ids import event_id
from recense.core.transcript.events import (
    Attachment,
    ConvertedEvent,
    Error,
    Note,
    Payload,
    Standing,
    Summary,
    Text,
)
from recense.core.transcript.records import ArchivedRecord, SessionFacts
from recense.importers.claude_code.blocks import attachment_of, model_payloads, result_payloads
from recense.importers.claude_code.prompts import PromptPart, parts_of
from recense.importers.claude_code.titles import BY_MODEL, BY_PERSON, TitleFinder, TitleState
from recense.importers.lines import folder_of, list_of, mapping_of, text_of
from recense.ports.sources import Conversion

SOURCE: Final = "claude_code"

_CONTINUED: Final = "This session is being continued from a previous conversation"
"""How a compaction's text begins, in releases that did not mark it yet."""

_NO_ANSWER: Final = "No response requested."
"""What the client writes itself where no model was asked."""

_HEADLESS: Final = frozenset({"print", "mcp", "claude-code-github-action"})
"""Entrypoints without a terminal, beside all that begin with ``sdk``."""

_BOUNDARIES: Final = frozenset({"compact_boundary", "microcompact_boundary"})
_FAILURES: Final = frozenset({"api_error", "api_refusal", "error", "model_refusal_fallback"})
_NOTHING_SAID: Final = frozenset({"", "{}"})
"""What a hook prints that has nothing to say."""

_HOOK_RUNS: Final = "Running "


class _Record(msgspec.Struct, rename="camel"):
    """The fields that conversion reads; all others are passed over undecoded."""

    type: object = None
    subtype: object = None
    parent_uuid: object = None
    session_id: object = None
    agent_id: object = None
    is_sidechain: object = None
    is_meta: object = None
    is_compact_summary: object = None
    is_visible_in_transcript_only: object = None
    is_api_error_message: object = None
    cwd: object = None
    entrypoint: object = None
    message: object = None
    content: object = None
    attachment: object = None
    plan_content: object = None
    error: object = None
    api_refusal_explanation: object = None
    hook_errors: object = None
    source_tool_use_id: object = msgspec.field(name="sourceToolUseID", default=None)
    summary: object = None
    leaf_uuid: object = None
    custom_title: object = None
    ai_title: object = None
    agent_name: object = None


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """What conversion remembers from page to page: what finds the title, the place of the last
    record, and how many files the session's records came from before this one.
    """

    titles: TitleState = TitleState()
    position: int = -1
    files_before: int = 0


_decoder: Final = msgspec.json.Decoder(_Record)
_content_encoder: Final = msgspec.json.Encoder(order="sorted")
_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_State)


def convert(state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
    """Return the events and facts of the next records of one session."""
    converter = _Converter(_state_decoder.decode(state) if state else _State())
    for record in records:
        converter.take(record)
    return converter.conversion()


class _Converter:
    """Goes over the records of a page in order."""

    def __init__(self, state: _State) -> None:
        self._titles = TitleFinder(state.titles)
        self._position = state.position
        self._files_before = state.files_before
        self._events: list[ConvertedEvent] = []
        self._workspace: str | None = None
        self._is_headless = False

    def conversion(self) -> Conversion:
        """Return what the records so far have given."""
        return Conversion(
            state=_state_encoder.encode(
                _State(
                    titles=self._titles.state(),
                    position=self._position,
                    files_before=self._files_before,
                )
            ),
            events=tuple(self._events),
            facts=SessionFacts(
                workspace=self._workspace,
                title=self._titles.title,
                title_rank=self._titles.rank,
                origin="headless" if self._is_headless else None,
            ),
        )

    def take(self, archived: ArchivedRecord) -> None:
        """Convert one record; one that is no JSON object gives nothing."""
        self._files_before += archived.position <= self._position
        self._position = archived.position
        try:
            record = _decoder.decode(archived.record)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return
        self._note_session(record, archived)
        payloads = list(self._payloads(record, archived))
        if not payloads:
            return
        name = _name_of(record, archived)
        self._events.extend(
            ConvertedEvent(
                event_id=event_id(SOURCE, name, part),
                record_seq=archived.seq,
                at=archived.at,
                payload=payload,
            )
            for part, payload in enumerate(payloads)
        )

    def _payloads(self, record: _Record, archived: ArchivedRecord) -> Iterable[Payload]:
        match record.type:
            case "user":
                return self._user(record, archived)
            case "assistant":
                return self._assistant(record, archived)
            case "system":
                return self._system(record, archived)
            case "attachment":
                return self._attachment(record)
            case "queue-operation":
                return self._queued(record.content)
            case "summary":
                self._titles.saw_summary(text_of(record.leaf_uuid), text_of(record.summary))
            case "custom-title":
                self._titles.offer(text_of(record.custom_title), BY_PERSON)
            case "ai-title":
                self._titles.offer(text_of(record.ai_title), BY_MODEL)
            case "agent-name":
                self._titles.offer(text_of(record.agent_name), BY_MODEL)
            case _:
                pass  # a later release's kind: nothing that this one can read
        return ()

    # --- people -----------------------------------------------------------------------------------

    def _user(self, record: _Record, archived: ArchivedRecord) -> Iterator[Payload]:
        said: list[str] = []
        files: list[Attachment] = []
        for block in _blocks_of(mapping_of(record.message).get("content")):
            match block.get("type"):
                case "text":
                    text = text_of(block.get("text"))
                    said.append(text)
                    yield from self._user_text(text, record, archived)
                case "image" | "document":
                    if record.is_meta is True:  # what a tool read, shown to the model
                        call_id = text_of(record.source_tool_use_id) or _name_of(record, archived)
                        files.append(attachment_of(block, call_id=call_id))
                    else:
                        files.append(attachment_of(block, message=_name_of(record, archived)))
                case "tool_result":
                    yield from result_payloads(block)
                case _:
                    pass
        yield from files
        plan = text_of(record.plan_content)
        if plan.strip() and not any(plan.strip() in text for text in said):
            yield Note(text=plan)

    def _user_text(self, text: str, record: _Record, archived: ArchivedRecord) -> Iterator[Payload]:
        if record.is_compact_summary is True or text.startswith(_CONTINUED):
            if text.strip():
                yield Summary(text=text)
            return
        is_injected = record.is_meta is True or record.is_visible_in_transcript_only is True
        for part in parts_of(text, is_injected=is_injected):
            yield self._text(part, record, archived)

    def _text(self, part: PromptPart, record: _Record, archived: ArchivedRecord) -> Text:
        standing: Standing = part.standing
        if standing == "typed" and _is_of_an_agent(record):
            standing = "agent"
        if standing in ("typed", "agent"):
            self._titles.saw_prompt(part.text)
            # Commands typed one after another share a parent that they all hang on, and no rewind.
            parent = "" if part.is_command else text_of(record.parent_uuid)
            return Text(
                role="user",
                text=part.text,
                standing=standing,
                message=_name_of(record, archived),
                parent=self._in_this_file(parent) if parent else None,
            )
        if part.is_local_output:
            self._titles.saw_local_answer()
        return Text(role="user", text=part.text, standing=standing)

    def _in_this_file(self, name: str) -> str:
        """Return a name that holds within this file: ids have been handed out twice, and in another
        file the same one may be another record's.
        """
        return f"{name}#{self._files_before}" if self._files_before else name

    def _queued(self, content: object) -> Iterator[Payload]:
        """A prompt written while the agent was busy. What the harness queues comes again when it is
        taken up, as do images; what a person queues may not.
        """
        for block in _blocks_of(content):
            for part in parts_of(text_of(block.get("text"))):
                if part.standing == "typed":
                    yield Text(role="user", text=part.text, standing="queued")

    # --- the model --------------------------------------------------------------------------------

    def _assistant(self, record: _Record, archived: ArchivedRecord) -> Iterator[Payload]:
        message = mapping_of(record.message)
        blocks = _blocks_of(message.get("content"))
        if record.is_api_error_message is True or message.get("model") == "<synthetic>":
            for block in blocks:
                text = text_of(block.get("text"))
                if text.strip() == _NO_ANSWER:
                    yield Note(text=text, boilerplate=True)
                elif text.strip():
                    yield Error(text=text)
            return
        self._titles.saw_model()
        reply = text_of(message.get("id"))
        key = self._in_this_file(reply) if reply else _name_of(record, archived)
        for block in blocks:
            yield from model_payloads(block, key)

    # --- the harness ------------------------------------------------------------------------------

    def _system(self, record: _Record, archived: ArchivedRecord) -> Iterator[Payload]:
        content = text_of(record.content)
        subtype = text_of(record.subtype)
        if subtype in _BOUNDARIES:
            yield Note(text=content, boilerplate=True)
        elif subtype in _FAILURES:
            yield from _failure(record, content)
        elif subtype == "stop_hook_summary":
            errors = [text_of(error) for error in list_of(record.hook_errors)]
            if any(errors):
                yield Note(text="\n".join(error for error in errors if error))
        elif subtype == "local_command":
            yield from self._user_text(content, record, archived)
        elif content.strip():
            yield Note(text=content, boilerplate=content.startswith(_HOOK_RUNS))

    def _attachment(self, record: _Record) -> Iterator[Payload]:
        attachment = mapping_of(record.attachment)
        if attachment.get("type") == "queued_command":
            yield from self._queued(attachment.get("prompt"))
            return
        text = _hook_text(attachment)
        if text.strip() not in _NOTHING_SAID:
            yield Note(text=text)

    # --- the session ------------------------------------------------------------------------------

    def _note_session(self, record: _Record, archived: ArchivedRecord) -> None:
        if self._workspace is None:
            self._workspace = folder_of(record.cwd)
        entrypoint = text_of(record.entrypoint)
        if entrypoint and not _is_of_an_agent(record):
            self._is_headless |= entrypoint in _HEADLESS or entrypoint.startswith("sdk")
        if archived.uuid is not None:
            self._titles.saw_record(archived.uuid)


def _name_of(record: _Record, archived: ArchivedRecord) -> str:
    """Return what names a record in the ids of its events; see the top of this file."""
    if archived.uuid is None:
        return f"{text_of(record.session_id)}#{archived.position}"
    message = mapping_of(record.message)
    said = message.get("content") if message else record.content or record.attachment
    digest = blake2b(_content_encoder.encode((record.type, said)), digest_size=8)
    return f"{archived.uuid}/{digest.hexdigest()}"


def _blocks_of(content: object) -> list[dict[str, object]]:
    """Return a message's content as blocks; a bare text is one block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [mapping_of(block) for block in list_of(content)]


def _is_of_an_agent(record: _Record) -> bool:
    return record.is_sidechain is True or bool(text_of(record.agent_id))


def _failure(record: _Record, content: str) -> Iterator[Payload]:
    """An error of the service, by the most telling of the words that came with it."""
    error = mapping_of(record.error)
    inner = mapping_of(mapping_of(error.get("error")).get("error"))
    for words in (
        error.get("formatted"),
        error.get("message"),
        inner.get("message"),
        record.api_refusal_explanation,
        record.error,
        content,
    ):
        text = text_of(words)
        if text.strip():
            yield Error(text=text)
            return


def _hook_text(attachment: dict[str, object]) -> str:
    """Return what a hook said: to the model where it did, else on its outputs."""
    blocking = mapping_of(attachment.get("blockingError"))
    content = attachment.get("content")
    lines = [text_of(line) for line in list_of(content)]
    return (
        text_of(content)
        or "\n".join(line for line in lines if line)
        or text_of(blocking.get("blockingError"))
        or text_of(attachment.get("stdout"))
        or text_of(attachment.get("stderr"))
    )
