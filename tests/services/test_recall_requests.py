"""What a caller hands in becomes a request, or is refused by name."""

import pytest

from recense.errors import CredentialShaped, InvalidRequest
from recense.operations.recall import Exclude, MoreRequest, RecallRequest
from recense.services.requests import admit, admit_more, more_request, recall_request
from tests.core.recall.messages_by_hand import SECRET


def test_fields_become_a_request() -> None:
    fields: dict[str, object] = {
        "terms": ["a", "b"],
        "limit": 3,
        "origin": "all",
        "exclude": {"session": "s:a", "turn": "last"},
    }
    assert recall_request(fields) == RecallRequest(
        terms=("a", "b"), limit=3, origin="all", exclude=Exclude(session="s:a", turn="last")
    )
    assert more_request({"anchor": "x", "before": 0}) == MoreRequest(anchor="x", before=0)


@pytest.mark.parametrize(
    ("fields", "nearest"),
    [
        ({"term": ["a"]}, "'terms'"),
        ({"terms": ["a"], "limits": 3}, "'limit'"),
        ({"terms": ["a"], "work_space": "/"}, "'workspace'"),
        ({"terms": ["a"], "zzz": 1}, "nearest"),
        ({"terms": ["a"], "exclude": {"sesion": "s", "turn": "t"}}, "'exclude.session'"),
    ],
)
def test_an_unknown_field_is_refused_with_the_nearest_known_one(
    fields: dict[str, object], nearest: str
) -> None:
    with pytest.raises(InvalidRequest, match="unknown field") as refused:
        recall_request(fields)
    assert nearest in refused.value.message


@pytest.mark.parametrize(
    "fields",
    [
        {"terms": "a"},
        {"terms": ["a"], "limit": "3"},
        {"terms": ["a"], "limit": True},
        {"terms": [1]},
        {"terms": ["a"], "origin": "robot"},
        {"terms": ["a"], "exclude": {"session": "s"}},
        {"terms": ["a"], "exclude": "last"},
    ],
)
def test_a_field_of_a_wrong_type_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidRequest):
        recall_request(fields)


@pytest.mark.parametrize(
    "request_",
    [
        RecallRequest(),
        RecallRequest(terms=("a",), limit=0),
        RecallRequest(terms=("a",), limit=26),
        RecallRequest(terms=("a",), since="soon"),
        RecallRequest(terms=("a",), workspace=" "),
        RecallRequest(terms=("a",), question=" "),
        RecallRequest(question="x" * 2_001),
    ],
)
def test_a_value_outside_its_bounds_is_refused(request_: RecallRequest) -> None:
    with pytest.raises(InvalidRequest):
        admit(request_)


@pytest.mark.parametrize(
    "request_",
    [
        RecallRequest(terms=("ok", SECRET)),
        RecallRequest(terms=("ok",), question=f"is it {SECRET}?"),
    ],
)
def test_a_credential_shaped_text_is_refused_wherever_it_stands(request_: RecallRequest) -> None:
    with pytest.raises(CredentialShaped):
        admit(request_)


@pytest.mark.parametrize(
    "request_",
    [
        MoreRequest(anchor="x", before=9),
        MoreRequest(anchor="x", after=-1),
        MoreRequest(anchor="x", offset=-1),
    ],
)
def test_more_has_bounds(request_: MoreRequest) -> None:
    with pytest.raises(InvalidRequest):
        admit_more(request_)
