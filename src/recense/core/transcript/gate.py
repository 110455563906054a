"""The gate: what a source record or a payload goes through before anything of it is kept.

Law: nothing reaches a store but through `pass_gate` (records and payloads, which are JSON) or
`pass_gate_as_text` (what is not JSON). The record's own bytes survive: only the changed spans are
replaced, the JSON around them is never written anew. In this order:

1. opaque strings (model signatures, encrypted reasoning) become `recense-opaque:<sha256>:<bytes>`;
2. base64 payloads over BASE64_INLINE_BYTES_MAX become `recense-blob:<sha256>:<bytes>`, and their
   bytes a blob; a blob that reads as text, in whatever encoding, is redacted first;
3. base64 that stays, under a key for payloads or in a data URL, is redacted as the text it is;
4. secrets become markers (`recense.core.text.redact`), structural fields excepted.
"""

import base64
import binascii
import functools
import json
import re
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

import re2

from recense.core.text.json_literals import spliced, string_literals, text_spelled_by
from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.text.redact import redact
from recense.core.text.redact_json import RedactedJson, redact_each_json
from recense.core.text.secret_spans import latin_options
from recense.core.transcript.payload_texts import PAYLOAD_MAGIC, encodings_of, redacted_payload
from recense.core.transcript.records import Blob
from recense.core.values import Value
from recense.limits import BASE64_INLINE_BYTES_MAX, LINE_BYTES_MAX, SHORT_BASE64_BYTES_MIN

PathRule = Callable[[tuple[str, ...]], bool]
"""Decides by the key path of a string; list positions do not appear in the path."""

_BLOB_PREFIX: Final = "recense-blob:"
_OPAQUE_PREFIX: Final = "recense-opaque:"
_BLOB: Final = re2.compile(r"recense-blob:([0-9a-f]{64}):([0-9]+)")
_BASE64: Final = re2.compile(r"(?:[A-Za-z0-9+/\r\n]+|[A-Za-z0-9_\-\r\n]+)={0,2}[\r\n]*")
_FROM_URL_ALPHABET: Final = str.maketrans({"-": "+", "_": "/", "=": None, "\r": None, "\n": None})
_DATA_URL_MARK: Final = ";base64,"

