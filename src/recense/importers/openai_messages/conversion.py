"""Events from archived messages of one session.

An event's id derives from its record's id, else place, a digest of what the record says and the
part: the same place may hold another message in a later copy of the file, and both are kept.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Final, cast

import msgspec

from recense.core.ids import event_id
from recense.core.transcript.events import (
    ConvertedEvent,
    InvocationOpened,
    Note,
    Payload,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from recense.core.transcript.records import (
    TITLE_BY_MODEL,
    TITLE_BY_PROMPT,
    ArchivedRecord,
    SessionFacts,
)
from recense.core.values import Value
from recense.importers.foreign_values import arguments_of
from recense.importers.lines import folder_of, list_of, mapping_of, text_of, title_of
from recense.importers.openai_messages.contents import files_of, words_of
from recense.importers.openai_messages.reading import HEAD
from recense.importers.openai_messages.shapes import STANDING_ORDERS
from recense.ports.sources import Conversion

SOURCE: Final = "openai_messages"

_FAILED: Final = frozenset({"failed", "incomplete", "error"})
_ARGUMENTS: Final = ("arguments", "input", "action", "queries", "code")
"""Where the items of the Responses API have what a tool is given."""


class _State(Value, kw_only=True, array_like=True):
    """What conversion remembers: whether a prompt gave the session its title."""

    titled: bool = False


_state_encoder: Final = msgspec.msgpack.Encoder()
_state_decoder: Final = msgspec.msgpack.Decoder(_State)


def convert(state: bytes, records: Sequence[ArchivedRecord]) -> Conversion:
    """Return the events and facts of the next records of one session."""
    start = _state_decoder.decode(state) if state else _State()
    events: list[ConvertedEvent] = []
    facts = SessionFacts()
    titled = start.titled
    for archived in records:
        try:
            value = mapping_of(cast("object", msgspec.json.decode(archived.record)))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
        place = archived.uuid or f"#{archived.position}"
        name = f"{place}/{blake2b(archived.record, digest_size=8).hexdigest()}"
        if archived.type == HEAD:
            facts = _facts_of(value)
            payloads = _of_conversation(value)
        else:
            payloads = _of_message(value, name)
        for part, payload in enumerate(payloads):
            if isinstance(payload, Text) and payload.role == "user" and not titled:
                titled = True
                if facts.title is None:
                    facts = SessionFacts(workspace=facts.workspace, title=title_of(payload.text))
            events.append(
                ConvertedEvent(
                    event_id=event_id(SOURCE, name, part),
                    record_seq=archived.seq,
                    at=archived.at,
                    payload=payload,
                )
            )
    return Conversion(
        state=_state_encoder.encode(_State(titled=titled)), events=tuple(events), facts=facts
    )


def _facts_of(head: dict[str, object]) -> SessionFacts:
    title = title_of(head.get("title"))
    return SessionFacts(
        workspace=folder_of(head.get("cwd")),
        title=title or None,
        title_rank=TITLE_BY_MODEL if title else TITLE_BY_PROMPT,
    )


def _of_conversation(head: dict[str, object]) -> Iterator[Payload]:
    model = text_of(head.get("model"))
    if model:
        yield InvocationOpened(model=model)
    yield from _orders(words_of(head.get("instructions")))


def _of_message(value: dict[str, object], name: str) -> Iterator[Payload]:
    """Yield the events of a message, or of an item of the Responses API."""
    kind = text_of(value.get("type"))
    role = text_of(value.get("role")).lower()
    content = value.get("content")
    text = words_of(content)
    if kind == "reasoning":
        for words in (words_of(value.get("summary")), text):
            yield from _thoughts(words)
    elif kind.endswith("_call"):
        yield _call(value, _call_id(value, name), kind)
        if "output" in value:
            yield from _result(value, value.get("output"), name)
    elif kind.endswith(("_output", "_result")):
        yield from _result(value, value.get("output", value.get("result", content)), name)
    elif role in STANDING_ORDERS:
        yield from _orders(text)
    elif role == "user":
        if text:
            yield Text(role="user", text=text, message=name)
        yield from files_of(content, message=name)
    elif role == "assistant":
        yield from _answer(value, text, name)
    elif role in ("tool", "function"):
        yield from _result(value, content, name)
    elif text:
        yield Note(text=text)


def _answer(value: dict[str, object], text: str, name: str) -> Iterator[Payload]:
    yield from _thoughts(
        words_of(value.get("reasoning_content")) or words_of(value.get("reasoning"))
    )
    audio = words_of(value.get("audio"))
    for words in (text, audio, text_of(value.get("refusal"))):
        if words.strip():
            yield Text(role="model", text=words, message=name)
    for item in list_of(value.get("tool_calls")):
        call = mapping_of(item)
        yield _call(call, _call_id(call, name), text_of(call.get("type")))
    legacy = mapping_of(value.get("function_call"))
    if legacy:
        yield _call(legacy, text_of(legacy.get("name")) or name, "")
    yield from files_of(value.get("content"), call_id=name)


def _call(value: dict[str, object], call_id: str, kind: str) -> ToolCall:
    """Return a call of a tool, in any of the shapes: its name and arguments are its own or those of
    the function in it.
    """
    function = mapping_of(value.get("function")) or mapping_of(value.get("custom"))
    fields = {**function, **value}
    given = next((fields[key] for key in _ARGUMENTS if fields.get(key) is not None), None)
    name = text_of(value.get("name")) or text_of(function.get("name"))
    return ToolCall(
        call_id=call_id,
        name=name or kind.removesuffix("_call"),
        arguments=arguments_of(given),
    )


def _call_id(value: dict[str, object], fallback: str) -> str:
    """Return the id of a call or of the call that a result answers; where it has none, its name."""
    for key in ("tool_call_id", "call_id", "id", "name"):
        if text_of(value.get(key)):
            return text_of(value.get(key))
    return text_of(mapping_of(value.get("function")).get("name")) or fallback


def _result(value: dict[str, object], output: object, name: str) -> Iterator[Payload]:
    """What a tool answered: its text where it is made of parts, else as it is."""
    call_id = _call_id({**value, "id": value.get("tool_call_id")}, name)
    files = list(files_of(output, call_id=call_id))
    yield ToolResult(
        call_id=call_id,
        content=words_of(output) or (None if files else output),
        failed=value.get("is_error") is True or text_of(value.get("status")) in _FAILED,
    )
    yield from files


def _orders(text: str) -> Iterator[Payload]:
    if text:
        yield Note(text=text, boilerplate=True)


def _thoughts(text: str) -> Iterator[Payload]:
    if text:
        yield Thinking(text=text)
