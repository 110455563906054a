"""``recense grep``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_grep import grep_lines
from recense.cli.session_arguments import (
    AnyOriginWord,
    OfSession,
    Since,
    Until,
    WithRewound,
    Workspace,
    origin_named,
)
from recense.limits import (
    CONTEXT_LINES_DEFAULT,
    CONTEXT_LINES_MAX,
    MATCHES_DEFAULT,
    MATCHES_MAX,
)
from recense.operations.grep import GrepRequest

app = new_app()


@command(
    app,
    "grep",
    "recense grep ECONNRESET",
    'recense grep "ferry.*(late|early)" --regex -C 3',
    "recense grep TZ --case --workspace ~/work/harbour --since 2026-03-01",
    "recense grep -- --force              a text that begins with a dash",
)
def grep(
    call: Call,
    pattern: Annotated[str, typer.Argument(metavar="PATTERN", hidden=True)],
    regex: Annotated[
        bool, typer.Option("--regex", help="PATTERN is a regular expression, as RE2 reads it.")
    ] = False,
    case: Annotated[bool, typer.Option("--case", help="Tell upper case from lower case.")] = False,
    lines: Annotated[
        int,
        typer.Option(
            "-C",
            "--context",
            metavar="N",
            help=f"Lines around a match, 0 to {CONTEXT_LINES_MAX}.",
        ),
    ] = CONTEXT_LINES_DEFAULT,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="N", help=f"Matches shown at most, 0 to {MATCHES_MAX}."),
    ] = MATCHES_DEFAULT,
    session: OfSession = None,
    workspace: Workspace = None,
    since: Since = None,
    until: Until = None,
    origin: AnyOriginWord = None,
    everything: WithRewound = False,
) -> CommandOutcome:
    """Find every line that holds a text, newest first.

    PATTERN is a text, found as recall finds a term, or with --regex a regular expression. A match
    is a line, however often it holds the pattern. All matches are counted, also those beyond
    --limit. Without --origin, the sessions of sub-agents and headless runs are left out and
    counted. Redacted text alone is searched: no pattern tells anything of a secret.
    """
    request = GrepRequest(
        pattern=pattern,
        regex=regex,
        case=case,
        context=lines,
        limit=limit,
        session=session,
        workspace=workspace,
        since=since,
        until=until,
        origin=None if origin is None else origin_named(origin),
        everything=everything,
    )
    with call.memory() as memory:
        answer = memory.grep(request)
    return outcome(answer, grep_lines)
