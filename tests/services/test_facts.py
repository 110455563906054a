"""Reading facts: what holds, what held, what is found, and why."""

import pytest

from recense.core.facts.changes import Definition
from recense.core.facts.values import FactValue
from recense.errors import NotFound, RequestRefused
from recense.limits import ELSEWHERE_MAX, FACT_PAGE_EVENTS
from recense.operations.facts import Beliefs, EvidenceRequest, GetFacts, ReplaceRequest, SearchFacts
from tests.services.fact_world import DAY, HOUR, HOUR_MS, SECOND, T0, FactWorld, text

DAY_MS = 24 * HOUR_MS


def _pages(world: FactWorld, request: GetFacts) -> list[Beliefs]:
    """Return every page of a read."""
    pages = [world.memory.facts(request)]
    while (after := pages[-1].next_after) is not None:
        assert len(pages) < 100
        request = GetFacts(
            subject=request.subject,
            predicate=request.predicate,
            limit=request.limit,
            after=after,
        )
        pages.append(world.memory.facts(request))
    return pages


# --- exact reads ----------------------------------------------------------------------------------


def test_a_pair_is_read_in_the_order_in_which_values_came_to_be_held(world: FactWorld) -> None:
    for value in ("tea", "cake", "rain", "Tea"):
        world.say("mira", "likes", value)
    answer = world.memory.facts(GetFacts(subject="Mira", predicate="likes"))
    assert [each.value for each in answer.beliefs] == ["Tea", "cake", "rain"]
    assert answer.total == 3
    assert answer.next_after is None
    assert answer.as_of == text(T0 + 4_000_000)


def test_a_pair_of_which_nothing_is_known_is_empty(world: FactWorld) -> None:
    for predicate in ("likes", "lives_in", "undefined"):
        answer = world.memory.facts(GetFacts(subject="mira", predicate=predicate))
        assert (answer.beliefs, answer.total, answer.next_after) == ((), 0, None)


def test_a_pair_of_more_values_than_the_limit_is_read_page_by_page(world: FactWorld) -> None:
    for number in range(7):
        world.say("mira", "likes", f"thing {number}")
    pages = _pages(world, GetFacts(subject="mira", predicate="likes", limit=3))
    assert [len(page.beliefs) for page in pages] == [3, 3, 1]
    values = [each.value for page in pages for each in page.beliefs]
    assert sorted(map(str, values)) == [f"thing {number}" for number in range(7)]


def test_a_full_last_page_leads_nowhere(world: FactWorld) -> None:
    for number in range(4):
        world.say("mira", "likes", f"thing {number}")
        world.say(f"person {number}", "lives_in", "Oslo")
    for request in (
        GetFacts(subject="mira", predicate="likes", limit=4),
        GetFacts(predicate="likes", limit=4),
        GetFacts(predicate="lives_in", limit=2),
    ):
        pages = _pages(world, request)
        assert [len(page.beliefs) for page in pages] == [request.limit] * len(pages)
        assert sum(len(page.beliefs) for page in pages) == 4


def test_a_thousand_notes_are_read_each_once(world: FactWorld) -> None:
    world.say_all("mira", "note", [f"number {number}" for number in range(1_000)])
    world.say("mira", "note", "Number 3")
    world.forget("mira", "note", "number 5")
    for request in (
        GetFacts(subject="mira", predicate="note", limit=300),
        GetFacts(limit=FACT_PAGE_EVENTS),
    ):
        pages = _pages(world, request)
        values = [str(each.value) for page in pages for each in page.beliefs]
        assert len(values) == 999
        assert len({value.casefold() for value in values}) == 999
        assert values[0] == "Number 3"
        assert values[1] == "number 999"


