"""How a command is declared: its word, its examples, and what every command takes.

Typer reads what a command takes from the signature of its function. What many commands take is said
once, by a function of its own, and Typer is shown both signatures as one: the function of a command
names what is the command's own, and is handed what was made of the rest.
"""

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Annotated, TypeVar

import typer

from recense.cli.call import Call
from recense.cli.outcome import CommandOutcome

Store = Annotated[
    str | None,
    typer.Option(
        "--store", metavar="URL", help="The store to use, as sqlite:///PATH.", show_default=False
    ),
]
Namespace = Annotated[
    str | None,
    typer.Option("--namespace", metavar="NAME", help="The tenant to use.", show_default=False),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, also for a failure.")
]

Function = TypeVar("Function", bound=Callable[..., CommandOutcome])


def new_app() -> typer.Typer:
    """Return an application without what starts slowly or decides for us how errors look."""
    return typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


def examples(*lines: str) -> str:
    """Return the end of a help page: what to type, one example a line, kept as it is."""
    return "\n".join(("\b", "Examples:", *(f"  {text}" for text in lines)))


def command(app: typer.Typer, name: str, *lines: str) -> Callable[[Function], Function]:
    """Return what adds a function to an application as a command, with these examples.

    The command has ``--store``, ``--namespace`` and ``--json`` after what is its own; the function
    is handed the call that was told of them, and can be called by another as it stands.
    """

    def add(function: Function) -> Function:
        app.command(name, epilog=examples(*lines))(Joined(call_of, function))
        return function

    return add


def family(
    app: typer.Typer, *lines: str
) -> Callable[[Callable[[Call], CommandOutcome]], Callable[[Call], CommandOutcome]]:
    """Return what makes a function the answer of an application without one of its commands; what
    stands before a command's word is taken for the command too.
    """

    def add(alone: Callable[[Call], CommandOutcome]) -> Callable[[Call], CommandOutcome]:
        def run(
            context: typer.Context,
            store: Store = None,
            namespace: Namespace = None,
            as_json: AsJson = False,
        ) -> CommandOutcome | None:
            call = call_of(context, store, namespace, as_json)
            return None if context.invoked_subcommand else alone(call)

        run.__doc__ = alone.__doc__
        app.callback(invoke_without_command=True, epilog=examples(*lines))(run)
        return alone

    return add


def call_of(
    context: typer.Context,
    store: Store = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> Call:
    """Return the call that a command belongs to, told what was given of the shared options."""
    call = Call.of(context)
    call.choose(store, namespace, as_json)
    return call


class Joined:
    """A function that takes by name what two functions take, and answers with ``own``, handed what
    ``shared`` makes of its part. What is ``own``'s stands first on a help page.
    """

    def __init__(self, shared: Callable[..., object], own: Callable[..., CommandOutcome]) -> None:
        self._shared = shared
        self._own = own
        self.__doc__ = own.__doc__
        self.__annotations__ = {}  # typer asks for them; all types stand in the signature

    def __call__(self, **given: object) -> CommandOutcome:
        """Return the answer to what was given."""
        of_shared = {name: given.pop(name) for name in inspect.signature(self._shared).parameters}
        return self._own(self._shared(**of_shared), **given)

    @cached_property
    def __signature__(self) -> inspect.Signature:
        """What both take, as `inspect.signature` finds it; of a family's commands one is asked."""
        _, *of_own = _by_name(self._own)
        return inspect.Signature([*of_own, *_by_name(self._shared)])


def _by_name(function: Callable[..., object]) -> list[inspect.Parameter]:
    """Return what a function takes, each by name alone, so that they may stand in any order."""
    parameters = inspect.signature(function).parameters.values()
    return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters]
