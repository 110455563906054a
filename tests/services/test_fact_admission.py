"""What a statement may be: names, types, bounds and secrets, before anything is written."""

from collections.abc import Callable

import pytest

from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue, ValueType
from recense.errors import CredentialShaped, InvalidRequest, RecenseError
from recense.limits import (
    EVIDENCE_GIVEN_MAX,
    EXCERPT_BYTES_MAX,
    FACT_TEXT_BYTES_MAX,
    FACTS_FOUND_MAX,
    FACTS_LISTED_MAX,
    IDENTIFIER_CODE_POINTS_MAX,
    PREDICATE_BYTES_MAX,
    REPLACES_MAX,
    SUBJECT_CODE_POINTS_MAX,
)
from recense.operations.facts import (
    EvidenceRequest,
    ForgetFact,
    GetFacts,
    RememberFact,
    ReplaceRequest,
    SearchFacts,
)
from recense.services.fact_admission import FactAdmission
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from tests.services.fact_world import FactWorld

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3
"""An invented token of a shape that every scanner knows."""

SECRET_NAME = "ghp_" + "a1b2c3d4e5f6" * 3
"""The same where only a name can be."""


# --- what its place tells for a secret -----------------------------------------------------------

PASSWORD = "Winter-" + "orchid-41"
KEY = "3f9a1c7e5b2d8046" + "e1f7a93c0d5b8e24"
BY_PLACE = [
    ("the deploy bot", "wifi_password", PASSWORD, "[redacted:password]"),
    ("the deploy bot", "api_key", KEY, "[redacted:key]"),
    ("the wifi password", "is", PASSWORD, "[redacted:password]"),
]


@pytest.mark.parametrize(("subject", "predicate", "value", "kept"), BY_PLACE)
def test_what_its_place_alone_tells_for_a_secret_is_hidden(
    subject: str, predicate: str, value: str, kept: str
) -> None:
    admission = FactAdmission(redact_secrets=True)
    assert admission.stated(subject, predicate, value) == kept
    assert FactAdmission(redact_secrets=False).stated(subject, predicate, value) == value


@pytest.mark.parametrize(
    ("predicate", "value"),
    [
        ("lives_in", PASSWORD),
        ("wifi_password", "changed last week"),
        ("wifi_password", "[redacted:password]"),
        ("token", "counts words"),
        ("pin", 4711),
        ("likes", True),
        ("height", 1.5),
    ],
)
def test_what_is_no_secret_stays_as_it_is_wherever_it_stands(
    predicate: str, value: FactValue
) -> None:
    assert FactAdmission(redact_secrets=True).stated("mira", predicate, value) is value


def test_a_number_that_its_place_tells_for_a_secret_is_refused() -> None:
    with pytest.raises(CredentialShaped):
        FactAdmission(redact_secrets=True).stated("mira", "password", 8_402_917_365)


@pytest.mark.parametrize(("subject", "predicate", "value", "kept"), BY_PLACE)
def test_a_fact_that_its_place_tells_for_a_secret_is_kept_without_it(
    world: FactWorld, subject: str, predicate: str, value: str, kept: str
) -> None:
    world.say(subject, predicate, value)
    assert world.values(subject, predicate) == [kept]
    with world.store.snapshot() as reader:
        for collection in (MEMORY, EPISODES, CONTROL):
            assert value.lower() not in str(reader.list(collection).records).lower()
    replaced = ReplaceRequest(value=value)
    said = world.say(subject, predicate, "in the safe", replaces=(replaced,))
    assert [each.value for each in said.superseded] == [kept]
    world.say(subject, predicate, value)
    assert world.forget(subject, predicate, value) == [kept]