def test_a_cursor_that_nothing_has_is_not_found(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    with pytest.raises(NotFound):
        world.memory.facts(GetFacts(after="e-unknown"))
    with pytest.raises(RequestRefused):
        world.memory.facts(GetFacts(after="\ud800"))


# --- broad reads ----------------------------------------------------------------------------------


def _fill(world: FactWorld) -> None:
    world.define("employed_by", value_type="ref", cardinality="single")
    world.define("height", value_type="number", cardinality="single")
    world.define("born", value_type="date", cardinality="single")
    world.say("mira", "employed_by", "Acme")
    world.say("jonas", "employed_by", "Initech", confidence=0.4)
    world.say("acme", "lives_in", "Bergen")
    world.say("mira", "height", 9)
    world.say("jonas", "height", 10.5)
    world.say("mira", "born", "1990-05")
    world.say("jonas", "born", "1985-01-01")
    world.say("mira", "likes", "tea", kind="preference")
    world.say("mira", "likes", "true story")
    world.forget("mira", "likes", "true story")


@pytest.mark.parametrize(
    ("fields", "sentences"),
    [
        ({"subject": "acme"}, ["acme lives in Bergen"]),
        ({"predicate": "height"}, ["jonas height 10.5", "mira height 9"]),
        ({"kind": "preference"}, ["mira likes tea"]),
        ({"refers_to": "ACME"}, ["mira employed by Acme"]),
        ({"refers_to": "bergen"}, []),
        ({"predicate": "height", "value_at_least": 10}, ["jonas height 10.5"]),
        ({"predicate": "height", "value_at_most": 10.0}, ["mira height 9"]),
        ({"value_at_least": 9, "value_at_most": 9}, ["mira height 9"]),
        ({"predicate": "born", "value_at_least": "1990"}, ["mira born 1990-05"]),
        ({"predicate": "born", "value_at_most": "1989-12"}, ["jonas born 1985-01-01"]),
        (
            {"subject": "jonas", "min_confidence": 0.5},
            ["jonas born 1985-01-01", "jonas height 10.5"],
        ),
        ({"stated_since": text(T0 + 8_000_000)}, ["mira likes tea"]),
        ({"stated_until": text(T0 + 1_000_000)}, ["mira employed by Acme"]),
        ({"subject": "mira", "predicate": "height", "min_confidence": 1.0}, ["mira height 9"]),
        ({"subject": "mira", "predicate": "height", "value_at_least": 10}, []),
        ({"subject": "mira", "predicate": "height", "kind": "preference"}, []),
        ({"subject": "mira", "predicate": "employed_by", "refers_to": "initech"}, []),
    ],
    ids=str,
)
def test_a_broad_read_gives_what_passes_every_filter(
    world: FactWorld, fields: dict[str, object], sentences: list[str]
) -> None:
    _fill(world)
    assert world.sentences(**fields) == sentences


def test_a_broad_read_gives_what_was_stated_last_first_and_no_registry(world: FactWorld) -> None:
    _fill(world)
    world.say("mira", "height", 9, source="tool_result")
    sentences = world.sentences()
    assert sentences[:3] == ["mira height 9", "mira likes tea", "jonas born 1985-01-01"]
    assert len(sentences) == 8


def test_a_reference_is_found_by_every_name_of_its_subject(world: FactWorld) -> None:
    _fill(world)
    world.say("lea", "employed_by", "Acme Inc")
    world.memory.merge_subjects("Acme Inc", "Acme")
    for name in ("acme", "acme inc"):
        assert world.sentences(refers_to=name) == [
            "lea employed by Acme Inc",
            "mira employed by Acme",
        ]


def test_a_predicate_that_became_a_reference_later_is_found_as_one(world: FactWorld) -> None:
    world.define("mentor")
    world.say("mira", "mentor", "Jonas")
    assert world.sentences(refers_to="jonas") == []
    world.memory.redefine_predicate(Definition(predicate="mentor", value_type="ref"))
    assert world.sentences(refers_to="jonas") == ["mira mentor Jonas"]


def test_references_are_followed_one_step(world: FactWorld) -> None:
    _fill(world)
    world.say("bergen", "note", "it rains")
    answer = world.memory.facts(GetFacts(subject="mira", predicate="employed_by", follow_refs=True))
    assert [(each.sentence, each.via) for each in answer.beliefs] == [
        ("mira employed by Acme", None),
        ("acme lives in Bergen", "employed_by Acme"),
    ]
    broad = world.memory.facts(GetFacts(subject="mira", follow_refs=True))
    assert [each.sentence for each in broad.beliefs if each.via] == ["acme lives in Bergen"]


def test_a_reference_that_an_earlier_definition_allowed_leads_nowhere(world: FactWorld) -> None:
    world.define("mentor")
    for value in ("x" * 300, "recense:registry", "Jonas"):
        world.say("mira", "mentor", value)
    world.say("jonas", "likes", "tea")
    world.memory.redefine_predicate(Definition(predicate="mentor", value_type="ref"))
    answer = world.memory.facts(GetFacts(subject="mira", follow_refs=True))
    assert [each.sentence for each in answer.beliefs if each.via] == ["jonas likes tea"]
    assert len(answer.beliefs) == 4
    assert world.sentences(refers_to="jonas") == ["mira mentor Jonas"]


def test_references_that_lead_in_a_circle_are_followed_once(world: FactWorld) -> None:
    world.define("married_to", value_type="ref", cardinality="single")
    world.say("mira", "married_to", "Jonas")
    world.say("jonas", "married_to", "Mira")
    answer = world.memory.facts(GetFacts(subject="mira", follow_refs=True))
    assert [each.sentence for each in answer.beliefs] == [
        "mira married to Jonas",
        "jonas married to Mira",
    ]


def test_a_value_is_shown_to_be_held_elsewhere(world: FactWorld) -> None:
    world.say("mira", "likes", "Coffee")
    world.say("mira", "owns", "coffee")
    world.say("jonas", "owns", "coffee")
    for request in (
        GetFacts(subject="mira"),
        GetFacts(subject="mira", predicate="likes"),
        GetFacts(predicate="likes"),
        GetFacts(),
    ):
        for belief in world.memory.facts(request).beliefs:
            others = [each.predicate for each in belief.elsewhere]
            expected = {"likes": ["owns"], "owns": ["likes"]}[belief.predicate]
            assert others == (expected if belief.subject == "mira" else [])


def test_at_most_so_many_other_places_are_shown_the_newest_first(world: FactWorld) -> None:
    for number in range(ELSEWHERE_MAX + 3):
        world.say("mira", f"place_{'abcdefgh'[number]}", "coffee")
    belief = world.memory.facts(GetFacts(subject="mira", predicate="place_a")).beliefs[0]
    assert [each.predicate for each in belief.elsewhere] == [
        "place_h",
        "place_g",
        "place_f",
        "place_e",
        "place_d",
    ]


def test_what_was_withdrawn_is_not_elsewhere(world: FactWorld) -> None:
    world.say("mira", "likes", "coffee")
    world.say("mira", "owns", "coffee")
    world.forget("mira", "owns", "coffee")
    assert world.memory.facts(GetFacts(subject="mira")).beliefs[0].elsewhere == ()


def test_what_a_value_replaced_is_shown_by_every_read(world: FactWorld) -> None:
    for value in ("swim", "sail", "walk"):
        world.say("mira", "plans", value)
    world.say(
        "mira",
        "plans",
        "run",
        replaces=(ReplaceRequest(value="walk"), ReplaceRequest(value="swim")),
    )
    for beliefs in (
        world.memory.facts(GetFacts(subject="mira", predicate="plans")).beliefs,
        world.memory.facts(GetFacts(subject="mira")).beliefs,
        world.memory.search_facts(SearchFacts(text="run")).beliefs,
    ):
        run = next(each for each in beliefs if each.value == "run")
        assert [each.value for each in run.replaced] == ["walk", "swim"]
    assert sorted(map(str, world.values("mira", "plans"))) == ["run", "sail"]


# --- when -----------------------------------------------------------------------------------------


def _on(day: int) -> str:
    """Return when something was said on a day: each statement takes a second."""
    return text(T0 + day * DAY + (day + 1) * SECOND)


def _moves(world: FactWorld) -> None:
    """Bergen on day 0, Oslo on day 2, nothing from day 4 on; tea from day 1 to day 3."""
    world.say("mira", "lives_in", "Bergen", evidence=(EvidenceRequest(excerpt="a flat"),))
    world.clock.advance(DAY_MS)
    world.say("mira", "likes", "tea")
    world.clock.advance(DAY_MS)
    world.say("mira", "lives_in", "Oslo")
    world.clock.advance(DAY_MS)
    world.say("mira", "dislikes", "tea")
    world.clock.advance(DAY_MS)
    world.forget("mira", "lives_in", "Oslo")


@pytest.mark.parametrize(
    ("day", "lives", "likes"),
    [
        (0, [], []),
        (1, ["Bergen"], []),
        (2, ["Bergen"], ["tea"]),
        (3, ["Oslo"], ["tea"]),
        (4, ["Oslo"], []),
        (5, [], []),
    ],
)
def test_every_read_answers_as_of_an_instant(
    world: FactWorld, day: int, lives: list[str], likes: list[str]
) -> None:
    _moves(world)
    at = text(T0 + day * DAY)
    assert world.values("mira", "lives_in", as_of=at) == lives
    assert world.values("mira", "likes", as_of=at) == likes
    assert world.memory.facts(GetFacts(subject="mira", as_of=at)).as_of == at
    said = [f"mira lives in {value}" for value in lives]
    found = world.memory.search_facts(SearchFacts(text="where does mira live", as_of=at))
    assert [each.sentence for each in found.beliefs if "lives" in each.sentence] == said
    broad = world.sentences(subject="mira", as_of=at)
    assert sorted(line for line in broad if "dislikes" not in line) == sorted(
        [*said, *(f"mira likes {value}" for value in likes)]
    )
    for city in ("Bergen", "Oslo"):
        truth = world.memory.fact_holds("mira", "lives_in", city, as_of=at).holds
        assert (truth == "yes") == (city in lives)
    history = world.memory.fact_history("mira", "lives_in", as_of=at)
    assert all(event.observed_at <= at for event in history.events)
    explained = world.memory.explain_fact("mira", as_of=at)
    assert explained.as_of == at
    assert {pair.predicate for pair in explained.pairs} == {
        name for name, since in (("lives_in", 0), ("likes", 1), ("dislikes", 3)) if since < day
    }
    shown = {pair.predicate: pair.beliefs for pair in explained.pairs}
    assert [belief.value for belief in shown.get("likes", ())] == likes
    assert [belief.value for belief in shown.get("lives_in", ())] == lives


def test_a_date_as_of_is_its_last_instant(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen", observed_at="2023-05-01T23:59:59.999999Z")
    assert world.values("mira", "lives_in", as_of="2023-05-01") == ["Bergen"]
    assert world.values("mira", "lives_in", as_of="2023-04-30") == []


def test_every_read_answers_as_known_by_an_instant(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Oslo")
    known = text(T0 + HOUR)
    world.clock.advance(DAY_MS)
    world.say("mira", "lives_in", "Bergen", observed_at=text(T0 - DAY))
    world.say("mira", "likes", "tea", observed_at=text(T0 - DAY))
    world.forget("mira", "lives_in", "Oslo")
    for number in range(40):
        world.say("mira", "note", f"Oslo, says the paper, number {number}")
    assert world.values("mira", "lives_in", known_by=known) == ["Oslo"]
    assert world.values("mira", "likes", known_by=known) == []
    assert world.sentences(known_by=known) == ["mira lives in Oslo"]
    assert world.found("Oslo", known_by=known, limit=1) == ["mira lives in Oslo"]
    before = text(T0 - HOUR)
    assert world.values("mira", "lives_in", as_of=before) == ["Bergen"]
    assert world.values("mira", "lives_in", as_of=before, known_by=known) == []
    assert world.memory.fact_holds("mira", "likes", "tea", known_by=known).holds == "unknown"
    assert world.memory.fact_history("mira", "lives_in", known_by=known).total == 1
    pairs = world.memory.explain_fact("mira", known_by=known).pairs
    assert [pair.predicate for pair in pairs] == ["lives_in"]
    assert world.sentences(known_by=text(T0 - HOUR)) == []


# --- truth, history, explanation ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicate", "value", "holds"),
    [
        ("lives_in", "oslo", "yes"),
        ("lives_in", "Bergen", "no"),
        ("lives_in", "Rome", "no"),
        ("likes", "tea", "no"),
        ("likes", "coffee", "yes"),
        ("likes", "water", "unknown"),
        ("dislikes", "tea", "yes"),
        ("owns", "a kayak", "unknown"),
        ("undefined", "x", "unknown"),
        ("goal", "run", "no"),
        ("goal", "swim", "no"),
        ("plans", "walk", "no"),
    ],
)
def test_a_value_holds_or_does_not_or_nobody_knows(
    world: FactWorld, predicate: str, value: FactValue, holds: str
) -> None:
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "lives_in", "Oslo")
    world.say("mira", "likes", "tea")
    world.say("mira", "likes", "coffee")
    world.say("mira", "dislikes", "tea")
    world.say("mira", "goal", "run")
    world.forget("mira", "goal")
    world.say("mira", "cancelled", "walk")
    assert world.memory.fact_holds("Mira", predicate, value).holds == holds


def test_what_holds_in_place_of_a_value_is_shown(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "lives_in", "Oslo")
    truth = world.memory.fact_holds("mira", "lives_in", "Bergen")
    assert truth.belief is None
    assert [each.value for each in truth.instead] == ["Oslo"]
    held = world.memory.fact_holds("mira", "lives_in", "OSLO")
    assert held.belief is not None
    assert held.belief.value == "Oslo"
    assert held.instead == ()


def test_a_history_is_every_event_of_a_pair_in_order_the_newest_where_it_is_long(
    world: FactWorld,
) -> None:
    world.say("mira", "likes", "tea")
    world.say("mira", "dislikes", "tea", evidence=(EvidenceRequest(excerpt="no more tea"),))
    world.say("mira", "likes", "cake")
    world.forget("mira", "likes", "cake")
    history = world.memory.fact_history("mira", "likes")
    assert [event.sentence for event in history.events] == [
        "mira likes tea",
        "mira dislikes tea",
        "mira likes cake",
        "not: mira likes cake",
    ]
    assert [piece.excerpt for piece in history.events[1].evidence] == ["no more tea"]
    short = world.memory.fact_history("mira", "likes", limit=2)
    assert short.events == history.events[2:]
    assert short.total == 4


def test_an_explanation_says_what_each_event_did_and_by_what_rule(world: FactWorld) -> None:
    world.say("mira", "likes", "tea")
    world.say("mira", "likes", "Tea")
    world.say("mira", "dislikes", "tea")
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "lives_in", "Oslo")
    world.forget("mira", "lives_in")
    pairs = {pair.predicate: pair for pair in world.memory.explain_fact("mira").pairs}
    assert list(pairs) == ["dislikes", "likes", "lives_in"]
    assert [step.effect for step in pairs["likes"].steps] == [
        "also holds from here on: tea",
        "says again what is held: Tea",
        "ends Tea, since dislikes excludes likes",
    ]
    assert [step.effect for step in pairs["lives_in"].steps] == [
        "holds from here on: Bergen",
        "holds from here on: Oslo; takes the place of Bergen",
        "withdraws Oslo, and nothing comes back",
    ]
    assert pairs["lives_in"].beliefs == ()
    assert any("one value at a time" in rule.text for rule in pairs["lives_in"].rules)
    assert any("dislikes" in rule.text for rule in pairs["likes"].rules)
    assert world.memory.explain_fact("mira", "lives_in").pairs == (pairs["lives_in"],)


