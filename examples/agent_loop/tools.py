"""One tool of each class, on a real file and on a server that counts.

| tool | class | what settles a call that was open |
|---|---|---|
| read_notes | read | nothing needs to: the model may ask again |
| write_report | idempotent | it is written again |
| charge | keyed | it is made again with the same key, which the server knows |
| order | checkable | the server is asked; what it does not have is ordered again |
| send_mail | unsafe | nothing does: a person looks, and decides |
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path

from counter import ask
from loop import Tool, args_of

from recense import ActionHandler, ActionOutcome, Done, NotDone
from recense.operations.agents import ActionView

Call = Callable[[dict[str, str], str], str]


def tools_of(folder: Path, address: str, killed_in: str | None = None) -> dict[str, Tool]:
    """Return the tools. ``killed_in`` is for showing what happens: this process dies within a call
    of that tool, when the world has changed and nobody here knows of it yet.
    """

    def read_notes(args: dict[str, str], _key: str) -> str:
        return (folder / args["file"]).read_text(encoding="utf-8")

    def write_report(args: dict[str, str], _key: str) -> str:
        (folder / args["file"]).write_text(args["text"], encoding="utf-8")
        return f"{args['file']} is written"

    def charge(_args: dict[str, str], key: str) -> str:
        return ask(address, f"charge/{key}")

    def order(_args: dict[str, str], key: str) -> str:
        return ask(address, f"order/{key}")

    def send_mail(_args: dict[str, str], _key: str) -> str:
        return ask(address, "mail")

    def probe_order(action: ActionView) -> Done | NotDone:
        key = action.key or action.id
        return (
            Done(result="the shop has it") if ask(address, f"orders/{key}") == "yes" else NotDone()
        )

    def dying(name: str, call: Call) -> Call:
        if name != killed_in:
            return call

        def call_and_die(args: dict[str, str], key: str) -> str:
            call(args, key)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("unreachable")

        return call_and_die

    def again(call: Call) -> Callable[[ActionView], ActionOutcome]:
        return lambda action: ActionOutcome(result=call(args_of(action), action.key or action.id))

    return {
        "read_notes": Tool("read", dying("read_notes", read_notes)),
        "write_report": Tool(
            "idempotent",
            dying("write_report", write_report),
            ActionHandler(run_again=again(write_report)),
        ),
        "charge": Tool("keyed", dying("charge", charge), ActionHandler(run_again=again(charge))),
        "order": Tool(
            "checkable",
            dying("order", order),
            ActionHandler(probe=probe_order, run_again=again(order), when_not_done="run_again"),
        ),
        "send_mail": Tool("unsafe", dying("send_mail", send_mail)),
    }
