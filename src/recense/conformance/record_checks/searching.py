"""Searching: texts by words, vectors by nearness."""

from recense.conformance.record_vocabulary import NOTES, RecordCase, note, record_check
from recense.conformance.vocabulary import expect_equal, expect_raises
from recense.core.recall.index_words import index_words
from recense.errors import DimensionMismatch, InvalidRequest
from recense.ports.records import Between, Equals, Record, RecordReader, RecordStore

TEXTS = {
    "latin": "Ada moved the deployment to Lisbon",
    "accents": "Grüße aus Zürich, naïve café",
    "decomposed": "cafe\u0301 zwei",
    "cyrillic": "Привет, мир! Ёлка",
    "han": "数据库在上海",
    "kana": "データベースを移行した",
    "hangul": "서울에서 만나요",
    "thai": "สวัสดีชาวโลก",
    "arabic": "مرحبا بالعالم",
    "code": "user_id = getUserName(httpServer2.port)",
    "numbers": "version 3.14, 2026-01-02 at 10,000",
    "astral": "party 😀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "nul": "before\x00after",
    "empty": "",
    "long": "x" * 40_000 + " tail",
    "marks": 'a\'b "c" (d) *e* AND OR NOT NEAR f:g',
}


def _kept(store: RecordStore, collection: str = NOTES) -> None:
    store.put(
        [
            Record(collection=collection, record_id=name, body=b"", text=text, fields={"n": number})
            for number, (name, text) in enumerate(TEXTS.items())
        ]
    )
    store.put([note("textless", collection=collection, n=99)])


def _found(store: RecordStore, *words: str, limit: int = 100) -> list[str]:
    with store.snapshot() as reader:
        return sorted(each.record_id for each in reader.search_text(NOTES, words, limit))


def _expected(*words: str) -> list[str]:
    return sorted(
        name for name, text in TEXTS.items() if not set(words).isdisjoint(index_words(text))
    )


@record_check("every word of a text finds it, in any script", "search_text")
def _(case: RecordCase) -> None:
    store = case.subject()
    _kept(store)
    _kept(store, "other")
    for name, text in TEXTS.items():
        for word in index_words(text):
            expect_equal(f"{word[:20]!r} of {name}", _found(store, word), _expected(word))
    for words in (("上", "海"), ("мир", "lisbon"), ("user", "id"), ("user_id",), ("数据", "x")):
        expect_equal(f"{words}", _found(store, *words), _expected(*words))


@record_check("any text is a legal word, and finds only what has it as a word", "search_text")
def _(case: RecordCase) -> None:
    store = case.subject()
    _kept(store)
    for word in (
        *("", " ", "*", '"', "'", "a*", "lis*", "-lisbon", "AND", "LISBON", "n:1", "(", "\\"),
        *("\x00", "\ud800", "lis", "lisbon ", "{a}", "^a", "a+b", "NEAR(a b)", "%", "_", "x" * 9),
        *("😀", "\ue000", "\U000f0000", "\ufffd", "--", ";", "drop table", "數據", "cafe"),
    ):
        expect_equal(f"{word!r}", _found(store, word), _expected(word))
    expect_equal("no word", _found(store), [])
    expect_equal("nothing asked for", _found(store, "lisbon", limit=0), [])


@record_check("a search finds what is there now, and only what meets the conditions", "search_text")
def _(case: RecordCase) -> None:
    store = case.subject()
    for number in range(700):
        text = "common lynx" if number % 100 == 0 else "common"
        store.put(
            [
                Record(
                    collection=NOTES,
                    record_id=f"r{number:03}",
                    body=b"",
                    text=text,
                    fields={"subject": f"s{number % 7}", "observed_at": number},
                )
            ]
        )
    expect_equal("of a rare word", len(_found(store, "lynx")), 7)
    with store.snapshot() as reader:
        best = reader.search_text(NOTES, ["common", "lynx"], 7)
        expect_equal("both before one", {each.text for each in best}, {"common lynx"})
        expect_equal("at a limit", len(reader.search_text(NOTES, ["common"], 10)), 10)
        expect_equal("all", len(reader.search_text(NOTES, ["common"], 1000)), 700)
        for where, expected in (
            ((Equals(field="subject", value="s3"),), 100),
            ((Between(field="observed_at", at_most=9),), 10),
            ((Between(field="observed_at", at_most=200), Equals(field="subject", value="s1")), 29),
        ):
            found = reader.search_text(NOTES, ["common"], 1000, where)
            expect_equal(f"{where}", len(found), expected)
            expect_equal("once", len({each.record_id for each in found}), expected)
    store.put([Record(collection=NOTES, record_id="r100", body=b"", text="other")])
    store.delete(NOTES, ["r200"])
    expect_equal("after changes", len(_found(store, "lynx")), 5)
    expect_equal("the new text", _found(store, "other"), ["r100"])


def _near(reader: RecordReader, *vector: float, limit: int = 9) -> list[tuple[str, float]]:
    found = reader.search_vector(NOTES, vector, limit)
    return [(each.record.record_id, round(each.similarity, 6)) for each in found]


@record_check("the nearest vectors come first, and equal ones by id", "search_vector")
def _(case: RecordCase) -> None:
    store = case.subject()
    vectors = {
        "b": (1.0, 0.0),
        "a": (2.0, 0.0),
        "c": (0.0, 1.0),
        "d": (-1.0, 0.0),
        "e": (1.0, 1.0),
        "zero": (0.0, 0.0),
    }
    store.put(
        [
            Record(collection=NOTES, record_id=name, body=b"", vector=vector, fields={"n": number})
            for number, (name, vector) in enumerate(vectors.items())
        ]
    )
    store.put([note("none", n=0)])
    expected = [("a", 1.0), ("b", 1.0), ("e", 0.707107), ("c", 0.0), ("zero", 0.0), ("d", -1.0)]
    with store.snapshot() as reader:
        for limit in (0, 1, 2, 5, 6, 9):
            expect_equal(f"{limit}", _near(reader, 3.0, 0.0, limit=limit), expected[:limit])
        where = (Between(field="n", at_least=2),)
        found = reader.search_vector(NOTES, (1.0, 0.0), 2, where)
        expect_equal("with a condition", [each.record.record_id for each in found], ["e", "c"])
        expect_equal("elsewhere", reader.search_vector("other", (1.0,), 3), ())
    store.delete(NOTES, ["a"])
    store.put([note("b")])
    with store.snapshot() as reader:
        expect_equal("now", _near(reader, 1.0, 0.0, limit=1), [("e", 0.707107)])


@record_check("a vector of another length is refused by name", "search_vector")
def _(case: RecordCase) -> None:
    store = case.subject()
    store.put([Record(collection=NOTES, record_id="a", body=b"", vector=(1.0, 2.0))])
    longer = Record(collection=NOTES, record_id="b", body=b"", vector=(1.0, 2.0, 3.0))
    expect_raises("a record", DimensionMismatch, lambda: store.put([longer]))
    with store.snapshot() as reader:
        expect_raises(
            "a question", DimensionMismatch, lambda: reader.search_vector(NOTES, (1.0,), 1)
        )
        expect_raises("no question", InvalidRequest, lambda: reader.search_vector(NOTES, (), 1))
    store.put([Record(collection="other", record_id="b", body=b"", vector=(1.0, 2.0, 3.0))])
