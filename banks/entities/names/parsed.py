"""The parts of a name: titles, legal forms, numbers, initials."""

import re
from dataclasses import dataclass
from functools import lru_cache

from banks.entities.names.spelling import fold, fold_with_umlauts, romanise
from banks.entities.names.vocabulary import (
    GENERATIONS,
    HONORIFIC_SPELLINGS,
    HONORIFICS,
    LEGAL_FORMS,
    NUMBER_WORDS,
    ROMAN_NUMERALS,
)

_ARTICLE = re.compile(r"\s*(?:[Tt]he|THE|an?)\s+(?=\w)")  # not "A. Smith"
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_CAPITALS = re.compile(r"(?:[^\W\d_]\.?){2,6}")
_MIN_WORDS_UNDER_TITLE = 2
_REMEMBERED_NAMES = 50_000


@dataclass(frozen=True)
class ParsedName:
    """`words` exclude titles, articles and legal forms; a usable name always has words."""

    words: tuple[str, ...]
    honorific: str | None  # removed from the words, or the first word of a name such as "Dr Smith"
    titled: bool  # the honorific is needed: only one word follows it
    legal_form: str | None
    generation: str | None
    numbers: frozenset[str]
    head: str  # before a comma: "paris" of "Paris, France"
    tail: str | None  # after it
    is_acronym_like: bool  # written in capitals, or with points
    is_lower_case: bool
    spellings: frozenset[str]  # the whole name, plain, with umlauts written out, romanised
    compact: str  # without spaces
    key: str  # the normal form
    identity: str  # the key with legal form and generation


@lru_cache(maxsize=_REMEMBERED_NAMES)
def parse_name(name: str) -> ParsedName:
    bare = _ARTICLE.sub("", name, count=1) if _ARTICLE.match(name) else name
    folded = _join_initials(fold(bare).split()) or [name.strip().casefold()]
    words, honorific = _take_honorific(folded)
    words, legal_form = _take_last(words, LEGAL_FORMS)
    words, generation = _take_last(words, GENERATIONS) if len(words) > _MIN_WORDS_UNDER_TITLE else (words, None)
    titled = honorific is not None and len(words) < _MIN_WORDS_UNDER_TITLE
    plain = " ".join(words)
    key = f"{honorific} {plain}" if titled else plain
    return ParsedName(
        words=tuple(words),
        honorific=honorific,
        titled=titled,
        legal_form=legal_form,
        generation=generation,
        numbers=_numbers(words, name),
        head=fold(bare.partition(",")[0]),
        tail=fold(bare.partition(",")[2]) or None,
        is_acronym_like=_is_acronym_like(name),
        is_lower_case=name == name.lower() and name != name.upper(),
        spellings=_spellings(bare, plain),
        compact=plain.replace(" ", ""),
        key=key,
        identity="|".join(filter(None, (key, legal_form, generation))),
    )


def _join_initials(words: list[str]) -> list[str]:
    """J. K. Rowling and JK Rowling, U.N. and UN: single letters in a row are one word."""
    joined: list[str] = []
    run = ""
    for word in [*words, ""]:
        if len(word) == 1 and word.isalpha() and word.isascii():
            run += word
            continue
        if run:
            joined.append(run)
            run = ""
        if word:
            joined.append(word)
    return joined


def _take_honorific(words: list[str]) -> tuple[list[str], str | None]:
    honorific: str | None = None
    while len(words) > 1 and words[0] in HONORIFICS:
        honorific, words = HONORIFIC_SPELLINGS.get(words[0], words[0]), words[1:]
    return words, honorific


def _take_last(words: list[str], table: dict[str, str]) -> tuple[list[str], str | None]:
    taken: str | None = None
    while len(words) > 1 and words[-1] in table:
        taken, words = table[words[-1]], words[:-1]
        if words[-1] == "and" and len(words) > 1:  # GmbH & Co. KG
            words = words[:-1]
    return words, taken


def _numbers(words: list[str], raw: str) -> frozenset[str]:
    """Digits, and numerals and number words after the first word: "Rocky II" is "Rocky 2", "Ten Boom" has no number."""
    found = {digits for word in words for digits in _DIGITS.findall(word)}
    for word in words[1:]:
        if word in NUMBER_WORDS:
            found.add(NUMBER_WORDS[word])
        elif word in ROMAN_NUMERALS and re.search(rf"\b{word.upper()}\b", raw):
            found.add(ROMAN_NUMERALS[word])
    return frozenset(found)


def _is_acronym_like(name: str) -> bool:
    bare = name.strip()
    return bool(_CAPITALS.fullmatch(bare)) and (bare == bare.upper() or bare.count(".") > 1)


def _spellings(name: str, plain: str) -> frozenset[str]:
    if name.isascii():
        return frozenset({plain})
    return frozenset({plain, _parallel(fold_with_umlauts(name), plain), _parallel(romanise(name), plain)})


def _parallel(other: str, plain: str) -> str:
    """Another spelling of the whole name, reduced to the words of `plain`, which have the same places."""
    words, wanted = _join_initials(other.split()), len(plain.split())
    if len(words) == wanted:
        return " ".join(words)
    words, _ = _take_honorific(words)
    words, _ = _take_last(words, LEGAL_FORMS)
    return " ".join(words) if len(words) == wanted else plain
