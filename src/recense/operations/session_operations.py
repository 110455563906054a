"""The operations on sessions: looked through, written by a program, hidden, forgotten."""

from typing import Final

from recense.operations.admin import SessionList, SessionView, TranscriptView
from recense.operations.grep import GrepAnswer, GrepRequest
from recense.operations.operation import AnyOperation, Operation
from recense.operations.privacy import (
    ForgetPlan,
    ForgetReport,
    ForgetSession,
    HiddenSession,
    HideSession,
)
from recense.operations.sessions import (
    AppendReport,
    AppendSession,
    ClosedSession,
    CloseSession,
    ListSessions,
    OpenSession,
    ShowSession,
    StreamReport,
    StreamSession,
)

GREP: Final = Operation(
    name="grep",
    summary="Find every line that holds a text or a regular expression, newest first.",
    request=GrepRequest,
    answer=GrepAnswer,
    surface="admin",
    scope="recall",
    abandonable=True,
)
LIST_SESSIONS: Final = Operation(
    name="list_sessions",
    summary="List sessions, newest first; those that are hidden for who keeps the store alone.",
    request=ListSessions,
    answer=SessionList,
    surface="admin",
    scope="recall",
)
SHOW_SESSION: Final = Operation(
    name="show_session",
    summary="Show a page of a session's messages; a hidden one to who keeps the store alone.",
    request=ShowSession,
    answer=TranscriptView,
    surface="admin",
    scope="recall",
)
OPEN_SESSION: Final = Operation(
    name="open_session",
    summary="Open a session to write to; one that exists is returned as it is.",
    request=OpenSession,
    answer=SessionView,
    surface="admin",
    scope="import",
    changes=True,
    convergent=True,
)
APPEND_SESSION: Final = Operation(
    name="append_session",
    summary="Append events to a session; those it holds already are left out.",
    request=AppendSession,
    answer=AppendReport,
    surface="admin",
    scope="import",
    changes=True,
    convergent=True,
)
STREAM_SESSION: Final = Operation(
    name="stream_session",
    summary="Append the next piece of a text that is still arriving.",
    request=StreamSession,
    answer=StreamReport,
    surface="admin",
    scope="import",
    changes=True,
    repeatable=False,
)
CLOSE_SESSION: Final = Operation(
    name="close_session",
    summary="Close a session: nothing more is appended to it.",
    request=CloseSession,
    answer=ClosedSession,
    surface="admin",
    scope="import",
    changes=True,
    convergent=True,
)
HIDE_SESSION: Final = Operation(
    name="hide_session",
    summary="Hide a session from every search.",
    request=HideSession,
    answer=HiddenSession,
    surface="admin",
    scope="admin",
    changes=True,
)
UNHIDE_SESSION: Final = Operation(
    name="unhide_session",
    summary="Show a hidden session again.",
    request=HideSession,
    answer=HiddenSession,
    surface="admin",
    scope="admin",
    changes=True,
)
PLAN_FORGETTING: Final = Operation(
    name="plan_forgetting",
    summary="Tell what forgetting a session would remove, and what would still hold its text.",
    request=ForgetSession,
    answer=ForgetPlan,
    surface="admin",
    scope="admin",
)
FORGET_SESSION: Final = Operation(
    name="forget_session",
    summary="Remove a session for good; this cannot be undone.",
    request=ForgetSession,
    answer=ForgetReport,
    surface="admin",
    scope="admin",
    changes=True,
    destructive=True,
    lasting=True,
    abandonable=True,
)

SESSION_OPERATIONS: Final[tuple[AnyOperation, ...]] = (
    GREP,
    LIST_SESSIONS,
    SHOW_SESSION,
    OPEN_SESSION,
    APPEND_SESSION,
    STREAM_SESSION,
    CLOSE_SESSION,
    HIDE_SESSION,
    UNHIDE_SESSION,
    PLAN_FORGETTING,
    FORGET_SESSION,
)
