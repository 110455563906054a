"""What calls of a model take: tokens, and money where prices are known.

Law: money is counted in whole millionths of a currency's unit and rounded up for each call, never
in fractions: sums are exact, and a bound is kept to the last one.
"""

from typing import Final

from recense.core.values import Value

_PRICED_TOKENS: Final = 1_000_000
"""Tokens that a price is for."""


class CallTokens(Value, kw_only=True):
    """The tokens that calls are sent, and those that they answer."""

    tokens_in: int = 0
    tokens_out: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.tokens_in + self.tokens_out


class Prices(Value, kw_only=True):
    """What a million tokens cost, in millionths of a currency's unit."""

    input_micros: int
    output_micros: int

    def micros(self, tokens: CallTokens) -> int:
        """Return what tokens cost, in millionths of a currency's unit, rounded up."""
        exact = tokens.tokens_in * self.input_micros + tokens.tokens_out * self.output_micros
        return -(-exact // _PRICED_TOKENS)
