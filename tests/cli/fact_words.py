"""Command lines of facts: by which they answer, over a fake memory and over the real engine."""

from tests.cli import fact_samples

WORDS: dict[str, tuple[str, ...]] = {
    "remember": ("remember", "Mira moved to Oslo in May."),
    "forget": ("forget", "where Mira lives"),
    "forget named": ("forget", "--fact", fact_samples.OSLO_ID),
    "history": ("history", "where has Mira lived?"),
    "fact": ("fact",),
    "fact set": ("fact", "set", "mira", "lives_in", "Oslo"),
    "fact get": ("fact", "get", "mira"),
    "fact list": ("fact", "list", "--predicate", "budget", "--at-least", "5000"),
    "fact search": ("fact", "search", "where Mira lives"),
    "fact forget": ("fact", "forget", "mira", "lives_in", "--all"),
    "fact history": ("fact", "history", "mira", "lives_in"),
    "fact explain": ("fact", "explain", "mira", "lives_in"),
    "fact holds": ("fact", "holds", "mira", "lives_in", "Oslo"),
    "fact timeline": ("fact", "timeline", "mira"),
    "fact diff": ("fact", "diff", "2025-12-31", "2026-06-30"),
    "registry": ("registry",),
    "registry list": ("registry", "list"),
    "registry load": ("registry", "load", "--starter", "support"),
    "registry define": ("registry", "define", "lives_in", "--single"),
    "registry redefine": ("registry", "redefine", "lives_in", "--multi"),
    "registry merge": ("registry", "merge", "resides_in", "lives_in"),
    "registry split": ("registry", "split", "resides_in"),
    "registry merge-subject": ("registry", "merge-subject", "mira okafor", "mira"),
    "registry split-subject": ("registry", "split-subject", "mira okafor"),
    "registry promote": ("registry", "promote", fact_samples.NOTE_ID, "lives_in", "Oslo"),
    "registry log": ("registry", "log"),
}
"""Every command of facts, as it answers in words."""

SAID: tuple[tuple[str, ...], ...] = (
    ("remember", "Mira moved to Oslo in May."),
    ("fact", "set", "mira", "lives_in", "Bergen", "--observed-at", "2024-03-01"),
    ("fact", "set", "mira", "lives_in", "Oslo", "--evidence", "I live in Oslo now."),
    ("fact", "get", "mira"),
    ("fact", "list", "--predicate", "lives_in", "--since", "2020-01-01"),
    ("fact", "search", "Oslo", "--subject", "mira"),
    ("fact", "history", "mira", "lives_in"),
    ("fact", "explain", "mira"),
    ("fact", "holds", "mira", "lives_in", "Bergen"),
    ("fact", "timeline", "mira", "lives_in"),
    ("fact", "diff", "2024-01-01", "2025-01-01", "--subject", "mira"),
    ("history", "where has Mira lived?"),
    ("forget", "where Mira lives"),
    ("fact", "forget", "mira", "lives_in", "Oslo"),
    ("registry", "load", "--starter", "sales"),
    ("registry", "define", "resides_in", "--single"),
    ("registry", "merge", "resides_in", "lives_in"),
    ("registry", "redefine", "lives_in", "--multi", "--from-now"),
    ("registry", "split", "resides_in"),
    ("registry", "merge-subject", "mira okafor", "mira"),
    ("registry", "split-subject", "mira okafor"),
    ("registry", "list"),
    ("registry", "log"),
)
"""What a person says to the engine, in an order in which each is answered."""

A_FEW: tuple[tuple[str, ...], ...] = (
    ("remember", "Mira moved to Oslo in May."),
    ("fact", "set", "mira", "lives_in", "Oslo"),
    ("fact", "get", "mira"),
    ("history", "where has Mira lived?"),
    ("forget", "where Mira lives"),
    ("registry", "list"),
)
"""One of each command, for where the surrounding matters rather than what is said."""
