"""A server is started and asked for its tools, and ends with us whatever it does."""

import os
import sys
from pathlib import Path

import pytest

from recense.adapters.system import SystemClock
from recense.errors import ConnectionUnproven
from recense.services import connection_proof
from recense.services.connection_proof import ConnectionProof

STUB = str(Path(__file__).with_name("mcp_stub.py"))


def proof(folder: Path, *, seconds: float = 20) -> ConnectionProof:
    return ConnectionProof(SystemClock(), os.environ, str(folder), seconds=seconds)


def test_a_server_that_answers_is_counted_to_its_last_page(tmp_path: Path) -> None:
    assert proof(tmp_path).tools([sys.executable, STUB, "answers"]) == 3


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("ends", "before initialize; it said: the store is held by somebody else"),
        ("babbles", "wrote something that is no message"),
        ("refuses", "refused initialize"),
    ],
)
def test_a_server_that_does_not_answer_is_told_of_with_what_it_said(
    what: str, words: str, tmp_path: Path
) -> None:
    with pytest.raises(ConnectionUnproven) as raised:
        proof(tmp_path).tools([sys.executable, STUB, what])
    assert words in raised.value.message or "ended before it was asked" in raised.value.message


def test_a_silent_server_is_waited_for_so_long_and_no_longer(tmp_path: Path) -> None:
    with pytest.raises(ConnectionUnproven, match="did not answer initialize in time"):
        proof(tmp_path, seconds=0.2).tools([sys.executable, STUB, "is_silent"])


def test_a_server_that_floods_is_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_proof, "CONNECTION_PROOF_BYTES_MAX", 1_000)
    monkeypatch.setattr(connection_proof, "CONNECTION_PROOF_END_SECONDS_MAX", 0.2)
    with pytest.raises(ConnectionUnproven):
        proof(tmp_path).tools([sys.executable, STUB, "floods"])


def test_a_program_that_is_not_there_is_said_by_name(tmp_path: Path) -> None:
    with pytest.raises(ConnectionUnproven, match="/nowhere/recense cannot be started"):
        proof(tmp_path).tools(["/nowhere/recense", "mcp"])
