"""A process that is the command line over a fake memory: `python fake_program.py WHAT WORD…`.

WHAT is ``answers``, or what the memory raises: ``refuses``, ``is_interrupted``, ``has_a_bug``; or
``prints`` for a memory that prints on stdout while it works.
"""

import sys

from recense.cli.main import run
from recense.errors import StoreBusy
from recense.operations.recall import RecallAnswer, RecallRequest
from tests.cli.fake_memory import FakeMemory


class PrintingMemory(FakeMemory):
    def recall(self, request: RecallRequest, *, explain: bool = False) -> RecallAnswer:
        print("a library says hello")  # noqa: T201
        return super().recall(request, explain=explain)


def fake(what: str) -> FakeMemory:
    errors: dict[str, BaseException] = {
        "refuses": StoreBusy("another process holds the store", hint="try again"),
        "is_interrupted": KeyboardInterrupt(),
        "has_a_bug": ZeroDivisionError("\x1b[2J時"),
    }
    if what == "prints":
        return PrintingMemory()
    return FakeMemory(error=errors.get(what))


if __name__ == "__main__":
    sys.exit(run(sys.argv[2:], open_memory=fake(sys.argv[1]).open))
