"""``recense extract``: read sessions for facts, and see how far that came."""

from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.declaring import command, family, new_app
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_extraction import report_lines, status_lines
from recense.errors import InvalidRequest
from recense.operations.extraction import ExtractRequest

app = new_app()

Sessions = Annotated[list[str] | None, typer.Argument(metavar="SESSION", hidden=True)]


@family(
    app,
    "recense extract                      how far the sessions are read",
    "recense extract run SESSION          read one",
    "recense extract run --all --budget 200000",
)
def extract(call: Call) -> CommandOutcome:
    """Read sessions for facts; see how far that came and what is left.

    Alone it shows how far that came. The setting extractor says who reads: rules, which are
    offline, or a model; docs/extraction.md tells what is sent where.
    """
    return status(call)


@command(
    app,
    "status",
    "recense extract status",
    "recense extract status SESSION       one of them",
)
def status(call: Call, sessions: Sessions = None) -> CommandOutcome:
    """Show how far sessions are read, and what reading the rest costs.

    Each session has a strip, from its first message to its last: # is read, . not yet, and ! failed
    and will be tried again. It is that of the extractor of your settings: another one, or another
    version of it, has read nothing.
    """
    with call.memory() as memory, call.progress() as progress:
        found = memory.extraction.status(tuple(sessions or ()), progress)
    return outcome(found, status_lines)


@command(
    app,
    "run",
    "recense extract run SESSION",
    "recense extract run --all            offline, by rules",
    "recense extract run --all --budget 200000",
)
def run(
    call: Call,
    sessions: Sessions = None,
    every: Annotated[bool, typer.Option("--all", help="Read every session.")] = False,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", help="Tokens that this run may take."),
    ] = None,
) -> CommandOutcome:
    """Read what is left of sessions and of texts, and file what they state as facts.

    With a model, what is read is sent to its endpoint, secrets hidden, and --all needs a --budget:
    status says what it takes. What was read is not read again. Where something is left unread the
    exit code is 1; the report says why, and the next run tries it again.
    """
    if budget is not None and budget < 0:
        raise InvalidRequest(f"--budget {budget}; expected 0 or more tokens")
    request = ExtractRequest(sessions=tuple(sessions or ()), every=every, budget_tokens=budget)
    with call.memory() as memory, call.progress() as progress:
        report = memory.extraction.run(request, progress)
    is_whole = all(each.end == "complete" for each in (*report.sessions, *report.texts))
    return outcome(report, report_lines, exit_code=ANSWERED if is_whole else FAILED)
