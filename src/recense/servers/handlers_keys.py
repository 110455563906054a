"""What answers the operations of keys: `Keys`, told who asks."""

from recense.errors import Unsupported
from recense.operations import key_operations as asked
from recense.operations.keys import (
    IssueKey,
    KeyIssued,
    KeyList,
    KeyView,
    ListKeys,
    RenewKey,
    RevokeKey,
)
from recense.servers.handling import Handled, OperationCall, handled
from recense.services.keys import Keys


def _keys(call: OperationCall) -> Keys:
    if call.keys is None:
        raise Unsupported(
            "keys are not issued through this door", hint="run `recense keys` beside the store"
        )
    return call.keys


def _issue(call: OperationCall, request: IssueKey) -> KeyIssued:
    return _keys(call).issue(request, call.credential)


def _list(call: OperationCall, request: ListKeys) -> KeyList:
    return _keys(call).list(request, call.credential)


def _renew(call: OperationCall, request: RenewKey) -> KeyView:
    return _keys(call).renew(request, call.credential)


def _revoke(call: OperationCall, request: RevokeKey) -> KeyView:
    return _keys(call).revoke(request, call.credential)


KEY_HANDLERS: tuple[Handled, ...] = (
    handled(asked.ISSUE_KEY, _issue),
    handled(asked.LIST_KEYS, _list),
    handled(asked.RENEW_KEY, _renew),
    handled(asked.REVOKE_KEY, _revoke),
)
