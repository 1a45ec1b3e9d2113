def word_set(*lines: str) -> frozenset[str]:
    """A table of words that is read as text."""
    return frozenset(word for line in lines for word in line.split())
