"""``recense sessions``: list, show, hide, unhide, forget."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, family, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_kept import session_list_lines, transcript_lines
from recense.cli.render_privacy import fact_words, forget_lines, fork_words, hidden_lines
from recense.cli.session_arguments import (
    OriginWord,
    SessionId,
    WithRewound,
    Workspace,
    origin_named,
)
from recense.errors import NotConfirmed
from recense.limits import SESSIONS_LISTED_DEFAULT, TRANSCRIPT_MESSAGES_DEFAULT

app = new_app()


@family(
    app,
    "recense sessions                     the newest ones",
    "recense sessions list --source codex",
    "recense sessions show claude_code:0d6f0f8c-2f53-4d5c-9a51-3c7f1f7a9b10",
    "recense sessions hide ID             no search reads it",
    "recense sessions forget ID --yes     remove it for good",
)
def sessions(call: Call) -> CommandOutcome:
    """List the sessions that are kept; show, hide or forget one."""
    return list_(call)


@command(
    app,
    "list",
    "recense sessions list",
    "recense sessions list --workspace ~/work/harbour --limit 50",
    "recense sessions list --origin subagent --json",
)
def list_(
    call: Call,
    source: Annotated[
        str | None, typer.Option("--source", metavar="SOURCE", help="Only sessions of this source.")
    ] = None,
    workspace: Workspace = None,
    origin: OriginWord = "all",
    shelved: Annotated[
        bool, typer.Option("--shelved", help="Also those put away in the agent's own tool.")
    ] = False,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help="Sessions at most.")
    ] = SESSIONS_LISTED_DEFAULT,
    offset: Annotated[
        int, typer.Option("--offset", metavar="N", help="Leave out the first N.")
    ] = 0,
) -> CommandOutcome:
    """List the sessions that are kept, newest first."""
    with call.memory() as memory:
        found = memory.sessions(
            source=source,
            workspace=workspace,
            origin=origin_named(origin),
            shelved=shelved,
            limit=limit,
            offset=offset,
        )
    return outcome(found, lambda page: session_list_lines(page, offset))


@command(
    app,
    "show",
    "recense sessions show claude_code:0d6f0f8c-2f53-4d5c-9a51-3c7f1f7a9b10",
    "recense sessions show ID --first 50 --count 100",
    "recense sessions show ID --all       with what was rewound",
)
def show(
    call: Call,
    session: SessionId,
    first: Annotated[
        int, typer.Option("--first", metavar="N", help="Leave out the first N messages.")
    ] = 0,
    count: Annotated[
        int, typer.Option("--count", metavar="N", help="Messages at most.")
    ] = TRANSCRIPT_MESSAGES_DEFAULT,
    everything: WithRewound = False,
) -> CommandOutcome:
    """Show a session, message by message.

    ID is what sessions list prints, or the id that the agent itself uses.
    """
    with call.memory() as memory:
        transcript = memory.transcript(session, first=first, count=count, everything=everything)
    return outcome(transcript, lambda page: transcript_lines(page, first, everything=everything))


@command(app, "hide", "recense sessions hide ID             undone by unhide")
def hide(
    call: Call,
    session: SessionId,
) -> CommandOutcome:
    """Hide a session from every search.

    It stays in the list, and show still shows it.
    """
    with call.memory() as memory:
        hidden = memory.hide_session(session)
    return outcome(hidden, hidden_lines)


@command(app, "unhide", "recense sessions unhide ID")
def unhide(
    call: Call,
    session: SessionId,
) -> CommandOutcome:
    """Let searches read a hidden session again."""
    with call.memory() as memory:
        hidden = memory.unhide_session(session)
    return outcome(hidden, hidden_lines)


@command(
    app,
    "forget",
    "recense sessions forget ID --yes     without being asked",
    "recense sessions forget ID --with-forks --yes",
)
def forget(
    call: Call,
    session: SessionId,
    with_forks: Annotated[
        bool,
        typer.Option("--with-forks", help="Also the sessions that hold copies of its records."),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> CommandOutcome:
    """Remove a session and its sub-agents for good.

    Its events, records, attachments and search rows go from every file of the store, and with them
    the facts that nothing else supports. A later import leaves it out. The agent's own file is not
    touched.
    """
    with call.memory() as memory:
        if not yes:
            plan = memory.plan_forgetting(session, with_forks=with_forks)
            words = (
                f"forgetting {', '.join(plan.sessions)} cannot be undone{fact_words(plan.facts)}"
                f"{fork_words(plan.forks)}"
            )
            if not call.ask(f"recense: {words}. Forget?"):
                raise NotConfirmed(words, hint="say --yes to forget without being asked")
        report = memory.forget_session(session, with_forks=with_forks)
    return outcome(report, forget_lines)
