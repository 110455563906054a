"""The gate of events that come through the API: from whoever writes a session, and from agents."""

from typing import Final

from recense.core.text.json_text import settled
from recense.core.text.known_secrets import NOTHING_KNOWN
from recense.core.transcript.events import PAYLOAD_KINDS, Event, decode_payload
from recense.core.transcript.gate import pass_gate
from recense.core.transcript.records import Blob
from recense.core.values import Value
from recense.errors import InvalidRequest
from recense.operations.sessions import AppendedEvent
from recense.services.admission import given_instant, require_identifier

_STRUCTURAL_KEYS: Final = frozenset({"kind", "role", "standing", "status", "sha256"})
"""Fields of a payload that hold one of a few words, or a digest. Ids are the caller's own here, and
pass the gate like everything else.
"""


class GatedEvent(Value, kw_only=True):
    """An event as it may be kept, with the blobs it left at the gate and the secrets hidden in it,
    by kind.
    """

    event: Event
    blobs: tuple[Blob, ...]
    findings: tuple[tuple[str, int], ...]
    ends_stream: bool


def gated_event(event: AppendedEvent, name: str, *, now: int, redact_secrets: bool) -> GatedEvent:
    """Return an event as it may be kept, recorded ``now``.

    Raises InvalidRequest for one that cannot be kept, calling it ``name``.
    """
    require_identifier(f"event_id of {name}", event.event_id)
    if event.stream not in (None, event.event_id):
        raise InvalidRequest(
            f"{name} completes the stream {event.stream!r} and has another id",
            hint="the key of a stream is the id of the event that completes it: give both the same",
        )
    if event.invocation_id is not None:
        require_identifier(f"invocation_id of {name}", event.invocation_id)
    return passed_gate(event, name, now=now, redact_secrets=redact_secrets)


def passed_gate(event: AppendedEvent, name: str, *, now: int, redact_secrets: bool) -> GatedEvent:
    """Return an event whose ids are ours as it may be kept; raises as `gated_event`."""
    try:
        gated = pass_gate(
            settled(event.payload),
            is_structural=_is_structural,
            is_opaque=_is_never_opaque,
            opaque_marks=(),
            known=NOTHING_KNOWN if redact_secrets else None,
        )
    except ValueError as error:
        raise InvalidRequest(
            f"{name} has a payload that is not one JSON value",
            hint="give the payload as the JSON of one object with a kind",
        ) from error
    if decode_payload(gated.record) is None:
        raise InvalidRequest(
            f"{name} has a payload of no known kind, or with a field of a wrong type",
            hint=f"the kinds are {', '.join(PAYLOAD_KINDS)}",
        )
    at = given_instant("at", event.at)
    return GatedEvent(
        event=Event(
            event_id=event.event_id,
            invocation_id=event.invocation_id,
            at=now if at is None else at,
            recorded_at=now,
            payload=gated.record,
        ),
        blobs=gated.blobs,
        findings=gated.findings,
        ends_stream=event.stream is not None,
    )


def _is_structural(path: tuple[str, ...]) -> bool:
    return len(path) == 1 and path[0] in _STRUCTURAL_KEYS


def _is_never_opaque(_path: tuple[str, ...]) -> bool:
    return False
