"""Events from archived records of one Claude Code session.

**Ids.** An event's id derives from its record's uuid, a digest of what the record says, and the
part. The digest is there because the tool has handed out one uuid with two different messages: both
must live, whichever was imported first. It covers the content alone, as the archive keeps it, so
that a copy in a forked or resumed session has the ids of its original. A record without a uuid is
named by its session and place, the body of a spilled output by its uuid and call.

**Materials.** Images and documents of a record belong to its message or to its tool's result. Files
that stand in records of their own belong to the prompt before them while no model has answered it;
later ones are the harness's, and no person's turn begins with them.
"""

from collections.abc import Iterable, Iterator, Sequence
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
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import (
    TITLE_BY_MODEL,
    TITLE_BY_PERSON,
    ArchivedRecord,
    SessionFacts,
)
from recense.importers.claude_code.blocks import model_payloads, result_payloads
from recense.importers.claude_code.harness import failure_of, hook_text
from recense.importers.claude_code.materials import (
    FILE_ATTACHMENTS,
    attached_file,
    attachment_of,
)
from recense.importers.claude_code.prompts import PromptPart, parts_of
from recense.importers.claude_code.record import (
    ClaudeRecord,
    blocks_of,
    decoded,
    is_of_an_agent,
    name_of,
)
from recense.importers.claude_code.remembered import Remembered, RememberedState
from recense.importers.claude_code.spilled import SPILLED_OUTPUT
from recense.importers.claude_code.titles import TitleFinder, TitleState
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


class _State(msgspec.Struct, frozen=True, kw_only=True):
    """What conversion remembers from page to page: what finds the title, the place and the uuid of
    the last record, how many files the session's records came from before this one, and what later
    records go back to.
    """

    titles: TitleState = TitleState()
    position: int = -1
    last: str = ""
    files_before: int = 0
    remembered: RememberedState = RememberedState()


_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_State)


