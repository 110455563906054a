"""What came back from an endpoint, and the fault that it means.

Laws:

- What an endpoint says of an error is repeated short, redacted and without our key; where it is
  about the key itself it is not repeated at all.
- A refusal of what was shown (MaterialRejected) is told from one of the request, the key or the
  model (ModelRejected) by what the endpoint says in so many words, and never by the status alone
  but for 413; what says neither is of the request. So an endpoint that takes nothing is asked once.

How it is said:

- OpenAI, and what speaks like it: 400 with the code ``context_length_exceeded``,
  ``content_policy_violation``, ``content_filter`` (Azure) or ``invalid_prompt``, or the type
  ``exceed_context_size_error`` (llama.cpp; with 500, or inside a 200, too); without these in words,
  as "maximum context length is…".
- Anthropic: 400 in words, as "prompt is too long…", "…exceed context limit" or "…blocked by content
  filtering policy", and 413.
- Ollama: 400 or 500 in words, as "…exceeds the context length". It has no policy.

All else under 400, 404 or 422 is of the request or the model, "max_tokens is too large" and "credit
balance is too low" too; 401 and 403 are of the key.
"""

import re
from email.utils import parsedate_to_datetime
from typing import Final, cast

import msgspec

from recense.core.instants import EPOCH, MICROSECOND
from recense.core.text.json_text import settled
from recense.core.text.quoting import quoted
from recense.core.values import Value
from recense.errors import (
    MaterialRejected,
    ModelFault,
    ModelRejected,
    ModelTimedOut,
    ModelUnavailable,
)
from recense.limits import MODEL_RETRY_AFTER_SECONDS_MAX
from recense.ports.clock import Clock

_SECONDS: Final = re.compile(r"[0-9]{1,12}(?:\.[0-9]{1,12})?")

_OK: Final = range(200, 300)
_REDIRECTS: Final = range(300, 400)
_NO_ACCESS: Final = frozenset({401, 403})
_TOO_LATE: Final = frozenset({408, 504})
_COME_BACK: Final = frozenset({409, 425, 429})
_SERVER_FAULTS: Final = range(500, 600)

_OF_MATERIAL: Final = frozenset({400, 413, 422, 500})
"""With what statuses a refusal of what was shown comes."""

_TOO_LARGE: Final = 413

_MATERIAL_CODES: Final = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "context_length_exceeded",
        "exceed_context_size_error",
        "invalid_prompt",
        "request_too_large",
        "string_above_max_length",
    }
)
"""What providers call it, as the code or the type of an error."""

_MATERIAL_WORDS: Final = re.compile(
    r"\b(?:prompt|input|messages?)\b.{0,20}\btoo (?:long|large)\b"
    r"|\b(?:exceed\w*|maximum)\b.{0,40}\bcontext (?:length|limit|size|window)\b"
    r"|\bcontext (?:length|limit|size|window)\b.{0,40}\bexceed"
    r"|\bcontent (?:filter|management policy|policy)"
    r"|\bflagged\b",
    re.IGNORECASE,
)
"""How it is said where no code says it."""

_NO_QUOTA: Final = "insufficient_quota"
"""What a provider calls it when an account has nothing left: no wait helps."""


class Reply(Value, kw_only=True):
    """What came back: a status, the bytes, and how long we were asked to stay away."""

    status: int
    body: bytes
    retry_after_seconds: float | None = None

    @property
    def is_ok(self) -> bool:
        """Whether it is an answer, and not a refusal."""
        return is_answer(self.status)


def is_answer(status: int) -> bool:
    """Whether a status says that an answer follows."""
    return status in _OK


def tells_an_error(reply: Reply) -> bool:
    """Whether a reply is JSON that says what is wrong, whatever its status."""
    return bool(_told(reply.body).text)


def fault_of(host: str, reply: Reply, *, key: str | None) -> ModelFault:
    """Return the fault that a reply means: by its status, and where that says that all is well by
    the one that it tells inside, or as a fault of the server.
    """
    told = _told(reply.body)
    status = (told.status or _SERVER_FAULTS.start) if reply.is_ok else reply.status
    says = f": {shown(told.text, key)}" if told.text else ""
    what = f"{host} answered with status {status}"
    if status in _NO_ACCESS:  # what it says may repeat parts of the key
        return ModelRejected(
            f"{what}: no access", hint="look whether the key is set, and may use this model"
        )
    if status in _TOO_LATE:
        return ModelTimedOut(f"{what}{says}: it gave up waiting itself")
    if told.code == _NO_QUOTA:
        return ModelRejected(f"{what}{says}", hint="the account has nothing left to spend")
    if status in _OF_MATERIAL and _refuses_material(status, told):
        return MaterialRejected(
            f"{what}{says}", hint="what it was shown stays unread; another model may read it"
        )
    if status in _COME_BACK or status in _SERVER_FAULTS:
        fault = ModelUnavailable(f"{what}{says}", retry_after_seconds=reply.retry_after_seconds)
        fault.is_cost_known = status in _COME_BACK  # nobody pays for being sent away
        return fault
    if status in _REDIRECTS:
        return ModelRejected(
            f"{what}, a redirect, which is never followed",
            hint="set the base address to where it leads, if that is trusted",
        )
    return ModelRejected(f"{what}{says}", hint="look at the name of the model and the address")


def refuses_material(reply: Reply) -> bool:
    """Whether a reply refuses what was shown, so that it is refused in any form."""
    return reply.status in _OF_MATERIAL and _refuses_material(reply.status, _told(reply.body))


def shown(text: str, key: str | None) -> str:
    """Return what somebody else said, as a message of ours repeats it."""
    return quoted(text.replace(key, "[the key]") if key else text)


class _Told(Value, kw_only=True):
    """What an error says of itself."""

    text: str = ""
    code: str = ""
    kind: str = ""
    status: int | None = None


def _refuses_material(status: int, told: _Told) -> bool:
    return (
        status == _TOO_LARGE
        or not _MATERIAL_CODES.isdisjoint((told.code, told.kind))
        or _MATERIAL_WORDS.search(told.text) is not None
    )


def _told(body: bytes) -> _Told:
    """Return what a body says is wrong, as far as it is JSON that says so in a known way."""
    try:
        document: object = msgspec.json.decode(settled(body))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Told()
    fields = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    inner = fields.get("error")
    if isinstance(inner, dict):
        fields = cast("dict[str, object]", inner)
        text = fields.get("message")
    else:
        text = inner or fields.get("message") or fields.get("detail")
    code, kind = fields.get("code"), fields.get("type")
    return _Told(
        text=text if isinstance(text, str) else "",
        code=code if isinstance(code, str) else "",
        kind=kind if isinstance(kind, str) else "",
        status=code if isinstance(code, int) and 300 <= code < 600 else None,  # noqa: PLR2004 -- statuses of HTTP that are no answers
    )


def retry_after(header: str | None, clock: Clock) -> float | None:
    """Return the seconds that a header asks for, in either of its forms (RFC 9110, 10.2.3)."""
    if header is None:
        return None
    text = header.strip()
    if _SECONDS.fullmatch(text):
        seconds = float(text)
    else:
        try:
            moment = parsedate_to_datetime(text)
            if moment.tzinfo is None:
                moment = moment.replace(tzinfo=EPOCH.tzinfo)
            instant = (moment - EPOCH) // MICROSECOND
        except (ValueError, OverflowError):
            return None
        seconds = (instant - clock.now()) / 1_000_000
    return min(max(seconds, 0.0), MODEL_RETRY_AFTER_SECONDS_MAX)
