"""``recense fact``: what is believed, since when, and why."""

from typing import Annotated

import typer

from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.declaring import command, new_app
from recense.cli.fact_arguments import (
    KINDS,
    After,
    AnyKindWord,
    AnyPredicate,
    AsBoolean,
    AsNumber,
    AsOf,
    AsText,
    FoundLimit,
    KnownBy,
    ListedLimit,
    OfSubject,
    Predicate,
    Subject,
    TypedValue,
)
from recense.cli.memory import MemoryOperations
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_facts import (
    beliefs_lines,
    difference_lines,
    fact_history_lines,
    truth_lines,
)
from recense.cli.render_reasons import explanation_lines
from recense.cli.render_timeline import timeline_lines
from recense.cli.typed_words import forced_form, form_of, number_in, share_named, value_typed
from recense.errors import InvalidRequest
from recense.limits import FACTS_FOUND_DEFAULT, FACTS_LISTED_DEFAULT
from recense.operations.facts import GetFacts, SearchFacts

app = new_app()


@command(
    app,
    "get",
    "recense fact get mira",
    "recense fact get mira lives_in --as-of 2025-12-31",
    "recense fact get kiosk --follow-refs --json",
)
def get(
    call: Call,
    subject: Subject,
    predicate: AnyPredicate = None,
    as_of: AsOf = None,
    known_by: KnownBy = None,
    follow_refs: Annotated[
        bool, typer.Option("--follow-refs", help="Also what is believed of whom values refer to.")
    ] = False,
    limit: ListedLimit = FACTS_LISTED_DEFAULT,
    after: After = None,
) -> CommandOutcome:
    """Show what is believed of a subject, or of one predicate of it."""
    request = GetFacts(
        subject=subject,
        predicate=predicate,
        as_of=as_of,
        known_by=known_by,
        follow_refs=follow_refs,
        limit=limit,
        after=after,
    )
    with call.memory() as memory:
        found = memory.facts(request)
    return outcome(found, beliefs_lines)


@command(
    app,
    "list",
    "recense fact list --predicate lives_in",
    "recense fact list --predicate budget --at-least 5000 --at-most 9000",
    "recense fact list --refers-to mira --since 2026-01-01",
    "recense fact list --kind preference --min-confidence 0.8 --json",
)
def list_(
    call: Call,
    predicate: Annotated[
        str | None, typer.Option("--predicate", metavar="NAME", help="Only this predicate.")
    ] = None,
    kind: AnyKindWord = None,
    refers_to: Annotated[
        str | None,
        typer.Option("--refers-to", metavar="SUBJECT", help="Only what refers to this subject."),
    ] = None,
    at_least: Annotated[
        str | None, typer.Option("--at-least", metavar="VALUE", help="Only values from this on.")
    ] = None,
    at_most: Annotated[
        str | None, typer.Option("--at-most", metavar="VALUE", help="Only values up to this.")
    ] = None,
    min_confidence: Annotated[
        str, typer.Option("--min-confidence", metavar="N", help="At least so sure, 0 to 1.")
    ] = "0",
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Stated from this date (UTC) or instant on."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="TIME", help="Stated to the end of this date or instant."),
    ] = None,
    as_of: AsOf = None,
    known_by: KnownBy = None,
    limit: ListedLimit = FACTS_LISTED_DEFAULT,
    after: After = None,
) -> CommandOutcome:
    """List what is believed, of every subject.

    A bound of values is a number or a text, as the predicate's values are; without --predicate, a
    number where it reads as one.
    """
    kind_named = None if kind is None else word_named("--kind", kind, KINDS)
    sureness = share_named("--min-confidence", min_confidence)
    with call.memory() as memory:
        found = memory.facts(
            GetFacts(
                predicate=predicate,
                kind=kind_named,
                refers_to=refers_to,
                value_at_least=_bound(memory, "--at-least", at_least, predicate),
                value_at_most=_bound(memory, "--at-most", at_most, predicate),
                min_confidence=sureness,
                stated_since=since,
                stated_until=until,
                as_of=as_of,
                known_by=known_by,
                limit=limit,
                after=after,
            )
        )
    return outcome(found, beliefs_lines)


