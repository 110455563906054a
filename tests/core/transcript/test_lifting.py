"""Lifting: no line is lost to an image, and what is lifted depends on the line alone."""

import json
from base64 import b64encode
from hashlib import sha256
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.transcript import lifting as module
from recense.core.transcript.gate import pass_gate, payload_of
from recense.core.transcript.lifting import LiftedLine, PayloadLifter
from recense.limits import LIFTED_PAYLOAD_BYTES_MIN, LINE_BYTES_MAX

PNG = b"\x89PNG\r\n" + Random(1).randbytes(LIFTED_PAYLOAD_BYTES_MIN)
ENCODED = b64encode(PNG)
REFERENCE = b"recense-blob:%s:%d" % (sha256(PNG).hexdigest().encode(), len(PNG))


def lifted(line: bytes, *, cuts: list[int] | None = None, remaining: int = 1 << 20) -> LiftedLine:
    lifter = PayloadLifter(remaining)
    start = 0
    for end in [*sorted(cuts or []), len(line)]:
        lifter.feed(line[start:end])
        start = end
    return lifter.finish()


@pytest.mark.parametrize(
    "before",
    [
        b'{"data":"',
        b'{"data" : "',
        b'{"base64":"',
        b'{"image_url":"data:image/png;base64,',
        b'{"anything":"data:image/png;name=a.png;base64,',
        b'{"anything":"',  # it begins as an image does
    ],
)
def test_a_long_payload_becomes_a_reference_and_a_blob(before: bytes) -> None:
    line = lifted(before + ENCODED + b'","a":1}')
    assert line.rest == before + REFERENCE + b'","a":1}'
    assert line.size == len(before + ENCODED) + len(b'","a":1}')
    assert [lift.blob and lift.blob.data for lift in line.lifts] == [PNG]
    assert line.lifts[0].longer_by == len(ENCODED) - len(REFERENCE)
    assert line.lifts[0].at == len(before)


@pytest.mark.parametrize(
    "line",
    [
        b'{"text":"' + b"A" * len(ENCODED) + b'"}',  # a long word
        b'{"data":"' + b"A" * 100 + b'"}',  # short: the gate's own
        b'{"data":"' + b"A" * (LIFTED_PAYLOAD_BYTES_MIN + 1) + b'"}',  # no whole bytes
        b'{"data":"' + ENCODED + b' and so on"}',
        b'{"data":"' + ENCODED.rstrip(b"=") + b'=x"}',
        b'{"text":"she said \\"' + ENCODED + b'"}',  # inside a text
        b'{"data":"' + ENCODED,  # torn
    ],
)
def test_what_is_no_payload_stays_to_the_letter(line: bytes) -> None:
    assert lifted(line) == LiftedLine(rest=line, size=len(line))


def test_one_payload_written_twice_is_held_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LIFTED_LINE_BYTES_MAX", len(PNG))
    line = lifted(b'{"data":"' + ENCODED + b'","base64":"' + ENCODED + b'"}')
    assert line.rest == b'{"data":"' + REFERENCE + b'","base64":"' + REFERENCE + b'"}'
    assert line.lifts[0].blob is line.lifts[1].blob


def test_of_payloads_beyond_the_bound_digest_and_length_are_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "LIFTED_LINE_BYTES_MAX", len(PNG))
    other = PNG + b"more"
    line = lifted(b'{"data":"' + ENCODED + b'","base64":"' + b64encode(other) + b'"}')
    assert [lift.blob is None for lift in line.lifts] == [False, True]
    assert line.rest is not None
    text = json.loads(line.rest)["base64"]
    assert sha256(other).hexdigest() in text
    assert payload_of(text) == (None, len(other))


def test_only_what_remains_is_bounded() -> None:
    line = b'{"data":"' + ENCODED + b'","text":"%s"}' % (b"x" * 500)
    assert lifted(line, remaining=1000).rest is not None
    assert lifted(line, remaining=400).rest is None
    assert lifted(line, remaining=400).size == len(line)
    kept_whole = b'{"data":"' + ENCODED + b"!"  # no payload after all
    assert lifted(kept_whole, remaining=1000).rest is None


PIECES = st.lists(
    st.sampled_from(
        [
            b'"data":"' + ENCODED + b'"',
            b'"x":"' + ENCODED[:-4],
            b"A" * LIFTED_PAYLOAD_BYTES_MIN,
            b'";base64,' + ENCODED,
            b'"data":"',
            b'"',
            b"\\",
            b"=",
            b"x ",
        ]
    ),
    max_size=4,
).map(b"".join)


@given(PIECES, st.lists(st.integers(0, 2_000_000), max_size=5))
def test_what_is_lifted_does_not_depend_on_the_pieces(line: bytes, cuts: list[int]) -> None:
    at_once = lifted(line, remaining=LINE_BYTES_MAX)
    ends = [min(cut, len(line)) for cut in cuts]
    assert lifted(line, cuts=ends, remaining=LINE_BYTES_MAX) == at_once
    assert at_once.rest is not None
    assert len(at_once.rest) + sum(lift.longer_by for lift in at_once.lifts) == len(line)


def test_the_gate_keeps_lifted_payloads_and_redacts_texts_among_them() -> None:
    secret = "AKIA" + "Q3EGRLPZX4TTJ7BN"
    text = f"aws_access_key_id = {secret}\n".encode() * 10_000
    both = b'{"data":"%s","base64":"%s"}' % (b64encode(text), ENCODED)
    line = lifted(both)
    assert line.rest is not None
    blobs = [lift.blob for lift in line.lifts if lift.blob is not None]
    gated = pass_gate(
        line.rest,
        is_structural=lambda _: False,
        is_opaque=lambda _: False,
        opaque_marks=(),
        lifted=blobs,
    )
    kept = {blob.sha256: blob.data for blob in gated.blobs}
    record = json.loads(gated.record)
    for key in ("data", "base64"):
        digest, size = payload_of(record[key])
        assert digest is not None
        assert len(kept[digest]) == size
    assert secret.encode() not in b"".join(kept.values())
    assert PNG in kept.values()
    again = pass_gate(
        gated.record, is_structural=lambda _: False, is_opaque=lambda _: False, opaque_marks=()
    )
    assert again.record == gated.record