def test_a_timeline_shows_which_values_a_subject_had_when(world: FactWorld) -> None:
    _moves(world)
    timeline = world.memory.fact_timeline("Mira")
    assert [
        (span.predicate, span.value, span.since, span.until, span.ended_by)
        for span in timeline.spans
    ] == [
        ("lives_in", "Bergen", _on(0), _on(2), "mira lives in Oslo"),
        ("likes", "tea", _on(1), _on(3), "mira dislikes tea"),
        ("lives_in", "Oslo", _on(2), _on(4), "a withdrawal"),
        ("dislikes", "tea", _on(3), None, ""),
    ]
    assert len(world.memory.fact_timeline("mira", "lives_in").spans) == 2


def test_a_difference_shows_what_came_and_went_between_two_instants(world: FactWorld) -> None:
    _moves(world)
    change = world.memory.fact_difference(text(T0 + DAY), text(T0 + 3 * DAY))
    assert [each.sentence for each in change.added] == ["mira lives in Oslo", "mira likes tea"]
    assert [each.sentence for each in change.removed] == ["mira lives in Bergen"]
    back = world.memory.fact_difference(text(T0 + 3 * DAY), text(T0 + 5 * DAY), "mira")
    assert {each.sentence for each in back.added} == {"mira dislikes tea"}
    assert {each.sentence for each in back.removed} == {"mira likes tea", "mira lives in Oslo"}
    assert world.memory.fact_difference(text(T0), text(T0 + 5 * DAY), "jonas").added == ()


