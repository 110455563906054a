"""Runs the loop in processes of its own, kills one within each tool, and resumes it.

python run.py                  all of it, in a temporary folder
python run.py work …           one process of the agent (this is what it starts)
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from counter import CounterServer, counter_server
from loop import ToolCall, run_agent
from tools import tools_of

import recense
from recense import Memory, ResumeAgent
from recense.errors import LeaseLost
from recense.operations.agents import DecideAction

AGENT = "harbour-clerk"
SCRIPT = (
    ("read_notes", {"file": "notes.txt"}),
    ("write_report", {"file": "report.txt", "text": "The kiosk is in Oslo time."}),
    ("charge", {"customer": "mira", "cents": "1200"}),
    ("order", {"what": "a clock"}),
    ("send_mail", {"to": "mira", "text": "It is done."}),
)


TTL_MS = 1_000
"""How long the agent of a killed process stays taken. A minute is usual; this shows it quickly."""

LOST = 75
"""The exit code of a process that lost the agent: it is to be started again."""


def scripted_model(_messages: list[str], step: int) -> ToolCall | None:
    """Stand for a model: what it asks for next follows from the step alone."""
    if step >= len(SCRIPT):
        return None
    tool, args = SCRIPT[step]
    return ToolCall(tool, args, call_id=f"call-{step}")


def work(folder: Path, address: str, killed_in: str | None) -> int:
    """Be the agent, in this process."""
    tools = tools_of(folder, address, killed_in)
    with recense.ending_on_sigterm(), recense.open(str(folder / "recense.db")) as memory:
        request = ResumeAgent(agent=AGENT, ttl_ms=TTL_MS)
        try:
            ended = run_agent(memory, request, "close the day", scripted_model, tools)
        except LeaseLost as error:
            print(f"   {error}", flush=True)
            return LOST
    print(f"   {ended}", flush=True)
    return 0


def run(folder: Path, address: str, killed_in: str = "") -> int:
    """Run the agent in a process of its own and return how that ended."""
    words = [sys.executable, __file__, "work", str(folder), address, killed_in]
    while (code := subprocess.run(words, check=False, timeout=120).returncode) == LOST:
        pass
    return code


def decide_by_looking(memory: Memory, server: CounterServer) -> None:
    """Do what a person does with ``recense agent actions`` and ``recense agent decide``."""
    for action in memory.agents.actions(AGENT, unsettled=True).actions:
        print(f"   nobody knows what became of {action.tool} {action.args}")
        is_sent = server.counted["mail"] > 0
        memory.agents.decide(
            DecideAction(
                agent=AGENT,
                action=action.id,
                status="succeeded" if is_sent else "abandoned",
                note="looked at the server",
            )
        )
        print(f"   decided: it was {'sent' if is_sent else 'never sent'}")


def main() -> None:
    """Kill the agent within each tool, resume it each time, and show what the world saw."""
    with tempfile.TemporaryDirectory() as name, counter_server() as server:
        folder, address = Path(name), f"http://127.0.0.1:{server.server_port}"
        (folder / "notes.txt").write_text("Mira moved to Oslo.", encoding="utf-8")
        for tool, _ in SCRIPT:
            print(f"killed within {tool}: {run(folder, address, tool)}", flush=True)
        print("resumed", flush=True)
        run(folder, address)
        with recense.open(str(folder / "recense.db")) as memory:
            decide_by_looking(memory, server)
        print("resumed", flush=True)
        run(folder, address)
        print("the world saw", ", ".join(f"{n} {kind}" for kind, n in server.counted.items()))


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        sys.exit(work(Path(sys.argv[2]), sys.argv[3], sys.argv[4] or None))
    main()
