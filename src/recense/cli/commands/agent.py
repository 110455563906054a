"""``recense agent``: look at agents, and decide what nobody but a person can know."""

from typing import Annotated, Final, get_args

import typer

from recense.cli.arguments import word_named
from recense.cli.call import Call
from recense.cli.declaring import command, family, new_app
from recense.cli.outcome import CommandOutcome, outcome
from recense.cli.render_agents import (
    action_lines,
    action_list_lines,
    agent_lines,
    agent_list_lines,
    briefing_lines,
    decided_lines,
)
from recense.core.agents.values import ClosedStatus
from recense.limits import (
    ACTIONS_LISTED_DEFAULT,
    ACTIONS_LISTED_MAX,
    AGENTS_LISTED_DEFAULT,
    AGENTS_LISTED_MAX,
    BRIEFING_TOKENS_DEFAULT,
    BRIEFING_TOKENS_MAX,
)
from recense.operations.agents import DecideAction, ResumeAgent

OUTCOMES: Final[tuple[ClosedStatus, ...]] = get_args(ClosedStatus)
"""What a person may decide, as it is typed."""

A_PERSON: Final = "recense agent"
"""The holder that others read of while a person looks or decides."""

app = new_app()

AgentId = Annotated[str, typer.Argument(metavar="AGENT", hidden=True)]
Tokens = Annotated[
    int,
    typer.Option(
        "--tokens",
        metavar="N",
        min=1,
        max=BRIEFING_TOKENS_MAX,
        help="How long the briefing may be.",
    ),
]


@family(
    app,
    "recense agent                        which agents there are",
    "recense agent show deployer          what one was doing",
    "recense agent actions deployer --unsettled",
    "recense agent decide deployer ID abandoned",
    "recense agent resume deployer        its briefing, as it gets it",
)
def agent(call: Call) -> CommandOutcome:
    """Look at agents that resume; decide what became of an act.

    Alone it lists them.
    """
    return list_(call)


@command(
    app,
    "list",
    "recense agent list",
    "recense agent list --limit 10 --offset 10",
)
def list_(
    call: Call,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="N", help=f"Agents at most, 1 to {AGENTS_LISTED_MAX}."),
    ] = AGENTS_LISTED_DEFAULT,
    offset: Annotated[
        int, typer.Option("--offset", metavar="N", help="Leave out the first N.")
    ] = 0,
) -> CommandOutcome:
    """List the agents that wrote something down, by their id."""
    with call.memory() as memory:
        found = memory.agents.list(limit=limit, offset=offset)
    return outcome(found, lambda page: agent_list_lines(page, offset))


@command(
    app,
    "show",
    "recense agent show deployer",
    "recense agent show deployer --tokens 2000",
)
def show(
    call: Call,
    agent_id: AgentId,
    tokens: Tokens = BRIEFING_TOKENS_DEFAULT,
) -> CommandOutcome:
    """Show what an agent was doing, and what it does not know.

    Its working state, the actions that nobody knows the outcome of, where things lie, and what was
    said last. It may run meanwhile: nothing is taken from it.
    """
    with call.memory() as memory:
        shown = memory.agents.show(agent_id, token_budget=tokens)
    return outcome(shown, agent_lines)


@command(
    app,
    "resume",
    "recense agent resume deployer",
    "recense agent resume deployer --tokens 500",
)
def resume(
    call: Call,
    agent_id: AgentId,
    tokens: Tokens = BRIEFING_TOKENS_DEFAULT,
) -> CommandOutcome:
    """Print the briefing of an agent that is to go on.

    The agent is taken for a moment and given back: while a process runs it, this is refused and
    says who has it. Use show to look at one that runs.
    """
    with call.memory() as memory:
        # Asked first, so that a name that is not there begins no agent.
        memory.agents.show(agent_id, token_budget=tokens)
        request = ResumeAgent(agent=agent_id, holder=A_PERSON, token_budget=tokens)
        with memory.agents.resume(request) as held:
            resumed = held.context
    return outcome(resumed, briefing_lines)


@command(
    app,
    "actions",
    "recense agent actions deployer",
    "recense agent actions deployer --unsettled",
    "recense agent actions deployer ID    one of them, whole",
)
def actions(
    call: Call,
    agent_id: AgentId,
    action_id: Annotated[str | None, typer.Argument(metavar="ID", hidden=True)] = None,
    unsettled: Annotated[
        bool,
        typer.Option("--unsettled", help="Only those that are open or of unknown outcome."),
    ] = False,
    limit: Annotated[
        int,
        typer.Option("--limit", metavar="N", help=f"Actions at most, 1 to {ACTIONS_LISTED_MAX}."),
    ] = ACTIONS_LISTED_DEFAULT,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", metavar="ID", help="Go on after this action, as a page before said."
        ),
    ] = None,
) -> CommandOutcome:
    """List the acts of an agent in the world, newest first.

    With ID, one of them.
    """
    with call.memory() as memory:
        if action_id is not None:
            return outcome(memory.agents.action(agent_id, action_id), action_lines)
        found = memory.agents.actions(agent_id, unsettled=unsettled, limit=limit, after=after)
    return outcome(found, lambda page: action_list_lines(page, unsettled=unsettled))


@command(
    app,
    "decide",
    "recense agent decide deployer ID abandoned",
    'recense agent decide deployer ID succeeded --note "the bank shows it"',
    "recense agent decide deployer ID compensated",
)
def decide(
    call: Call,
    agent_id: AgentId,
    action_id: Annotated[str, typer.Argument(metavar="ID", hidden=True)],
    status: Annotated[str, typer.Argument(metavar="OUTCOME", hidden=True)],
    note: Annotated[
        str, typer.Option("--note", metavar="TEXT", help="Why, for the agent to read.")
    ] = "",
) -> CommandOutcome:
    """Say what became of an act whose outcome nobody knows.

    OUTCOME is succeeded or failed; abandoned where it was not done; compensated where it was done
    and is undone. The agent is taken for a moment and given back: while a process runs it, this is
    refused and says who has it.
    """
    decided = word_named("OUTCOME", status, OUTCOMES)
    request = DecideAction(agent=agent_id, action=action_id, status=decided, note=note)
    with call.memory() as memory:
        settled = memory.agents.decide(request, holder=A_PERSON)
    return outcome(settled, decided_lines)
