"""The gate: what a source record or a payload goes through before anything of it is kept.

Law: nothing reaches a store but through `pass_gate` (records and payloads, which are JSON) or
`pass_gate_as_text` (what is not JSON). The record's own bytes survive: only the changed spans are
replaced, the JSON around them is never written anew. In this order:

1. opaque strings (model signatures, encrypted reasoning) become `recense-opaque:<sha256>:<bytes>`;
2. base64 payloads over BASE64_INLINE_BYTES_MAX become `recense-blob:<sha256>:<bytes>`, and their
   bytes a blob; a blob that decodes as text is redacted first;
3. secrets become markers (`recense.core.text.redact`), structural fields excepted.
"""

import base64
import binascii
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from typing import Final

import re2

from recense.core.text.redact import redact
from recense.core.text.redact_json import redact_json, spliced, string_literals
from recense.core.transcript.records import Blob
from recense.core.values import Value
from recense.limits import BASE64_INLINE_BYTES_MAX

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

# A letter that needed no escape: a mark may be spelled with it, and no agent we know writes one.
_ESCAPED_ASCII: Final = re2.compile(rb"\\u00[2-7]")

_PAYLOAD_KEYS: Final = frozenset({"data", "base64", "b64_json", "file_data", "image_url", "bytes"})

_MAGIC: Final = (
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"GIF8",
    b"RIFF",
    b"%PDF-",
    b"PK\x03\x04",
    b"\x1f\x8b",
)


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
    redact_secrets: bool = True,
) -> Gated:
    """Return one JSON record as it may be kept.

    ``opaque_marks`` are as in `recense.ports.sources.Importer`: strings are judged by ``is_opaque``
    only in a record that holds one of them.
    Idempotent: what comes out goes through again unchanged. Raises ValueError when ``record`` is
    not one JSON value; such bytes go through `pass_gate_as_text`.
    """
    record, blobs = _lift_payloads(record, is_opaque, opaque_marks, redact_secrets=redact_secrets)
    if not redact_secrets:
        return Gated(record=record, blobs=blobs)
    redacted = redact_json(record, is_structural)
    return Gated(
        record=redacted.record,
        blobs=blobs,
        findings=tuple((each.kind, each.count) for each in redacted.findings),
    )


def pass_gate_as_text(record: bytes, *, redact_secrets: bool = True) -> Gated:
    """Return bytes that are no JSON as they may be kept: valid UTF-8, secrets replaced."""
    text = record.decode("utf-8", "replace")
    if not redact_secrets:
        return Gated(record=text.encode())
    redacted = redact(text)
    counts: dict[str, int] = {}
    for finding in redacted.findings:
        counts[finding.kind] = counts.get(finding.kind, 0) + 1
    return Gated(
        record=redacted.text.encode(),
        findings=tuple(sorted(counts.items())),
    )


def blob_reference(text: str) -> tuple[str, int] | None:
    """Return (SHA-256, bytes) when the text is, or as a data URL ends in, a reference to a blob."""
    if _BLOB_PREFIX not in text:
        return None
    found = _BLOB.search(text)
    digest, size = found.groups() if found is not None else (None, None)
    return None if digest is None or size is None else (digest, int(size))


def _lift_payloads(
    record: bytes, is_opaque: PathRule, opaque_marks: Iterable[bytes], *, redact_secrets: bool
) -> tuple[bytes, tuple[Blob, ...]]:
    """Return the record with opaque strings and long base64 replaced, and the blobs."""
    if not _may_hold_payload(record, opaque_marks):
        return record, ()
    blobs: dict[str, Blob] = {}
    replacements: list[tuple[int, int, bytes]] = []
    for path, start, end, text in string_literals(record):
        if is_opaque(path):
            if text and not text.startswith(_OPAQUE_PREFIX):
                raw = text.encode("utf-8", "surrogatepass")
                reference = f"{_OPAQUE_PREFIX}{sha256(raw).hexdigest()}:{len(raw)}"
                replacements.append((start, end, json.dumps(reference).encode()))
        elif len(text) > BASE64_INLINE_BYTES_MAX:
            payload = _base64_payload(path[-1] if path else "", text)
            if payload is not None:
                before, data = payload
                blob = _blob(data, redact_secrets=redact_secrets)
                blobs[blob.sha256] = blob
                reference = f"{before}{_BLOB_PREFIX}{blob.sha256}:{len(blob.data)}"
                replacements.append((start, end, json.dumps(reference).encode()))
    return spliced(record, replacements), tuple(blobs.values())


def _may_hold_payload(record: bytes, opaque_marks: Iterable[bytes]) -> bool:
    """Whether a look at every string is worth while."""
    if len(record) > BASE64_INLINE_BYTES_MAX and _LONG_RUN.search(record) is not None:
        return True
    return any(mark in record for mark in opaque_marks) or (
        b"\\u00" in record and _ESCAPED_ASCII.search(record) is not None
    )


def _base64_payload(key: str, text: str) -> tuple[str, bytes] | None:
    """Return (what stands before the base64, its bytes) when the text holds a long payload."""
    before, encoded = "", text
    is_data_url = text.startswith("data:") and _DATA_URL_MARK in text[:256]
    if is_data_url:
        head, mark, encoded = text.partition(_DATA_URL_MARK)
        before = head + mark
    if len(encoded) <= BASE64_INLINE_BYTES_MAX or _BASE64.fullmatch(encoded) is None:
        return None
    digits = encoded.translate(_FROM_URL_ALPHABET)
    try:
        data = base64.b64decode(digits + "=" * (-len(digits) % 4))
    except (binascii.Error, ValueError):
        return None
    if not is_data_url and key not in _PAYLOAD_KEYS and not data.startswith(_MAGIC):
        return None
    return before, data


def _blob(data: bytes, *, redact_secrets: bool) -> Blob:
    """Return the blob of a payload; text is redacted before it is kept."""
    # What is no text is an image or a document, into which no rule of ours can look.
    with suppress(UnicodeDecodeError):
        if redact_secrets:
            data = redact(data.decode("utf-8")).text.encode()
    return Blob(sha256=sha256(data).hexdigest(), data=data)
