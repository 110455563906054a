"""What a credential allows, and what of a request has to agree with it.

Law: what a request says about its caller never gives more than the credential does.
"""

import shlex
from typing import TypeVar

import msgspec

from recense.core.values import Value
from recense.errors import IdentityMismatch, ScopeMissing
from recense.operations.catalogue import AnyOperation
from recense.operations.fact_requests import RememberFacts
from recense.operations.keys import KEY_SCOPES, Credential, KeyScope

_Asked = TypeVar("_Asked", bound=Value)


def _hint_to_issue(credential: Credential, scope: KeyScope) -> str:
    """Return the command that issues a key which allows what a credential does and a scope too, for
    the same namespace and agent: without these it would be one for the default namespace, and for
    any agent.
    """
    wanted = (credential.scopes | {scope}) - {"read-only"}
    scopes = ",".join(each for each in KEY_SCOPES if each in wanted)
    words = ["recense", "keys", "issue", "--namespace", credential.namespace, "--scopes", scopes]
    if credential.agent is not None:
        words += ["--agent", credential.agent]
    return f"whoever runs the server issues a key with it: {shlex.join(words)}"


def require_allowed(operation: AnyOperation, credential: Credential) -> None:
    """Raise ScopeMissing unless a credential allows an operation."""
    require_scope(credential, operation.scope, operation.name, changes=operation.changes)


def require_scope(credential: Credential, scope: KeyScope, what: str, *, changes: bool) -> None:
    """Raise ScopeMissing unless a credential has the scope that ``what`` needs, and may change
    something if that does.
    """
    if scope not in credential.scopes:
        raise ScopeMissing(
            f"{what} needs the scope {scope!r}, which this key does not have",
            hint=_hint_to_issue(credential, scope),
        )
    if changes and credential.is_read_only:
        raise ScopeMissing(
            f"{what} changes something, and this key may only read",
            hint="ask with a key that is not read-only",
        )


def as_asked_by(credential: Credential, request: _Asked) -> _Asked:
    """Return a request as the caller of a credential may make it.

    A key of an agent speaks for that agent alone: it is the writer of what it states, named or not.
    Raises IdentityMismatch where the request names another.
    """
    agent = credential.agent
    if agent is None:
        return request
    if isinstance(request, RememberFacts):
        facts = tuple(as_asked_by(credential, each) for each in request.facts)
        return msgspec.structs.replace(request, facts=facts)
    named: object = getattr(request, "agent", agent)
    writer: object = getattr(request, "writer", agent)
    if named != agent or writer not in {agent, ""}:
        raise IdentityMismatch(
            f"the request names {named if named != agent else writer!r}, and its key is that of "
            f"the agent {agent!r}",
            hint="leave the name out, or ask with a key of that agent",
        )
    return msgspec.structs.replace(request, writer=agent) if writer == "" else request
