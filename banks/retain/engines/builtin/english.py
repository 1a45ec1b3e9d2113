"""Whether the parser, which knows English, may read a text."""

import re

from banks.retain.engines.builtin.word_set import word_set

FUNCTION_WORDS = word_set(
    "the a an and or but of to in on at for with from by about is are was were be been am do does did have has had",
    "i you he she it we they me him her us them my your his our their this that these those there what when where",
    "who which how why not no so if then can will would could should just i'm it's don't that's",
)
LEAST_SHARE = 0.2  # English prose has 40-50 % of these, other languages in Latin letters under 10 %
LEAST_WORDS = 6  # fewer say nothing
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
LETTER_OR_DIGIT = re.compile(r"\w")
SAMPLE = 4_000  # characters that decide


def is_english(text: str, *, otherwise: bool) -> bool:
    """`otherwise` answers for a text that is too short to tell."""
    words = [word.lower().replace("\u2019", "'") for word in WORD.findall(text[:SAMPLE])]
    if not words:
        return False
    if len(words) < LEAST_WORDS:
        return otherwise and all(word.isascii() for word in words)
    return sum(word in FUNCTION_WORDS for word in words) >= LEAST_SHARE * len(words)
