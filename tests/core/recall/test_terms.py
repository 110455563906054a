"""Which strings are searched, which are refused, and what a question is searched by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recense.core.recall.terms import admit_question, admit_terms, derive_terms
from recense.core.text.fold import fold
from recense.core.text.redact import is_credential_shaped
from recense.errors import CredentialShaped, InvalidRequest
from recense.limits import QUESTION_TERMS_MAX, TERM_CODE_POINTS_MAX
from tests.core.recall.messages_by_hand import SECRET


def spelled(*terms: str) -> list[str]:
    return [term.spelled for term in admit_terms(terms, None).terms]


def derived(question: str) -> list[str]:
    return [term.spelled for term in derive_terms(question).terms]


@given(st.text(max_size=TERM_CODE_POINTS_MAX))
def test_any_string_is_a_term_or_blank_or_credential_shaped(text: str) -> None:
    try:
        (term,) = admit_terms([text], None).terms
    except CredentialShaped:
        assert is_credential_shaped(text.strip())
    except InvalidRequest:
        assert not text.strip()
    else:
        assert term.folded == fold(text.strip())
        assert term.folded
        term.spelled.encode()


@pytest.mark.parametrize(
    "term", ["C++", "pre-edit", '"', "*", "100%", "NOT", "\x00", "\u200b", "a:b"]
)
def test_odd_strings_are_legal(term: str) -> None:
    assert spelled(term) == [term]


def test_terms_are_trimmed_and_the_first_spelling_of_a_fold_stays() -> None:
    assert spelled(" Deploy\n", "ＤＥＰＬＯＹ", "straße", "STRASSE", "deploy ") == [
        "Deploy",
        "straße",
    ]


def test_a_lone_surrogate_becomes_the_mark_that_stored_text_has() -> None:
    assert spelled("a\ud800b") == ["a\ufffdb"]


@pytest.mark.parametrize(
    "terms", [[""], ["ok", "\u3000 \t"], ["x" * 501], ["a"] * 9, list("abcdefghi")]
)
def test_what_is_out_of_bounds_is_refused(terms: list[str]) -> None:
    with pytest.raises(InvalidRequest):
        admit_terms(terms, None)


def test_neither_terms_nor_a_question_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        admit_terms([], None)


def test_a_secret_is_refused_by_its_place_and_never_repeated() -> None:
    with pytest.raises(CredentialShaped) as refused:
        admit_terms(["deploy", SECRET], None)
    assert "term 2" in refused.value.message
    assert "(github-token)" in refused.value.message
    assert SECRET[4:12] not in refused.value.message + refused.value.hint


@pytest.mark.parametrize("question", ["", " \n", "x" * 2_001])
def test_a_question_has_bounds(question: str) -> None:
    with pytest.raises(InvalidRequest):
        admit_question(question)


def test_a_question_that_holds_a_secret_is_refused() -> None:
    with pytest.raises(CredentialShaped):
        admit_question(f"where did I use {SECRET}?")


def test_with_terms_a_question_gives_none() -> None:
    admitted = admit_terms(["pool"], "where is pgbouncer?")
    assert [term.spelled for term in admitted.terms] == ["pool"]
    assert admitted.left_out == 0


@given(st.text(max_size=300).filter(lambda text: text.strip() and not is_credential_shaped(text)))
def test_any_question_is_searched_by_something_that_stands_in_it(text: str) -> None:
    terms = derive_terms(text.strip()).terms
    assert 1 <= len(terms) <= QUESTION_TERMS_MAX
    assert len({term.folded for term in terms}) == len(terms)
    for term in terms:
        assert term.folded == fold(term.spelled)
        assert term.folded
        assert not is_credential_shaped(term.spelled)


@given(
    st.lists(st.sampled_from(["pgbouncer", "the", "数据库", "wurde", "`a b`", "x_y"]), min_size=1)
)
def test_terms_of_a_question_are_found_in_the_question(words: list[str]) -> None:
    question = " ".join(words)
    for term in derive_terms(question).terms:
        assert term.folded in fold(question)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("How did we fix the pgbouncer timeout?", ["fix", "pgbouncer", "timeout"]),
        (
            'Who said "connection reset by peer"?',
            ["connection reset by peer", "connect", "reset", "peer"],
        ),
        ("what uses user_id in getPool()?", ["user_id", "getPool"]),
        ("Is it C++ or GB/s?", ["C++", "GB/s", "gb"]),
        ("--no-verify in .env", ["--no-verify", "verif", ".env", "env"]),
        ("which policies and caches", ["polic", "cach"]),
        ("an AI or a DB", ["ai", "db"]),
        (
            "我们上次是怎么决定使用数据库迁移的？",
            ["决定", "定使", "使用", "用数", "数据", "据库", "库迁", "迁移"],
        ),
        ("上次的缓存问题", ["缓存问题", "缓存", "存问", "问题"]),
        ("데이터베이스를 설정", ["데이터베이스", "설정"]),
        ("データベースの移行", ["データベース", "移行"]),
        ("what is it", ["what", "is", "it"]),
        ("为什么", ["为什", "什么"]),
        ("?!", ["?!"]),
    ],
)
def test_a_question_is_searched_by_what_is_rare_in_it(question: str, terms: list[str]) -> None:
    found = derived(question)
    assert set(terms) <= set(found), found


def test_of_too_many_terms_the_telling_ones_stay() -> None:
    question = " ".join(f"word{chr(97 + each // 26)}{chr(97 + each % 26)}" for each in range(60))
    admitted = derive_terms(question + ' about "the quoted string" in pool_size')
    found = [term.spelled for term in admitted.terms]
    assert len(found) == QUESTION_TERMS_MAX
    assert admitted.left_out > 60 - QUESTION_TERMS_MAX
    assert {"the quoted string", "pool_size"} <= set(found)


def test_whose_something_is_changes_no_term() -> None:
    assert derived("Maria's timetable, Zoë’s and that one's") == ["maria", "timetabl", "Zoë"]


def test_pairs_that_overlap_count_together_what_they_spell() -> None:
    weights = {term.spelled: term.weight for term in derive_terms("缓存的电话号码").terms}
    assert weights == {"缓存": 1.0, "电话": 2 / 3, "话号": 2 / 3, "号码": 2 / 3}
    assert {term.weight for term in derive_terms("the late `train`").terms} == {1.0}
