def listed(text: str) -> tuple[str, ...]:
    """The words of a table, which reads better as running text than as one literal a word."""
    return tuple(text.split())
