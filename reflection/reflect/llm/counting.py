from retrieval.token_counts import TOKEN_COUNTS

BREAK = "\n\n"


def count_text(text: str) -> int:
    """By paragraphs: the rules, and all that several prompts share, are counted once.

    Never less than the whole has: a blank line may join what stands before it.
    """
    paragraphs = text.split(BREAK)
    return sum(map(TOKEN_COUNTS.count, paragraphs)) + len(paragraphs) - 1
