"""What answers the text surface."""

import msgspec

from recense.operations import text_operations as asked
from recense.operations.materials import MaterialBytes, MaterialRequest
from recense.operations.recall import MoreRequest, Passage, RecallAnswer, RecallRequest
from recense.operations.texts import (
    ForgetAnswer,
    ForgetText,
    HistoryRequest,
    RememberedText,
    RememberText,
    RememberWords,
    TextHistory,
)
from recense.servers.handling import Handled, OperationCall, handled


def _recall(call: OperationCall, request: RecallRequest) -> RecallAnswer:
    return call.memory.recall(request, is_cancelled=call.is_cancelled)


def _recall_more(call: OperationCall, request: MoreRequest) -> Passage:
    return call.memory.recall_more(request)


def _recall_material(call: OperationCall, request: MaterialRequest) -> MaterialBytes:
    return call.memory.recall_material(request.material)


def _remember(call: OperationCall, request: RememberWords) -> RememberedText:
    return call.memory.remember(RememberText(**msgspec.structs.asdict(request)))


def _forget(call: OperationCall, request: ForgetText) -> ForgetAnswer:
    return call.memory.forget(request)


def _history(call: OperationCall, request: HistoryRequest) -> TextHistory:
    return call.memory.history(request)


TEXT_HANDLERS: tuple[Handled, ...] = (
    handled(asked.RECALL, _recall),
    handled(asked.RECALL_MORE, _recall_more),
    handled(asked.RECALL_MATERIAL, _recall_material),
    handled(asked.REMEMBER, _remember),
    handled(asked.FORGET, _forget),
    handled(asked.HISTORY, _history),
)
