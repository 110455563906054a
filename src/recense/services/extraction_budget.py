"""The tokens and the money of a day: reserved before a call, settled after it.

Law: at no moment is more reserved and spent than the day has, however many processes ask. A call of
which nobody knows how it ended keeps its reservation: it may have been paid. Each change of a day
is a record of how it stands since, added on condition that it is the next: so the last of them says
all, however many calls there were. What days took before yesterday is forgotten when a day begins:
nothing asks for it.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from msgspec.structs import replace

from recense.core.extraction.spending import CallTokens, Prices
from recense.core.instants import text_from_instant
from recense.errors import BudgetExhausted
from recense.operations.extraction import DayBudget, DayMoney
from recense.ports.clock import Clock
from recense.ports.records import Append, RecordStore
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.extraction_collection import EXTRACTION
from recense.services.extraction_records import (
    KeptDay,
    Taken,
    day_counter,
    day_record,
    days_before,
    kept_day,
)

_DATE_DIGITS: Final = 10
_DAY: Final = 24 * 3_600 * 1_000_000
"""Microseconds of a day."""


class Reservation:
    """What a call may take of a day; to be settled once."""

    def __init__(self, day: str, held: Taken) -> None:
        self.day: Final = day
        self.held: Final = held


class DailyBudget:
    """The budget of every day, of all processes on one store."""

    def __init__(
        self,
        store: RecordStore,
        clock: Clock,
        *,
        daily_tokens: int | None,
        prices: Prices | None = None,
        daily_micros: int | None = None,
    ) -> None:
        """``daily_micros`` bounds the money of a day, in millionths of a currency's unit; without
        ``prices`` none is counted. None is no bound.
        """
        self._store: Final = store
        self._clock: Final = clock
        self._daily_tokens: Final = daily_tokens
        self._prices: Final = prices
        self._daily_micros: Final = daily_micros

    def today(self) -> DayBudget:
        """Return how the day stands."""
        day = self._day()
        with self._store.snapshot() as reader:
            return self._view(day, kept_day(reader, day))

    def micros(self, calls: Sequence[CallTokens]) -> int | None:
        """Return what calls cost; None where no prices are known."""
        return None if self._prices is None else sum(map(self._prices.micros, calls))

    def reserve(self, tokens: CallTokens) -> Reservation:
        """Return a reservation of today's tokens and money for a call, durable when this returns.

        Raises BudgetExhausted, and reserves nothing, where the day has not as much left.
        """
        day = self._day()
        asked = self._taken(tokens)

        def reserved(stands: KeptDay) -> KeptDay:
            _require_left(self._view(day, stands), asked)
            return replace(stands, reserved=stands.reserved + asked)

        if self._changed(day, reserved).changes == 1:
            self._forget_days_past()
        return Reservation(day, asked)

    def settle(self, reservation: Reservation, tokens: CallTokens) -> None:
        """Let a reservation be what its call took."""
        took = self._taken(tokens)

        def settled(stands: KeptDay) -> KeptDay:
            return replace(
                stands, reserved=stands.reserved - reservation.held, spent=stands.spent + took
            )

        self._changed(reservation.day, settled)

    def _changed(self, day: str, change: Callable[[KeptDay], KeptDay]) -> KeptDay:
        """Return a day as a change leaves it, durable when this returns."""
        counter = day_counter(day)

        def attempt() -> KeptDay:
            with self._store.snapshot() as reader:
                stands = kept_day(reader, day)
            changed = replace(change(stands), changes=stands.changes + 1)
            append = Append(
                records=(day_record(day, changed),),
                expected={counter: stands.changes},
                bump=frozenset({counter}),
            )
            self._store.append(append, now=self._clock.now())
            return changed

        return in_spite_of_conflicts(attempt)

    def _forget_days_past(self) -> None:
        yesterday = text_from_instant(self._clock.now() - _DAY)[:_DATE_DIGITS]
        with self._store.snapshot() as reader:
            past = days_before(reader, yesterday)
        if past:
            self._store.delete(EXTRACTION, past)

    def _view(self, day: str, stands: KeptDay) -> DayBudget:
        return DayBudget(
            day=day,
            limit=self._daily_tokens,
            spent=stands.spent.tokens,
            reserved=stands.reserved.tokens,
            money=None
            if self._prices is None
            else DayMoney(
                limit=self._daily_micros,
                spent=stands.spent.micros,
                reserved=stands.reserved.micros,
            ),
        )

    def _taken(self, tokens: CallTokens) -> Taken:
        return Taken(tokens=tokens.total, micros=self.micros([tokens]) or 0)

    def _day(self) -> str:
        return text_from_instant(self._clock.now())[:_DATE_DIGITS]


def _require_left(stands: DayBudget, asked: Taken) -> None:
    """Raise BudgetExhausted where a day has not left what is asked."""
    taken = stands.spent + stands.reserved
    if stands.limit is not None and taken + asked.tokens > stands.limit:
        raise BudgetExhausted(
            f"a call of {asked.tokens} tokens; {max(0, stands.limit - taken)} of "
            f"{stands.limit} are left for {stands.day} (UTC)",
            hint="go on tomorrow, or raise the setting extraction_daily_tokens",
        )
    money = stands.money
    if money is None or money.limit is None:
        return
    paid = money.spent + money.reserved
    if paid + asked.micros > money.limit:
        raise BudgetExhausted(
            f"a call of {asked.micros} millionths of your currency; "
            f"{max(0, money.limit - paid)} of {money.limit} are left for {stands.day} (UTC)",
            hint="go on tomorrow, or raise the setting extraction_daily_micros",
        )


class RunBudget:
    """The tokens that a run may take, None without a bound; for any thread."""

    def __init__(self, days: DailyBudget, tokens: int | None) -> None:
        self._days: Final = days
        self._lock: Final = threading.Lock()
        self._left = tokens
        self._given_up = ""

    @property
    def given_up(self) -> str:
        """Why nobody is asked any more in this run; empty where somebody is."""
        return self._given_up

    def give_up(self, reason: str) -> None:
        """Let nobody be asked any more in this run."""
        self._given_up = self._given_up or reason

    @contextmanager
    def call(self, tokens: CallTokens) -> Generator[Callable[[CallTokens], None]]:
        """Reserve tokens for a call, and yield what is told how many it took. A call that says
        nothing, since it was cut off, keeps its reservation.

        Raises BudgetExhausted where they do not reach.
        """
        with self._lock:
            if self._left is not None and tokens.total > self._left:
                raise BudgetExhausted(
                    f"a call of {tokens.total} tokens; {self._left} are left for this run",
                    hint="run again with a larger budget; what was read is not read again",
                )
            reservation = self._days.reserve(tokens)
            if self._left is not None:
                self._left -= tokens.total

        def settle(taken: CallTokens) -> None:
            self._days.settle(reservation, taken)
            with self._lock:
                if self._left is not None:
                    self._left += tokens.total - taken.total

        yield settle
