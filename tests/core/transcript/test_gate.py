"""The gate: what a record looks like once it may be kept."""

import base64
import json
from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.known_secrets import NOTHING_KNOWN, KnownSecrets
from recense.core.transcript.gate import (
    Gated,
    blob_reference,
    pass_gate,
    pass_gate_as_text,
    payload_of,
)
from recense.limits import BASE64_INLINE_BYTES_MAX
from tests.rows import each_row

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
SECRET = "AKIA" + "QWERTZUIOPASDFGH"


def _is_id(path: tuple[str, ...]) -> bool:
    return path == ("uuid",)


def _is_signature(path: tuple[str, ...]) -> bool:
    return path[-1:] == ("signature",)


def _passed(record: bytes, *, redact_secrets: bool = True) -> Gated:
    return pass_gate(
        record,
        is_structural=_is_id,
        is_opaque=_is_signature,
        opaque_marks=(b'"signature"',),
        known=NOTHING_KNOWN if redact_secrets else None,
    )


def _gate(record: object) -> tuple[dict[str, object], tuple[bytes, ...]]:
    gated = _passed(json.dumps(record).encode())
    return msgspec.json.decode(gated.record, type=dict[str, object]), tuple(
        blob.data for blob in gated.blobs
    )


def test_an_image_moves_to_a_blob_and_leaves_a_reference() -> None:
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(PNG).decode()}
    kept, blobs = _gate({"source": source})
    reference = msgspec.convert(kept["source"], type=dict[str, str])
    assert reference["media_type"] == "image/png"
    assert blob_reference(reference["data"]) == (sha256(PNG).hexdigest(), len(PNG))
    assert blobs == (PNG,)


def test_a_data_url_keeps_its_media_type_beside_the_reference() -> None:
    url = "data:image/png;base64," + base64.b64encode(PNG).decode()
    kept, blobs = _gate({"image_url": url})
    text = kept["image_url"]
    assert isinstance(text, str)
    assert text.startswith("data:image/png;base64,recense-blob:")
    assert blob_reference(text) == (sha256(PNG).hexdigest(), len(PNG))
    assert blobs == (PNG,)


@pytest.mark.parametrize("escape", ["plain", "slashes", "ascii"])
def test_a_payload_is_found_however_it_was_escaped(escape: str) -> None:
    encoded = base64.b64encode(PNG * 2).decode()
    record = json.dumps({"data": encoded, "text": "é"}, ensure_ascii=escape == "ascii")
    if escape == "slashes":
        record = record.replace("/", "\\/")
    gated = _passed(record.encode())
    assert len(gated.record) < 200
    assert [blob.data for blob in gated.blobs] == [PNG * 2]


@pytest.mark.parametrize("plus", ["\\u002B", "\\u002b"])
def test_no_spelling_of_a_letter_keeps_a_payload_or_a_signature_in_the_record(plus: str) -> None:
    encoded = base64.b64encode(PNG * 2).decode()
    signature = "Er" + "Ab9+" * 50
    assert "+" in encoded
    record = json.dumps({"data": encoded, "text": "é + ü", "signature": signature})
    gated = _passed(record.replace("+", plus).encode())
    assert [blob.data for blob in gated.blobs] == [PNG * 2]
    kept = msgspec.json.decode(gated.record, type=dict[str, str])
    assert blob_reference(kept["data"]) == (sha256(PNG * 2).hexdigest(), len(PNG * 2))
    assert kept["text"] == "é + ü"
    assert kept["signature"].startswith("recense-opaque:")


def test_a_mark_that_is_spelled_with_escapes_is_still_a_mark() -> None:
    gated = _passed(b'{"sign\\u0061ture":"Er9"}')
    assert gated.record.startswith(b'{"sign\\u0061ture":"recense-opaque:')


def test_the_bytes_around_a_payload_survive() -> None:
    encoded = base64.b64encode(PNG).decode()
    gated = _passed(b'{ "n" : 1.50, "data":"' + encoded.encode() + b'" ,"t":"\\u00e9\\/" }')
    before, _, after = gated.record.partition(b"recense-blob:")
    assert before == b'{ "n" : 1.50, "data":"'
    assert after.partition(b'"')[2] == b' ,"t":"\\u00e9\\/" }'


@pytest.mark.parametrize("padding", ["", "="])
def test_a_payload_in_the_alphabet_of_urls_moves_to_a_blob(padding: str) -> None:
    data = PNG + b"\xfb\xff\xfe"
    encoded = base64.urlsafe_b64encode(data).decode().rstrip("=")
    assert "-" in encoded
    assert "_" in encoded
    padded = encoded + padding * (-len(encoded) % 4)
    _, blobs = _gate({"data": padded})
    assert blobs == (data,)


