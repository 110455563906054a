"""The tokens and the money of a day: reserved before a call, settled after it.

Law: at no moment is more reserved and spent than the day has, however many processes ask. A call of
which nobody knows how it ended keeps its reservation: it may have been paid. What days took before
yesterday is forgotten when a day begins: nothing asks for it.
"""

import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Final

from recense.core.extraction.spending import CallTokens, Prices
from recense.core.instants import text_from_instant
from recense.errors import BudgetExhausted
from recense.operations.extraction import DayBudget, DayMoney
from recense.ports.clock import Clock
from recense.ports.records import Append, RecordReader, RecordStore
from recense.services.conflicts import in_spite_of_conflicts
from recense.services.extraction_collection import EXTRACTION
from recense.services.extraction_records import (
    KeptReservation,
    day_list,
    decoded,
    listed,
    reservation_record,
    reservations_before,
)

_DATE_DIGITS: Final = 10
_DAY: Final = 24 * 3_600 * 1_000_000
"""Microseconds of a day."""


class Reservation:
    """What a call may take: of a day, the call of a number."""

    def __init__(self, day: str, number: int) -> None:
        self.day: Final = day
        self.number: Final = number


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
        with self._store.snapshot() as reader:
            return self._standing(reader, self._day())

    def micros(self, calls: Sequence[CallTokens]) -> int | None:
        """Return what calls cost; None where no prices are known."""
        return None if self._prices is None else sum(map(self._prices.micros, calls))

    def reserve(self, tokens: CallTokens) -> Reservation:
        """Return a reservation of today's tokens and money for a call, durable when this returns.

        Raises BudgetExhausted, and reserves nothing, where the day has not as much left.
        """
        day = self._day()
        asked = self._kept(tokens, is_settled=False)
        counter = f"extraction:{day}"

        def attempt() -> tuple[int, bool]:
            with self._store.snapshot() as reader:
                expected = reader.counters([counter])
                stands = self._standing(reader, day)
            _require_left(stands, asked)
            number = expected[counter]
            append = Append(
                records=(reservation_record(day, number, asked),),
                expected=expected,
                bump=frozenset({counter}),
            )
            self._store.append(append, now=self._clock.now())
            return number, not stands.spent + stands.reserved

        number, is_first = in_spite_of_conflicts(attempt)
        if is_first:
            self._forget_days_past()
        return Reservation(day, number)

    def settle(self, reservation: Reservation, tokens: CallTokens) -> None:
        """Let a reservation be what its call took."""
        kept = self._kept(tokens, is_settled=True)
        self._store.put([reservation_record(reservation.day, reservation.number, kept)])

    def _forget_days_past(self) -> None:
        yesterday = text_from_instant(self._clock.now() - _DAY)[:_DATE_DIGITS]
        with self._store.snapshot() as reader:
            past = reservations_before(reader, yesterday)
        if past:
            self._store.delete(EXTRACTION, past)

    def _standing(self, reader: RecordReader, day: str) -> DayBudget:
        kept = [decoded(record, KeptReservation) for record in listed(reader, day_list(day))]
        return DayBudget(
            day=day,
            limit=self._daily_tokens,
            spent=sum(each.tokens for each in kept if each.is_settled),
            reserved=sum(each.tokens for each in kept if not each.is_settled),
            money=None
            if self._prices is None
            else DayMoney(
                limit=self._daily_micros,
                spent=sum(each.micros for each in kept if each.is_settled),
                reserved=sum(each.micros for each in kept if not each.is_settled),
            ),
        )

    def _kept(self, tokens: CallTokens, *, is_settled: bool) -> KeptReservation:
        return KeptReservation(
            tokens=tokens.total, micros=self.micros([tokens]) or 0, is_settled=is_settled
        )

    def _day(self) -> str:
        return text_from_instant(self._clock.now())[:_DATE_DIGITS]


def _require_left(stands: DayBudget, asked: KeptReservation) -> None:
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
