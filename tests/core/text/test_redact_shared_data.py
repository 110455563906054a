"""How the gate does on labelled samples and on real transcripts, where the shared data is there."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from recense.core.text.redact import redact

_FLAGGED = {"payload,should_flag", "line,should_flag", "line,expected_secret_or_null"}
_ADDRESS = re.compile(r"[0-9.:]+")


def _rows(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_labelled_secrets_are_caught(shared_data: Path) -> None:
    samples = _rows(shared_data / "secrets" / "gitleaks" / "rule_samples.jsonl")
    secrets = [row["text"] for row in samples if row["kind"] == "tps"]
    caught = sum(bool(redact(text).findings) for text in secrets)
    assert caught >= 0.98 * len(secrets)


def test_what_another_scanner_flags_is_caught_unless_it_is_masked_or_an_address(
    shared_data: Path,
) -> None:
    flagged = [
        text
        for row in _rows(shared_data / "secrets" / "detect-secrets" / "test_cases.jsonl")
        if (text := _flagged_text(row)) is not None and "xxxxx" not in text
    ]
    caught = sum(bool(redact(text).findings) for text in flagged)
    assert caught >= 0.95 * len(flagged)


def _flagged_text(row: Mapping[str, object]) -> str | None:
    names = str(row["params"]).rpartition(": ")[2].replace(" ", "")
    values = row["values"]
    if names not in _FLAGGED or not isinstance(values, list):
        return None
    text, flag = cast("list[object]", values)[:2]
    if not isinstance(text, str) or flag in (None, False) or _ADDRESS.fullmatch(text):
        return None
    return text


def test_hard_negatives_are_untouched(shared_data: Path) -> None:
    negatives = [row["text"] for row in _rows(shared_data / "secrets" / "hard_negatives.jsonl")]
    untouched = sum(redact(text).text == text for text in negatives)
    assert untouched >= 0.995 * len(negatives)


def test_a_false_sample_is_touched_only_where_its_name_or_shape_is_a_secrets(
    shared_data: Path,
) -> None:
    samples = _rows(shared_data / "secrets" / "gitleaks" / "rule_samples.jsonl")
    false = [row["text"] for row in samples if row["kind"] == "fps"]
    untouched = sum(redact(text).text == text for text in false)
    assert untouched >= 0.85 * len(false)


def test_real_transcripts_hold_next_to_no_findings(shared_data: Path) -> None:
    # No live secret was left in them, so that what is found is a mistake or a sample.
    size = findings = 0
    for path in sorted((shared_data / "transcripts" / "codex").rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            size += len(line)
            findings += len(redact(line).findings)
    assert size
    assert findings <= 1 + size // 1_000_000
