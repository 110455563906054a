"""The redaction gate: what is hidden, what is left alone, and the laws of doing it."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.text.redact import KINDS, MARKER, is_credential_shaped, redact
from tests.core.text.secret_shapes import HARD_NEGATIVES, SHAPES, SecretShape


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_a_secret_of_every_shape_is_hidden(shape: SecretShape) -> None:
    assert shape.secret in shape.text
    redacted = redact(shape.text)
    assert shape.secret not in redacted.text
    assert redacted.findings


@pytest.mark.parametrize(("name", "text"), HARD_NEGATIVES, ids=[name for name, _ in HARD_NEGATIVES])
def test_a_look_alike_is_left_alone(name: str, text: str) -> None:
    assert redact(text).text == text
