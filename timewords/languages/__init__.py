"""The languages of a text, judged by its time words, and the rules to read it with.

README.md lists the steps to add a language.
"""

import re
from functools import cache

from timewords import english
from timewords.chart import Grammar, Rule
from timewords.folding import listed
from timewords.languages import chinese, japanese
from timewords.languages.grammar import build_rules
from timewords.languages.vocabulary import load_vocabulary

_SPACED = {code: load_vocabulary(code) for code in ("de", "es", "fr", "it", "nl", "pt", "ru")}
_UNSPACED = {"zh": chinese.RULES, "ja": japanese.RULES}
TRIGGERS = frozenset[str]().union(*(language.triggers for language in _SPACED.values()))
_CUES = frozenset[str]().union(*(language.cues for language in _SPACED.values()))
_WORD = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
# "Mitte" is a middle and a part of Berlin. Beside English words and no other German one, it is the place.
_MITTE = frozenset({"mitte"})
_ENGLISH_WORDS = frozenset(
    listed("i you we she he they the my our your his her to is are and of next last this lives live moved moving")
)
_GERMAN_DAY = re.compile(r"\b(?:am|vom|zum|dem|den|der|bis|ab|seit) \d{1,2}\. (?:april|august|september|november)\b")
_HAN = re.compile(r"[\u3400-\u9fff]")


def choose_grammar(folded: str) -> Grammar:
    """The rules of English, and of each language of which a time word occurs."""
    return _grammar(tuple(_votes(folded)) + _by_script(folded), has_digits=_DIGIT.search(folded) is not None)


def list_languages(folded: str) -> tuple[str, ...]:
    """The languages, except English, that know words of a time expression, the likeliest first."""
    votes = _votes(folded)
    spaced = sorted(votes, key=lambda code: -votes[code])
    return (*spaced, *("ja" for code in _by_script(folded) if code == "ja"))


def _votes(folded: str) -> dict[str, int]:
    """The number of time words in the text, by language."""
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
    """Japanese uses Chinese characters, and is read with the rules of both."""
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
