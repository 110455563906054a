"""What a caller may state: each field typed, bounded and free of secrets before a store is touched.

A text that is kept is redacted; a name under which a thing is kept is refused if redaction would
change it, since it would be another name then.
"""

import unicodedata
from collections.abc import Sequence
from typing import Final

from recense.core.facts.belief import value_words
from recense.core.facts.values import (
    FactValue,
    normal_subject,
    require_predicate,
    require_value,
    utf8_bytes,
)
from recense.core.recall.filters import period_of
from recense.core.text.markers import marker
from recense.core.text.quoting import quoted
from recense.core.text.redact import is_credential_shaped, redact
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import (
    AHEAD_MICROSECONDS_MAX,
    EVIDENCE_GIVEN_MAX,
    EXCERPT_BYTES_MAX,
    IDENTIFIER_CODE_POINTS_MAX,
    REPLACES_MAX,
)
from recense.operations.facts import EvidenceRequest, RememberFact
from recense.services.admission import given_instant, require_identifier, require_no_credential

_SECOND: Final = 1_000_000
_HIDDEN: Final = marker("secret")


class FactAdmission:
    """Admits what is stated, by the policy of a store on secrets."""

    def __init__(self, *, redact_secrets: bool) -> None:
        self._redact_secrets: Final = redact_secrets

    def subject(self, text: str) -> str:
        """Return a subject as it is kept. Raises InvalidRequest, and CredentialShaped."""
        subject = normal_subject(text)
        if self._redact_secrets:
            for each in {text, subject}:  # in lower case a secret is no longer told by its shape
                require_no_credential("subject", each)
        return subject

    def value(self, value: object) -> FactValue:
        """Return a value as it is kept. Raises InvalidRequest."""
        admitted = require_value(value)
        return self.text(admitted) if isinstance(admitted, str) else admitted

    def stated(self, subject: str, predicate: str, value: object) -> FactValue:
        """Return a value as it is kept of a subject under a predicate: one that its place alone
        tells for a secret (``wifi_password``) is hidden as one that its shape tells.

        Raises InvalidRequest, and CredentialShaped for a number that is a secret.
        """
        kept = self.value(value)
        if not self._redact_secrets:
            return kept
        places = (f"{predicate}: ", f"{subject} {predicate.replace('_', ' ')} ")
        for place in places:
            words = place + value_words(kept)
            if not is_credential_shaped(words):
                continue
            shown = redact(words).text
            if not isinstance(kept, str):
                raise CredentialShaped(
                    "the value looks like a secret, and would be kept as it is",
                    hint="say where it is kept instead",
                )
            kept = shown.removeprefix(place) if shown.startswith(place) else _HIDDEN
        return kept

    def text(self, text: str) -> str:
        """Return a text as it is kept."""
        return redact(text).text if self._redact_secrets else text

    def writer(self, text: str) -> str:
        """Return the name of a writer; empty for none. Raises InvalidRequest, CredentialShaped."""
        if text and not (len(text) <= IDENTIFIER_CODE_POINTS_MAX and text.isprintable()):
            raise InvalidRequest(
                f"writer is {quoted(text)}; expected at most {IDENTIFIER_CODE_POINTS_MAX} "
                "printable characters on one line",
                hint="use the name of the agent or the program",
            )
        if text:
            require_no_credential("writer", text)
        return text

    def evidence(self, pieces: Sequence[EvidenceRequest]) -> tuple[EvidenceRequest, ...]:
        """Return evidence as it is kept.

        Raises InvalidRequest for too much of it, and for a place that has no id; CredentialShaped.
        """
        if len(pieces) > EVIDENCE_GIVEN_MAX:
            raise InvalidRequest(
                f"{len(pieces)} pieces of evidence; expected at most {EVIDENCE_GIVEN_MAX}"
            )
        for piece in pieces:
            for name, place in (("episode", piece.episode), ("anchor", piece.anchor)):
                if place is not None:
                    require_identifier(f"{name} of evidence", place)
        return tuple(
            EvidenceRequest(
                excerpt=self._excerpt(piece.excerpt), episode=piece.episode, anchor=piece.anchor
            )
            for piece in pieces
        )

    def _excerpt(self, text: str) -> str:
        words = unicodedata.normalize("NFC", text)
        size = len(utf8_bytes("evidence", words))
        if not words.strip() or size > EXCERPT_BYTES_MAX:
            raise InvalidRequest(
                f"an excerpt of {size} bytes; expected 1 to {EXCERPT_BYTES_MAX}",
                hint="quote the words that say it; keep the whole text with `recense remember`",
            )
        return self.text(words)


def admit_request(request: RememberFact) -> None:
    """Refuse a request whose names and numbers are outside their bounds (InvalidRequest)."""
    require_predicate(request.predicate)
    for each in request.replaces:
        if each.event_id is not None:
            require_identifier("event_id of a belief to replace", each.event_id)
    if not 0 <= request.confidence <= 1:
        raise InvalidRequest(f"confidence is {request.confidence}; expected 0 to 1")
    if len(request.replaces) > REPLACES_MAX:
        raise InvalidRequest(
            f"{len(request.replaces)} beliefs to replace; expected at most {REPLACES_MAX}"
        )


def observed_instant(text: str | None, now: int) -> int | None:
    """Return the instant at which something was observed, None for one to be chosen.

    Raises InvalidRequest for no instant, and for one too far ahead of the clock.
    """
    instant = given_instant("observed_at", text)
    if instant is not None and instant - now > AHEAD_MICROSECONDS_MAX:
        raise InvalidRequest(
            f"observed_at is {text}, {(instant - now) // _SECOND} seconds ahead of the clock; "
            f"expected at most {AHEAD_MICROSECONDS_MAX // _SECOND}",
            hint="what is planned is a value, not the instant at which it was said",
        )
    return instant


def asked_instant(name: str, text: str | None) -> int | None:
    """Return the instant up to which is asked; a date is its last instant. Raises
    InvalidRequest for a text that names none.
    """
    if text is None:
        return None
    try:
        return period_of(None, text).until
    except InvalidRequest as error:
        raise InvalidRequest(
            f"{name} is {quoted(text)}, which is no RFC 3339 instant", hint=error.hint
        ) from error