def test_no_answer_and_no_refusal_says_the_secret_that_was_asked_with(
    on_memory: FactWorld,
) -> None:
    memory = on_memory.memory
    asked: tuple[Callable[[], object], ...] = (
        lambda: memory.facts(GetFacts(after=SECRET)),
        lambda: memory.split_subject(SECRET_NAME),
        lambda: memory.merge_predicates(SECRET_NAME, "likes"),
        lambda: memory.merge_predicates("likes", SECRET_NAME),
        lambda: memory.split_predicate(SECRET),
        lambda: memory.fact_timeline(SECRET_NAME),
        lambda: memory.explain_fact(SECRET_NAME),
    )
    for place, ask in enumerate(asked):
        said = _said(ask)
        assert (place, SECRET in said, SECRET_NAME in said) == (place, False, False)


def _said(ask: Callable[[], object]) -> str:
    """Return an answer, or what is said in its place."""
    try:
        return str(ask())
    except RecenseError as refusal:
        return f"{refusal.message} {refusal.hint}"


def test_a_reference_is_the_same_with_and_without_blanks_around_it(world: FactWorld) -> None:
    world.define("knows", value_type="ref")
    world.say("mira", "knows", " Jonas ")
    assert world.memory.fact_holds("mira", "knows", " Jonas ").holds == "yes"
    said = world.say("mira", "knows", "Lea", replaces=(ReplaceRequest(value=" Jonas "),))
    assert [each.value for each in said.superseded] == ["Jonas"]
    assert world.forget("mira", "knows", " Lea") == ["Lea"]


# --- the registry's policy ------------------------------------------------------------------------


def test_the_first_use_of_a_predicate_defines_it_in_an_open_registry(world: FactWorld) -> None:
    firsts: list[tuple[str, FactValue, ValueType]] = [
        ("shoe_size", 42, "number"),
        ("is_vegetarian", True, "boolean"),
        ("nickname", "Mi", "string"),
    ]
    for predicate, value, value_type in firsts:
        said = world.say("mira", predicate, value)
        assert said.defined == Definition(predicate=predicate, value_type=value_type)
        assert world.say("mira", predicate, value).defined is None
    with pytest.raises(InvalidRequest, match="expected a number"):
        world.say("mira", "shoe_size", "large")


def test_the_first_use_may_say_that_there_is_one_value_at_a_time(world: FactWorld) -> None:
    said = world.say("mira", "speed", 3.5, cardinality="single")
    assert said.defined is not None
    assert said.defined.cardinality == "single"
    world.say("mira", "speed", 4)
    assert world.values("mira", "speed") == [4]


