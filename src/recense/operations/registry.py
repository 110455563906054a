"""What is asked of the registry of predicates, beside a definition."""

from recense.core.facts.changes import Definition
from recense.core.values import Value
from recense.operations.facts import RegistryChanged


class LoadRegistry(Value, kw_only=True, forbid_unknown_fields=True):
    """Predicates to define together: all of them, or none."""

    definitions: tuple[Definition, ...]


class DefinedPredicates(Value, kw_only=True):
    """What became of each definition, in order."""

    changes: tuple[RegistryChanged, ...]


class RedefinePredicate(Value, kw_only=True, forbid_unknown_fields=True):
    """Other rules for a predicate: from its first definition on, or, if not ``retroactive``, from
    now on.
    """

    definition: Definition
    retroactive: bool = True


class MergePredicates(Value, kw_only=True, forbid_unknown_fields=True):
    """A predicate that means the same as another, whose rules hold for both."""

    predicate: str
    into: str


class SplitPredicate(Value, kw_only=True, forbid_unknown_fields=True):
    """A merged predicate that is to be one of its own again."""

    predicate: str


class MergeSubjects(Value, kw_only=True, forbid_unknown_fields=True):
    """A subject that is the same as another."""

    subject: str
    into: str


class SubjectToSplit(Value, kw_only=True, forbid_unknown_fields=True):
    """A merged subject that is to be one of its own again."""

    subject: str
