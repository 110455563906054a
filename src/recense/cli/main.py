"""The command line: from words to an exit code.

Laws. A command hands back a `CommandOutcome`, and only this file writes: with ``--json`` stdout is
exactly one JSON document, whatever happens, and what anything else prints goes to stderr. The exit
code is 0 for an answer, 1 for what was refused or failed, 2 for bad usage, 130 for an interruption.
A command's module is loaded only when its word stands on the command line.
"""

import contextlib
import gc
import io
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Final

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from recense.cli import late
from recense.cli.call import Call
from recense.cli.connecting import OpenConnecting
from recense.cli.declaring import AsJson, Namespace, Store, call_of, examples, new_app
from recense.cli.failures import failed, is_bug, traceback_text
from recense.cli.key_operations import OpenKeys
from recense.cli.memory import OpenMemory, RunBench, ServeModels
from recense.cli.outcome import FAILED, INTERRUPTED, CommandOutcome, HelpText, page
from recense.cli.parameters import read_plainly
from recense.cli.serving_operations import Serve
from recense.cli.terminal import Terminal
from recense.core.values import Value
from recense.limits import NEW_OBJECTS_MAX

PROGRAM: Final = "recense"


class Entry(Value, kw_only=True):
    """A command: its module, and its line in the list, which is the first of its own help."""

    module: str
    help: str


COMMANDS: Final[Mapping[str, Entry]] = {
    "import": Entry(
        module="recense.cli.commands.importing", help="Find and import the sessions of agents."
    ),
    "recall": Entry(
        module="recense.cli.commands.recall",
        help="Find what was said and done, and say what was not searched.",
    ),
    "more": Entry(
        module="recense.cli.commands.more", help="Show more of what surrounds a passage."
    ),
    "material": Entry(
        module="recense.cli.commands.material",
        help="Show or save an attachment that recall listed.",
    ),
    "grep": Entry(
        module="recense.cli.commands.grep",
        help="Find every line that holds a text, newest first.",
    ),
    "remember": Entry(
        module="recense.cli.commands.remember", help="Keep a text, and file what it states."
    ),
    "forget": Entry(
        module="recense.cli.commands.forget",
        help="Withdraw facts: find them by words, then name them.",
    ),
    "history": Entry(
        module="recense.cli.commands.history", help="Tell how something came to be so."
    ),
    "fact": Entry(
        module="recense.cli.commands.fact",
        help="Set, read, explain and withdraw single facts.",
    ),
    "registry": Entry(
        module="recense.cli.commands.registry",
        help="Say which predicates there are and what their rules are.",
    ),
    "extract": Entry(
        module="recense.cli.commands.extract",
        help="Read sessions for facts; see how far that came and what is left.",
    ),
    "agent": Entry(
        module="recense.cli.commands.agent",
        help="Look at agents that resume; decide what became of an act.",
    ),
    "sessions": Entry(
        module="recense.cli.commands.sessions",
        help="List the sessions that are kept; show, hide or forget one.",
    ),
    "convert": Entry(
        module="recense.cli.commands.convert",
        help="Convert archived sessions now rather than later.",
    ),
    "mcp": Entry(
        module="recense.cli.commands.mcp",
        help="Serve a model's client over stdin and stdout.",
    ),
    "index": Entry(
        module="recense.cli.commands.index",
        help="Index what is converted, so that recall finds it quickly.",
    ),
    "keys": Entry(
        module="recense.cli.commands.keys",
        help="Issue, list, renew and revoke the keys that a server asks for.",
    ),
    "connect": Entry(
        module="recense.cli.commands.connect",
        help="Write the settings of a client, so that it can ask this memory.",
    ),
    "doctor": Entry(
        module="recense.cli.commands.doctor",
        help="Check the store, and say where each setting came from.",
    ),
    "serve": Entry(
        module="recense.cli.commands.serve",
        help="Serve the store to others, over HTTP.",
    ),
    "bench": Entry(
        module="recense.cli.commands.bench", help="Measure Recense beside named baselines."
    ),
}


_app = new_app()


@_app.callback(
    invoke_without_command=True,
    epilog=examples(
        "recense import                  import what the agents on this machine kept",
        "recense recall ECONNRESET       find it again",
        'recense recall -q "why did we drop the nightly import?"',
        "recense COMMAND --help          what a command takes",
    ),
)
def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> CommandOutcome | None:
    """Recall for agents: keep sessions word for word, find what was said, say how far it looked."""
    call_of(context, store, namespace, as_json)
    if version:
        return page(f"{PROGRAM} {late.installed_version()}")
    if context.invoked_subcommand is None:
        return page(context.get_help())
    return None


def main() -> int:
    """Run the command line of this process and return its exit code.

    What is loaded stays to the end, so no collection needs to walk through it: not while the engine
    loads, nor when the interpreter ends, where that would take as long as a short answer. What an
    answer is made of goes when nobody has it any more; what is left to collect are the few things
    that have each other, so they are looked for seldom.
    """
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS_MAX)
    try:
        return run(sys.argv[1:])
    finally:
        gc.freeze()


