"""The text surface: texts kept once, filed, found, withdrawn and told, and no predicate named."""

import re
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recense.core.facts import writing
from recense.core.facts.values import FactValue
from recense.errors import CredentialShaped, InvalidRequest, RecenseError
from recense.limits import (
    EXCERPT_BYTES_MAX,
    FACT_TEXT_BYTES_MAX,
    FACTS_FOUND_MAX,
    STATEMENTS_MAX,
)
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    RememberedText,
    RememberText,
    Statement,
    TextFact,
    TextHistory,
    TextMessage,
)
from recense.services.fact_collections import CONTROL, EPISODES, MEMORY
from tests.services.fact_world import DAY, HOUR_MS, T0, FactWorld, fact_world, text

SECRET = "ghp_" + "a1B2c3D4e5F6" * 3

_Answer = TypeVar("_Answer")


class TextWorld:
    """The text surface of a world; what it answers and refuses is kept, to be looked through."""

    def __init__(self, world: FactWorld) -> None:
        self.world: Final = world
        self.told: Final[list[str]] = []

    def remember(
        self, words: str | None = None, *statements: Statement, **fields: object
    ) -> RememberedText:
        request = RememberText(text=words, statements=statements)
        self.world.clock.advance(1_000)
        return self._told(
            lambda: self.world.memory.remember(msgspec.structs.replace(request, **fields))
        )

    def forget(self, words: str | None = None, *facts: str, **fields: object) -> ForgetAnswer:
        request = ForgetText(text=words, facts=facts)
        self.world.clock.advance(1_000)
        return self._told(
            lambda: self.world.memory.forget(msgspec.structs.replace(request, **fields))
        )

    def history(self, question: str, **fields: object) -> TextHistory:
        request = HistoryRequest(question=question)
        return self._told(
            lambda: self.world.memory.history(msgspec.structs.replace(request, **fields))
        )

    def found(self, words: str, limit: int = 10) -> tuple[TextFact, ...]:
        return self._told(lambda: self.world.remembering.found(words, limit))

    def profile(self) -> tuple[TextFact, ...]:
        return self._told(lambda: self.world.remembering.recalled(None))

    def _told(self, ask: Callable[[], _Answer]) -> _Answer:
        try:
            answer = ask()
        except RecenseError as error:
            self.told.extend((error.message, error.hint))
            raise
        self.told.append(msgspec.json.encode(answer).decode())
        return answer


@pytest.fixture
def texts(world: FactWorld) -> Generator[TextWorld]:
    """The text surface of each store; whatever it said in a test names no predicate."""
    surface = TextWorld(world)
    yield surface
    names = {name for each in world.memory.registry().names.values() for name in each}
    names |= {definition.predicate for definition in world.memory.registry().definitions}
    for said in surface.told:
        for name in names:
            assert "_" not in name or name not in said, (name, said)


def _statement(predicate: str, value: FactValue, evidence: str, **fields: object) -> Statement:
    made = Statement(subject="Mira", predicate=predicate, value=value, evidence=evidence)
    return msgspec.structs.replace(made, **fields)


def _texts(facts: tuple[TextFact, ...]) -> list[str]:
    return [fact.text for fact in facts]


# --- episodes -------------------------------------------------------------------------------------


def test_a_text_is_kept_once(texts: TextWorld) -> None:
    first = texts.remember("We sail on Friday.")
    assert first.is_new
    again = texts.remember("We sail on Friday.")
    assert (again.is_new, again.episode) == (False, first.episode)
    assert _texts(texts.found("when do we sail?")) == ["We sail on Friday."]


def test_texts_that_differ_in_case_or_white_space_are_two(texts: TextWorld) -> None:
    episodes = {
        texts.remember(words).episode
        for words in ("We sail on Friday.", "we sail on Friday.", "We sail on Friday. ")
    }
    assert len(episodes) == 3


