from providers import tokens

MOST_TEXTS = 100_000  # some 150 bytes each: 15 MB


class TokenCounts:
    """Token counts of texts that were counted before, without the texts, so that nothing of a deleted one stays here.

    A result comes back in many recalls, and counting takes some forty times as long as looking it up. A text is known
    by its hash and length; a full store starts over, which is cheaper than keeping an order. Threads may share it.
    """

    def __init__(self, *, most_texts: int = MOST_TEXTS) -> None:
        self._most_texts = most_texts
        self._counts: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, text: str) -> int:
        key = (hash(text), len(text))
        known = self._counts.get(key)
        if known is not None:
            return known
        if len(self._counts) >= self._most_texts:
            self._counts.clear()
        counted = self._counts[key] = tokens.count(text)
        return counted


TOKEN_COUNTS = TokenCounts()
