"""The stop words of bm25s that Recense reads."""

STOPWORDS_EN_PLUS: tuple[str, ...]
