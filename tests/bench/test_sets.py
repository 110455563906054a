from pathlib import Path

import pytest

from recense.bench.locomo import instant_text as locomo_instant
from recense.bench.locomo import read_locomo, turn_ids
from recense.bench.material import RetrievalCase, half_of, retrieval_folder
from recense.bench.memdaily import instant_text as memdaily_instant
from recense.bench.memdaily import read_memdaily
from recense.errors import SourceUnreadable, SourceUnrecognised
from tests.bench.invented_sets import BOAT, KITE, PLUM, TEA, write_sets


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(write_sets(tmp_path_factory.mktemp("data")) / "retrieval")


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (["D1:3"], [(1, 3)]),
        (["D8:6; D9:17"], [(8, 6), (9, 17)]),
        (["D9:1 D4:4 D4:6"], [(9, 1), (4, 4), (4, 6)]),
        (["D1:18", "D", "D1:20"], [(1, 18), (1, 20)]),
        (["D:11:26", "D30:05"], [(30, 5)]),
        (["", ";", "d1:3", "D1:3x", "D1"], []),
        ([], []),
    ],
)
def test_evidence_is_the_ids_in_it_and_what_is_no_id_is_dropped(
    evidence: list[str], expected: list[tuple[int, int]]
) -> None:
    assert list(turn_ids(evidence)) == expected


def test_instants_of_both_sets_are_read() -> None:
    assert locomo_instant("1:56 pm on 8 May, 2023") == "2023-05-08T13:56:00+00:00"
    assert locomo_instant("12:05 am on 1 June, 2023") == "2023-06-01T00:05:00+00:00"
    assert memdaily_instant("2024年04月01日 周一 08:39") == "2024-04-01T08:39:00+00:00"


def test_a_conversation_is_a_case_whose_sessions_stand_in_order(sets: str) -> None:
    case = read_locomo(sets).cases[0]
    assert [session.place for session in case.sessions] == ["session_1", "session_2"]
    assert [said.text for session in case.sessions for said in session.said] == [
        TEA,
        KITE,
        BOAT,
        f"{PLUM}\na photo of a plum tree",
    ]
    assert [said.role for said in case.sessions[1].said] == ["model", "user"]


def test_a_question_counts_when_its_evidence_names_a_turn_and_it_has_an_answer(sets: str) -> None:
    asked = {each.text: each.right for each in read_locomo(sets).cases[0].questions}
    assert asked == {
        "Who painted the boat?": {"session_2"},
        "What tore?": {"session_1"},
        "Did the plum bloom?": {"session_1", "session_2"},
    }


def test_a_trajectory_is_a_case_of_one_session_without_failed_questions(sets: str) -> None:
    case = read_memdaily(sets).cases[1]
    (session,) = case.sessions
    assert [said.place for said in session.said] == ["0", "1", "2", "3"]
    assert {said.role for said in session.said} == {"user"}
    (question,) = case.questions
    assert question.right == {"1", "2"}


def test_odd_cases_are_for_development_and_even_ones_for_the_test() -> None:
    cases = [RetrievalCase(name=str(n), sessions=(), questions=()) for n in range(1, 6)]
    assert [case.name for case in half_of(cases, "dev")] == ["1", "3", "5"]
    assert [case.name for case in half_of(cases, "test")] == ["2", "4"]
    assert list(half_of(cases, "all")) == cases


def test_the_folder_that_is_named_goes_before_the_variable_and_that_before_the_neighbour(
    tmp_path: Path,
) -> None:
    named, variable = tmp_path / "named", tmp_path / "variable"
    beside, here = tmp_path / "shared" / "data", tmp_path / "project"
    for folder in (named, variable, beside):
        (folder / "retrieval").mkdir(parents=True)
    environment = {"RECENSE_TEST_DATA": str(variable)}
    found = retrieval_folder(str(named), environment, str(here))
    assert found == str(named / "retrieval")
    assert retrieval_folder(None, environment, str(here)) == str(variable / "retrieval")
    assert retrieval_folder(None, {}, str(here)) == str(beside / "retrieval")


def test_sets_that_are_not_there_say_where_they_were_looked_for(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="retrieval") as raised:
        retrieval_folder(None, {}, str(tmp_path / "project"))
    assert "--data" in raised.value.hint
    with pytest.raises(SourceUnreadable, match="locomo10"):
        read_locomo(str(tmp_path))
    with pytest.raises(SourceUnreadable, match="memdaily-zh"):
        read_memdaily(str(tmp_path))


@pytest.mark.parametrize("content", ["", "{}", '[{"sample_id": 3}]', "\ud800x", '["quoted text"]'])
def test_a_file_of_another_form_is_not_recognised_and_not_quoted(
    tmp_path: Path, content: str
) -> None:
    for folder, name in (("locomo", "locomo10.json"), ("memdaily-zh", "a.json")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content.encode("utf-8", "surrogatepass"))
    for read in (read_locomo, read_memdaily):
        with pytest.raises(SourceUnrecognised) as raised:
            read(str(tmp_path))
        assert "quoted text" not in raised.value.message


@pytest.mark.parametrize("missing", ["speaker_a", "session_1_date_time"])
def test_a_conversation_that_lacks_a_field_is_not_recognised(tmp_path: Path, missing: str) -> None:
    sets = write_sets(tmp_path, conversations=1)
    file = sets / "retrieval" / "locomo" / "locomo10.json"
    file.write_text(file.read_text(encoding="utf-8").replace(missing, "other"), encoding="utf-8")
    with pytest.raises(SourceUnrecognised, match="another form"):
        read_locomo(str(sets / "retrieval"))


def test_the_real_sets_have_the_questions_that_figures_are_given_for(shared_data: Path) -> None:
    folder = str(shared_data / "retrieval")
    counts = {
        retrieval_set.name: [
            sum(len(case.questions) for case in half_of(retrieval_set.cases, half))
            for half in ("dev", "test", "all")
        ]
        for retrieval_set in (read_locomo(folder), read_memdaily(folder))
    }
    assert counts == {"locomo": [786, 750, 1536], "memdaily": [479, 481, 960]}
