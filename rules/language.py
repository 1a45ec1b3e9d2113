"""A guess whether a text is English: the parser reads nothing else."""

import re

FUNCTION_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
        the a an and or but of to in on at for with from by about is are was were be been am do does did have has had
        i you he she it we they me him her us them my your his our their this that these those there what when where
        who which how why not no so if then can will would could should just i'm it's don't that's
        """,
    )
)
LEAST_SHARE = 0.2  # English prose has 40 to 50 % of these words, other languages in Latin letters under 10 %
LEAST_WORDS = 6  # fewer words say nothing
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
SAMPLE = 4_000  # characters that decide


def is_english(text: str, *, otherwise: bool) -> bool:
    """`otherwise` answers for a text that is too short to tell."""
    words = [word.lower().replace("\u2019", "'") for word in WORD.findall(text[:SAMPLE])]
    if not words:
        return False
    if len(words) < LEAST_WORDS:
        return otherwise and text.isascii()
    known = sum(word in FUNCTION_WORDS or word.partition("'")[0] in FUNCTION_WORDS for word in words)
    return known / len(words) >= LEAST_SHARE