def test_another_form_of_a_known_name_becomes_a_name_of_it(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    said = world.say("mira", "like", "coffee")
    assert said.current
    assert said.belief is not None
    assert said.belief.predicate == "likes"
    assert world.values("mira", "likes") == world.values("mira", "like") == ["tea", "coffee"]
    assert world.memory.registry().names == {"likes": ("like", "likes")}
    world.memory.split_predicate("like")
    assert world.values("mira", "likes") == ["tea"]
    assert world.values("mira", "like") == ["coffee"]


def test_another_form_of_a_name_that_says_what_is_known_defines_nothing(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    said = world.say("mira", "like", "tea")
    assert said.already_known
    assert said.defined is None
    assert world.memory.registry().names == {}


def test_a_name_with_values_of_another_kind_is_one_of_its_own(world: FactWorld) -> None:
    world.say("mira", "like", 7)
    assert world.memory.registry().names == {}
    assert world.values("mira", "like") == [7]


def test_a_cardinality_that_contradicts_the_registry_is_refused(world: FactWorld) -> None:
    with pytest.raises(InvalidRequest, match="single-valued"):
        world.say("mira", "lives_in", "Oslo", cardinality="multi")
    assert world.say("mira", "lives_in", "Oslo", cardinality="single").current


def test_a_closed_registry_refuses_what_it_does_not_have_and_says_what_it_has(
    world: FactWorld,
) -> None:
    closed = world.another(is_open=False)
    closed.define_predicate(Definition(predicate="lives_in", cardinality="single"))
    before = world.events()
    with pytest.raises(InvalidRequest) as refused:
        closed.remember_fact(RememberFact(subject="mira", predicate="shoe_size", value=42))
    assert "lives_in" in refused.value.message
    assert "note" in refused.value.message
    assert "note" in refused.value.hint
    assert world.events() == before
    assert closed.remember_fact(
        RememberFact(subject="mira", predicate="note", value="shoe size 42")
    ).current
    nothing = closed.forget_fact(ForgetFact(subject="mira", predicate="shoe_size", value=42))
    assert nothing.withdrawn == ()


# --- types ----------------------------------------------------------------------------------------

_TYPES = (
    Definition(predicate="a_text", value_type="string"),
    Definition(predicate="a_number", value_type="number"),
    Definition(predicate="a_truth", value_type="boolean"),
    Definition(predicate="a_choice", value_type="enum", allowed=("low", "High")),
    Definition(predicate="a_day", value_type="date"),
    Definition(predicate="a_name", value_type="ref"),
)


@pytest.mark.parametrize(
    ("predicate", "value"),
    [
        ("a_text", "any text"),
        ("a_number", 0),
        ("a_number", -0.0),
        ("a_number", 2**63 - 1),
        ("a_number", -(2**63)),
        ("a_number", 1e308),
        ("a_truth", False),
        ("a_choice", "High"),
        ("a_day", "2024"),
        ("a_day", "2024-02"),
        ("a_day", "2024-02-29"),
        ("a_day", "2024-02-29T10:30:00+05:45"),
        ("a_name", "Acme GmbH"),
    ],
)
def test_a_value_of_the_type_is_kept_as_it_is(
    world: FactWorld, predicate: str, value: FactValue
) -> None:
    world.memory.load_registry(_TYPES)
    world.say("it", predicate, value)
    kept = world.values("it", predicate)
    assert kept == [value]
    assert type(kept[0]) is type(value)


@pytest.mark.parametrize(
    ("predicate", "value", "expected"),
    [
        ("a_text", 1, "text"),
        ("a_text", True, "text"),
        ("a_text", "  ", "text"),
        ("a_number", "1", "a number"),
        ("a_number", True, "a number"),
        ("a_truth", 1, "true or false"),
        ("a_truth", "yes", "true or false"),
        ("a_choice", "middle", "one of low, High"),
        ("a_choice", "high", "one of low, High"),
        ("a_day", "2023-02-29", "a date"),
        ("a_day", "2023-13", "a date"),
        ("a_day", "0000", "a date"),
        ("a_day", "29.02.2024", "a date"),
        ("a_day", "24", "a date"),
        ("a_day", "２０２４", "a date"),
        ("a_day", "2024-2-9", "a date"),
        ("a_day", "tomorrow", "a date"),
        ("a_day", 2024, "a date"),
        ("a_name", "  ", "the name of a subject"),
        ("a_name", 5, "the name of a subject"),
    ],
)
def test_a_value_of_another_type_is_refused_with_what_was_expected(
    on_memory: FactWorld, predicate: str, value: FactValue, expected: str
) -> None:
    on_memory.memory.load_registry(_TYPES)
    with pytest.raises(InvalidRequest, match=expected) as refused:
        on_memory.say("it", predicate, value)
    assert predicate not in refused.value.message
    assert on_memory.events() == []


@pytest.mark.parametrize(
    "value",
    [2**63, -(2**63) - 1, 2**70, float("nan"), float("inf"), None, b"bytes", ["a"], {"a": 1}],
    ids=repr,
)
def test_a_value_that_no_fact_can_have_is_refused(on_memory: FactWorld, value: object) -> None:
    with pytest.raises(InvalidRequest):
        on_memory.say("it", "size", value)  # pyright: ignore[reportArgumentType]
    assert on_memory.events() == []


def test_a_reference_to_a_reserved_or_too_long_subject_is_refused(on_memory: FactWorld) -> None:
    on_memory.memory.load_registry(_TYPES)
    for value in ("recense:registry", "x" * (SUBJECT_CODE_POINTS_MAX + 1)):
        with pytest.raises(InvalidRequest, match="subject"):
            on_memory.say("it", "a_name", value)


def test_equal_numbers_are_one_value_whatever_their_type(world: FactWorld) -> None:
    world.say("it", "size", 8000)
    assert world.say("it", "size", 8000.0).already_known
    world.say("it", "size", 0)
    assert world.say("it", "size", -0.0).already_known
    assert world.say("it", "size", 2**53 + 1).stored
    assert world.say("it", "size", float(2**53)).stored
    assert len(world.values("it", "size")) == 4


# --- bounds ---------------------------------------------------------------------------------------

_WRONG_TYPES: list[dict[str, object]] = [
    {"subject": 3},
    {"subject": None},
    {"predicate": 3},
    {"confidence": "high"},
    {"confidence": None},
    {"kind": "opinion"},
    {"source": "hearsay"},
    {"writer": 7},
    {"evidence": ("words",)},
    {"replaces": ("e-1",)},
    {"cardinality": "both"},
    {"observed_at": 5},
    {"idempotency_key": 5},
]

_OUT_OF_BOUNDS: list[dict[str, object]] = [
    {"subject": ""},
    {"subject": " \t\n"},
    {"subject": "x" * (SUBJECT_CODE_POINTS_MAX + 1)},
    {"subject": "recense:registry"},
    {"subject": " Recense:Extraction"},
    {"subject": "a\ud800"},
    {"predicate": ""},
    {"predicate": "Lives_in"},
    {"predicate": "lives in"},
    {"predicate": "1st"},
    {"predicate": "_x"},
    {"predicate": "naïve"},
    {"predicate": "lives_in\n"},
    {"predicate": "x" * (PREDICATE_BYTES_MAX + 1)},
    {"value": "é" * (FACT_TEXT_BYTES_MAX // 2) + "x"},
    {"value": "a\ud800b"},
    {"confidence": -0.1},
    {"confidence": 1.1},
    {"confidence": float("nan")},
    {"writer": "x" * (IDENTIFIER_CODE_POINTS_MAX + 1)},
    {"writer": "a\nb"},
    {"writer": "\ud800"},
    {"evidence": (EvidenceRequest(excerpt="w"),) * (EVIDENCE_GIVEN_MAX + 1)},
    {"evidence": (EvidenceRequest(excerpt=" "),)},
    {"evidence": (EvidenceRequest(excerpt="é" * (EXCERPT_BYTES_MAX // 2) + "x"),)},
    {"evidence": (EvidenceRequest(excerpt="a\udfff"),)},
    {"evidence": (EvidenceRequest(excerpt="a", episode="\ud800"),)},
    {"evidence": (EvidenceRequest(excerpt="a", anchor="x" * 10_000),)},
    {"evidence": (EvidenceRequest(excerpt="a", anchor="a\nb"),)},
    {"replaces": (ReplaceRequest(value="v"),) * (REPLACES_MAX + 1)},
    {"replaces": (ReplaceRequest(value="a\ud800"),)},
    {"replaces": (ReplaceRequest(value="v", subject="recense:registry"),)},
    {"replaces": (ReplaceRequest(value="v", predicate="Lives In"),)},
    {"replaces": (ReplaceRequest(event_id="\ud800"),)},
    {"idempotency_key": "\ud800"},
]


@pytest.mark.parametrize(
    "fields", [*_WRONG_TYPES, *_OUT_OF_BOUNDS], ids=lambda fields: ascii(fields)[:40]
)
def test_a_field_outside_its_bounds_is_refused_and_nothing_is_written(
    on_memory: FactWorld, fields: dict[str, object]
) -> None:
    given = {"subject": "mira", "predicate": "likes", "value": "tea", **fields}
    with pytest.raises(InvalidRequest):
        on_memory.say(given.pop("subject"), given.pop("predicate"), given.pop("value"), **given)  # pyright: ignore[reportArgumentType]
    assert on_memory.events() == []


def test_what_lies_at_its_bound_is_kept(world: FactWorld) -> None:
    said = world.say(
        "x" * SUBJECT_CODE_POINTS_MAX,
        "p" * PREDICATE_BYTES_MAX,
        "é" * (FACT_TEXT_BYTES_MAX // 2),
        confidence=0.0,
        writer="w" * IDENTIFIER_CODE_POINTS_MAX,
        evidence=tuple(
            EvidenceRequest(excerpt=f"{number} " + "a b " * (EXCERPT_BYTES_MAX // 4 - 1))
            for number in range(EVIDENCE_GIVEN_MAX)
        ),
        replaces=(ReplaceRequest(value="v"),) * REPLACES_MAX,
        idempotency_key="k" * IDENTIFIER_CODE_POINTS_MAX,
    )
    assert said.current
    assert said.belief is not None
    assert len(said.belief.evidence) == EVIDENCE_GIVEN_MAX


@pytest.mark.parametrize(
    "request_",
    [
        GetFacts(limit=0),
        GetFacts(limit=FACTS_LISTED_MAX + 1),
        GetFacts(min_confidence=1.5),
        GetFacts(subject=""),
        GetFacts(predicate="No Name"),
        GetFacts(subject="mira", predicate="No Name"),
        GetFacts(refers_to=" "),
        GetFacts(subject="\ud800"),
        GetFacts(refers_to="\ud800"),
        GetFacts(as_of="\ud800"),
        GetFacts(as_of="soon"),
        GetFacts(known_by="soon"),
        GetFacts(stated_since="soon"),
        GetFacts(stated_since="2024-01-02", stated_until="2024-01-01"),
        GetFacts(subject=3),  # pyright: ignore[reportArgumentType]
        GetFacts(kind="opinion"),  # pyright: ignore[reportArgumentType]
        GetFacts(limit="ten"),  # pyright: ignore[reportArgumentType]
        GetFacts(value_at_least=True, value_at_most=[]),  # pyright: ignore[reportArgumentType]
    ],
    ids=lambda request: ascii(request)[:60],
)
def test_a_read_outside_its_bounds_is_refused(on_memory: FactWorld, request_: GetFacts) -> None:
    with pytest.raises(InvalidRequest):
        on_memory.memory.facts(request_)


@pytest.mark.parametrize(
    "request_",
    [
        SearchFacts(text=" "),
        SearchFacts(text="tea", limit=0),
        SearchFacts(text="tea", limit=FACTS_FOUND_MAX + 1),
        SearchFacts(text="tea", subject=""),
        SearchFacts(text="tea", as_of="soon"),
        SearchFacts(text="tea", subject="\ud800"),
        SearchFacts(text="tea", known_by="soon"),
        SearchFacts(text=5),  # pyright: ignore[reportArgumentType]
    ],
    ids=ascii,
)
def test_a_search_outside_its_bounds_is_refused(
    on_memory: FactWorld, request_: SearchFacts
) -> None:
    with pytest.raises(InvalidRequest):
        on_memory.memory.search_facts(request_)


def test_a_search_for_a_secret_is_refused(on_memory: FactWorld) -> None:
    with pytest.raises(CredentialShaped):
        on_memory.memory.search_facts(SearchFacts(text=SECRET))


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": "\ud800"},
        {"value": "\ud800"},
        {"writer": "a\nb"},
        {"observed_at": "now"},
        {"observed_at": "2300-01-01T00:00:00Z"},
        {"predicate": "No Name"},
        {"value": ["a"]},
        {"idempotency_key": ""},
    ],
    ids=ascii,
)
def test_forgetting_outside_its_bounds_is_refused(
    on_memory: FactWorld, fields: dict[str, object]
) -> None:
    on_memory.say("mira", "likes", "tea")
    given = {"subject": "mira", "predicate": "likes", "value": "tea", **fields}
    with pytest.raises(InvalidRequest):
        on_memory.memory.forget_fact(ForgetFact(**given))  # pyright: ignore[reportArgumentType]
    assert on_memory.values("mira", "likes") == ["tea"]


# --- secrets and odd characters -------------------------------------------------------------------


def test_a_secret_in_a_value_and_in_evidence_is_redacted_before_it_is_kept(
    world: FactWorld,
) -> None:
    said = world.say(
        "mira",
        "note",
        f"the token is {SECRET} for now",
        evidence=(EvidenceRequest(excerpt=f"use {SECRET}, she said"),),
    )
    assert said.current
    assert SECRET not in str(said)
    with world.store.snapshot() as reader:
        for collection in ("memory", "_episodes", "_control"):
            for record in reader.list(collection).records:
                assert SECRET not in str(record)
                assert SECRET not in record.body.decode()
    assert world.forget("mira", "note", f"the token is {SECRET} for now") != []


def test_a_secret_is_kept_where_the_owner_says_so_and_still_does_not_leave(
    world: FactWorld,
) -> None:
    memory = world.another(redact_secrets=False)
    said = memory.remember_fact(
        RememberFact(subject="mira", predicate="note", value=f"the token is {SECRET}")
    )
    assert SECRET not in str(said)
    assert SECRET in str(world.events()[0].value)
    assert SECRET not in str(memory.facts(GetFacts(subject="mira")))
    assert SECRET not in str(memory.fact_history("mira", "note"))
    assert SECRET not in str(memory.explain_fact("mira"))
    assert SECRET not in str(memory.fact_timeline("mira"))


@pytest.mark.parametrize(
    "fields",
    [
        {"subject": SECRET},
        {"predicate": SECRET_NAME},
        {"writer": SECRET},
        {"idempotency_key": SECRET},
        {"evidence": (EvidenceRequest(excerpt="a", episode=SECRET),)},
        {"evidence": (EvidenceRequest(excerpt="a", anchor=SECRET),)},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_name_that_is_a_secret_is_refused_and_not_repeated(
    on_memory: FactWorld, fields: dict[str, object]
) -> None:
    given = {"subject": "mira", "predicate": "likes", "value": "tea", **fields}
    with pytest.raises(CredentialShaped) as refused:
        on_memory.say(given.pop("subject"), given.pop("predicate"), given.pop("value"), **given)  # pyright: ignore[reportArgumentType]
    assert SECRET not in refused.value.message + refused.value.hint
    assert SECRET_NAME not in refused.value.message + refused.value.hint
    assert on_memory.events() == []


@pytest.mark.parametrize(
    "value",
    [
        "a\x00b",
        "\x00",
        "𝔐𝔦𝔯𝔞 👩‍👩‍👧 𠮷",
        "line\r\nline\u2028line",
        "e\u0301",
        "\u202eright to left",
        "'; DROP TABLE records; --",
        "%_*?[a]",
        "ﬁ",
    ],
    ids=ascii,
)
def test_any_text_is_kept_as_it_was_written(world: FactWorld, value: str) -> None:
    said = world.say("mira", "note", value, evidence=(EvidenceRequest(excerpt=f"x{value}"),))
    assert said.current
    assert world.values("mira", "note") == [value]
    assert world.say("mira", "note", value).already_known
    assert world.forget("mira", "note", value) == [value]
    assert world.values("mira", "note") == []


def test_texts_compare_by_their_folded_composed_form(world: FactWorld) -> None:
    world.say("Ｍira", "likes", "cafe\u0301")
    assert world.say("ｍira", "likes", "CAFÉ").stored
    assert world.values("ｍira", "likes") == ["CAFÉ"]
    world.say("mira", "likes", "Straße")
    assert world.say("mira", "likes", "STRASSE").belief is not None
    assert len(world.values("mira", "likes")) == 1


def test_subjects_compare_trimmed_composed_and_lower_case(world: FactWorld) -> None:
    world.say("  Jose\u0301 ", "likes", "tea")
    assert world.values("JOSÉ", "likes") == ["tea"]