def test_what_holds_at_both_instants_is_no_difference_though_it_went_and_came_again(
    world: FactWorld,
) -> None:
    for days, town in ((0, "Oslo"), (2, "Bergen"), (4, "oslo")):
        world.say("mira", "lives_in", town, observed_at=text(T0 - (9 - days) * DAY))
    change = world.memory.fact_difference(text(T0 - 8 * DAY), text(T0))
    assert (change.added, change.removed) == ((), ())
    change = world.memory.fact_difference(text(T0 - 6 * DAY), text(T0))
    assert [each.value for each in change.added] == ["oslo"]
    assert [each.value for each in change.removed] == ["Bergen"]


def test_a_difference_is_from_the_first_instant_of_a_date_to_the_last(world: FactWorld) -> None:
    world.say("mira", "likes", "tea", observed_at="2023-05-01T10:00:00Z")
    world.say("mira", "likes", "cake", observed_at="2023-05-02T23:00:00Z")
    change = world.memory.fact_difference("2023-05-01", "2023-05-02")
    assert {each.value for each in change.added} == {"tea", "cake"}


def test_what_the_registry_alone_changed_is_no_difference(world: FactWorld) -> None:
    world.define("adores")
    world.say("mira", "adores", "tea")
    before = text(T0 + HOUR)
    world.clock.advance(2 * HOUR_MS)
    world.define("cherishes")
    world.memory.merge_predicates("adores", "cherishes")
    world.say("mira", "adores", "tea", source="tool_result")
    world.say("mira", "cherishes", "cake")
    change = world.memory.fact_difference(before, text(T0 + 3 * HOUR))
    assert [each.sentence for each in change.added] == ["mira cherishes cake"]
    assert change.removed == ()


