"""What is asked is admitted, or refused."""

from collections.abc import Callable
from typing import cast

import pytest

from recense.errors import CredentialShaped, InvalidRequest
from recense.operations.recall import MoreRequest, RecallRequest
from recense.services.requests import admit, admit_more
from tests.core.recall.messages_by_hand import SECRET


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
        admit(request_, 0)


@pytest.mark.parametrize(
    "request_",
    [
        RecallRequest(terms=("ok", SECRET)),
        RecallRequest(terms=("ok",), question=f"is it {SECRET}?"),
    ],
)
def test_a_credential_shaped_text_is_refused_wherever_it_stands(request_: RecallRequest) -> None:
    with pytest.raises(CredentialShaped):
        admit(request_, 0)


@pytest.mark.parametrize(
    "request_",
    [
        MoreRequest(anchor="x", before=9),
        MoreRequest(anchor="x", after=-1),
        MoreRequest(anchor="x", offset=-1),
    ],
)
def test_a_value_of_more_outside_its_bounds_is_refused(request_: MoreRequest) -> None:
    with pytest.raises(InvalidRequest):
        admit_more(request_)


@pytest.mark.parametrize(
    "given",
    [
        {"terms": "needle"},
        {"terms": ("needle",), "limit": 2.5},
        {"terms": ("needle",), "origin": "bogus"},
        {"terms": (7,)},
        {"question": 7},
        {"terms": ("needle",), "exclude": {"session": "s"}},
    ],
)
def test_a_field_of_another_type_than_it_promises_is_refused(given: dict[str, object]) -> None:
    request = cast("Callable[..., RecallRequest]", RecallRequest)(**given)
    with pytest.raises(InvalidRequest, match="RecallRequest cannot be read"):
        admit(request, 0)