@pytest.mark.parametrize("before", ["", "data:image/png;charset=utf-8;base64,"])
def test_a_payload_of_exactly_the_bound_stays_and_a_longer_one_moves(before: str) -> None:
    at_bound = base64.b64encode(bytes(BASE64_INLINE_BYTES_MAX // 4 * 3)).decode()
    assert len(at_bound) == BASE64_INLINE_BYTES_MAX
    assert _gate({"data": before + at_bound}) == ({"data": before + at_bound}, ())
    beyond = base64.b64encode(bytes(BASE64_INLINE_BYTES_MAX // 4 * 3 + 1)).decode()
    _, blobs = _gate({"data": before + beyond})
    assert blobs == (bytes(BASE64_INLINE_BYTES_MAX // 4 * 3 + 1),)


def test_long_words_that_are_no_payload_stay_where_they_are() -> None:
    minified = "a" * 4_000
    kept, blobs = _gate({"content": minified})
    assert (kept, blobs) == ({"content": minified}, ())


def test_a_short_payload_stays_where_it_is() -> None:
    encoded = base64.b64encode(b"short").decode()
    assert _gate({"data": encoded}) == ({"data": encoded}, ())


def test_a_payload_that_is_text_is_redacted_before_it_is_kept() -> None:
    text = ("words " * 300 + f"\nkey {SECRET}\n").encode()
    _, blobs = _gate({"data": base64.b64encode(text).decode()})
    assert SECRET.encode() not in blobs[0]
    assert blobs[0].startswith(b"words words")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1"])
def test_a_payload_is_redacted_in_whatever_encoding_it_is_text(encoding: str) -> None:
    text = "Wörter und mehr Wörter. " * 300 + f"\nkey {SECRET}\nEnde"
    _, blobs = _gate({"data": base64.b64encode(text.encode(encoding)).decode()})
    kept = blobs[0].decode(encoding)
    assert SECRET not in kept
    assert kept.startswith("Wörter und")
    assert kept.endswith("Ende")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_payload_in_utf_16_may_be_mostly_of_another_script(encoding: str) -> None:
    text = "部署日志没有问题" * 300 + f"{SECRET}\n" + "汉字" * 300
    _, blobs = _gate({"data": base64.b64encode(text.encode(encoding)).decode()})
    kept = blobs[0].decode(encoding)
    assert SECRET not in kept
    assert kept.endswith("汉字")


@pytest.mark.parametrize("stray", ["\0", "\0\0", "\x01", "\0 \x1f"])
@pytest.mark.parametrize("encoding", ["latin-1", "utf-8"])
def test_a_stray_control_character_makes_no_image_of_a_text(stray: str, encoding: str) -> None:
    for filler in ("", "."):
        text = "café au lait, café noir. " * 100 + f"{stray}{SECRET}\n{filler}"
        _, blobs = _gate({"data": base64.b64encode(text.encode(encoding)).decode()})
        assert SECRET.encode() not in blobs[0]


@each_row("encoding", ["utf-8", "utf-16", "utf-16-le", "latin-1"])
@each_row(
    ("key", "before"),
    [
        *(("data", ""), ("content", ""), ("blob", ""), ("bytes", ""), ("file_data", "")),
        *(("url", "data:text/plain;base64,"), ("text", "data:;charset=x;base64,")),
    ],
)
@each_row("alphabet", ["plain", "url", "unpadded"])
def test_short_base64_of_a_text_stays_and_loses_its_secret(
    key: str, before: str, encoding: str, alphabet: str
) -> None:
    encode = base64.b64encode if alphabet == "plain" else base64.urlsafe_b64encode
    for filler in ("", "?", "??", "???é>>>"):
        raw = f"{filler} key {SECRET} é".encode(encoding)
        encoded = encode(raw).decode()
        encoded = encoded.rstrip("=") if alphabet == "unpadded" else encoded
        record = json.dumps(
            {"source": {"media_type": "text/plain", key: before + encoded}}
        ).encode()
        once = _passed(record)
        assert once.blobs == ()
        kept = json.loads(once.record)["source"][key]
        assert kept.startswith(before)
        inner = kept.removeprefix(before)
        text = base64.urlsafe_b64decode(inner.replace("+", "-").replace("/", "_") + "==").decode(
            encoding
        )
        assert text.lstrip("\ufeff") == f"{filler} key [redacted:aws-access-key] é"
        assert _passed(once.record) == once
        assert _passed(record, redact_secrets=False).record == record


def test_long_base64_that_is_no_payload_for_sure_stays_and_loses_its_secret() -> None:
    text = "line of a file\n" * 200 + f"key {SECRET}\n"
    kept, blobs = _gate({"encoding": "base64", "content": base64.b64encode(text.encode()).decode()})
    assert blobs == ()
    content = kept["content"]
    assert isinstance(content, str)
    assert base64.b64decode(content).decode() == text.replace(SECRET, "[redacted:aws-access-key]")


@pytest.mark.parametrize(
    "record",
    [
        b'{ "data" : "aGVsbG8gd29ybGQgYW5k" , "content":"deploy-production-now" }',
        b'{"url":"data:text/plain;base64,aGVsbG8gd29ybGQ="}',
        b'{"data":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}',
    ],
)
def test_short_base64_without_a_secret_stays_to_the_byte(record: bytes) -> None:
    assert _passed(record).record == record


def test_a_secret_that_a_person_named_is_found_in_short_base64() -> None:
    encoded = base64.b64encode(b"x tulpe-Rose-77-kranz").decode()
    gated = pass_gate(
        json.dumps({"source": {"type": "base64", "data": encoded}}).encode(),
        is_structural=lambda _: False,
        is_opaque=lambda _: False,
        opaque_marks=(),
        known=KnownSecrets.of(["tulpe-Rose-77-kranz"]),
    )
    kept = json.loads(gated.record)["source"]["data"]
    assert base64.b64decode(kept) == b"x [redacted:known_secret]"


def test_the_bytes_of_an_image_are_never_touched() -> None:
    image = PNG + SECRET.encode() + bytes(range(256)) * 8
    _, blobs = _gate({"data": base64.b64encode(image).decode()})
    assert blobs == (image,)


def test_a_secret_that_a_person_named_is_hidden_whatever_it_looks_like() -> None:
    known = KnownSecrets.of(["tulpe-Rose-77-kranz"])
    record = json.dumps({"text": "it says tulpe-Rose-77-kranz here"}).encode()
    gated = pass_gate(
        record,
        is_structural=lambda _: False,
        is_opaque=lambda _: False,
        opaque_marks=(),
        known=known,
    )
    assert b"tulpe" not in gated.record
    assert dict(gated.findings) == {"known_secret": 1}


def test_a_signature_leaves_its_length_and_digest() -> None:
    signature = "Er" + "Ab9+" * 50
    kept, _ = _gate({"thinking": "hm", "signature": signature})
    digest = sha256(signature.encode()).hexdigest()
    assert kept == {"thinking": "hm", "signature": f"recense-opaque:{digest}:{len(signature)}"}


def test_a_secret_in_text_is_replaced_and_the_bytes_around_it_survive() -> None:
    record = b'{ "text" : "caf\\u00e9 ' + SECRET.encode() + b' \\/ end" , "n": 1.50 }'
    gated = _passed(record)
    before, _, after = gated.record.partition(b"[redacted:")
    assert before == b'{ "text" : "caf\\u00e9 '
    assert after.partition(b"]")[2] == b' \\/ end" , "n": 1.50 }'
    assert sum(count for _, count in gated.findings) == 1


def test_structure_is_never_redacted() -> None:
    kept, _ = _gate({"uuid": SECRET})
    assert kept == {"uuid": SECRET}


def test_keeping_secrets_is_a_decision_and_still_lifts_payloads() -> None:
    record = json.dumps({"text": SECRET, "data": base64.b64encode(PNG).decode()}).encode()
    gated = _passed(record, redact_secrets=False)
    assert SECRET.encode() in gated.record
    assert len(gated.blobs) == 1


def test_what_is_no_json_goes_through_as_text() -> None:
    with pytest.raises(ValueError, match="JSON"):
        _passed(b"{torn")
    gated = pass_gate_as_text(b"\xff{torn " + SECRET.encode())
    assert SECRET.encode() not in gated.record
    assert gated.record.decode().startswith("\ufffd{torn [redacted:")


_json = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.just(SECRET)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), _json))
def test_what_came_through_goes_through_again_unchanged(record: dict[str, object]) -> None:
    once = _passed(json.dumps(record).encode())
    twice = _passed(once.record)
    assert twice.record == once.record
    assert twice.findings == ()
    assert SECRET.encode() not in once.record or "uuid" in record


@given(st.binary(max_size=200))
def test_the_size_of_a_payload_is_that_of_its_bytes(data: bytes) -> None:
    assert payload_of(base64.b64encode(data).decode()) == (None, len(data))


def test_a_payload_that_became_a_blob_is_named_by_it() -> None:
    assert payload_of(f"recense-blob:{'0f' * 32}:77") == ("0f" * 32, 77)


def test_a_payload_that_was_not_kept_still_tells_its_bytes() -> None:
    assert payload_of(f"recense-opaque:{'0f' * 32}:40000000") == (None, 40_000_000)
