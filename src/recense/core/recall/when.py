"""When: the periods that a question names from where the asker stands: "last week", 三天前.

A phrase that names a date by itself ("in July", 2023年5月7日) is a matter of
`recense.core.recall.dates`, which needs no present.
"""

from recense.core.recall.dates import named_dates
from recense.core.recall.filters import Period
from recense.core.text.timephrase import time_phrases
from recense.core.values import Value


class AskedPeriod(Value, kw_only=True):
    """A period, and the words that name it."""

    spelled: str
    period: Period

    def holds(self, at: int) -> bool:
        """Whether an instant lies in the period."""
        return self.period.holds(at)


def asked_periods(question: str, now: int) -> tuple[AskedPeriod, ...]:
    """Return the periods that a question names from ``now`` on backwards, in its order, each once.

    What begins after ``now``, and what names a date by itself, is none.
    """
    asked: dict[Period, AskedPeriod] = {}
    for phrase in time_phrases(question, now):
        spelled = question[phrase.start : phrase.end]
        if not named_dates(spelled):
            period = Period(since=phrase.since, until=phrase.until)
            asked.setdefault(period, AskedPeriod(spelled=spelled, period=period))
    return tuple(asked.values())
