"""Command lines of agents, and answers that are not the usual ones, as pages."""

from msgspec.structs import replace

from recense.operations.agents import ActionList, AgentList
from tests.cli import agent_samples
from tests.cli.fake_agents import AgentAnswers

WORDS: dict[str, tuple[str, ...]] = {
    "agent": ("agent",),
    "agent list": ("agent", "list"),
    "agent show": ("agent", "show", agent_samples.AGENT),
    "agent resume": ("agent", "resume", agent_samples.AGENT),
    "agent actions": ("agent", "actions", agent_samples.AGENT),
    "agent action": ("agent", "actions", agent_samples.AGENT, agent_samples.UNKNOWN_ID),
    "agent decide": (
        *("agent", "decide", agent_samples.AGENT, agent_samples.UNKNOWN_ID, "compensated"),
        *("--note", "refunded by hand, see the bank"),
    ),
}
"""Every command of agents, as it answers in words."""

ANSWERS: dict[str, tuple[str, AgentAnswers]] = {
    "agent_list_nothing": ("agent list", AgentAnswers(agents=AgentList(agents=(), total=0))),
    "agent_list_whole": (
        "agent list",
        AgentAnswers(agents=replace(agent_samples.AGENTS, total=2)),
    ),
    "agent_show_new": ("agent show", AgentAnswers(context=agent_samples.NEW_CONTEXT)),
    "agent_actions_nothing": (
        "agent actions",
        AgentAnswers(actions=ActionList(agent=agent_samples.AGENT, actions=(), total=0)),
    ),
    "agent_action_long": ("agent action", AgentAnswers(action=agent_samples.OPEN)),
    "agent_action_settled": ("agent action", AgentAnswers(action=agent_samples.DONE)),
}
