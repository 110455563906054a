"""``recense registry``: which predicates there are, what their rules are, which names are one.

What gives a predicate its rules stands in `recense.cli.commands.registry_rules`, and belongs to the
same command.
"""

from typing import Annotated

import typer

from recense.cli.call import AsJson, Call, Namespace, Store, examples, new_app
from recense.cli.commands import registry_rules
from recense.cli.fact_arguments import AnyTypedValue, AsOf, Predicate, Subject
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_facts import remembered_lines
from recense.cli.render_registry import changed_lines, log_lines, registry_lines
from recense.cli.typed_words import value_typed

app = new_app()

IntoPredicate = Annotated[str, typer.Argument(metavar="INTO", hidden=True)]
IntoSubject = Annotated[str, typer.Argument(metavar="INTO", hidden=True)]


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "recense registry                     the predicates there are",
        "recense registry load --starter coding",
        "recense registry define lives_in --single",
        "recense registry merge resides_in lives_in",
        "recense registry log                 how it came to be so",
    ),
)
def registry(
    context: typer.Context,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome | None:
    """Say which predicates there are and what their rules are."""
    Call.of(context).choose(store, namespace, as_json)
    return None if context.invoked_subcommand else list_(context)


@app.command(
    "list",
    epilog=examples("recense registry list", "recense registry list --as-of 2025-12-31 --json"),
)
def list_(
    context: typer.Context,
    as_of: AsOf = None,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """List the predicates, their rules, and which names are one."""
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        view = memory.registry(as_of)
    return outcome(view, registry_lines)


@app.command("merge", epilog=examples("recense registry merge resides_in lives_in"))
def merge(
    context: typer.Context,
    predicate: Predicate,
    into: IntoPredicate,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Let a predicate mean the same as another.

    The rules of INTO hold for both. What was said under either is read under both. Undone by split.
    """
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        changed = memory.merge_predicates(predicate, into)
    return outcome(
        changed,
        lambda change: changed_lines(change, f"{predicate} means the same as {into}."),
    )


@app.command("split", epilog=examples("recense registry split resides_in"))
def split(
    context: typer.Context,
    predicate: Predicate,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Let a merged predicate be one of its own again."""
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        changed = memory.split_predicate(predicate)
    return outcome(
        changed, lambda change: changed_lines(change, f"{predicate} is one of its own again.")
    )


@app.command("merge-subject", epilog=examples('recense registry merge-subject "mira okafor" mira'))
def merge_subject(
    context: typer.Context,
    subject: Subject,
    into: IntoSubject,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Let a subject be the same as another.

    What was said of either is read of both. Undone by split-subject.
    """
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        changed = memory.merge_subjects(subject, into)
    return outcome(
        changed, lambda change: changed_lines(change, f"{subject} is the same as {into}.")
    )


@app.command("split-subject", epilog=examples('recense registry split-subject "mira okafor"'))
def split_subject(
    context: typer.Context,
    subject: Subject,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Let a merged subject be one of its own again."""
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        changed = memory.split_subject(subject)
    return outcome(
        changed, lambda change: changed_lines(change, f"{subject} is one of its own again.")
    )


@app.command(
    "promote",
    epilog=examples(
        "recense registry promote ID lives_in Oslo",
        "recense registry promote ID decided  the words of the note are the value",
    ),
)
def promote(
    context: typer.Context,
    event: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    predicate: Predicate,
    value: AnyTypedValue = None,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """File a note under a predicate and withdraw the note.

    ID is that of the note. VALUE is read by the predicate's type; without it, it is the note's own
    words.
    """
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        typed = None if value is None else value_typed(memory, value, predicate, None)
        promoted = memory.promote(event, predicate, typed)
    return outcome(promoted, remembered_lines)


@app.command("log", epilog=examples("recense registry log", "recense registry log --json"))
def log(
    context: typer.Context,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome:
    """Show every change of the registry, in order."""
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    with call.memory() as memory:
        changes = memory.registry_log()
    return outcome(changes, log_lines)


app.registered_commands += registry_rules.app.registered_commands
