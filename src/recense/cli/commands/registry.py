"""``recense registry``: which predicates there are, what their rules are, which names are one.

What gives a predicate its rules stands in `recense.cli.commands.registry_rules`, and belongs to the
same command.
"""

from functools import partial
from typing import Annotated

import typer

from recense.cli.call import Call
from recense.cli.commands import registry_rules
from recense.cli.declaring import command, family, new_app
from recense.cli.fact_arguments import AnyTypedValue, AsOf, Predicate, Subject
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_facts import remembered_lines
from recense.cli.render_registry import changed_lines, log_lines, registry_lines
from recense.cli.typed_words import value_typed

app = new_app()

IntoPredicate = Annotated[str, typer.Argument(metavar="INTO", hidden=True)]
IntoSubject = Annotated[str, typer.Argument(metavar="INTO", hidden=True)]


@family(
    app,
    "recense registry                     the predicates there are",
    "recense registry load --starter coding",
    "recense registry define lives_in --single",
    "recense registry merge resides_in lives_in",
    "recense registry log                 how it came to be so",
)
def registry(call: Call) -> CommandOutcome:
    """Say which predicates there are and what their rules are."""
    return list_(call)


@command(app, "list", "recense registry list", "recense registry list --as-of 2025-12-31 --json")
def list_(call: Call, as_of: AsOf = None) -> CommandOutcome:
    """List the predicates, their rules, and which names are one."""
    with call.memory() as memory:
        view = memory.registry(as_of)
    return outcome(view, registry_lines)


@command(app, "merge", "recense registry merge resides_in lives_in")
def merge(call: Call, predicate: Predicate, into: IntoPredicate) -> CommandOutcome:
    """Let a predicate mean the same as another.

    The rules of INTO hold for both. What was said under either is read under both. Undone by split.
    """
    with call.memory() as memory:
        changed = memory.merge_predicates(predicate, into)
    return outcome(changed, partial(changed_lines, words=f"{predicate} means the same as {into}."))


@command(app, "split", "recense registry split resides_in")
def split(call: Call, predicate: Predicate) -> CommandOutcome:
    """Let a merged predicate be one of its own again."""
    with call.memory() as memory:
        changed = memory.split_predicate(predicate)
    return outcome(changed, partial(changed_lines, words=f"{predicate} is one of its own again."))


@command(app, "merge-subject", 'recense registry merge-subject "mira okafor" mira')
def merge_subject(call: Call, subject: Subject, into: IntoSubject) -> CommandOutcome:
    """Let a subject be the same as another.

    What was said of either is read of both. Undone by split-subject.
    """
    with call.memory() as memory:
        changed = memory.merge_subjects(subject, into)
    return outcome(changed, partial(changed_lines, words=f"{subject} is the same as {into}."))


@command(app, "split-subject", 'recense registry split-subject "mira okafor"')
def split_subject(call: Call, subject: Subject) -> CommandOutcome:
    """Let a merged subject be one of its own again."""
    with call.memory() as memory:
        changed = memory.split_subject(subject)
    return outcome(changed, partial(changed_lines, words=f"{subject} is one of its own again."))


@command(
    app,
    "promote",
    "recense registry promote ID lives_in Oslo",
    "recense registry promote ID decided  the words of the note are the value",
)
def promote(
    call: Call,
    event: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    predicate: Predicate,
    value: AnyTypedValue = None,
) -> CommandOutcome:
    """File a note under a predicate and withdraw the note.

    ID is that of the note. VALUE is read by the predicate's type; without it, it is the note's own
    words.
    """
    with call.memory() as memory:
        typed = None if value is None else value_typed(memory, value, predicate, None)
        promoted = memory.promote(event, predicate, typed)
    return outcome(promoted, remembered_lines)


@command(app, "log", "recense registry log", "recense registry log --json")
def log(call: Call) -> CommandOutcome:
    """Show every change of the registry, in order."""
    with call.memory() as memory:
        changes = memory.registry_log()
    return outcome(changes, log_lines)


app.registered_commands += registry_rules.app.registered_commands
