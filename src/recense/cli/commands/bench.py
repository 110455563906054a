"""``recense bench``: what is fast, what is found, what grows."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Annotated, Final, get_args

import msgspec
import typer
from typer.core import TyperCommand

from recense.bench.requests import (
    SEED_DEFAULT,
    AgentsRequest,
    BenchRequest,
    ColdRequest,
    FactsRequest,
    GrowingRequest,
    Half,
    ImportRequest,
    NeedlesRequest,
    QualityRequest,
    ScaleRequest,
    ServeRequest,
    SetName,
    SpeedRequest,
)
from recense.bench.results import BenchResult, Row
from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.declaring import AsJson, Function, Joined, call_of, examples, new_app
from recense.cli.lines import Line, line, span
from recense.cli.outcome import CommandOutcome, outcome, page
from recense.errors import InvalidRequest, OutputUnwritable

app = new_app()

STDOUT: Final = "-"
"""The file that stands for stdout, also when none is named."""

SETS: Final[dict[str, tuple[SetName, ...]]] = {
    "locomo": ("locomo",),
    "memdaily": ("memdaily",),
    "all": ("locomo", "memdaily"),
}
HALVES: Final[tuple[Half, ...]] = get_args(Half)

Run = Callable[[BenchRequest], CommandOutcome]
"""Runs a benchmark, and writes its JSON to the file that was named."""

JsonFile = Annotated[
    str | None,
    typer.Option(
        "--json",
        metavar="[FILE]",
        help="Write JSON to FILE, or print it.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option("--seed", metavar="N", help="What chance is drawn from.")]
Scale = Annotated[
    str, typer.Option("--scale", metavar="K", help="How much: 1 is 178 MB of made sessions.")
]


class BenchCommand(TyperCommand):
    """A command whose ``--json`` may name a file; Typer knows no option with a value or none."""

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride] -- typer hides its base
        self, ctx: typer.Context, args: list[str]
    ) -> list[str]:
        """Read the words after the command's own."""
        return super().parse_args(ctx, with_stdout_named(args))


def with_stdout_named(words: Sequence[str]) -> list[str]:
    """Return words in which every ``--json`` that names no file names stdout."""
    named: list[str] = []
    for word, following in pairwise((*words, "--")):
        named.append(word)
        if word == "--json" and following.startswith("--"):
            named.append(STDOUT)
    return named


def _runner(context: typer.Context, json_file: JsonFile = None) -> Run:
    """Return what runs a benchmark of this call."""
    return partial(_run, Call.of(context), json_file)


def _run(call: Call, json_file: str | None, request: BenchRequest) -> CommandOutcome:
    """Run a benchmark and write its JSON; that it can be written is looked at before it runs."""
    write: Callable[[BenchResult], None] | None = None
    if json_file == STDOUT:
        call.choose(None, None, as_json=True)
    elif json_file is not None:
        write = _writer(json_file)
    result = call.bench(request)
    if write is not None:
        write(result)
    return outcome(result, result_lines)


def _writer(path: str) -> Callable[[BenchResult], None]:
    """Return what writes a result to a file. Raises OutputUnwritable where it cannot be written."""

    def write(content: bytes, mode: str) -> None:
        try:
            with open(path, mode) as file:
                file.write(content)
        except (OSError, ValueError) as error:
            raise OutputUnwritable(
                f"--json {path!r} cannot be written: {error}", hint="name another file"
            ) from error

    write(b"", "ab")
    return lambda result: write(msgspec.json.format(msgspec.json.encode(result)) + b"\n", "wb")


def benchmark(name: str, *lines: str) -> Callable[[Function], Function]:
    """Return what adds a function as a command, with these examples. It is handed what runs the
    benchmark that it asks for, and has ``--json`` after what is its own.
    """

    def add(function: Function) -> Function:
        app.command(name, cls=BenchCommand, epilog=examples(*lines))(Joined(_runner, function))
        return function

    return add


