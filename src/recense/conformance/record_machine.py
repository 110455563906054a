"""The state machine of records: two stores are told the same, and must tell the same.

What a store does not declare it is not told. Texts are found in any order, so that only which are
found is compared.
"""

from collections.abc import Callable
from typing import Final

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from recense.conformance.record_vocabulary import RecordCase
from recense.conformance.vocabulary import expect_equal
from recense.errors import RecenseError
from recense.ports.records import (
    RECORDED_AT,
    Append,
    Between,
    Capability,
    Condition,
    ContainsAny,
    Equals,
    Field,
    OneOf,
    Order,
    Record,
    RecordReader,
    RecordStore,
    Scalar,
    Where,
)

STEPS_MAX: Final = 20
EXAMPLES_MAX: Final = 25

Bound = str | int | float

_TEXTS: Final = ("a", "b", "A", "a\x00", "", "数据", "😀")
_NUMBERS: Final = (0, 1, 1.0, -0.0, 9, 10, 2**53 + 1, float(2**53), 2**63 - 1, float(2**63), -1.5)
_NAMES: Final = ("subject", "touches", "observed_at", "internal", "other")
_WORDS: Final = ("привет", "мир", "数", "数据", "user", "user_id", "foo", "zz", "\ud800")

texts = st.sampled_from(_TEXTS)
numbers: st.SearchStrategy[int | float] = st.sampled_from(_NUMBERS)
scalars: st.SearchStrategy[Scalar] = st.one_of(texts, numbers, st.booleans())
lists = st.lists(texts, max_size=3).map(tuple)
names = st.sampled_from(_NAMES)
collections = st.sampled_from(("c", "d"))
record_ids = st.sampled_from(("r1", "r2", "r3", "r4", "R1", "数"))
bounds: st.SearchStrategy[tuple[Bound, Bound]] = st.one_of(
    st.tuples(texts, texts), st.tuples(numbers, numbers)
)

fields: st.SearchStrategy[dict[str, Field]] = st.dictionaries(
    names, st.one_of(scalars, lists), max_size=5
)
records: st.SearchStrategy[Record] = st.builds(
    Record,
    collection=collections,
    record_id=record_ids,
    body=st.binary(max_size=3),
    fields=fields,
    text=st.sampled_from((None, "", "привет мир", "数据库 user_id", "foo.bar")),
    vector=st.sampled_from((None, None, (1.0, 0.0), (0.5, 2.0))),
    recorded_at=st.none() | st.integers(0, 9),
)


def _between(field: str, pair: tuple[Bound, Bound], which: str) -> Between:
    low, high = pair
    return Between(
        field=field,
        at_least=None if which == "high" else low,
        at_most=None if which == "low" else high,
    )


conditions: st.SearchStrategy[Condition] = st.one_of(
    st.builds(Equals, field=names, value=scalars),
    st.builds(OneOf, field=names, values=st.lists(scalars, max_size=3).map(tuple)),
    st.builds(ContainsAny, field=names, values=lists),
    st.builds(
        _between, names | st.just(RECORDED_AT), bounds, st.sampled_from(("both", "low", "high"))
    ),
)
wheres: st.SearchStrategy[Where] = st.lists(conditions, max_size=2).map(tuple)
orders = st.builds(Order, field=st.none() | names | st.just(RECORDED_AT), descending=st.booleans())
limits = st.none() | st.integers(0, 4)


class _Machine(RuleBasedStateMachine):
    """Tells a subject and a reference the same."""

    def __init__(self, case: RecordCase) -> None:
        super().__init__()
        self._case: Final = case
        self._subject = case.subject()
        self._reference: Final = case.reference()

    @rule(given=st.lists(records, max_size=4))
    def put(self, given: list[Record]) -> None:
        """Put records, one by one where a batch may be kept in part."""
        if "atomic_batch" in self._subject.capabilities:
            self._both(lambda store: store.put(given))
        else:
            for record in given:
                self._both(lambda store, record=record: store.put([record]))

    @rule(
        given=st.lists(records, max_size=4).map(tuple),
        expected=st.dictionaries(st.sampled_from(("x", "y")), st.integers(0, 1), max_size=1),
        bump=st.frozensets(st.sampled_from(("x", "y"))),
        now=st.integers(0, 50),
    )
    def append(
        self, given: tuple[Record, ...], expected: dict[str, int], bump: frozenset[str], now: int
    ) -> None:
        """Append records, perhaps on counters that are not so."""
        if self._declares("compare_and_append"):
            append = Append(records=given, expected=expected, bump=bump)
            self._both(lambda store: store.append(append, now=now))
            self._read(lambda reader: reader.counters(["x", "y"]))

    @rule(collection=collections, gone=st.lists(record_ids, min_size=1, max_size=2))
    def delete(self, collection: str, gone: list[str]) -> None:
        """Delete records."""
        self._both(lambda store: store.delete(collection, gone))

    @rule(
        collection=collections,
        where=wheres,
        order=orders,
        limit=limits,
        after=st.none() | record_ids,
    )
    def list_records(
        self, collection: str, where: Where, order: Order, limit: int | None, after: str | None
    ) -> None:
        """List records."""
        self._read(
            lambda reader: reader.list(collection, where, limit=limit, order=order, after=after)
        )

    @rule(collection=collections, where=wheres, words=st.lists(st.sampled_from(_WORDS), max_size=3))
    def search(self, collection: str, where: Where, words: list[str]) -> None:
        """Search for texts and vectors."""
        if self._declares("search_text"):
            self._read(
                lambda reader: {
                    each.record_id: each
                    for each in reader.search_text(collection, words, 100, where)
                }
            )
        if self._declares("search_vector"):
            self._read(lambda reader: reader.search_vector(collection, (1.0, 0.5), 3, where))
        if self._declares("get"):
            self._read(lambda reader: reader.get(collection, ["r1", "数", "x"]))

    @rule()
    def reopen(self) -> None:
        """Close the subject and open it again."""
        self._subject = self._case.reopened(self._subject)

    def teardown(self) -> None:
        """See that all of it is the same."""
        for collection in ("c", "d"):
            self._read(lambda reader, name=collection: reader.list(name))

    def _declares(self, capability: Capability) -> bool:
        return capability in self._subject.capabilities

    def _read(self, question: Callable[[RecordReader], object]) -> None:
        def answer(store: RecordStore) -> object:
            with store.snapshot() as reader:
                return question(reader)

        self._both(answer)

    def _both(self, call: Callable[[RecordStore], object]) -> None:
        expected, found = _outcome(self._reference, call), _outcome(self._subject, call)
        expect_equal("the subject's answer", found, expected)


def _outcome(store: RecordStore, call: Callable[[RecordStore], object]) -> object:
    try:
        return call(store)
    except RecenseError as error:
        return type(error).__name__


def compare(case: RecordCase) -> None:
    """Run the machine; the failure that is raised tells the steps that lead to it, as they were
    drawn: to shorten them takes minutes.
    """

    class Machine(_Machine):
        def __init__(self) -> None:
            super().__init__(case)

    run_state_machine_as_test(
        Machine,
        settings=settings(
            phases=(Phase.generate,),
            max_examples=min(EXAMPLES_MAX, settings().max_examples),
            deadline=None,
            database=None,
            stateful_step_count=STEPS_MAX,
        ),
    )
