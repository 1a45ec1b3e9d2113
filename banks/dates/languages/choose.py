"""Which languages a text may be in, judged by their time words alone."""

import re
from functools import cache

from banks.dates.chart import Grammar
from banks.dates.english import RULES as ENGLISH_RULES
from banks.dates.languages import chinese
from banks.dates.languages.dutch import DUTCH
from banks.dates.languages.french import FRENCH
from banks.dates.languages.german import GERMAN
from banks.dates.languages.grammar import build_rules
from banks.dates.languages.italian import ITALIAN
from banks.dates.languages.portuguese import PORTUGUESE
from banks.dates.languages.russian import RUSSIAN
from banks.dates.languages.spanish import SPANISH
from banks.dates.languages.vocabulary import Vocabulary

_SPACED = {
    "de": GERMAN, "es": SPANISH, "fr": FRENCH, "it": ITALIAN, "nl": DUTCH, "pt": PORTUGUESE, "ru": RUSSIAN,
}  # fmt: skip
TRIGGERS = frozenset[str]().union(*(language.triggers for language in _SPACED.values()))
_WORD = re.compile(r"[^\W\d_]+")
_HAN = re.compile(r"[\u3400-\u9fff]")


def choose_grammar(folded: str) -> Grammar:
    """English always, another language where one of its time words occurs."""
    words = frozenset(_WORD.findall(folded))
    if words.isdisjoint(TRIGGERS):
        return _grammar((), with_chinese=bool(_HAN.search(folded)))
    codes = tuple(code for code, language in _SPACED.items() if not words.isdisjoint(language.triggers))
    return _grammar(codes, with_chinese=bool(_HAN.search(folded)))


@cache
def _grammar(codes: tuple[str, ...], *, with_chinese: bool) -> Grammar:
    others = tuple(rule for code in codes for rule in build_rules(_language(code)))
    return Grammar((*ENGLISH_RULES, *others, *(chinese.RULES if with_chinese else ())))


def _language(code: str) -> Vocabulary:
    return _SPACED[code]
