from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def served(*words: str) -> object:
    """Return what a command line had served: surfaces, whether read-only, and tools by name."""
    memory = FakeMemory()
    assert run_here("mcp", *words, memory=memory).exit_code == 0
    return memory.asked[-1]


def test_a_model_is_offered_words_alone_if_nothing_more_is_asked_for() -> None:
    assert served() == ("serve_models", frozenset({"text"}), False, None)


def test_a_model_is_offered_what_is_asked_for_and_less_by_name() -> None:
    everything = frozenset({"text", "typed", "agent"})
    assert served("--typed", "--agent") == ("serve_models", everything, False, None)
    assert served("--read-only", "--tools", "recall", "--tools", "history") == (
        "serve_models",
        frozenset({"text"}),
        True,
        ["recall", "history"],
    )
