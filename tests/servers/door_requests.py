"""A request of each operation, and the command that stands for it."""

from collections.abc import Mapping
from typing import Final

import msgspec

from recense.cli.commands.agent import A_PERSON
from recense.core.facts.changes import Definition
from recense.core.values import Value
from recense.operations import (
    agent_calls,
    agents,
    extraction,
    facts,
    keys,
    privacy,
    registry,
    sessions,
    texts,
)
from recense.operations import fact_requests as typed
from recense.operations.admin import IndexRequest, NothingAsked
from recense.operations.grep import GrepRequest
from recense.operations.materials import MaterialRequest
from recense.operations.recall import MoreRequest, RecallRequest
from tests.servers.door_scene import (
    CLERK,
    HOLDER,
    IMPORTED,
    MORNING,
    SLEEPER,
    STATEMENTS,
    Scene,
    payload,
)

JUNE: Final = "2026-06-30"
SAID: Final = "Ada keeps bees in Bergen."


def requests(scene: Scene) -> dict[str, Value]:
    """Return a request of each operation, by its name, on what the scene has."""
    return {
        **_of_texts(scene),
        **_of_facts(scene),
        **_of_agents(scene),
        **_of_sessions(),
        **_of_upkeep(),
        "issue_key": keys.IssueKey(scopes=("recall", "agent"), agent=CLERK),
        "list_keys": keys.ListKeys(),
        "renew_key": keys.RenewKey(id=scene.spare, expires_in_seconds=172_800),
        "revoke_key": keys.RevokeKey(id=scene.spare),
    }


def _of_texts(scene: Scene) -> dict[str, Value]:
    return {
        "recall": RecallRequest(
            terms=("needle", "absent"), question="where is the needle?", explain=True
        ),
        "recall_more": MoreRequest(anchor=scene.anchor, before=0, after=1),
        "recall_material": MaterialRequest(material=scene.material),
        "remember": texts.RememberWords(text=SAID, observed_at=MORNING),
        "forget": texts.ForgetText(facts=(scene.fact,)),
        "history": texts.HistoryRequest(question="where has mira lived?"),
    }


def _of_facts(scene: Scene) -> dict[str, Value]:
    city = facts.RememberFact(subject="ada", predicate="lives_in", value="Turku")
    return {
        "list_predicates": typed.ListPredicates(),
        "remember_fact": facts.RememberFact(
            subject="mira",
            predicate="lives_in",
            value="Turku",
            observed_at=MORNING,
            idempotency_key="once",
        ),
        "remember_facts": typed.RememberFacts(facts=(city,)),
        "remember_statements": texts.RememberText(
            text=SAID, statements=STATEMENTS, observed_at=MORNING
        ),
        "recall_facts": facts.GetFacts(subject="mira", as_of=JUNE),
        "search_facts": facts.SearchFacts(text="where does mira live", limit=3),
        "forget_fact": facts.ForgetFact(subject="mira", predicate="lives_in", value="Oslo"),
        "fact_history": typed.FactHistoryRequest(subject="mira", predicate="lives_in"),
        "explain": typed.ExplainFact(subject="mira", predicate="resides_in"),
        "fact_holds": typed.FactHolds(subject="mira", predicate="lives_in", value="Bergen"),
        "fact_timeline": typed.TimelineRequest(subject="mira"),
        "fact_difference": typed.DifferenceRequest(since="2026-03-01", until=JUNE),
        "promote_note": typed.PromoteNote(event_id=scene.note, predicate="likes", value="mornings"),
    }


