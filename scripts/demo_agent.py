"""The agent of the demonstration, a process of its own: it sends one notice, and cannot unsend it.

python scripts/demo_agent.py OUTBOX wait    sends, says so, and waits to be killed
python scripts/demo_agent.py OUTBOX         goes on
"""

import sys
import time
from pathlib import Path
from typing import Final

import recense
from recense import Agent, BeginAction, EndAction, Memory, ResumeAgent, StateUpdate
from recense.errors import LeaseHeld

AGENT: Final = "ferry-notices"
NOTICE: Final = "The 17:40 to Vaila leaves at 18:10."
SENT: Final = "sent"
_TTL_MS: Final = 1_000
_POLL_SECONDS: Final = 0.05


def resumed(memory: Memory) -> Agent:
    """Return the agent, when the time of whoever was killed is over."""
    for _ in range(20):
        try:
            return memory.agents.resume(ResumeAgent(agent=AGENT, ttl_ms=_TTL_MS))
        except LeaseHeld:
            time.sleep(_POLL_SECONDS)
    return memory.agents.resume(ResumeAgent(agent=AGENT, ttl_ms=_TTL_MS))


def send_notice(agent: Agent, outbox: Path, *, is_waiting: bool) -> str:
    """Send the notice once, and return what is known of it. Sending is an append to a file."""
    begun = agent.begin_action(
        BeginAction(
            tool="send_notice",
            action_class="unsafe",
            args={"to": "every passenger", "text": NOTICE},
            call_id="notice-1740",
        )
    )
    if not begun.proceed:
        return begun.reason
    with outbox.open("a", encoding="utf-8") as file:
        file.write(f"{NOTICE}\n")
    if is_waiting:
        print(SENT, flush=True)
        sys.stdin.readline()
    agent.end_action(EndAction(action=begun.id, result=SENT))
    return SENT


def main(outbox: Path, *, is_waiting: bool) -> None:
    """Be the agent."""
    with recense.open() as memory, resumed(memory) as agent:
        unsettled = agent.reconcile({}).unsettled
        agent.update_state(StateUpdate(goal="tell every passenger that the 17:40 is late"))
        for action in unsettled:
            print(f"I do not know whether this was done: {action.tool}, {NOTICE!r}")
            print("So I do not do it again. Somebody has to look, and say.")
        if not unsettled:
            print(send_notice(agent, outbox, is_waiting=is_waiting))


if __name__ == "__main__":
    main(Path(sys.argv[1]), is_waiting=sys.argv[2:] == ["wait"])
