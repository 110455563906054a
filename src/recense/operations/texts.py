"""The text surface of facts: text in, sentences out.

Law: who speaks here need not know that there are predicates. None is named in an answer or an
error; ``statements`` alone, which a caller gives that is itself a model, are in the terms of the
registry.
"""

from recense.core.facts.event import Kind
from recense.core.facts.values import FactValue
from recense.core.values import Value
from recense.limits import FACTS_FOUND_DEFAULT


class TextFact(Value, kw_only=True):
    """A current belief in words. ``fact`` is its id, for `forget`; ``before`` is what it took the
    place of, newest first; ``elsewhere`` what else is said of the same; ``anchors`` lead to the
    messages it was read in.
    """

    fact: str
    text: str
    since: str
    days_ago: int
    before: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()


class TextMessage(Value, kw_only=True, forbid_unknown_fields=True):
    """One message of a conversation to remember."""

    role: str
    text: str


class RememberWords(Value, kw_only=True, forbid_unknown_fields=True):
    """A text to keep, or the messages of a conversation. ``observed_at`` is RFC 3339, null for
    now; ``writer`` names who says so, empty for the person.
    """

    text: str | None = None
    messages: tuple[TextMessage, ...] = ()
    observed_at: str | None = None
    writer: str = ""


class Statement(Value, kw_only=True, forbid_unknown_fields=True):
    """A proposal of how a part of the text is filed. ``evidence`` are its words, verbatim but for
    white space; ``replaces`` are values of the same subject and predicate that hold no longer.
    """

    subject: str
    predicate: str
    value: FactValue
    evidence: str
    kind: Kind = "fact"
    replaces: tuple[FactValue, ...] = ()


class RememberText(Value, kw_only=True, forbid_unknown_fields=True):
    """A text to keep, or the messages of a conversation."""

    text: str | None = None
    messages: tuple[TextMessage, ...] = ()
    statements: tuple[Statement, ...] = ()
    observed_at: str | None = None
    writer: str = ""


class StatementRefused(Value, kw_only=True):
    """A proposal that was not filed, by its place in the request, and why."""

    position: int
    reason: str


class NotFiled(Value, kw_only=True):
    """Words of a text of which a model made a statement that was not filed, and why.
    ``to_confirm``: it would end what the person stated, who alone can say so; empty words are of
    what was no statement.
    """

    evidence: str
    reason: str
    to_confirm: bool = False


class RememberedText(Value, kw_only=True):
    """What became of a text. ``is_new`` is false for a text that is kept already, and then
    ``episode`` is the one there is. ``filed`` are the facts that were filed from it now,
    ``known`` those that were known, ``ended`` those that hold no longer because of it. ``refused``
    are statements that came with it, ``not_filed`` what a model made of it. ``unread`` says why
    a model has not read it to its end; empty where it has, or where none is asked.
    """

    episode: str
    is_new: bool
    filed: tuple[TextFact, ...] = ()
    known: tuple[TextFact, ...] = ()
    ended: tuple[str, ...] = ()
    refused: tuple[StatementRefused, ...] = ()
    not_filed: tuple[NotFiled, ...] = ()
    unread: str = ""


class ForgetText(Value, kw_only=True, forbid_unknown_fields=True):
    """What to forget, in words; or the ids of facts that were offered."""

    text: str | None = None
    facts: tuple[str, ...] = ()
    limit: int = FACTS_FOUND_DEFAULT
    writer: str = ""


class ForgetAnswer(Value, kw_only=True):
    """What was withdrawn, or what may be meant: nothing else is withdrawn until it is named.
    ``undecided`` says why a model that was asked which of it is meant gave no answer of use.
    """

    withdrawn: tuple[str, ...] = ()
    offers: tuple[TextFact, ...] = ()
    not_held: tuple[str, ...] = ()
    undecided: str = ""


class HistoryRequest(Value, kw_only=True, forbid_unknown_fields=True):
    """A question about how something came to be so."""

    question: str
    limit: int = FACTS_FOUND_DEFAULT


class ThreadStep(Value, kw_only=True):
    """What was so, from when, and until when (null: still) and why it ended."""

    text: str
    since: str
    until: str | None
    ended_by: str = ""


class HistoryThread(Value, kw_only=True):
    """One thread of change, oldest step first; ``now`` is what it says now, empty for nothing."""

    now: tuple[str, ...]
    steps: tuple[ThreadStep, ...]


class TextHistory(Value, kw_only=True):
    """The threads that a question is about, the best first."""

    threads: tuple[HistoryThread, ...]
