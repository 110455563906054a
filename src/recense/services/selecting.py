"""Which of the facts that were found a person wants forgotten, by a selector.

Law: nothing is chosen that was not shown. An answer that names anything else is refused whole, and
so is one that never came: then the person is asked.
"""

from collections.abc import Sequence
from typing import Final

from recense.core.extraction.spending import CallTokens
from recense.core.text.tokens import estimate_tokens
from recense.core.values import Value
from recense.errors import BudgetExhausted, ModelFault
from recense.operations.texts import TextFact
from recense.ports.selection import Selected, Selector
from recense.services.extraction_budget import DailyBudget, RunBudget


class Choice(Value, kw_only=True):
    """The ids of the facts that are meant beyond doubt; none with the reason, where a selector said
    nothing that can be used.
    """

    facts: tuple[str, ...] = ()
    reason: str = ""


class Selecting:
    """Asks one selector, within the budget of the day."""

    def __init__(self, selector: Selector, days: DailyBudget) -> None:
        self._selector: Final = selector
        self._days: Final = days

    def meant(self, text: str, offers: Sequence[TextFact]) -> Choice:
        """Return which of some facts a text asks to forget. Raises the faults of the store."""
        try:
            selected = self._selected(text, [each.text for each in offers])
        except (BudgetExhausted, ModelFault) as error:
            return Choice(reason=error.message)
        numbers = dict.fromkeys(selected.numbers)
        if not all(1 <= number <= len(offers) for number in numbers):
            return Choice(reason="the model named what it was not shown; nothing of it is believed")
        if not selected.is_certain:
            return Choice()
        return Choice(facts=tuple(offers[number - 1].fact for number in numbers))

    def _selected(self, text: str, sentences: Sequence[str]) -> Selected:
        shown = estimate_tokens(text) + sum(map(estimate_tokens, sentences))
        call = CallTokens(
            tokens_in=shown + self._selector.overhead_tokens,
            tokens_out=self._selector.answer_tokens,
        )
        with RunBudget(self._days, None).call(call) as settle:
            try:
                selected = self._selector.select(text, sentences)
            except ModelFault as error:
                if error.is_cost_known:
                    settle(CallTokens(tokens_in=error.tokens_in, tokens_out=error.tokens_out))
                raise
            settle(CallTokens(tokens_in=selected.tokens_in, tokens_out=selected.tokens_out))
        return selected
