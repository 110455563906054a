"""A command is declared once: what is its own stands first, and what all have goes to its call."""

from typing import Annotated

import typer
from typer.core import TyperCommand

from recense.cli.call import Call
from recense.cli.declaring import Joined, command, new_app
from recense.cli.outcome import CommandOutcome, page


def greet(
    _call: Call, name: str, times: Annotated[int, typer.Option("--times")] = 1
) -> CommandOutcome:
    """Greet somebody."""
    return page(name * times)


def test_what_is_a_commands_own_stands_before_what_every_command_has() -> None:
    app = new_app()
    assert command(app, "greet", "recense greet mira")(greet) is greet
    declared = typer.main.get_command(app)
    assert isinstance(declared, TyperCommand)
    assert [parameter.name for parameter in declared.params] == [
        "name",
        "times",
        "store",
        "namespace",
        "as_json",
    ]
    assert declared.help == "Greet somebody."
    assert "  recense greet mira" in (declared.epilog or "")


def test_what_many_take_is_made_into_what_each_is_handed() -> None:
    def shared(first: int, second: int = 2) -> int:
        return first + second

    def own(handed: int, third: int) -> CommandOutcome:
        return page(f"{handed} {third}")

    joined = Joined(shared, own)
    assert joined(third=3, first=1, second=4).document == own(5, 3).document
