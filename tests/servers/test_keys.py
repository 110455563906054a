"""Keys through the catalogue: who may issue them, and that nobody is given more than they have."""

from pathlib import Path

import pytest

from recense.adapters.memory.records import MemoryRecords
from recense.errors import IdentityMismatch, RecenseError, ScopeMissing, Unsupported
from recense.operations.catalogue import OPERATIONS
from recense.operations.key_operations import KEY_OPERATIONS
from recense.operations.keys import (
    LOCAL,
    Credential,
    IssueKey,
    KeyIssued,
    KeyList,
    KeyScope,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.servers.catalogue import OperationCall, answer
from recense.services.keys import Keys
from recense.testing import FakeClock, FakeUptime, SeededChance
from tests.end_to_end.worlds import on_reference


@pytest.fixture
def call(tmp_path: Path) -> OperationCall:
    keys = Keys(MemoryRecords(FakeUptime()), FakeClock(), SeededChance(1))
    return OperationCall(memory=on_reference(tmp_path), credential=LOCAL, keys=keys)


def as_holder(call: OperationCall, *scopes: KeyScope, agent: str | None = None) -> OperationCall:
    """Return the call of who holds a key of the namespace team."""
    credential = Credential(
        namespace="team", agent=agent, scopes=frozenset(scopes), key_id="somekey"
    )
    return OperationCall(memory=call.memory, credential=credential, keys=call.keys)


def test_an_administrator_issues_lists_renews_and_revokes(call: OperationCall) -> None:
    admin = as_holder(call, "recall", "admin")
    request = IssueKey(scopes=("recall",), expires_in_seconds=60)
    issued = answer("issue_key", admin, request)
    assert isinstance(issued, KeyIssued)
    assert call.keys is not None
    assert call.keys.check(issued.key).namespace == "team"
    listed = answer("list_keys", admin, ListKeys())
    assert isinstance(listed, KeyList)
    assert [view.id for view in listed.keys] == [issued.id]
    renewed = answer("renew_key", admin, RenewKey(id=issued.id, expires_in_seconds=120))
    assert isinstance(renewed, KeyView)
    assert renewed.expires_at != issued.expires_at
    revoked = answer("revoke_key", admin, RevokeKey(id=issued.id))
    assert isinstance(revoked, KeyView)
    assert revoked.state == "revoked"


@pytest.mark.parametrize(
    ("scopes", "agent", "request_", "refusal"),
    [
        (
            ("recall", "remember", "agent", "import"),
            None,
            IssueKey(scopes=("recall",)),
            ScopeMissing,
        ),
        (("recall", "admin", "read-only"), None, IssueKey(scopes=("recall",)), ScopeMissing),
        (("recall", "admin"), None, IssueKey(scopes=("remember",)), ScopeMissing),
        (("recall", "admin"), None, IssueKey(namespace="default"), IdentityMismatch),
        (("recall", "admin"), "a", IssueKey(scopes=("recall",), agent="b"), IdentityMismatch),
    ],
)
def test_who_may_not_issue_a_key_gets_none(
    call: OperationCall,
    scopes: tuple[KeyScope, ...],
    agent: str | None,
    request_: IssueKey,
    refusal: type[RecenseError],
) -> None:
    with pytest.raises(refusal):
        answer("issue_key", as_holder(call, *scopes, agent=agent), request_)
    assert call.keys is not None
    assert call.keys.list(ListKeys(everywhere=True)).total == 0


def test_a_key_that_lacks_a_scope_is_told_which_key_to_ask_for(call: OperationCall) -> None:
    for agent, said in ((None, ""), ("the clerk", " --agent 'the clerk'")):
        with pytest.raises(ScopeMissing) as refused:
            answer("list_keys", as_holder(call, "read-only", "recall", agent=agent), ListKeys())
        command = f"recense keys issue --namespace team --scopes recall,admin{said}"
        assert refused.value.hint.endswith(command)


def test_a_door_without_keys_says_where_they_are_issued(call: OperationCall) -> None:
    without = OperationCall(memory=call.memory, credential=LOCAL)
    with pytest.raises(Unsupported) as refused:
        answer("issue_key", without, IssueKey())
    assert "recense keys" in refused.value.hint


def test_the_answer_that_holds_a_key_is_the_only_one_that_is_kept_nowhere() -> None:
    assert [each.name for each in OPERATIONS if each.secret] == ["issue_key"]
    assert [each.name for each in KEY_OPERATIONS if each.scope != "admin"] == []
