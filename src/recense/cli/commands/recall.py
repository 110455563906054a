"""``recense recall``."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_recall import answer_lines, verification_lines
from recense.cli.session_arguments import (
    AnyOriginWord,
    OfSession,
    Since,
    Until,
    Workspace,
    origin_named,
)
from recense.limits import PASSAGES_DEFAULT, PASSAGES_MAX
from recense.operations.recall import RecallRequest

app = new_app()


@command(
    app,
    "recall",
    "recense recall ECONNRESET",
    'recense recall "retry budget" backoff --since 2026-03-01',
    'recense recall -q "why did we drop the nightly import?"',
    "recense recall migration --verify-scan",
    "recense recall 时区 --workspace ~/work/harbour --json",
    "recense recall                       the facts that hold now",
    "recense recall -- --force            a term that begins with a dash",
)
def recall(
    call: Call,
    terms: Annotated[
        list[str] | None,
        typer.Argument(metavar="TERM", hidden=True),
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            "-q",
            "--question",
            metavar="TEXT",
            help="Rank by this question, or search by its words.",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", help=f"Passages at most, 1 to {PASSAGES_MAX}.")
    ] = PASSAGES_DEFAULT,
    session: OfSession = None,
    workspace: Workspace = None,
    since: Since = None,
    until: Until = None,
    origin: AnyOriginWord = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show why each passage stands where it stands.")
    ] = False,
    verify_scan: Annotated[
        bool,
        typer.Option(
            "--verify-scan",
            help="Also read every session, and compare: the answer must be the same.",
        ),
    ] = False,
) -> CommandOutcome:
    """Find what was said and done, and say what was not searched.

    A TERM is a text to find, exactly as written but for upper and lower case; of several, any may
    be there. Without a TERM and a question it is a profile: the facts that hold now. Without
    --origin, the sessions of sub-agents and headless runs are left out and counted.
    """
    request = RecallRequest(
        terms=tuple(terms or ()),
        question=question,
        limit=limit,
        session=session,
        workspace=workspace,
        since=since,
        until=until,
        origin=None if origin is None else origin_named(origin),
        explain=explain,
    )
    with call.memory() as memory:
        if not verify_scan:
            return outcome(memory.recall(request), answer_lines)
        verified = memory.verify_scan(request)
    exit_code = ANSWERED if verified.is_equal else FAILED
    return outcome(verified, verification_lines, exit_code=exit_code)