def run(
    words: Sequence[str],
    *,
    open_memory: OpenMemory | None = None,
    open_keys: OpenKeys | None = None,
    run_bench: RunBench | None = None,
    serve: Serve | None = None,
    serve_models: ServeModels | None = None,
    open_connecting: OpenConnecting | None = None,
    terminal: Terminal | None = None,
) -> int:
    """Run one command line and return its exit code.

    ``words`` are the words after the program's name. ``open_memory`` opens the memory that the
    ``--store`` and ``--namespace`` given name, and ``open_keys`` the keys of that store; without
    one, the settings of this machine decide.
    ``run_bench`` runs a benchmark, ``serve`` a server, ``serve_models`` serves a client of models
    and ``open_connecting`` connects clients; without one, those of Recense do.
    ``terminal`` is where to write; without one, the streams of this process. Never raises but for
    what stops the interpreter.
    """
    terminal = terminal or Terminal.of_process()
    call = Call(
        open_memory,
        terminal.progress,
        terminal.ask,
        terminal.write_error_lines,
        run_bench,
        open_keys=open_keys,
        serve=serve,
        serve_models=serve_models,
        open_connecting=open_connecting,
        read_input=terminal.read_input,
        columns=terminal.columns,
    )
    try:
        result = _answer(words, call, terminal)
        as_json = call.as_json or (isinstance(result.document, HelpText) and json_is_asked(words))
        write = _writing(result, terminal, as_json=as_json)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 -- the last place that can tell
        if is_bug(error):
            terminal.write_error_text(traceback_text(error))
        result = failed(error, PROGRAM)
        as_json = call.as_json or json_is_asked(words)
        if not as_json:
            terminal.write_error_lines(result.render())
            return result.exit_code
        write = _writing(result, terminal, as_json=True)
    return _written(write, terminal, result.exit_code)


def json_is_asked(words: Sequence[str]) -> bool:
    """Whether ``--json`` stands among the words as an option; for when they were not parsed."""
    options = words[: words.index("--")] if "--" in words else words
    return "--json" in options


def _answer(words: Sequence[str], call: Call, terminal: Terminal) -> CommandOutcome:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            command = _command(words)
            with command.make_context(PROGRAM, list(words), obj=call) as context:
                result: object = command.invoke(context)
        except typer.Exit:
            result = page(printed.getvalue().rstrip("\n"))
            printed.seek(printed.truncate(0))
    terminal.write_error_text(printed.getvalue())
    if not isinstance(result, CommandOutcome):
        raise TypeError(f"a command returned {type(result).__name__}, expected CommandOutcome")
    return result


def _command(words: Sequence[str]) -> TyperGroup:
    """Return the root with every command; only those whose word was typed are loaded.

    The others are known by their one line. A term spelled like a command loads one too many.
    """
    root = get_command(_app)
    if not isinstance(root, TyperGroup):
        raise TypeError(f"the root is {type(root).__name__}, expected TyperGroup")
    for name, entry in COMMANDS.items():
        if name in words:
            app = late.command_app(entry.module)
            is_family = app.registered_callback is not None
            root.add_command(_family(app, words) if is_family else get_command(app), name)
        else:
            root.add_command(_known_by(name, entry.help), name)
    read_plainly(root)
    return root


def _family(app: typer.Typer, words: Sequence[str]) -> TyperGroup:
    """Return the command of an application that has commands below it. Only those whose word was
    typed are built, which takes a millisecond each; the others are known by their one line.
    """
    below = app.registered_commands
    typed = new_app()
    typed.registered_callback = app.registered_callback
    typed.registered_commands = [each for each in below if each.name in words]
    family = get_command(typed)
    if not isinstance(family, TyperGroup):
        raise TypeError(f"a family is {type(family).__name__}, expected TyperGroup")
    for each in below:
        name = each.name or ""
        documented = (each.callback.__doc__ or "") if each.callback else ""
        known = family.commands.pop(name, None) or _known_by(name, documented.partition("\n")[0])
        family.add_command(known, name)
    return family


def _known_by(name: str, help_line: str) -> TyperCommand:
    """Return a command that stands in a list and is not run."""
    return TyperCommand(name, help=help_line, rich_markup_mode=None)


def _writing(result: CommandOutcome, terminal: Terminal, *, as_json: bool) -> Callable[[], None]:
    """Return what writes an outcome; all that can go wrong with the outcome goes wrong here."""
    if as_json:
        return partial(terminal.write_text, terminal.document_text(result.document))
    if result.data is not None and not terminal.is_screen:
        return partial(terminal.write_data, result.data)
    lines = list(result.render())
    if result.picture is not None:
        return partial(terminal.write_picture, result.picture, lines)
    return partial(terminal.write_lines, lines)


def _written(write: Callable[[], None], terminal: Terminal, exit_code: int) -> int:
    try:
        write()
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        terminal.leave_out()
        if not isinstance(error, BrokenPipeError):
            terminal.write_error_text(f"recense: cannot write on stdout: {error.strerror}\n")
        return FAILED
    return exit_code
