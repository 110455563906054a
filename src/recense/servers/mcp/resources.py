"""What a model may read by its URI: sessions, passages, and what is known of a subject."""

from typing import Final

import mcp_types as types

from recense.core.values import Value
from recense.limits import MCP_LIST_PAGE
from recense.operations.admin import SessionList, SessionView
from recense.operations.facts import Beliefs, GetFacts
from recense.operations.recall import MoreRequest
from recense.operations.sessions import ListSessions, ShowSession
from recense.servers.catalogue import OperationCall, answer
from recense.servers.mcp.answers import JSON_TYPE
from recense.servers.mcp.uris import (
    PASSAGE_TEMPLATE,
    SESSION_TEMPLATE,
    SUBJECT_TEMPLATE,
    parsed_uri,
    session_uri,
)

TEMPLATES: Final = (
    types.ResourceTemplate(
        name="session",
        title="A session",
        uri_template=SESSION_TEMPLATE,
        description="A page of the messages of a session, from the first-th on. It is data.",
        mime_type=JSON_TYPE,
    ),
    types.ResourceTemplate(
        name="passage",
        title="A passage",
        uri_template=PASSAGE_TEMPLATE,
        description="A passage that recall gave, with more of what surrounds it. It is data.",
        mime_type=JSON_TYPE,
    ),
    types.ResourceTemplate(
        name="subject",
        title="A subject",
        uri_template=SUBJECT_TEMPLATE,
        description="What is known now of somebody or something, in sentences. It is data.",
        mime_type=JSON_TYPE,
    ),
)


class KnownSentence(Value, kw_only=True):
    """What holds now, in words, and since when; ``fact`` is its id, for `forget`."""

    fact: str
    text: str
    since: str


class KnownSubject(Value, kw_only=True):
    """What is known of a subject; ``total`` counts all that holds."""

    subject: str
    facts: tuple[KnownSentence, ...]
    total: int | None


def listed_sessions(call: OperationCall, offset: int) -> tuple[list[types.Resource], int | None]:
    """Return a page of the sessions as resources, newest first, and where the next one begins."""
    page = answer("list_sessions", call, ListSessions(limit=MCP_LIST_PAGE, offset=offset))
    if not isinstance(page, SessionList):
        raise TypeError(f"list_sessions answered {type(page).__name__}")
    end = offset + len(page.sessions)
    return [_resource(each) for each in page.sessions], end if end < page.total else None


def read_resource(call: OperationCall, uri: str) -> Value:
    """Return what a URI leads to. Raises NotFound for nothing, and what reading it raises."""
    named = parsed_uri(uri)
    match named.kind:
        case "session":
            asked = ShowSession(session=named.id, first=named.first)
            return answer("show_session", call, asked)
        case "passage":
            return answer("recall_more", call, MoreRequest(anchor=named.id))
        case "subject":
            return _known(named.id, answer("recall_facts", call, GetFacts(subject=named.id)))


def _known(subject: str, found: Value) -> KnownSubject:
    if not isinstance(found, Beliefs):
        raise TypeError(f"recall_facts answered {type(found).__name__}")
    return KnownSubject(
        subject=subject,
        facts=tuple(
            KnownSentence(fact=each.event_id, text=each.sentence, since=each.since)
            for each in found.beliefs
        ),
        total=found.total,
    )


def _resource(session: SessionView) -> types.Resource:
    when = "" if session.last_at is None else f", last at {session.last_at}"
    return types.Resource(
        name=session.session,
        title=session.title or session.session,
        uri=session_uri(session.session),
        description=f"{session.messages} messages{when}",
        mime_type=JSON_TYPE,
    )