# --- search ---------------------------------------------------------------------------------------


def test_a_search_finds_words_of_every_script(world: FactWorld) -> None:
    sentences = {
        "mira": "我们决定使用数据库迁移",
        "akiko": "東京で猫を飼っています",
        "ivan": "любит рыбалку на озере",
        "dev": "the field user_id is read by parseUserName in v0.6.22",
        "jose": "prefers café au lait",
    }
    for subject, value in sentences.items():
        world.say(subject, "note", value)
    for asked, subject in {
        "数据库": "mira",
        "迁移": "mira",
        "库": "mira",
        "猫": "akiko",
        "東京": "akiko",
        "飼って": "akiko",
        "рыбалку": "ivan",
        "ОЗЕРЕ": "ivan",
        "user_id": "dev",
        "user id": "dev",
        "the user's name": "dev",
        "v0.6.22": "dev",
        "CAFÉ": "jose",
    }.items():
        assert world.found(asked) == [sentences[subject]], asked


@pytest.mark.parametrize(
    "asked",
    ["pre-edit", "GB/s", "C++", "don't", "NOT", '"', "a:b", "*", "(", "%", "x OR y", "…", "\x00"],
)
def test_any_text_is_a_legal_question(world: FactWorld, asked: str) -> None:
    world.say("mira", "note", f"it says {asked} there")
    world.found(asked)
    world.found(f"\ud800 {asked}")