def convert(state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
    """Return the events and facts of the next records of one session."""
    return _Converter(_state_decoder.decode(state) if state else _State()).over(records)


class _Converter:
    """Goes over the records of a page in order."""

    def __init__(self, state: _State) -> None:
        self._titles = TitleFinder(state.titles)
        self._position = state.position
        self._last = state.last
        self._files_before = state.files_before
        self._remembered = Remembered(state.remembered)
        self._name = ""  # of the record at hand, once it was asked for
        self._events: list[ConvertedEvent] = []
        self._workspace: str | None = None
        self._is_headless = False

    def over(self, records: Iterable[ArchivedRecord]) -> Conversion:
        """Return what the next records give."""
        for record in records:
            self._take(record)
        return Conversion(
            state=_state_encoder.encode(
                _State(
                    titles=self._titles.state(),
                    position=self._position,
                    last=self._last,
                    files_before=self._files_before,
                    remembered=self._remembered.state(),
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

    def _take(self, archived: ArchivedRecord) -> None:
        """Convert one record; one that is no JSON object gives nothing."""
        self._arrive_at(archived)
        record = decoded(archived)
        if record is None:
            return
        self._note_session(record, archived)
        payloads = list(self._payloads(record, archived))
        if archived.uuid is not None and archived.type != SPILLED_OUTPUT:
            self._last = archived.uuid
        if not payloads:
            return
        name = self._name_of(record, archived)
        self._events.extend(
            ConvertedEvent(
                event_id=event_id(SOURCE, name, part),
                record_seq=archived.seq,
                at=archived.at,
                payload=payload,
            )
            for part, payload in enumerate(payloads)
        )

    def _arrive_at(self, archived: ArchivedRecord) -> None:
        """Note the place of a record; that of a spilled body is its preview's, which follows."""
        self._name = ""
        if archived.type == SPILLED_OUTPUT:
            return
        if archived.position <= self._position:
            self._files_before += 1
            self._last = ""
        self._position = archived.position

    def _payloads(self, record: ClaudeRecord, archived: ArchivedRecord) -> Iterable[Payload]:
        match record.type:
            case "user":
                return self._user(record, archived)
            case "assistant":
                return self._assistant(record, archived)
            case "system":
                return self._system(record, archived)
            case "attachment":
                return self._attachment(record, archived)
            case "queue-operation":
                return self._queued(record.content, record, archived)
            case "recense-spilled-output":
                return self._spilled(record)
            case "summary":
                self._titles.saw_summary(text_of(record.leaf_uuid), text_of(record.summary))
            case "custom-title":
                self._titles.offer(text_of(record.custom_title), TITLE_BY_PERSON)
            case "ai-title":
                self._titles.offer(text_of(record.ai_title), TITLE_BY_MODEL)
            case "agent-name":
                self._titles.offer(text_of(record.agent_name), TITLE_BY_MODEL)
            case _:
                pass  # a later release's kind: nothing that this one can read
        return ()

    # --- people -----------------------------------------------------------------------------------

    def _user(self, record: ClaudeRecord, archived: ArchivedRecord) -> Iterator[Payload]:
        said: list[str] = []
        files: list[Attachment] = []
        for block in blocks_of(mapping_of(record.message).get("content")):
            match block.get("type"):
                case "text":
                    text = text_of(block.get("text"))
                    said.append(text)
                    yield from self._user_text(text, record, archived)
                case "image" | "document":
                    key = self._name_of(record, archived)
                    if record.is_meta is True:  # what a tool read, shown to the model
                        call_id = text_of(record.source_tool_use_id) or key
                        file = attachment_of(block, call_id=call_id)
                        files.append(self._remembered.named(file))
                    else:
                        files.append(attachment_of(block, message=key))
                        self._remembered.prompt = key
                case "tool_result":
                    yield from self._result(block)
                case _:
                    pass
        yield from files
        plan = text_of(record.plan_content)
        if plan.strip() and not any(plan.strip() in text for text in said):
            yield Note(text=plan)

    def _result(self, block: dict[str, object]) -> Iterator[Payload]:
        """A tool's result, but for the preview of a body that came before it."""
        for payload in result_payloads(block):
            match payload:
                case ToolResult(spilled=True) if self._remembered.has_body(payload.call_id):
                    pass
                case Attachment():
                    yield self._remembered.named(payload)
                case _:
                    yield payload

    def _spilled(self, record: ClaudeRecord) -> Iterator[Payload]:
        call_id = text_of(record.tool_use_id)
        self._remembered.saw_body(call_id)
        yield ToolResult(
            call_id=call_id,
            content=text_of(record.text),
            failed=record.is_error is True,
            spilled=isinstance(record.beyond, int) and record.beyond > 0,
        )

    def _user_text(
        self, text: str, record: ClaudeRecord, archived: ArchivedRecord
    ) -> Iterator[Payload]:
        if record.is_compact_summary is True or text.startswith(_CONTINUED):
            self._remembered.prompt = ""
            if text.strip():
                yield Summary(text=text)
            return
        is_injected = record.is_meta is True or record.is_visible_in_transcript_only is True
        for part in parts_of(text, is_injected=is_injected):
            yield self._text(part, record, archived)

    def _text(self, part: PromptPart, record: ClaudeRecord, archived: ArchivedRecord) -> Text:
        standing: Standing = part.standing
        if standing == "typed" and is_of_an_agent(record):
            standing = "agent"
        if standing in ("typed", "agent"):
            self._titles.saw_prompt(part.text)
            self._remembered.prompt = self._name_of(record, archived)
            # Commands typed one after another share a parent that they all hang on, and no rewind.
            # A copy may have lost its parent: that is the record it was written after.
            parent = "" if part.is_command else text_of(record.parent_uuid) or self._last
            return Text(
                role="user",
                text=part.text,
                standing=standing,
                message=self._remembered.prompt,
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

    def _queued(
        self, content: object, record: ClaudeRecord, archived: ArchivedRecord
    ) -> Iterator[Payload]:
        """A prompt written while the agent was busy. What the harness queues comes again when it is
        taken up, as do images; what a person queues may not.
        """
        for block in blocks_of(content):
            for part in parts_of(text_of(block.get("text"))):
                if part.standing == "typed":
                    key = self._name_of(record, archived)
                    key = self._remembered.queued_as(part.text, key)
                    yield Text(role="user", text=part.text, standing="queued", message=key)

    # --- the model --------------------------------------------------------------------------------

    def _assistant(self, record: ClaudeRecord, archived: ArchivedRecord) -> Iterator[Payload]:
        message = mapping_of(record.message)
        blocks = blocks_of(message.get("content"))
        if record.is_api_error_message is True or message.get("model") == "<synthetic>":
            for block in blocks:
                text = text_of(block.get("text"))
                if text.strip() == _NO_ANSWER:
                    yield Note(text=text, boilerplate=True)
                elif text.strip():
                    yield Error(text=text)
            return
        self._titles.saw_model()
        self._remembered.prompt = ""
        reply = text_of(message.get("id"))
        key = self._in_this_file(reply) if reply else self._name_of(record, archived)
        for block in blocks:
            for payload in model_payloads(block, key):
                if isinstance(payload, ToolCall):
                    self._remembered.saw_call(payload)
                yield payload

    # --- the harness ------------------------------------------------------------------------------

    def _system(self, record: ClaudeRecord, archived: ArchivedRecord) -> Iterator[Payload]:
        content = text_of(record.content)
        subtype = text_of(record.subtype)
        if subtype in _BOUNDARIES:
            yield Note(text=content, boilerplate=True)
        elif subtype in _FAILURES:
            yield from failure_of(record.error, record.api_refusal_explanation, content)
        elif subtype == "stop_hook_summary":
            errors = [text_of(error) for error in list_of(record.hook_errors)]
            if any(errors):
                yield Note(text="\n".join(error for error in errors if error))
        elif subtype == "local_command":
            yield from self._user_text(content, record, archived)
        elif content.strip():
            yield Note(text=content, boilerplate=content.startswith(_HOOK_RUNS))

    def _attachment(self, record: ClaudeRecord, archived: ArchivedRecord) -> Iterator[Payload]:
        attachment = mapping_of(record.attachment)
        kind = text_of(attachment.get("type"))
        if kind == "queued_command":
            yield from self._delivered(attachment.get("prompt"), record, archived)
        elif kind in FILE_ATTACHMENTS:
            prompt = self._remembered.prompt if kind != "edited_text_file" else ""
            call_id = None if prompt else self._name_of(record, archived)
            yield attached_file(attachment, message=prompt or None, call_id=call_id)
        else:
            text = hook_text(attachment)
            if text.strip() not in _NOTHING_SAID:
                yield Note(text=text)

    def _delivered(
        self, prompt: object, record: ClaudeRecord, archived: ArchivedRecord
    ) -> Iterator[Payload]:
        """A queued prompt that the agent took up while it worked; its images come here alone."""
        key = self._name_of(record, archived)
        for payload in self._queued(prompt, record, archived):
            if isinstance(payload, Text):
                key = payload.message or key
            yield payload
        for block in blocks_of(prompt):
            if block.get("type") in ("image", "document"):
                yield attachment_of(block, message=key)

    # --- the session ------------------------------------------------------------------------------

    def _note_session(self, record: ClaudeRecord, archived: ArchivedRecord) -> None:
        if self._workspace is None:
            self._workspace = folder_of(record.cwd)
        entrypoint = text_of(record.entrypoint)
        if entrypoint and not is_of_an_agent(record):
            self._is_headless |= entrypoint in _HEADLESS or entrypoint.startswith("sdk")
        if archived.uuid is not None:
            self._titles.saw_record(archived.uuid)

    def _name_of(self, record: ClaudeRecord, archived: ArchivedRecord) -> str:
        """Return what names the record at hand; it is computed once."""
        self._name = self._name or name_of(record, archived)
        return self._name
