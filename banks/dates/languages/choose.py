"""Which languages a text may be in, judged by their time words alone."""

import re
from functools import cache

from banks.dates import english
from banks.dates.chart import Grammar, Rule
from banks.dates.languages import chinese, japanese
from banks.dates.languages.dutch import DUTCH
from banks.dates.languages.french import FRENCH
from banks.dates.languages.german import GERMAN
from banks.dates.languages.grammar import build_rules
from banks.dates.languages.italian import ITALIAN
from banks.dates.languages.portuguese import PORTUGUESE
from banks.dates.languages.russian import RUSSIAN
from banks.dates.languages.spanish import SPANISH
from banks.dates.word_lists import listed

_SPACED = {
    "de": GERMAN, "es": SPANISH, "fr": FRENCH, "it": ITALIAN, "nl": DUTCH, "pt": PORTUGUESE, "ru": RUSSIAN,
}  # fmt: skip
_UNSPACED = {"zh": chinese.RULES, "ja": japanese.RULES}
TRIGGERS = frozenset[str]().union(*(language.triggers for language in _SPACED.values()))
_CUES = frozenset[str]().union(*(language.cues for language in _SPACED.values()))
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
# A quarter of Berlin as well as a middle: beside English words, and no other German one, it is the quarter.
_MITTE = frozenset({"mitte"})
_ENGLISH_WORDS = frozenset(
    listed("i you we she he they the my our your his her to is are and of next last this lives live moved moving")
)
_GERMAN_DAY = re.compile(r"\b(?:am|vom|zum|dem|den|der|bis|ab|seit) \d{1,2}\. (?:april|august|september|november)\b")
_HAN = re.compile(r"[\u3400-\u9fff]")


def choose_grammar(folded: str) -> Grammar:
    """English always, another language where one of its time words occurs."""
    return _grammar(tuple(_votes(folded)) + _by_script(folded), has_digits=_DIGIT.search(folded) is not None)


def list_languages(folded: str) -> tuple[str, ...]:
    """Those whose tables hold words of a time expression, the likeliest first. English, read always, is none."""
    votes = _votes(folded)
    spaced = sorted(votes, key=lambda code: -votes[code])
    return (*spaced, *("ja" for code in _by_script(folded) if code == "ja"))


def _votes(folded: str) -> dict[str, int]:
    """How many of its time words each language finds."""
    words = frozenset(_WORD.findall(folded))
    votes = {} if words.isdisjoint(_CUES) else _count_cues(words)
    if "de" not in votes and _GERMAN_DAY.search(folded):
        votes["de"] = 1
    return votes


def _count_cues(words: frozenset[str]) -> dict[str, int]:
    found = {code: words & language.cues for code, language in _SPACED.items()}
    if found["de"] == _MITTE and words & _ENGLISH_WORDS:
        del found["de"]
    return {code: len(cues) for code, cues in found.items() if cues}


def _by_script(folded: str) -> tuple[str, ...]:
    """Japanese is written with Chinese characters too, and read with the rules of both."""
    if folded.isascii():
        return ()
    is_japanese = japanese.IS_JAPANESE.search(folded) is not None
    return ("zh",) * (is_japanese or _HAN.search(folded) is not None) + ("ja",) * is_japanese


@cache
def _grammar(codes: tuple[str, ...], *, has_digits: bool) -> Grammar:
    always = english.RULES if has_digits else english.RULES_WITHOUT_DIGITS
    return Grammar((*always, *(rule for code in codes for rule in _rules(code))))


@cache
def _rules(code: str) -> tuple[Rule, ...]:
    return _UNSPACED[code] if code in _UNSPACED else build_rules(_SPACED[code])