def test_a_value_that_was_superseded_says_only_which_pair_is_meant(world: FactWorld) -> None:
    world.say("mira", "lives_in", "Bergen")
    world.say("mira", "lives_in", "Oslo")
    assert world.found("Bergen") == ["mira lives in Oslo"]


def test_what_was_withdrawn_is_not_found(world: FactWorld) -> None:
    world.say("mira", "likes", "marzipan")
    world.say("mira", "lives_in", "Bergen")
    world.forget("mira", "likes", "marzipan")
    world.forget("mira", "lives_in")
    assert world.found("marzipan") == world.found("Bergen") == world.found("mira") == []
    world.say("mira", "likes", "marzipan")
    world.say("mira", "dislikes", "marzipan")
    assert world.found("likes marzipan") == ["mira dislikes marzipan"]


def test_nothing_unrelated_fills_a_page(world: FactWorld) -> None:
    world.say("mira", "owns", "a red kayak")
    for number in range(20):
        world.say("mira", "note", f"the weather on day {number} is fine")
    assert world.found("kayak") == ["mira owns a red kayak"]
    assert world.found("which kayak does she have?") == ["mira owns a red kayak"]
    assert world.found("submarine") == []


def test_evidence_is_found_too(world: FactWorld) -> None:
    world.say(
        "mira", "lives_in", "Oslo", evidence=(EvidenceRequest(excerpt="we moved to Grünerløkka"),)
    )
    assert world.found("Grünerløkka") == ["mira lives in Oslo"]


