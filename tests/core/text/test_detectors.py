"""Probes: what they leave out cannot be there, and a clean text pays for few of them."""

import pytest
from hypothesis import given

from recense.core.text import detectors
from recense.core.text.detectors import Probes, fired_detectors
from recense.core.text.shapes import APART, SHAPE_FAMILIES, SHAPES
from tests.core.text.secret_shapes import SHAPES as SECRETS
from tests.core.text.secret_shapes import SecretShape, mixtures
from tests.rows import each_row

ROWS = Probes(
    (APART + shape.probe if shape.prefixed else shape.probe, index)
    for index, shape in enumerate(SHAPES)
)
"""One automaton for each row: what the families have to agree with."""


def shapes_fired(text: str) -> set[int]:
    fired, _ = fired_detectors(text.encode("utf-8", "surrogatepass"))
    return {index for index in fired if index < len(SHAPES)}


def test_every_row_is_in_one_family() -> None:
    members = [index for family in SHAPE_FAMILIES for index in family.members]
    assert sorted(members) == list(range(len(SHAPES)))


@each_row("secret", SECRETS, ids=lambda secret: secret.name)
def test_the_probe_of_a_row_fires_through_its_family(secret: SecretShape) -> None:
    assert shapes_fired(secret.text) == ROWS.fired(secret.text.encode())


@given(mixtures())
def test_families_fire_the_rows_that_they_would_fire_one_by_one(text: str) -> None:
    assert shapes_fired(text) == ROWS.fired(text.encode("utf-8", "surrogatepass"))


def test_a_text_without_a_shape_builds_the_automata_of_no_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(owner: int) -> Probes:
        raise AssertionError(owner)

    monkeypatch.setattr(detectors, "_shape_probes", never)
    for text in ("ECONNRESET", "Why was the nightly import dropped?", "token = os.environ[NAME]"):
        fired_detectors(text.encode())
