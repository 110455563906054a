"""A process that is the command line over a fake memory: `python fake_program.py WHAT WORD…`.

WHAT is ``answers``, or what the memory raises: ``refuses``, ``is_interrupted``, ``has_a_bug``; or
``prints`` for a memory that prints on stdout while it works. With ``every`` for a word, it is every
command there is, one after the other, each with the words that follow; the exit code is the
largest.
"""

import sys

from recense.cli.main import run
from recense.errors import StoreBusy
from recense.operations.recall import RecallAnswer, RecallRequest
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import WORDS


class PrintingMemory(FakeMemory):
    def recall(self, request: RecallRequest) -> RecallAnswer:
        print("a library says hello")  # noqa: T201
        return super().recall(request)


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
    memory = fake(sys.argv[1])
    _, _, first, *others = sys.argv
    lines = [(*words, *others) for words in WORDS.values()] if first == "every" else [sys.argv[2:]]
    sys.exit(
        max(
            run(
                words,
                open_memory=memory.open,
                open_keys=memory.open_keys,
                run_bench=memory.bench,
                serve=memory.serve,
                serve_models=memory.serve_models,
                open_connecting=memory.connecting,
            )
            for words in lines
        )
    )