def test_a_note_comes_after_a_typed_belief_of_like_rank(world: FactWorld) -> None:
    world.say("mira", "note", "mira owns a kayak")
    world.say("mira", "owns", "a kayak")
    assert world.found("mira owns kayak")[0] == "mira owns a kayak"
    beliefs = world.memory.search_facts(SearchFacts(text="kayak")).beliefs
    assert [each.predicate for each in beliefs] == ["owns", "note"]


def test_a_phrase_of_time_puts_its_span_first_and_drops_nothing(world: FactWorld) -> None:
    world.say("mira", "did", "a long swim", observed_at=text(T0 - 2 * DAY))
    world.say("mira", "did", "a short swim", observed_at=text(T0 - 14 * DAY))
    assert world.found("the swim two weeks ago") == [
        "mira did a short swim",
        "mira did a long swim",
    ]
    assert set(world.found("swim")) == {"mira did a short swim", "mira did a long swim"}


def test_a_search_is_bounded_and_of_one_subject_where_that_is_said(world: FactWorld) -> None:
    for number in range(30):
        world.say(f"person {number}", "likes", "kayaks")
    assert len(world.found("kayaks")) == 10
    assert len(world.found("kayaks", limit=25)) == 25
    assert world.found("kayaks", subject="Person 7") == ["person 7 likes kayaks"]


def test_searching_changes_nothing(world: FactWorld) -> None:
    world.say("mira", "likes", "marzipan")
    first = world.memory.search_facts(SearchFacts(text="marzipan"))
    for _ in range(50):
        assert world.memory.search_facts(SearchFacts(text="marzipan")) == first
    assert len(world.events()) == 1


def test_the_registry_is_found_by_no_search(world: FactWorld) -> None:
    world.define("spelunking", description="caves and caverns")
    assert world.found("caves") == world.found("spelunking") == []
