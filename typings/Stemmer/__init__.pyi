"""Types for PyStemmer, which ships none: only what Recense calls."""

class Stemmer:
    def __init__(self, language: str) -> None: ...
    def stemWords(self, words: list[str]) -> list[str]: ...  # noqa: N802 -- its name
