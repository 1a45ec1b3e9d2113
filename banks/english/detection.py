"""Whether the parser, which knows English, may read a text."""

import re

from banks.english.word_set import word_set

FUNCTION_WORDS = word_set(
    "the a an and or but of to in on at for with from by about is are was were be been am do does did have has had",
    "i you he she it we they me him her us them my your his our their this that these those there what when where",
    "who which how why not no so if then can will would could should just i'm it's don't that's",
)
# Those that other languages lack ("in" is German too, "he" Spanish, "is" Dutch), and words of every day.
TELLING_WORDS = word_set(
    "the and with from about are were been does did have you she it they him us them my your his our their this that",
    "these those there what when where who which how why not if then can would could should just i'm it's don't that's",
    "live lives lived work works worked move moved moving like likes love loves hate hates need needs know knows think",
    "study studies studied play plays drive drives own owns eat eats drink drinks speak speaks teach teaches married",
    "went go goes bought sold visit visits visited joined quit stopped started now today yesterday tomorrow here",
)
LEAST_SHARE = 0.2  # English prose has 40-50 % of these, other languages in Latin letters under 10 %
LEAST_WORDS = 6  # fewer say nothing
SURE_SHARE = 0.7  # of fewer words: "he is in Malm\u00f6", while "he ido a M\u00e1laga" has half
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
LETTER_OR_DIGIT = re.compile(r"\w")
SAMPLE = 4_000  # characters that decide


def is_english(text: str, *, otherwise: bool) -> bool:
    """`otherwise` answers for a text that is too short to tell."""
    written = WORD.findall(text[:SAMPLE])
    words = [word.lower().replace("\u2019", "'") for word in written]
    if not words:
        return False
    if len(words) < LEAST_WORDS:
        return otherwise and _may_be_english(written, words)
    return _share(words) >= LEAST_SHARE


def _may_be_english(written: list[str], words: list[str]) -> bool:
    """A letter that English lacks is that of a name in an English sentence, and of any word in others."""
    foreign = [word for word in written if not word.replace("\u2019", "'").isascii()]
    if not foreign:
        return True
    if not all(word[0].isupper() for word in foreign):
        return False
    return not TELLING_WORDS.isdisjoint(words) or _share(words) >= SURE_SHARE


def _share(words: list[str]) -> float:
    return sum(word in FUNCTION_WORDS or word.partition("'")[0] in FUNCTION_WORDS for word in words) / len(words)
