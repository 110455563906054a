"""Identities that are exchanged for keys."""

from recense.core.values import Value


class ExchangeToken(Value, kw_only=True, forbid_unknown_fields=True):
    """A token of a workload, to be exchanged for a key. Who it is, and what it may do, is said by
    nobody but who issued the token.
    """

    token: str

    def __rich_repr__(self) -> list[tuple[str, object]]:
        """Return nothing of the token: what is shown by accident is not given away."""
        return [("token", "...")]

    def __repr__(self) -> str:
        """Return what `__rich_repr__` shows, on one line."""
        return "ExchangeToken(token='...')"
