"""What a command line of facts asks of a memory, and why one is refused."""

from tests.cli.fake_facts import FactAnswers
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def asked_by(*words: str, facts: FactAnswers | None = None) -> list[object]:
    """Return what a command line that is answered asks."""
    memory = FakeMemory(facts=facts)
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.err) == (0, "")
    return memory.asked


def refused(*words: str) -> str:
    """Return why a command line is refused, before a memory is asked anything but its registry."""
    memory = FakeMemory()
    ran = run_here(*words, memory=memory)
    assert (ran.exit_code, ran.out) == (2, "")
    questions = [asked for asked in memory.asked if asked != ("registry", None)]
    assert questions in ([], [("open", {}, False)], [("open", {}, True)])
    return ran.err
