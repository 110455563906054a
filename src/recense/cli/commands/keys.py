"""``recense keys``: issue, list, renew, revoke."""

from typing import Annotated

import typer

from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.declaring import command, family, new_app
from recense.cli.durations import seconds_named
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_keys import issued_lines, key_lines, key_list_lines
from recense.limits import KEYS_LISTED_DEFAULT
from recense.operations.keys import (
    ISSUED_SCOPES_DEFAULT,
    KEY_SCOPES,
    IssueKey,
    KeyScope,
    ListKeys,
    RenewKey,
    RevokeKey,
)

app = new_app()

KeyId = Annotated[str, typer.Argument(metavar="ID", hidden=True)]


@family(
    app,
    "recense keys                         those of this namespace",
    "recense keys issue --namespace team-a --expires 30d",
    "recense keys renew ID --expires 30d",
    "recense keys revoke ID",
)
def keys(call: Call) -> CommandOutcome:
    """Issue, list, renew and revoke the keys that a server asks for."""
    return list_(call)


@command(
    app,
    "issue",
    "recense keys issue --namespace team-a",
    "recense keys issue --agent deployer --expires 30d",
    "recense keys issue --scopes recall,read-only",
    "recense keys issue --namespace team-a --json",
)
def issue(
    call: Call,
    agent: Annotated[
        str | None,
        typer.Option("--agent", metavar="AGENT", help="Let it speak for this agent alone."),
    ] = None,
    scopes: Annotated[
        str,
        typer.Option("--scopes", metavar="SCOPES", help=f"Some of {','.join(KEY_SCOPES)}."),
    ] = ",".join(ISSUED_SCOPES_DEFAULT),
    expires: Annotated[
        str | None,
        typer.Option("--expires", metavar="TIME", help="How long it holds, as 30d, 12h or 15m."),
    ] = None,
) -> CommandOutcome:
    """Issue a key for a namespace, and show it this once.

    Without --expires it holds until it is revoked.
    """
    request = IssueKey(
        agent=agent,
        scopes=_scopes_named(scopes),
        expires_in_seconds=None if expires is None else seconds_named("--expires", expires),
    )
    with call.keys(create=True) as kept:
        issued = kept.issue(request)
    return outcome(issued, issued_lines)


@command(
    app,
    "list",
    "recense keys list --namespace team-a",
    "recense keys list --all              those of every namespace",
)
def list_(
    call: Call,
    everywhere: Annotated[bool, typer.Option("--all", help="Those of every namespace.")] = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Keys at most.")
    ] = KEYS_LISTED_DEFAULT,
    after: Annotated[
        str | None, typer.Option("--after", metavar="ID", help="Those after this one.")
    ] = None,
) -> CommandOutcome:
    """List the keys of a namespace, the newest first: never the keys themselves."""
    with call.keys() as kept:
        found = kept.list(ListKeys(everywhere=everywhere, limit=limit, after=after))
    return outcome(found, lambda page: key_list_lines(page, limit))


@command(app, "renew", "recense keys renew ID --expires 30d")
def renew(
    call: Call,
    key_id: KeyId,
    expires: Annotated[
        str,
        typer.Option("--expires", metavar="TIME", help="How long from now, as 30d, 12h or 15m."),
    ],
) -> CommandOutcome:
    """Let a key hold until later, also one that has expired.

    ID is what keys list prints. A key that was revoked stays so.
    """
    request = RenewKey(id=key_id, expires_in_seconds=seconds_named("--expires", expires))
    with call.keys() as kept:
        renewed = kept.renew(request)
    return outcome(renewed, key_lines)


@command(app, "revoke", "recense keys revoke ID")
def revoke(call: Call, key_id: KeyId) -> CommandOutcome:
    """Let a key hold no more, for good.

    Every server refuses it within five seconds.
    """
    with call.keys() as kept:
        revoked = kept.revoke(RevokeKey(id=key_id))
    return outcome(revoked, key_lines)


def _scopes_named(words: str) -> tuple[KeyScope, ...]:
    """Return scopes that stand between commas. Raises InvalidRequest for a word that is none."""
    named = [word.strip() for word in words.split(",")]
    return tuple(word_named("--scopes", word, KEY_SCOPES, hint="") for word in named if word)