@app.callback(
    invoke_without_command=True,
    epilog=examples(
        "recense bench quality --set memdaily",
        "recense bench import --scale 0.1",
        "recense bench recall --json -",
    ),
)
def bench(context: typer.Context, as_json: AsJson = False) -> CommandOutcome | None:
    """Measure Recense beside named baselines.

    Each benchmark asserts that the answers are right before it reports a figure. None of them
    touches your store.
    """
    call_of(context, as_json=as_json)
    return None if context.invoked_subcommand else page(context.get_help())


@benchmark(
    "quality",
    "recense bench quality --half dev",
    "recense bench quality --set locomo --json quality.json",
)
def quality(
    run: Run,
    set_: Annotated[
        str, typer.Option("--set", metavar="SET", help=f"One of {', '.join(SETS)}.")
    ] = "all",
    half: Annotated[
        str, typer.Option("--half", metavar="HALF", help=f"One of {', '.join(HALVES)}.")
    ] = "all",
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FOLDER", help="Where the sets are.", show_default=False),
    ] = None,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask whether the right session, or the right message, comes first.

    The sets are looked for in FOLDER/retrieval, else below RECENSE_TEST_DATA, else below
    ../shared/data. Odd conversations are the dev half, even ones the test half.
    """
    request = QualityRequest(
        sets=SETS[word_named("--set", set_, tuple(SETS), hint="--set all")],
        half=word_named("--half", half, HALVES, hint="--half all"),
        data=data,
        seed=seed,
    )
    return run(request)


@benchmark(
    "import", "recense bench import --scale 0.1", "recense bench import --real ~/.claude/projects"
)
def import_(
    run: Run,
    scale: Scale = "1",
    real: Annotated[
        str | None,
        typer.Option(
            "--real",
            metavar="FOLDER",
            help="Session files to import rather than made ones.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask how fast sessions are imported, and what that takes.

    Time, memory, disk, and what importing again costs.
    """
    return run(ImportRequest(scale=_number("--scale", scale), seed=seed, real=real))


