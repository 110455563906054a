"""Keys as lines. Pure: structs in, lines out; a key itself stands in one place alone."""

from collections.abc import Sequence
from typing import Final

from recense.cli.lines import Line, Style, about_line, command_line, line, span
from recense.cli.page_shapes import next_page_line
from recense.cli.render_recall import counted, instant_words
from recense.operations.keys import KeyIssued, KeyList, KeyScope, KeyView

_LOOKS: Final[dict[str, Style]] = {"valid": "good", "expired": "bad", "revoked": "bad"}


def issued_lines(issued: KeyIssued) -> list[Line]:
    """Return a key on a line of its own, and what it is good for."""
    return [
        command_line(issued.key),
        about_line(
            (
                issued.id,
                issued.namespace,
                issued.agent and f"agent {issued.agent}",
                _scope_words(issued.scopes),
                _end_words(issued.expires_at),
            )
        ),
        line("It is shown this once: nothing that is kept gives it back."),
    ]


def key_list_lines(page: KeyList, limit: int) -> list[Line]:
    """Return a page of keys."""
    lines = [each for view in page.keys for each in key_lines(view)]
    lines.append(line(span(counted(page.total, "key"), "faint")))
    if len(page.keys) == limit and page.total > limit:
        lines.append(next_page_line(page.keys[-1].id))
    return lines


def key_lines(view: KeyView) -> list[Line]:
    """Return a key by its id, and what it is good for."""
    return [
        line(span(view.id, "title"), "  ", span(view.state, _LOOKS[view.state])),
        about_line(
            (
                view.namespace,
                view.agent and f"agent {view.agent}",
                _scope_words(view.scopes),
                f"since {instant_words(view.issued_at)}",
                f"revoked {instant_words(view.revoked_at)}"
                if view.revoked_at
                else _end_words(view.expires_at),
            )
        ),
    ]


def _scope_words(scopes: Sequence[KeyScope]) -> str:
    return ",".join(scopes)


def _end_words(expires_at: str | None) -> str:
    return f"until {instant_words(expires_at)}" if expires_at else "until it is revoked"
