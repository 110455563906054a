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
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Final, cast

import msgspec
import re2

from recense.core.text.redact import redact
from recense.core.text.redact_json import redact_json
from recense.core.transcript.records import Blob
from recense.core.values import Value
from recense.limits import BASE64_INLINE_BYTES_MAX

PathRule = Callable[[tuple[str, ...]], bool]
"""Decides by the key path of a string; list positions do not appear in the path."""

_BLOB_PREFIX: Final = "recense-blob:"
_OPAQUE_PREFIX: Final = "recense-opaque:"
_BLOB: Final = re2.compile(r"recense-blob:([0-9a-f]{64}):([0-9]+)")
_BASE64: Final = re2.compile(r"[A-Za-z0-9+/\r\n]+={0,2}[\r\n]*")
_DATA_URL_MARK: Final = ";base64,"

# A literal long enough to be worth decoding the record for; two limits of repetition because re2
# bounds one at 1000.
_LONG_RUN: Final = re2.compile(rb"[A-Za-z0-9+/=\\rn]{1000}")

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
    redact_secrets: bool = True,
) -> Gated:
    """Return one JSON record as it may be kept.

    Idempotent: what comes out goes through again unchanged. Raises ValueError when ``record`` is
    not one JSON value; such bytes go through `pass_gate_as_text`.
    """
    record, blobs = _lift_payloads(record, is_opaque)
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


def _lift_payloads(record: bytes, is_opaque: PathRule) -> tuple[bytes, tuple[Blob, ...]]:
    """Return the record with opaque strings and long base64 replaced, and the blobs."""
    if _LONG_RUN.search(record) is None and not _may_be_opaque(record):
        return record, ()
    try:
        value = cast("object", msgspec.json.decode(record))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("not one JSON value") from error
    blobs: dict[str, Blob] = {}
    for path, text in _strings(value, ()):
        if is_opaque(path):
            if text and not text.startswith(_OPAQUE_PREFIX):
                raw = text.encode("utf-8", "surrogatepass")
                record = _replace_literal(
                    record, text, f"{_OPAQUE_PREFIX}{sha256(raw).hexdigest()}:{len(raw)}"
                )
        elif len(text) > BASE64_INLINE_BYTES_MAX:
            payload = _base64_payload(path[-1] if path else "", text)
            if payload is not None:
                encoded, data = payload
                blob = _blob(data)
                blobs[blob.sha256] = blob
                reference = f"{_BLOB_PREFIX}{blob.sha256}:{len(blob.data)}"
                record = _replace_literal(record, text, text.replace(encoded, reference))
    return record, tuple(blobs.values())


def _may_be_opaque(record: bytes) -> bool:
    return b'"signature"' in record or b'"encrypted_content"' in record or b"redacted_thi" in record


def _strings(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every string leaf with its key path, in document order."""
    stack: list[tuple[tuple[str, ...], object]] = [(path, value)]
    while stack:
        where, item = stack.pop()
        if isinstance(item, str):
            yield where, item
        elif isinstance(item, dict):
            pairs = cast("dict[str, object]", item).items()
            stack.extend(((*where, key), child) for key, child in reversed(pairs))
        elif isinstance(item, list):
            stack.extend((where, child) for child in reversed(cast("list[object]", item)))


def _base64_payload(key: str, text: str) -> tuple[str, bytes] | None:
    """Return (the base64 part of the text, its bytes) when the text holds a payload."""
    encoded = text
    is_data_url = text.startswith("data:") and _DATA_URL_MARK in text[:256]
    if is_data_url:
        encoded = text.partition(_DATA_URL_MARK)[2]
    if not encoded or _BASE64.fullmatch(encoded) is None:
        return None
    try:
        data = base64.b64decode(encoded)
    except (binascii.Error, ValueError):
        return None
    if not is_data_url and key not in _PAYLOAD_KEYS and not data.startswith(_MAGIC):
        return None
    return encoded, data


def _blob(data: bytes) -> Blob:
    """Return the blob of a payload; text is redacted before it is kept."""
    # What is no text is an image or a document, into which no rule of ours can look.
    with suppress(UnicodeDecodeError):
        data = redact(data.decode("utf-8")).text.encode()
    return Blob(sha256=sha256(data).hexdigest(), data=data)


def _replace_literal(record: bytes, text: str, replacement: str) -> bytes:
    """Return the record with the string literal of ``text`` replaced, however it was escaped."""
    target = json.dumps(replacement).encode()
    for literal in (
        json.dumps(text, ensure_ascii=False),
        json.dumps(text),
        json.dumps(text).replace("/", "\\/"),
    ):
        written = literal.encode("utf-8", "surrogatepass")
        if written in record:
            return record.replace(written, target)
    return record