@benchmark("recall", "recense bench recall --scale 0.05", "recense bench recall --sessions 100")
def recall(
    run: Run,
    scale: Scale = "1",
    sessions: Annotated[
        int | None,
        typer.Option(
            "--sessions",
            metavar="N",
            help="In how many sessions, of the same size all together.",
            show_default=False,
        ),
    ] = None,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask how fast a term is found, and whether both paths are equal.

    Beside it stand the full scan, the reference method, rg where it is installed, and two indexes
    over words.
    """
    if sessions == 0:
        raise InvalidRequest("--sessions 0 leaves none to make", hint="--sessions 100")
    return run(SpeedRequest(scale=_number("--scale", scale), sessions=sessions, seed=seed))


@benchmark("cold", "recense bench cold --scale 0.05")
def cold(run: Run, scale: Scale = "1", seed: Seed = SEED_DEFAULT) -> CommandOutcome:
    """Ask how long it takes until a fresh process has its first answer."""
    return run(ColdRequest(scale=_number("--scale", scale), seed=seed))


@benchmark("scale", "recense bench scale --scale 0.01")
def scale_(run: Run, scale: Scale = "1", seed: Seed = SEED_DEFAULT) -> CommandOutcome:
    """Ask what grows when what is kept grows tenfold: time, memory, disk.

    Then the same of a million short messages, --scale times as many.
    """
    return run(ScaleRequest(scale=_number("--scale", scale), seed=seed))


@benchmark("needles", "recense bench needles --scale 0.05")
def needles(run: Run, scale: Scale = "1", seed: Seed = SEED_DEFAULT) -> CommandOutcome:
    """Ask whether a fact that was said once comes first.

    By its own rare word, by two common words, and in other words.
    """
    return run(NeedlesRequest(scale=_number("--scale", scale), seed=seed))


@benchmark("facts", "recense bench facts --facts 10000")
def facts_(
    run: Run,
    facts: Annotated[
        int, typer.Option("--facts", metavar="N", min=1, help="How many facts there are at last.")
    ] = 100_000,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask how fast facts are remembered, read, searched and folded.

    Beside it stand LangGraph's SQLite store and mem0 with inference off, where they are installed.
    """
    return run(FactsRequest(facts=facts, seed=seed))


@benchmark(
    "agents",
    "recense bench agents",
    "recense bench agents --kills 40 --turns 1000 --json agents.json",
)
def agents_(
    run: Run,
    kills: Annotated[
        int, typer.Option("--kills", metavar="N", min=1, help="How often one is killed.")
    ] = 500,
    turns: Annotated[
        int, typer.Option("--turns", metavar="N", min=1, help="How many turns another has.")
    ] = 10_000,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask what it costs to resume, and whether a kill does anything twice.

    A worker does each kind of act on files and on a server of the loopback, is killed with SIGKILL
    inside of them, and goes on in another process.
    """
    return run(AgentsRequest(kills=kills, turns=turns, seed=seed))


@benchmark("extract", "recense bench extract", "recense bench extract --tokens 4000")
def extract_(
    run: Run,
    tokens: Annotated[
        int,
        typer.Option("--tokens", metavar="N", min=1, help="How long a session is at first."),
    ] = 16_000,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask what reading a growing session for facts sends.

    Beside it stands reading it whole each time. No model is asked.
    """
    return run(GrowingRequest(tokens=tokens, seed=seed))


@benchmark("serve", "recense bench serve", "recense bench serve --calls 1000")
def serve_(
    run: Run,
    calls: Annotated[
        int, typer.Option("--calls", metavar="N", min=100, help="How many mixed calls are asked.")
    ] = 8_000,
    seed: Seed = SEED_DEFAULT,
) -> CommandOutcome:
    """Ask how many calls a second a server answers, and how long the slowest wait.

    Server and generator share this machine. At last the server is killed amid statements, and what
    it had acknowledged is looked for.
    """
    return run(ServeRequest(calls=calls, seed=seed))


def result_lines(result: BenchResult) -> list[Line]:
    """Return a result as a table, and below it what was asserted and where it ran."""
    width = max(len(each.name) for each in result.rows)
    lines = [
        line(
            span(f"{each.name:<{width}}", "title"),
            span(f"  {each.value:>10,.{_decimals(each)}f}", "number"),
            f" {each.unit}",
            *[span(f"  {words}", "faint") for words in _beside(each)],
        )
        for each in result.rows
    ]
    lines += [line(span("asserted: ", "good"), sentence) for sentence in result.asserted]
    about = ", ".join(f"{name} {number}" for name, number in result.versions.items())
    lines.append(line(span(f"seed {result.seed}, {result.machine}, {about}", "faint")))
    return lines


def _beside(each: Row) -> list[str]:
    words: list[str] = []
    if each.standard_error is not None:
        words.append(f"+- {each.standard_error:.{_decimals(each)}f}")
    if each.ratio is not None:
        words.append(f"{each.ratio:.2f} x {each.baseline}")
    if each.paired is not None:
        pair = each.paired
        decimals = _decimals(each)
        words.append(
            f"won {pair.won}, lost {pair.lost}, equal {pair.equal}: "
            f"{pair.difference:+.{decimals}f} +- {pair.standard_error:.{decimals}f}"
        )
    return words


def _decimals(each: Row) -> int:
    match each.unit:
        case "":
            return 3
        case (
            "questions"
            | "terms"
            | "sessions"
            | "messages"
            | "facts"
            | "turns"
            | "kills"
            | "lives"
            | "tokens"
        ):
            return 0
        case "%":
            return 1
        case _:
            return 2


def _number(option: str, given: str) -> float:
    """Return a number above 0. Raises InvalidRequest for a text that is none."""
    try:
        number = float(given)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise InvalidRequest(f"{option} {given!r} is no number above 0", hint=f"{option} 0.1")
    return number