def _of_agents(scene: Scene) -> dict[str, Value]:
    epoch = scene.epoch
    return {
        "agent_resume": agents.ResumeAgent(agent=SLEEPER, holder=A_PERSON),
        "agent_acquire": agent_calls.AcquireAgent(agent=SLEEPER, holder=HOLDER),
        "agent_renew": agent_calls.RenewAgent(agent=CLERK, epoch=epoch),
        "agent_release": agent_calls.ReleaseAgent(agent=CLERK, epoch=epoch),
        "update_working_state": agent_calls.UpdateWorkingState(
            agent=CLERK, epoch=epoch, plan=("count", "close"), step=4
        ),
        "record_turn": agent_calls.RecordTurn(
            agent=CLERK, epoch=epoch, role="assistant", content="Counted.", message_id="m3"
        ),
        "recent_turns": agent_calls.RecentTurns(agent=CLERK, limit=1),
        "store_output": agent_calls.StoreOutput(
            agent=CLERK, epoch=epoch, tool="count", content="twelve", summary="12"
        ),
        "fetch_output": agents.ReadOutput(agent=CLERK, ref="o1", offset=5, length=3),
        "set_pointer": agent_calls.SetAgentPointer(
            agent=CLERK, epoch=epoch, name="branch", type="git_ref", fields={"ref": "main"}
        ),
        "remove_pointer": agent_calls.RemovePointer(agent=CLERK, epoch=epoch, name="till"),
        "list_pointers": agent_calls.ListPointers(agent=CLERK),
        "begin_action": agent_calls.BeginAgentAction(
            agent=CLERK, epoch=epoch, tool="lock", action_class="keyed", args={"door": [1, None]}
        ),
        "end_action": agent_calls.EndAgentAction(
            agent=CLERK, epoch=epoch, action=scene.action, status="failed", result={"why": "no"}
        ),
        "reconcile_actions": agent_calls.ReconcileActions(
            agent=CLERK,
            epoch=epoch,
            looked_up=(
                agent_calls.LookedUpAction(
                    action=scene.left_open, answer=agents.Done(result={"no": 7})
                ),
            ),
        ),
        "list_actions": agent_calls.ListActions(agent=CLERK),
        "list_agents": agent_calls.ListAgents(),
        "show_agent": agent_calls.ShowAgent(agent=CLERK),
        "decide_action": agents.DecideAction(
            agent=SLEEPER, action=scene.unsettled, status="abandoned", note="nobody paid"
        ),
    }


def _of_sessions() -> dict[str, Value]:
    event = sessions.SentEvent(
        event_id="e2", payload=msgspec.Raw(payload("The kettle whistles.")), at=MORNING
    )
    return {
        "grep": GrepRequest(pattern="kettle|needle", regex=True, context=1),
        "list_sessions": sessions.ListSessions(),
        "show_session": sessions.ShowSession(session=IMPORTED, first=1),
        "open_session": sessions.OpenSession(session="new", title="New", created_at=MORNING),
        "append_session": sessions.AppendSession(session="api:shown", events=(event,)),
        "stream_session": sessions.StreamSession(
            session="api:shown", stream="s1", delta="The end is near, ", at=MORNING
        ),
        "close_session": sessions.CloseSession(session="api:shown"),
        "hide_session": privacy.HideSession(session="api:shown"),
        "unhide_session": privacy.HideSession(session="api:hidden"),
        "plan_forgetting": privacy.ForgetSession(session=IMPORTED),
        "forget_session": privacy.ForgetSession(session=IMPORTED),
    }


def _of_upkeep() -> dict[str, Value]:
    size = Definition(predicate="size", value_type="enum", allowed=("small", "large"))
    home = Definition(predicate="lives_in", cardinality="multi", description="Where one lives.")
    return {
        "convert": NothingAsked(),
        "index": IndexRequest(anew=True),
        "extract_status": extraction.StatusRequest(),
        "extract_run": extraction.ExtractRequest(sessions=(IMPORTED,)),
        "doctor": NothingAsked(),
        "digest": NothingAsked(),
        "registry_log": NothingAsked(),
        "define_predicate": size,
        "load_registry": registry.LoadRegistry(definitions=(size,)),
        "redefine_predicate": registry.RedefinePredicate(definition=home, retroactive=False),
        "merge_predicates": registry.MergePredicates(predicate="enjoys", into="savours"),
        "split_predicate": registry.SplitPredicate(predicate="resides_in"),
        "merge_subjects": registry.MergeSubjects(subject="m. okafor", into="mira"),
        "split_subject": registry.SubjectToSplit(subject="mira okafor"),
    }


