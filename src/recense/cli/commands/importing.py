"""``recense import``."""

import os
from functools import partial
from typing import Annotated

import typer

from recense.cli import late
from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.outcome import ANSWERED, FAILED, CommandOutcome, outcome
from recense.cli.render_extraction import read_lines
from recense.cli.render_kept import (
    following_line,
    ignored_secrets_line,
    import_lines,
    missed_secrets_line,
    watch_line,
)
from recense.cli.stopping import stopping
from recense.errors import InvalidRequest, RecenseError
from recense.limits import WATCH_SECONDS_DEFAULT, WATCH_SECONDS_MAX
from recense.operations.admin import ImportReport
from recense.operations.extraction import SessionRun

app = new_app()


@command(
    app,
    "import",
    "recense import                       all agents on this machine",
    "recense import codex                 one, from where it keeps its sessions",
    "recense import codex ~/backup/codex  one, from elsewhere",
    "recense import ./codex               a folder of that name",
)
def import_(
    call: Call,
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="SOURCE|PATH", hidden=True),
    ] = None,
    archive_only: Annotated[
        bool, typer.Option("--archive-only", help="Archive now, convert later.")
    ] = False,
    secrets_from: Annotated[
        list[str] | None,
        typer.Option(
            "--secrets-from",
            metavar="FILE",
            help="Hide the values of this .env file wherever they stand; may be repeated.",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on with what changes, until stopped.")
    ] = False,
    extract: Annotated[
        bool,
        typer.Option("--extract", help="With --watch: read what comes in for facts, too."),
    ] = False,
    every: Annotated[
        int, typer.Option("--every", metavar="SECONDS", help="Time between two looks.")
    ] = WATCH_SECONDS_DEFAULT,
) -> CommandOutcome:
    """Find and import the sessions of agents.

    SOURCE is the name of an agent, PATH a file or folder. The first word is a SOURCE if there is
    one of that name, else a PATH. Without a SOURCE every agent is looked for, without a PATH where
    it keeps its sessions.

    What was imported before is not read again. Secrets are redacted before anything is stored;
    --secrets-from names more of them, for what this import reads and nothing else: of files that
    were imported before it hides nothing, and says so. An import in which a file failed, or a PATH
    gave none, exits with 1 and still prints its report.

    In a folder, an agent's files are known by their names; with a SOURCE and a PATH also by how
    they begin.

    With --extract, what is said from now on is read for facts when a turn has ended and enough is
    left to read, or after six hours of silence: by the setting extractor, and a model is sent it.
    What is older waits for recense extract run.

    With --watch each round that brought something is a line on stderr, and the report of all of
    them comes when it is stopped, by Ctrl-C or a termination signal.
    """
    if watch and not 1 <= every <= WATCH_SECONDS_MAX:
        raise InvalidRequest(
            f"--every {every} is out of bounds; expected 1 to {WATCH_SECONDS_MAX} seconds"
        )
    if extract and not watch:
        raise InvalidRequest(
            "--extract is given without --watch", hint="read once: recense extract run --all"
        )
    known_secrets = late.known_secrets(secrets_from or ())
    if known_secrets.ignored:
        call.say([ignored_secrets_line(known_secrets.ignored)])
    with call.memory(create=True) as memory, call.progress() as progress:
        source, paths = source_and_paths(tuple(words or ()), memory.source_names())
        render = partial(import_lines, archive_only=archive_only)
        if not watch:
            report = memory.import_sessions(
                source,
                paths,
                progress=progress,
                archive_only=archive_only,
                known_secrets=known_secrets,
            )
            if report.secrets_missed:
                progress.wipe()
                call.say([missed_secrets_line(report.secrets_missed)])
            return outcome(report, render, exit_code=FAILED if is_partial(report) else ANSWERED)

        def tell(told: ImportReport | RecenseError) -> None:
            progress.wipe()
            lines = [watch_line(told)]
            if isinstance(told, ImportReport) and told.secrets_missed:
                lines.append(missed_secrets_line(told.secrets_missed))
            call.say(lines)

        def tell_read(told: SessionRun | RecenseError) -> None:
            progress.wipe()
            call.say(read_lines(told))

        call.say([following_line(source, paths, every)])
        with stopping() as asked:
            wait = memory.extraction.followed(asked.wait, tell_read) if extract else asked.wait
            report = memory.watch_sessions(
                source,
                paths,
                every=every,
                wait=wait,
                tell=tell,
                progress=progress,
                archive_only=archive_only,
                known_secrets=known_secrets,
            )
    return outcome(report, render, exit_code=FAILED if is_partial(report) else ANSWERED)


def source_and_paths(
    words: tuple[str, ...], source_names: tuple[str, ...]
) -> tuple[str | None, tuple[str, ...]]:
    """Return the source that the first word names, if it names one, and the paths after it.

    Raises InvalidRequest when the first word is neither a source nor a path that exists, and looks
    like a name rather than like a path.
    """
    if not words:
        return None, ()
    first = words[0]
    if first in source_names:
        return first, words[1:]
    if first.replace("-", "_").isidentifier() and not os.path.lexists(first):
        raise InvalidRequest(
            f"{first!r} is no source, and there is no path of that name",
            hint=f"the sources are {', '.join(source_names)}",
        )
    return None, words


def is_partial(report: ImportReport) -> bool:
    """Whether something that was found could not be imported."""
    return any(source.files_failed or source.failures for source in report.sources)