# A literal long enough to be worth a look at every string, escaped or not. It is written in two
# parts because re2 repeats nothing more than 1000 times.
_LONG_RUN: Final = re2.compile(
    rb"[A-Za-z0-9+/=_\-\\]{%d}[A-Za-z0-9+/=_\-\\]{%d}"
    % (BASE64_INLINE_BYTES_MAX // 2, BASE64_INLINE_BYTES_MAX - BASE64_INLINE_BYTES_MAX // 2 + 1)
)

# Whoever takes every so manieth byte takes that many of a long run, one after another.
_STRIDE: Final = 32
_LONG_RUN_SAMPLED: Final = re.compile(
    rb"[A-Za-z0-9+/=_\-\\]{%d}" % (BASE64_INLINE_BYTES_MAX // _STRIDE)
)

# A letter that needed no escape: a mark may be spelled with it, and no agent we know writes one.
_ESCAPED_ASCII: Final = rb"\\u00[2-7]"

# Base64 that may stay, where it is a payload for sure, and what a record holds that has such a one.
_SHORT_BASE64: Final = (
    rb'(?:"(?:data|base64|b64_json|file_data|image_url|bytes|blob|content)"\s*:\s*"|;base64,)'
    rb'[A-Za-z0-9+/=_\-\\]{%d,}"' % SHORT_BASE64_BYTES_MIN
)
_INLINE_KEYS: Final = frozenset({"content", "blob"})

PAYLOAD_KEYS: Final = frozenset({"data", "base64", "b64_json", "file_data", "image_url", "bytes"})
"""Keys under which any long base64 is a payload."""


class Gated(Value, kw_only=True):
    """What came through the gate, the blobs it left behind, and findings by kind (never a
    value).
    """

    record: bytes
    blobs: tuple[Blob, ...] = ()
    findings: tuple[tuple[str, int], ...] = ()


def pass_gate(
    record: bytes,
    *,
    is_structural: PathRule,
    is_opaque: PathRule,
    opaque_marks: Iterable[bytes],
    known: KnownSecrets | None = NOTHING_KNOWN,
    lifted: Iterable[Blob] = (),
) -> Gated:
    """Return one JSON record as it may be kept.

    ``known`` are secrets that a person has named, hidden beside all that look like one; None keeps
    secrets as they are. ``lifted`` are the payloads that were taken out of the record while it was
    read, and to which it refers (`recense.core.transcript.lifting`). ``opaque_marks`` are as in
    `recense.ports.sources.Importer`: strings are judged by ``is_opaque`` only in a record that
    holds one of them.
    Idempotent: what comes out goes through again unchanged. Raises ValueError when ``record`` is
    not one JSON value; such bytes go through `pass_gate_as_text`.
    """
    (gated,) = pass_each_gate(
        [(record, lifted)],
        is_structural=is_structural,
        is_opaque=is_opaque,
        opaque_marks=opaque_marks,
        known=known,
    )
    if isinstance(gated, ValueError):
        raise gated
    return gated


def pass_each_gate(
    records: Iterable[tuple[bytes, Iterable[Blob]]],
    *,
    is_structural: PathRule,
    is_opaque: PathRule,
    opaque_marks: Iterable[bytes],
    known: KnownSecrets | None = NOTHING_KNOWN,
) -> list[Gated | ValueError]:
    """Return what `pass_gate` returns for each record and what was lifted out of it, or the error
    that it raises, in order.

    Each step is taken with all of them before the next, which is faster than one by one.
    """
    marks = tuple(opaque_marks)
    steps: list[Gated | ValueError] = []
    for record, lifted in records:
        kept, before = _kept_blobs(record, lifted, known=known)
        try:
            kept, blobs = _lift_payloads(kept, is_opaque, marks, known=known)
        except ValueError as error:
            steps.append(error)
        else:
            steps.append(Gated(record=kept, blobs=(*before, *blobs)))
    if known is None:
        return steps
    good = [step.record for step in steps if isinstance(step, Gated)]
    redacted = iter(redact_each_json(good, is_structural, known))
    return [
        _without_secrets(step, next(redacted)) if isinstance(step, Gated) else step
        for step in steps
    ]


def _without_secrets(gated: Gated, redacted: RedactedJson | ValueError) -> Gated | ValueError:
    if isinstance(redacted, ValueError):
        return redacted
    if not redacted.findings:
        return gated
    return Gated(
        record=redacted.record,
        blobs=gated.blobs,
        findings=tuple((each.kind, each.count) for each in redacted.findings),
    )


def pass_gate_as_text(
    record: bytes, *, known: KnownSecrets | None = NOTHING_KNOWN, lifted: Iterable[Blob] = ()
) -> Gated:
    """Return bytes that are no JSON as they may be kept: valid UTF-8, secrets replaced.

    ``known`` and ``lifted`` are as in `pass_gate`.
    """
    record, blobs = _kept_blobs(record, lifted, known=known)
    text = record.decode("utf-8", "replace")
    if known is None:
        return Gated(record=text.encode(), blobs=blobs)
    redacted = redact(text, known)
    counts: dict[str, int] = {}
    for finding in redacted.findings:
        counts[finding.kind] = counts.get(finding.kind, 0) + 1
    return Gated(
        record=redacted.text.encode(),
        blobs=blobs,
        findings=tuple(sorted(counts.items())),
    )


def blob_reference(text: str) -> tuple[str, int] | None:
    """Return (SHA-256, bytes) when the text is, or as a data URL ends in, a reference to a blob."""
    if _BLOB_PREFIX not in text:
        return None
    found = _BLOB.search(text)
    digest, size = found.groups() if found is not None else (None, None)
    return None if digest is None or size is None else (digest, int(size))


def payload_of(text: str) -> tuple[str | None, int]:
    """Return (SHA-256 of the blob, bytes) of what stood where base64 or a reference stands now.

    The digest is None where there is no blob: the payload was short, or more than is kept.
    """
    reference = blob_reference(text)
    if reference is not None:
        return reference
    if text.startswith(_OPAQUE_PREFIX) or _DATA_URL_MARK + _OPAQUE_PREFIX in text:
        size = text.rpartition(":")[2]
        return None, int(size) if size.isascii() and size.isdigit() else 0
    return None, max(0, len(text) * 3 // 4 - text[-2:].count("="))


def reference_to_blob(digest: str, size: int) -> str:
    """Return what stands in a record for a payload that is a blob."""
    return f"{_BLOB_PREFIX}{digest}:{size}"


def bare_reference(digest: str, size: int) -> str:
    """Return what stands in a record for what is not kept: digest and length."""
    return f"{_OPAQUE_PREFIX}{digest}:{size}"


def _kept_blobs(
    record: bytes, lifted: Iterable[Blob], *, known: KnownSecrets | None
) -> tuple[bytes, tuple[Blob, ...]]:
    """Return the record and its lifted payloads as they may be kept.

    A text among them is redacted, and referred to as what it became; one of more than
    LINE_BYTES_MAX is not kept, as no other text of that size would be.
    """
    if not lifted:
        return record, ()
    blobs: dict[str, Blob] = {}
    for raw in lifted:
        was = reference_to_blob(raw.sha256, len(raw.data)).encode()
        if len(raw.data) > LINE_BYTES_MAX and encodings_of(raw.data):
            record = record.replace(was, bare_reference(raw.sha256, len(raw.data)).encode())
            continue
        blob = _blob(raw.data, known=known)
        if blob.sha256 != raw.sha256:
            now = reference_to_blob(blob.sha256, len(blob.data)).encode()
            record = record.replace(was, now)
        blobs[blob.sha256] = blob
    return record, tuple(blobs.values())


def _lift_payloads(
    record: bytes,
    is_opaque: PathRule,
    opaque_marks: tuple[bytes, ...],
    *,
    known: KnownSecrets | None,
) -> tuple[bytes, tuple[Blob, ...]]:
    """Return the record with opaque strings and long base64 replaced, and the blobs."""
    if not _may_hold_payload(record, opaque_marks):
        return record, ()
    blobs: dict[str, Blob] = {}
    replacements: list[tuple[int, int, bytes]] = []
    for path, start, end in string_literals(record):
        if is_opaque(path):
            text = text_spelled_by(record[start:end])
            if text and not text.startswith(_OPAQUE_PREFIX):
                raw = text.encode("utf-8", "surrogatepass")
                reference = bare_reference(sha256(raw).hexdigest(), len(raw))
                replacements.append((start, end, json.dumps(reference).encode()))
        elif end - start > SHORT_BASE64_BYTES_MIN:
            payload = None
            key = path[-1] if path else ""
            if end - start <= BASE64_INLINE_BYTES_MAX and not _may_be_base64(
                key, record, start + 1
            ):
                continue
            text = text_spelled_by(record[start:end])
            if end - start > BASE64_INLINE_BYTES_MAX:
                payload = _base64_payload(key, text)
            if payload is None:
                redacted = None if known is None else _redacted_base64(key, text, known)
                if redacted is not None:
                    replacements.append((start, end, json.dumps(redacted).encode()))
            else:
                before, data = payload
                blob = _blob(data, known=known)
                blobs[blob.sha256] = blob
                reference = before + reference_to_blob(blob.sha256, len(blob.data))
                replacements.append((start, end, json.dumps(reference).encode()))
    return spliced(record, replacements), tuple(blobs.values())


def _may_hold_payload(record: bytes, opaque_marks: tuple[bytes, ...]) -> bool:
    """Whether a look at every string is worth while."""
    return bool(_signs(opaque_marks).Match(record)) or (
        len(record) > BASE64_INLINE_BYTES_MAX
        and _LONG_RUN_SAMPLED.search(record[::_STRIDE]) is not None
        and _LONG_RUN.search(record) is not None
    )


@functools.cache
def _signs(opaque_marks: tuple[bytes, ...]) -> re2.Set:
    """What makes a look worth while, however long the record is, as one set for one pass: it is
    asked for less than a pattern, which also says where.
    """
    options = latin_options()
    options.never_capture = True
    signs = re2.Set.SearchSet(options)
    signs.Add(b"|".join((*map(re2.escape, opaque_marks), _SHORT_BASE64, _ESCAPED_ASCII)))
    signs.Compile()
    return signs


def _may_be_base64(key: str, record: bytes, start: int) -> bool:
    """Whether short base64 may stand at ``start``: below a key for it, or as a data URL, also one
    that is spelled with escapes.
    """
    return key in PAYLOAD_KEYS or key in _INLINE_KEYS or record.startswith((b"d", b"\\"), start)


def _base64_payload(key: str, text: str) -> tuple[str, bytes] | None:
    """Return (what stands before the base64, its bytes) when the text holds a long payload."""
    before, encoded = _parted(text)
    if len(encoded) <= BASE64_INLINE_BYTES_MAX:
        return None
    data = _decoded(encoded)
    if data is None:
        return None
    if not before and key not in PAYLOAD_KEYS and not data.startswith(PAYLOAD_MAGIC):
        return None
    return before, data


def _parted(text: str) -> tuple[str, str]:
    """Return the head of a data URL, or nothing, and what should be base64."""
    if not text.startswith("data:") or _DATA_URL_MARK not in text[:256]:
        return "", text
    head, mark, encoded = text.partition(_DATA_URL_MARK)
    return head + mark, encoded


def _decoded(encoded: str) -> bytes | None:
    """Return what base64 of either alphabet holds, or None where it is none."""
    if _BASE64.fullmatch(encoded) is None:
        return None
    digits = encoded.translate(_FROM_URL_ALPHABET)
    try:
        return base64.b64decode(digits + "=" * (-len(digits) % 4))
    except (binascii.Error, ValueError):
        return None


def _redacted_base64(key: str, text: str, known: KnownSecrets) -> str | None:
    """Return base64 that stays in its record as it may be kept, or None where nothing changes."""
    before, encoded = _parted(text)
    if not before and key not in PAYLOAD_KEYS and key not in _INLINE_KEYS:
        return None
    data = _decoded(encoded)
    if data is None:
        return None
    redacted = redacted_payload(data, known)
    if redacted == data:
        return None
    is_of_urls = "-" in encoded or "_" in encoded
    written = (base64.urlsafe_b64encode if is_of_urls else base64.b64encode)(redacted).decode()
    return before + (written.rstrip("=") if len(encoded.strip()) % 4 else written)


def _blob(data: bytes, *, known: KnownSecrets | None) -> Blob:
    """Return the blob of a payload; text is redacted before it is kept."""
    if known is not None:
        data = redacted_payload(data, known)
    return Blob(sha256=sha256(data).hexdigest(), data=data)