def commands(scene: Scene) -> dict[str, tuple[str, ...]]:
    """Return the words that ask the same as `requests`, by the operation that they stand for."""
    return {
        "recall": ("recall", "needle", "absent", "-q", "where is the needle?", "--explain"),
        "recall_more": ("more", scene.anchor, "--before", "0", "--after", "1"),
        "remember": ("remember", SAID, "--observed-at", MORNING),
        "forget": ("forget", "--fact", scene.fact),
        "history": ("history", "where has mira lived?"),
        "list_predicates": ("registry", "list"),
        "remember_fact": (
            *("fact", "set", "mira", "lives_in", "Turku"),
            *("--observed-at", MORNING, "--key", "once"),
        ),
        "remember_statements": (
            *("remember", SAID, "--statements", str(scene.statements)),
            *("--observed-at", MORNING),
        ),
        "recall_facts": ("fact", "get", "mira", "--as-of", JUNE),
        "search_facts": ("fact", "search", "where does mira live", "--limit", "3"),
        "forget_fact": ("fact", "forget", "mira", "lives_in", "Oslo"),
        "fact_history": ("fact", "history", "mira", "lives_in"),
        "explain": ("fact", "explain", "mira", "resides_in"),
        "fact_holds": ("fact", "holds", "mira", "lives_in", "Bergen"),
        "fact_timeline": ("fact", "timeline", "mira"),
        "fact_difference": ("fact", "diff", "2026-03-01", JUNE),
        "promote_note": ("registry", "promote", scene.note, "likes", "mornings"),
        "agent_resume": ("agent", "resume", SLEEPER),
        "list_actions": ("agent", "actions", CLERK),
        "list_agents": ("agent", "list"),
        "show_agent": ("agent", "show", CLERK),
        "decide_action": (
            *("agent", "decide", SLEEPER, scene.unsettled, "abandoned"),
            *("--note", "nobody paid"),
        ),
        "grep": ("grep", "kettle|needle", "--regex", "-C", "1"),
        "list_sessions": ("sessions", "list"),
        "show_session": ("sessions", "show", IMPORTED, "--first", "1"),
        "hide_session": ("sessions", "hide", "api:shown"),
        "unhide_session": ("sessions", "unhide", "api:hidden"),
        "forget_session": ("sessions", "forget", IMPORTED, "--yes"),
        "convert": ("convert",),
        "index": ("index", "--anew"),
        "extract_status": ("extract", "status"),
        "extract_run": ("extract", "run", IMPORTED),
        "doctor": ("doctor",),
        "digest": ("doctor", "--digest"),
        "registry_log": ("registry", "log"),
        "define_predicate": (
            *("registry", "define", "size", "--type", "enum"),
            *("--allowed", "small", "--allowed", "large"),
        ),
        "redefine_predicate": (
            *("registry", "redefine", "lives_in", "--multi"),
            *("--description", "Where one lives.", "--from-now"),
        ),
        "merge_predicates": ("registry", "merge", "enjoys", "savours"),
        "split_predicate": ("registry", "split", "resides_in"),
        "merge_subjects": ("registry", "merge-subject", "m. okafor", "mira"),
        "split_subject": ("registry", "split-subject", "mira okafor"),
        "issue_key": ("keys", "issue", "--scopes", "recall,agent", "--agent", CLERK),
        "list_keys": ("keys", "list"),
        "renew_key": ("keys", "renew", scene.spare, "--expires", "2d"),
        "revoke_key": ("keys", "revoke", scene.spare),
    }


_AN_AGENT: Final = "an agent does it to itself, from its own process"
_A_PROGRAM: Final = "a program writes its sessions by it, event by event"
WITHOUT_COMMAND: Final[Mapping[str, str]] = {
    "recall_material": "`material` tells what was saved where: its document is one of its own",
    "remember_facts": "`fact set` states one; several at once are a program's",
    "agent_acquire": _AN_AGENT,
    "agent_renew": _AN_AGENT,
    "agent_release": _AN_AGENT,
    "update_working_state": _AN_AGENT,
    "record_turn": _AN_AGENT,
    "recent_turns": "`agent show` has the turns that a person wants",
    "store_output": _AN_AGENT,
    "fetch_output": "`agent show` names outputs; who reads one in pieces is the agent",
    "set_pointer": _AN_AGENT,
    "remove_pointer": _AN_AGENT,
    "list_pointers": "`agent show` has them all",
    "begin_action": _AN_AGENT,
    "end_action": _AN_AGENT,
    "reconcile_actions": _AN_AGENT,
    "open_session": _A_PROGRAM,
    "append_session": _A_PROGRAM,
    "stream_session": _A_PROGRAM,
    "close_session": _A_PROGRAM,
    "plan_forgetting": "`sessions forget` without --yes asks by it, and answers with what was done",
    "load_registry": "`registry load` adds starters too: its document counts what it was given",
}
"""Why an operation has no command whose document is the same."""