@command(
    app,
    "search",
    'recense fact search "where does Mira live"',
    "recense fact search editor --subject mira --limit 3",
)
def search(
    call: Call,
    text: Annotated[str, typer.Argument(metavar="TEXT", hidden=True)],
    subject: OfSubject = None,
    limit: FoundLimit = FACTS_FOUND_DEFAULT,
    as_of: AsOf = None,
    known_by: KnownBy = None,
) -> CommandOutcome:
    """Find what is believed by words, the best first.

    A word may be one that was replaced since: it leads to what holds now.
    """
    request = SearchFacts(text=text, subject=subject, limit=limit, as_of=as_of, known_by=known_by)
    with call.memory() as memory:
        found = memory.search_facts(request)
    return outcome(found, beliefs_lines)


@command(app, "history", "recense fact history mira lives_in")
def history(
    call: Call,
    subject: Subject,
    predicate: Predicate,
    as_of: AsOf = None,
    known_by: KnownBy = None,
    limit: ListedLimit = FACTS_LISTED_DEFAULT,
) -> CommandOutcome:
    """Show all that was said of a pair, and withdrawn, in order."""
    with call.memory() as memory:
        told = memory.fact_history(subject, predicate, as_of=as_of, known_by=known_by, limit=limit)
    return outcome(told, fact_history_lines)


@command(
    app,
    "explain",
    "recense fact explain mira lives_in",
    "recense fact explain mira --as-of 2025-12-31",
)
def explain(
    call: Call,
    subject: Subject,
    predicate: AnyPredicate = None,
    as_of: AsOf = None,
    known_by: KnownBy = None,
) -> CommandOutcome:
    """Say why something holds of a subject, or no longer does.

    First the rules that decide, then what was said, one event after the other, and what each did;
    then what is left.
    """
    with call.memory() as memory:
        told = memory.explain_fact(subject, predicate, as_of=as_of, known_by=known_by)
    return outcome(told, explanation_lines)


@command(
    app,
    "holds",
    "recense fact holds mira lives_in Oslo",
    "recense fact holds mira lives_in Bergen --as-of 2025-12-31",
)
def holds(
    call: Call,
    subject: Subject,
    predicate: Predicate,
    value: TypedValue,
    as_of: AsOf = None,
    known_by: KnownBy = None,
    text: AsText = False,
    number: AsNumber = False,
    boolean: AsBoolean = False,
) -> CommandOutcome:
    """Say whether a value holds: yes, no or unknown.

    No needs a reason: it was said and holds no longer, or another value holds in its place. The
    exit code is 0 whichever it is.
    """
    form = forced_form(text=text, number=number, boolean=boolean)
    with call.memory() as memory:
        typed = value_typed(memory, value, predicate, form)
        truth = memory.fact_holds(subject, predicate, typed, as_of=as_of, known_by=known_by)
    return outcome(truth, truth_lines)


@command(app, "timeline", "recense fact timeline mira", "recense fact timeline mira lives_in")
def timeline(call: Call, subject: Subject, predicate: AnyPredicate = None) -> CommandOutcome:
    """Draw which values a subject had when."""
    with call.memory() as memory:
        drawn = memory.fact_timeline(subject, predicate)
    return outcome(drawn, lambda line: timeline_lines(line, call.columns))


@command(
    app,
    "diff",
    "recense fact diff 2025-12-31 2026-06-30",
    "recense fact diff 2025-12-31 2026-06-30 --subject mira",
)
def diff(
    call: Call,
    since: Annotated[str, typer.Argument(metavar="FROM", hidden=True)],
    until: Annotated[str, typer.Argument(metavar="TO", hidden=True)],
    subject: OfSubject = None,
) -> CommandOutcome:
    """Show what came to hold between two dates, and what ceased to."""
    with call.memory() as memory:
        difference = memory.fact_difference(since, until, subject)
    return outcome(difference, difference_lines)


def _bound(
    memory: MemoryOperations, option: str, words: str | None, predicate: str | None
) -> str | int | float | None:
    """Return a bound of values, read as the values of the predicate are."""
    if words is None:
        return None
    number = number_in(words)
    if predicate is None:
        return words if number is None else number
    match form_of(memory.registry(), predicate):
        case "number":
            if number is None:
                raise InvalidRequest(
                    f"{option} {words!r} is no number, and {predicate} has numbers",
                    hint="for example 8000",
                )
            return number
        case "text" | "boolean":
            return words
