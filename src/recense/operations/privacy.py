"""What a person decides about a session: hidden, shown again, forgotten."""

from recense.core.values import Value


class HideSession(Value, kw_only=True, forbid_unknown_fields=True):
    """A session to hide from every search, or to show again."""

    session: str


class ForgetSession(Value, kw_only=True, forbid_unknown_fields=True):
    """A session to remove for good, or of which it is asked what removing it would take away;
    ``with_forks``: every session that holds the same text too.
    """

    session: str
    with_forks: bool = False


class HiddenSession(Value, kw_only=True):
    """A session, and whether it is hidden from every search now."""

    session: str
    private: bool


class Fork(Value, kw_only=True):
    """Another session that holds the same text, and how many records of it; 0 where its source
    only says that it is a version of that session.
    """

    session: str
    title: str | None
    shared_records: int


class FactThatGoes(Value, kw_only=True):
    """A statement that only what is forgotten supports: the id of its event, and in words."""

    event_id: str
    sentence: str


class ForgetPlan(Value, kw_only=True):
    """What forgetting a session would remove: itself, its sub-agents' sessions, and with forks the
    sessions that hold the same text. ``forks`` are those that would go on holding it; ``facts`` are
    what was stated there and nowhere else.
    """

    sessions: tuple[str, ...]
    forks: tuple[Fork, ...]
    facts: tuple[FactThatGoes, ...] = ()


class ForgetReport(Value, kw_only=True):
    """What was removed; see `recense.ports.commits.Forgotten`. ``forks`` still hold text of the
    session; ``facts`` counts the statements that went with it.
    """

    sessions: tuple[str, ...]
    records: int
    events: int
    messages: int
    blobs: int
    forks: tuple[Fork, ...]
    bytes_gone: bool
    facts: int = 0
