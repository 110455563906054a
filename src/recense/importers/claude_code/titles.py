"""Which title a Claude Code session has.

The title a person gave, one that a model made, a summary, else the first prompt. A summary may
stand before or after the record that it names as its leaf, and most name none of this session: a
bounded number of summaries and of records is remembered to find the pairs. A bare slash command is
the first prompt only when a model takes it up; most are answered by the harness itself.
"""

from typing import Final

from recense.core.transcript.records import TITLE_BY_PROMPT, TITLE_BY_SUMMARY, title_replaces
from recense.core.transcript.remembering import forget_oldest, stand_in
from recense.core.values import Value
from recense.importers.lines import title_of
from recense.limits import LEAVES_REMEMBERED_MAX, SUMMARIES_WAITING_MAX

_LEAF_BYTES: Final = 8


class TitleState(Value, kw_only=True, array_like=True):
    """What must be known of the records before: whether a first prompt was found, a bare command
    that no model has taken up yet, summaries that wait for their leaf, and records seen of late.
    """

    is_titled: bool = False
    command: str = ""
    summaries: dict[bytes, str] = {}
    leaves: bytes = b""


class TitleFinder:
    """Is told what the records of a page say and holds the best title of the page.

    ``title`` is None while the page has none; ``rank`` is as in `SessionFacts`.
    """

    def __init__(self, state: TitleState) -> None:
        self.title: str | None = None
        self.rank = TITLE_BY_PROMPT
        self._is_titled = state.is_titled
        self._command = state.command
        self._summaries = dict(state.summaries)
        starts = range(0, len(state.leaves), _LEAF_BYTES)
        self._leaves = dict.fromkeys(state.leaves[at : at + _LEAF_BYTES] for at in starts)

    def state(self) -> TitleState:
        """Return what a later page must know."""
        return TitleState(
            is_titled=self._is_titled,
            command=self._command,
            summaries=self._summaries,
            leaves=b"".join(self._leaves),
        )

    def saw_record(self, uuid: str) -> None:
        """A record of this session went by."""
        leaf = stand_in(uuid, _LEAF_BYTES)
        self._leaves[leaf] = None
        forget_oldest(self._leaves, LEAVES_REMEMBERED_MAX)
        if leaf in self._summaries:
            self.offer(self._summaries.pop(leaf), TITLE_BY_SUMMARY)

    def saw_summary(self, leaf_uuid: str, summary: str) -> None:
        """A summary of the session that has this record."""
        leaf = stand_in(leaf_uuid, _LEAF_BYTES)
        if leaf in self._leaves:
            self.offer(summary, TITLE_BY_SUMMARY)
        elif summary.strip():
            self._summaries[leaf] = title_of(summary)
            forget_oldest(self._summaries, SUMMARIES_WAITING_MAX)

    def saw_prompt(self, text: str) -> None:
        """A person, or the agent above, asked for something."""
        if self._is_titled:
            return
        if text.startswith("/") and len(text.split(maxsplit=1)) == 1:
            self._command = self._command or title_of(text)
        else:
            self._is_titled = True
            self.offer(text, TITLE_BY_PROMPT)

    def saw_local_answer(self) -> None:
        """The harness itself answered the command before."""
        self._command = ""

    def saw_model(self) -> None:
        """A model took up what was asked."""
        if self._command and not self._is_titled:
            self._is_titled = True
            self.offer(self._command, TITLE_BY_PROMPT)
        self._command = ""

    def offer(self, text: str, rank: int) -> None:
        """Take a title if it is better than the page's: higher in rank, or given later."""
        title = title_of(text)
        if title and (self.title is None or title_replaces(rank, self.rank)):
            self.title = title
            self.rank = rank