def test_messages_are_kept_each_under_its_role(texts: TextWorld) -> None:
    messages = (
        TextMessage(role="user", text="Where do we sail?"),
        TextMessage(role="assistant", text="To Bergen."),
    )
    first = texts.remember(None, messages=messages)
    assert _texts(texts.found("Bergen")) == ["user: Where do we sail?\n\nassistant: To Bergen."]
    assert (
        texts.remember("user: Where do we sail?\n\nassistant: To Bergen.").episode == first.episode
    )


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": ""},
        {"text": " \n "},
        {"text": "é" * (FACT_TEXT_BYTES_MAX // 2) + "x"},
        {"text": "a\ud800"},
        {"text": "a", "messages": (TextMessage(role="user", text="b"),)},
        {"messages": (TextMessage(role="", text=" "), TextMessage(role="", text="\ud800"))},
        {"text": "a", "observed_at": "yesterday"},
        {"text": "a", "observed_at": text(T0 + DAY)},
        {"text": "a", "writer": "a\nb"},
        {"text": "a", "statements": (_statement("likes", "a", "a"),) * (STATEMENTS_MAX + 1)},
        {"text": 5},
        {"text": "a", "statements": ("likes a",)},
    ],
    ids=lambda fields: ascii(fields)[:50],
)
def test_a_text_that_cannot_be_kept_is_refused(texts: TextWorld, fields: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        texts.remember(**fields)  # pyright: ignore[reportArgumentType]
    assert texts.world.events() == []
    with texts.world.store.snapshot() as reader:
        assert reader.list("_episodes").total == 0


def test_a_text_at_its_bound_and_of_any_characters_is_kept(texts: TextWorld) -> None:
    for words in ("é" * (FACT_TEXT_BYTES_MAX // 2), "a\x00b", "𝔐𝔦𝔯𝔞 👩‍👩‍👧", "\u202etfel"):
        assert texts.remember(words).is_new
        assert not texts.remember(words).is_new


def test_a_secret_in_a_text_is_redacted_before_it_is_kept(texts: TextWorld) -> None:
    said = texts.remember(
        f"The token is {SECRET}.", _statement("note", f"token {SECRET}", f"token is {SECRET}")
    )
    assert said.refused == ()
    assert not texts.remember(f"The token is {SECRET}.").is_new
    with texts.world.store.snapshot() as reader:
        for collection in ("memory", "_episodes", "_control"):
            for record in reader.list(collection).records:
                assert SECRET not in record.body.decode()
                assert SECRET not in str(record.text)
    with pytest.raises(CredentialShaped):
        texts.remember("a", writer=SECRET)


# --- statements -----------------------------------------------------------------------------------


def test_statements_are_filed_from_a_text_with_their_evidence(texts: TextWorld) -> None:
    words = "I moved to   Oslo\nlast week, and I like tea."
    said = texts.remember(
        words,
        _statement("lives_in", "Oslo", "moved to Oslo last week"),
        _statement("likes", "tea", "I like tea", kind="preference"),
    )
    assert _texts(said.filed) == ["mira lives in Oslo", "mira likes tea"]
    assert said.known == said.refused == said.ended == ()
    history = texts.world.memory.fact_history("mira", "lives_in")
    piece = history.events[0].evidence[0]
    assert piece.excerpt == "moved to   Oslo\nlast week"
    assert piece.episode == said.episode
    assert history.events[0].source == "user_stated"


def test_filing_again_what_is_known_files_nothing(texts: TextWorld) -> None:
    statement = _statement("lives_in", "Oslo", "in Oslo")
    texts.remember("I live in Oslo.", statement)
    again = texts.remember("I live in Oslo.", statement)
    assert again.filed == ()
    assert _texts(again.known) == ["mira lives in Oslo"]
    assert len(texts.world.events()) == 1


def test_a_second_text_adds_its_evidence(texts: TextWorld) -> None:
    texts.remember("I live in Oslo.", _statement("lives_in", "Oslo", "in Oslo"))
    texts.remember("Oslo is home.", _statement("lives_in", "oslo", "Oslo is home"))
    view = texts.world.memory.fact_holds("mira", "lives_in", "Oslo").belief
    assert view is not None
    assert [piece.excerpt for piece in view.evidence] == ["Oslo is home", "in Oslo"]
    assert len({piece.episode for piece in view.evidence}) == 2


def test_an_agent_infers_what_a_person_states(texts: TextWorld) -> None:
    texts.remember("I live in Oslo.", _statement("lives_in", "Oslo", "in Oslo"), writer="scribe")
    event = texts.world.events()[0]
    assert (event.source, event.writer) == ("agent_inferred", "scribe")


def test_what_no_predicate_says_becomes_a_note(texts: TextWorld) -> None:
    said = texts.remember(
        "I collect stamps. And more of them.",
        _statement("collects_stamps", "of Norway", "collect stamps"),
        _statement("Collects Stamps!", "of Sweden", "more of them"),
        _statement("collects", 7, "stamps", replaces=("of Norway",)),
    )
    assert said.refused == ()
    assert _texts(said.filed) == [
        "Mira collects stamps of Norway",
        "Mira Collects Stamps! of Sweden",
        "Mira collects 7",
    ]
    assert len(texts.world.values("mira", "note")) == 3
    assert "collects_stamps" not in str(texts.world.memory.registry())


def test_a_statement_that_cannot_be_filed_keeps_none_of_the_others(texts: TextWorld) -> None:
    texts.world.define("shoe_size", value_type="number")
    said = texts.remember(
        "I live in Oslo and like tea.",
        _statement("lives_in", "Oslo", "in Bergen"),
        _statement("lives_in", "Oslo", "in Oslo", subject=""),
        _statement("shoe_size", "large", "like tea"),
        _statement("likes", "tea", ""),
        _statement("likes", "x" * (FACT_TEXT_BYTES_MAX + 1), "tea"),
        _statement("likes", "tea", "tea", subject="recense:registry"),
        _statement("likes", "a\ud800", "tea"),
        _statement("likes", "tea", "\ud800"),
        _statement("lik\ud800es", "tea", "tea"),
        _statement("likes", "tea", "tea", subject=SECRET),
        _statement("likes", "tea", "like tea"),
    )
    assert [each.position for each in said.refused] == list(range(10))
    assert "does not stand in the text" in said.refused[0].reason
    assert "expected a number" in said.refused[2].reason
    assert _texts(said.filed) == ["mira likes tea"]
    assert said.is_new


@pytest.mark.parametrize("predicate", ["wifi_password", "likes"])
def test_what_the_text_hides_no_statement_of_it_shows(texts: TextWorld, predicate: str) -> None:
    if predicate == "wifi_password":
        texts.world.define(predicate)
    password = "Winter-" + "orchid-41"
    words = f"My wifi password is {password}."
    statements = [
        _statement(name, password, words, subject=subject)
        for name, subject in (
            ("wifi_password", "Mira"),
            ("its_wifi_password", "Mira"),
            ("is", "the wifi password"),
        )
    ]
    said = texts.remember(words, *statements)
    assert len(said.filed) == len(statements)
    with texts.world.store.snapshot() as reader:
        for collection in (MEMORY, EPISODES, CONTROL):
            assert password.lower() not in str(reader.list(collection).records).lower()


def test_evidence_is_bounded(texts: TextWorld) -> None:
    words = "word " * 2_000
    said = texts.remember(words, _statement("likes", "tea", words[: EXCERPT_BYTES_MAX + 4]))
    assert "longer than" in said.refused[0].reason


def test_evidence_of_words_that_repeat_is_looked_for_once(texts: TextWorld) -> None:
    """As a pattern, each of these took a third of a second."""
    words = "a " * (FACT_TEXT_BYTES_MAX // 2)
    absent = [_statement("likes", "tea", "a " * 900 + "b")] * (STATEMENTS_MAX - 1)
    said = texts.remember(words, *absent, _statement("likes", "tea", "a  a\na"))
    assert len(said.refused) == STATEMENTS_MAX - 1
    assert _texts(said.filed) == ["mira likes tea"]


@given(st.text("ab \n", max_size=12), st.text("ab \t", max_size=5))
def test_evidence_is_found_wherever_it_stands_but_for_blanks(told: str, words: str) -> None:
    assume(told.strip())
    with fact_world("memory", Path()) as world:
        said = world.memory.remember(
            RememberText(text=told, statements=(_statement("likes", "tea", words),))
        )
        history = world.memory.fact_history("mira", "likes")
    pattern = r"\s+".join(map(re.escape, words.split()))
    found = re.search(pattern, told) if pattern else None
    excerpts = [piece.excerpt for event in history.events for piece in event.evidence]
    assert excerpts == ([] if found is None else [found.group()])
    assert len(said.refused) == (found is None)


def test_a_pair_that_is_full_is_refused_without_naming_it(
    texts: TextWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "PAIR_EVENTS_MAX", 40)
    texts.world.say_all("mira", "lives_in", [f"town {n}" for n in range(40)])
    said = texts.remember("I live in Oslo.", _statement("lives_in", "Oslo", "in Oslo"))
    assert "events" in said.refused[0].reason
    with pytest.raises(InvalidRequest, match="as many as are read"):
        texts.world.say("mira", "lives_in", "Oslo")
    assert texts.world.forget("mira", "lives_in") == ["town 39"]


def test_a_correction_ends_what_it_names(texts: TextWorld) -> None:
    texts.remember("I plan to swim.", _statement("plans", "swim", "swim"))
    said = texts.remember(
        "No swim; I run.", _statement("plans", "run", "I run", replaces=("Swim", "fly"))
    )
    assert _texts(said.filed) == ["mira plans run"]
    assert said.ended == ("mira plans swim",)
    assert said.filed[0].before == ("mira plans swim",)
    assert texts.world.values("mira", "plans") == ["run"]


def test_likes_and_dislikes_in_one_text_are_in_its_order(texts: TextWorld) -> None:
    words = "I liked tea, but I cannot stand it now. Coffee I hated, and love now."
    for at in (None, "2023-05-01T10:00:00Z"):
        said = texts.remember(
            words,
            _statement("likes", "tea", "liked tea"),
            _statement("dislikes", "tea", "cannot stand it"),
            _statement("dislikes", "coffee", "Coffee I hated"),
            _statement("likes", "coffee", "love now"),
            observed_at=at,
        )
        assert said.refused == ()
        assert texts.world.values("mira", "likes") == ["coffee"]
        assert texts.world.values("mira", "dislikes") == ["tea"]


def test_statements_of_a_text_with_an_instant_follow_each_other(texts: TextWorld) -> None:
    texts.remember(
        "First Rome, then Oslo.",
        _statement("lives_in", "Rome", "First Rome"),
        _statement("lives_in", "Oslo", "then Oslo"),
        observed_at="2023-05-01",
    )
    assert texts.world.values("mira", "lives_in") == ["Oslo"]
    assert [
        event.observed_at for event in texts.world.memory.fact_history("mira", "lives_in").events
    ] == [
        "2023-05-01T00:00:00.000000Z",
        "2023-05-01T00:00:00.000001Z",
    ]


# --- forgetting -----------------------------------------------------------------------------------


def test_forgetting_offers_and_withdraws_nothing_until_it_is_named(texts: TextWorld) -> None:
    texts.remember(
        "I like marzipan.",
        _statement("likes", "marzipan", "marzipan"),
        _statement("owns", "tea", "I"),
    )
    offered = texts.forget("marzipan")
    assert _texts(offered.offers) == ["mira likes marzipan", "I like marzipan."]
    assert offered.withdrawn == offered.not_held == ()
    assert texts.world.values("mira", "likes") == ["marzipan"]
    done = texts.forget(None, *(fact.fact for fact in offered.offers))
    assert done.withdrawn == ("mira likes marzipan", "I like marzipan.")
    assert texts.world.values("mira", "likes") == []
    assert texts.forget("marzipan").offers == texts.found("marzipan") == ()
    assert texts.world.values("mira", "owns") == ["tea"]


def test_forgetting_what_is_not_held_is_said_to_be_nothing(texts: TextWorld) -> None:
    texts.world.say("mira", "likes", "tea")
    event = texts.world.events()[0].event_id
    assert texts.forget(None, event).withdrawn == ("mira likes tea",)
    retraction = texts.world.events()
    ids = {each.event_id for each in retraction} | {"e-unknown", "t-unknown", "nonsense"}
    again = texts.forget(None, *sorted(ids))
    assert again.withdrawn == ()
    assert set(again.not_held) == ids
    registry = texts.world.memory.registry_log().changes[0].event_id
    assert registry is not None
    assert texts.forget(None, registry).not_held == (registry,)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"text": " "},
        {"text": "a", "limit": 0},
        {"text": "a", "limit": FACTS_FOUND_MAX + 1},
        {"facts": ("\ud800",)},
        {"facts": ("",)},
        {"facts": ("x" * 10_000,)},
        {"facts": (5,)},
    ],
    ids=lambda fields: ascii(fields)[:40],
)
def test_forgetting_nothing_in_particular_is_refused(
    texts: TextWorld, fields: dict[str, object]
) -> None:
    words = fields.pop("text", None)
    facts = fields.pop("facts", ())
    with pytest.raises(InvalidRequest):
        texts.forget(words, *facts, **fields)  # pyright: ignore[reportArgumentType, reportGeneralTypeIssues, reportUnknownArgumentType]


def test_a_withdrawn_text_is_found_again_when_it_is_told_again(texts: TextWorld) -> None:
    episode = texts.remember("We sail on Friday.").episode
    assert texts.forget(None, episode).withdrawn == ("We sail on Friday.",)
    assert texts.forget(None, episode).not_held == (episode,)
    assert texts.found("sail") == ()
    assert texts.remember("We sail on Friday.").is_new
    assert _texts(texts.found("sail")) == ["We sail on Friday."]


def test_a_fact_stays_when_its_text_is_withdrawn(texts: TextWorld) -> None:
    said = texts.remember("I live in Oslo.", _statement("lives_in", "Oslo", "in Oslo"))
    texts.forget(None, said.episode)
    assert _texts(texts.found("Oslo")) == ["mira lives in Oslo"]


# --- history, profile, finding --------------------------------------------------------------------


def test_a_history_is_told_in_threads(texts: TextWorld) -> None:
    texts.world.say("mira", "lives_in", "Bergen")
    texts.world.say("mira", "lives_in", "Oslo")
    texts.world.say("mira", "owns", "a red kayak")
    threads = texts.history("where did Mira live?").threads
    assert len(threads) == 1
    assert threads[0].now == ("mira lives in Oslo",)
    assert [(step.text, step.until is None, step.ended_by) for step in threads[0].steps] == [
        ("mira lives in Bergen", False, "mira lives in Oslo"),
        ("mira lives in Oslo", True, ""),
    ]
    assert texts.history("submarines").threads == ()


def test_a_thread_of_what_was_withdrawn_says_nothing_now(texts: TextWorld) -> None:
    texts.world.say("mira", "likes", "marzipan")
    texts.world.forget("mira", "likes", "marzipan")
    thread = texts.history("marzipan").threads[0]
    assert thread.now == ()
    assert thread.steps[0].ended_by == "a withdrawal"


def test_a_profile_is_what_is_current_the_last_stated_first(texts: TextWorld) -> None:
    texts.world.say("mira", "lives_in", "Bergen")
    texts.world.say("mira", "likes", "tea")
    texts.world.say("mira", "lives_in", "Oslo")
    texts.world.say("mira", "owns", "a kayak")
    texts.world.forget("mira", "owns", "a kayak")
    texts.world.say("mira", "likes", "tea", source="tool_result")
    texts.world.clock.advance(2 * 24 * HOUR_MS)
    profile = texts.profile()
    assert _texts(profile) == ["mira likes tea", "mira lives in Oslo"]
    assert profile[1].days_ago == 2
    assert len(profile[1].before) == 1


def test_a_value_held_elsewhere_is_said_in_words(texts: TextWorld) -> None:
    texts.world.say("mira", "works_at", "the harbour")
    texts.world.say("mira", "lives_in", "the harbour")
    facts = {fact.text: fact.elsewhere for fact in texts.found("harbour")}
    assert facts == {
        "mira works at the harbour": ("mira lives in the harbour",),
        "mira lives in the harbour": ("mira works at the harbour",),
    }


def test_facts_come_before_texts_and_both_are_found(texts: TextWorld) -> None:
    for number in range(12):
        texts.remember(
            f"Kayak number {number}.", _statement("owns", f"kayak {number}", f"number {number}")
        )
    found = texts.found("kayak", 10)
    assert len(found) == 10
    kinds = ["text" if fact.text.endswith(".") else "fact" for fact in found]
    assert kinds == sorted(kinds)
    assert "fact" in kinds


@pytest.mark.parametrize("question", ["", " ", "x" * 100_000])
def test_a_question_outside_its_bounds_is_refused(texts: TextWorld, question: str) -> None:
    with pytest.raises(InvalidRequest):
        texts.history(question)
    with pytest.raises(InvalidRequest):
        texts.history("tea", limit=0)
    with pytest.raises(CredentialShaped):
        texts.history(SECRET)
    with pytest.raises(CredentialShaped):
        texts.forget(SECRET)
