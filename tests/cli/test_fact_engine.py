"""What a person says about facts, to the engine itself: each command is answered and agrees."""

import io
import os
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from recense.cli.main import run
from recense.cli.terminal import Terminal
from recense.operations.facts import Beliefs, FactTruth, RememberedFact
from recense.operations.recall import RecallAnswer
from recense.operations.texts import ForgetAnswer
from tests.cli.fact_words import SAID
from tests.cli.running import NOT_INHERITED, Pipe, Ran

Document = TypeVar("Document")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(NOT_INHERITED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("RECENSE_STORE", str(tmp_path / "recense.db"))
    monkeypatch.chdir(tmp_path)


def said(*words: str) -> Ran:
    out, err = Pipe(), io.StringIO()
    exit_code = run(words, terminal=Terminal(out, err, os.environ, milliseconds=lambda: 0.0))
    return Ran(exit_code=exit_code, out=out.getvalue(), err=err.getvalue())


def told(kind: type[Document], *words: str) -> Document:
    ran = said(*words, "--json")
    assert (ran.exit_code, ran.err) == (0, "")
    return msgspec.json.decode(ran.out, type=kind)


@pytest.mark.parametrize("as_json", [(), ("--json",)], ids=["words", "json"])
def test_everything_a_person_says_is_answered(as_json: tuple[str, ...]) -> None:
    for words in SAID:
        ran = said(*words, *as_json)
        assert (words, ran.exit_code, ran.err) == (words, 0, "")
        assert ran.out


def test_a_later_value_takes_the_place_of_the_earlier_and_leads_back_to_it() -> None:
    told(RememberedFact, "fact", "set", "Mira", "lives_in", "Bergen", "--observed-at", "2024-03-01")
    set_ = told(RememberedFact, "fact", "set", "mira", "lives_in", "Oslo")
    assert [belief.value for belief in set_.superseded] == ["Bergen"]
    before = told(Beliefs, "fact", "get", "mira", "lives_in", "--as-of", "2025-01-01")
    now = told(Beliefs, "fact", "get", "mira", "lives_in")
    assert [belief.value for belief in (*before.beliefs, *now.beliefs)] == ["Bergen", "Oslo"]
    for value, holds in (("Oslo", "yes"), ("Bergen", "no"), ("oslo", "yes")):
        assert told(FactTruth, "fact", "holds", "mira", "lives_in", value).holds == holds
    page = said("fact", "explain", "mira", "lives_in").out
    assert page.index("The rules:") < page.index("mira lives in Bergen") < page.index("Oslo")


def test_what_is_offered_is_withdrawn_when_it_is_named_and_then_nothing_is_held() -> None:
    said("fact", "set", "mira", "lives_in", "Oslo")
    (offer,) = told(ForgetAnswer, "forget", "where does mira live").offers
    assert told(FactTruth, "fact", "holds", "mira", "lives_in", "Oslo").holds == "yes"
    named = told(ForgetAnswer, "forget", "--fact", offer.fact)
    assert named.withdrawn == ("mira lives in Oslo",)
    again = told(ForgetAnswer, "forget", "--fact", offer.fact)
    assert (again.withdrawn, again.not_held) == ((), (offer.fact,))
    assert said("fact", "forget", "mira", "lives_in", "--all").out.startswith("Nothing")


def test_a_value_is_of_the_type_that_the_registry_says() -> None:
    said("registry", "define", "budget", "--type", "number", "--single")
    said("registry", "define", "paid", "--type", "boolean")
    assert told(RememberedFact, "fact", "set", "kiosk", "budget", "8000").belief is not None
    assert told(FactTruth, "fact", "holds", "kiosk", "budget", "8e3").holds == "yes"
    said("fact", "set", "kiosk", "paid", "no")
    (paid,) = told(Beliefs, "fact", "list", "--predicate", "paid").beliefs
    assert paid.value is False
    (budget,) = told(Beliefs, "fact", "list", "--predicate", "budget", "--at-least", "5000").beliefs
    assert budget.value == 8_000
    assert told(Beliefs, "fact", "list", "--predicate", "budget", "--at-most", "5000").total == 0


def test_recall_without_words_is_a_profile() -> None:
    said("fact", "set", "mira", "lives_in", "Oslo")
    assert [fact.text for fact in told(RecallAnswer, "recall").facts] == ["mira lives in Oslo"]
    page = said("recall").out
    assert page.startswith("mira lives in Oslo  since ")
    assert "No passage" not in page


def test_a_page_of_facts_is_followed_by_the_next() -> None:
    for number in range(5):
        said("fact", "set", f"berth {number}", "status", "free")
    seen: list[str] = []
    after: tuple[str, ...] = ()
    for _ in range(5):
        page = told(Beliefs, "fact", "list", "--limit", "2", *after)
        seen += [belief.subject for belief in page.beliefs]
        if page.next_after is None:
            break
        after = ("--after", page.next_after)
    assert sorted(seen) == [f"berth {number}" for number in range(5)]


def test_every_starter_can_be_loaded_into_an_open_registry() -> None:
    for starter in ("coding", "personal", "support", "sales", "voice"):
        ran = said("registry", "load", "--starter", starter)
        assert (ran.exit_code, ran.err) == (0, "")
    assert said("registry", "load", "--starter", "voice").out.startswith("Defined 0 predicates; ")
