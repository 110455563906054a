"""What answers the operations on sessions."""

from recense.operations import session_operations as asked
from recense.operations.admin import SessionList, SessionView, TranscriptView
from recense.operations.grep import GrepAnswer, GrepRequest
from recense.operations.privacy import (
    ForgetPlan,
    ForgetReport,
    ForgetSession,
    HiddenSession,
    HideSession,
)
from recense.operations.sessions import (
    AppendedEvent,
    AppendReport,
    AppendSession,
    ClosedSession,
    CloseSession,
    ListSessions,
    OpenSession,
    ShowSession,
    StreamDelta,
    StreamReport,
    StreamSession,
)
from recense.servers.handling import Handled, OperationCall, handled


def _grep(call: OperationCall, request: GrepRequest) -> GrepAnswer:
    return call.memory.grep(request, is_cancelled=call.is_cancelled)


def _list_sessions(call: OperationCall, request: ListSessions) -> SessionList:
    return call.memory.sessions(
        source=request.source,
        workspace=request.workspace,
        origin=request.origin,
        shelved=request.shelved,
        private="admin" in call.credential.scopes,
        limit=request.limit,
        offset=request.offset,
    )


def _show_session(call: OperationCall, request: ShowSession) -> TranscriptView:
    return call.memory.transcript(
        request.session,
        first=request.first,
        count=request.count,
        everything=request.everything,
        private="admin" in call.credential.scopes,
    )


def _open_session(call: OperationCall, request: OpenSession) -> SessionView:
    return call.memory.session_open(request)


def _append_session(call: OperationCall, request: AppendSession) -> AppendReport:
    events = [
        AppendedEvent(
            event_id=event.event_id,
            payload=bytes(event.payload),
            at=event.at,
            invocation_id=event.invocation_id,
            stream=event.stream,
        )
        for event in request.events
    ]
    return call.memory.session_append(request.session, events)


def _stream_session(call: OperationCall, request: StreamSession) -> StreamReport:
    delta = StreamDelta(
        stream=request.stream,
        delta=request.delta,
        role=request.role,
        message=request.message,
        at=request.at,
    )
    return call.memory.session_stream(request.session, delta)


def _close_session(call: OperationCall, request: CloseSession) -> ClosedSession:
    return call.memory.session_close(request.session)


def _hide_session(call: OperationCall, request: HideSession) -> HiddenSession:
    return call.memory.hide_session(request.session)


def _unhide_session(call: OperationCall, request: HideSession) -> HiddenSession:
    return call.memory.unhide_session(request.session)


def _plan_forgetting(call: OperationCall, request: ForgetSession) -> ForgetPlan:
    return call.memory.plan_forgetting(request.session, with_forks=request.with_forks)


def _forget_session(call: OperationCall, request: ForgetSession) -> ForgetReport:
    return call.memory.forget_session(request.session, with_forks=request.with_forks)


SESSION_HANDLERS: tuple[Handled, ...] = (
    handled(asked.GREP, _grep),
    handled(asked.LIST_SESSIONS, _list_sessions),
    handled(asked.SHOW_SESSION, _show_session),
    handled(asked.OPEN_SESSION, _open_session),
    handled(asked.APPEND_SESSION, _append_session),
    handled(asked.STREAM_SESSION, _stream_session),
    handled(asked.CLOSE_SESSION, _close_session),
    handled(asked.HIDE_SESSION, _hide_session),
    handled(asked.UNHIDE_SESSION, _unhide_session),
    handled(asked.PLAN_FORGETTING, _plan_forgetting),
    handled(asked.FORGET_SESSION, _forget_session),
)
