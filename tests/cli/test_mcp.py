from collections.abc import Mapping
from pathlib import Path

import pytest

from recense.cli import serving_models
from recense.operations.keys import Credential, local_credential
from recense.services.memory import Memory
from recense.settings.loading import load_settings
from recense.wiring import open_memory
from tests.cli.fake_memory import FakeMemory
from tests.cli.running import run_here


def served(*words: str) -> object:
    """Return what a command line had served: surfaces, whether read-only, and tools by name."""
    memory = FakeMemory()
    assert run_here("mcp", *words, memory=memory).exit_code == 0
    return memory.asked[-1]


def test_a_model_is_offered_words_alone_if_nothing_more_is_asked_for() -> None:
    assert served() == ("serve_models", {}, frozenset({"text"}), False, None)


def test_a_model_is_offered_what_is_asked_for_and_less_by_name() -> None:
    everything = frozenset({"text", "typed", "agent"})
    assert served("--typed", "--agent") == ("serve_models", {}, everything, False, None)
    assert served("--read-only", "--tools", "recall", "--tools", "history") == (
        "serve_models",
        {},
        frozenset({"text"}),
        True,
        ["recall", "history"],
    )


@pytest.mark.parametrize(
    ("flags", "environment", "namespace"),
    [
        ({}, {}, "default"),
        ({"namespace": "team-a"}, {}, "team-a"),
        ({}, {"RECENSE_NAMESPACE": "team-b"}, "team-b"),
    ],
)
def test_a_model_asks_in_the_namespace_that_is_named(
    flags: Mapping[str, str],
    environment: Mapping[str, str],
    namespace: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECENSE_NAMESPACE", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    asked: list[Credential] = []

    def serve_stdio(_memory: Memory, credential: Credential, *_of: object, **_how: object) -> None:
        asked.append(credential)

    monkeypatch.setattr(serving_models, "serve_stdio", serve_stdio)
    settings = load_settings({"store": "memory:"}, {}, str(tmp_path), str(tmp_path))
    with open_memory(settings) as memory:
        serving_models.serve_models(flags, memory, frozenset({"text"}), read_only=False, names=None)
    assert asked == [local_credential(namespace)]
