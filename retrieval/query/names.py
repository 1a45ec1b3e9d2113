"""Which parts of a query could be names; whether they are, the bank's entities tell."""

import re
from collections.abc import Iterator
from itertools import pairwise

from banks.dates.fold import fold_word
from banks.entities.names.normalise import normalise_name
from banks.entities.names.vocabulary import ABBREVIATIONS, HONORIFICS
from retrieval.query.cleaning import shorten
from retrieval.query.stop_words import ALL_STOP_WORDS

LONGEST = 4  # words, and characters where a script has no spaces
MOST = 64  # candidates: 20 words have 74 n-grams, of which stop words leave a third
MAX_CHARACTERS = 600
WORD = re.compile(r"[\w&+#]+(?:['\u2019.\-/][\w&+#]+)*\.?")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")
POSSESSIVE = re.compile(r"['\u2019]s?$")
BREAK = re.compile(r"[?!\u2026;:()\"\u201c\u201d.]")


def list_name_candidates(query: str) -> tuple[str, ...]:
    """Normalised as entities' names are. What is written with capitals comes first and what is short before what is
    long, so that the bound drops what is least likely; lower case is no obstacle: "where does alice work".
    """
    phrases = sorted(list_phrases(shorten(query, MAX_CHARACTERS)), key=lambda phrase: not is_capitalised(phrase))
    keys = dict.fromkeys(normalise_name(phrase) for phrase in phrases)
    return tuple(key for key in keys if any(character.isalnum() for character in key))[:MOST]


def list_phrases(query: str) -> Iterator[str]:
    """N-grams that neither begin nor end with a stop word, unless that is written with a capital inside a sentence
    ("The Who", "Will"), and that reach over no end of a sentence.
    """
    words = list(WORD.finditer(query))
    for size in range(1, LONGEST + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if may_be_name(run, first_of_all=start == 0) and not is_broken(query, run):
                yield POSSESSIVE.sub("", query[run[0].start() : run[-1].end()].rstrip("."))
    for match in UNSPACED.finditer(query):
        yield from list_pieces(match[0])


def may_be_name(run: list[re.Match[str]], *, first_of_all: bool) -> bool:
    first, last = run[0][0], run[-1][0]
    if len(run) == 1 and len(first) == 1 and first.isascii():
        return False
    begins = not is_stop_word(first) or (is_title(first) and not first_of_all)
    return begins and (not is_stop_word(last) or is_title(last))


def is_stop_word(word: str) -> bool:
    return fold_word(POSSESSIVE.sub("", word)) in ALL_STOP_WORDS


def is_title(word: str) -> bool:
    """A capital where none is needed; "I" always has it."""
    return len(word) > 1 and word[0].isupper()


def is_broken(query: str, run: list[re.Match[str]]) -> bool:
    return any(
        ends_sentence(left[0]) or BREAK.search(query, left.end(), right.start()) for left, right in pairwise(run)
    )


def ends_sentence(word: str) -> bool:
    """A full stop does, unless it belongs to the word: "Dr.", "J."."""
    bare = word[:-1].lower()
    return word.endswith(".") and len(bare) > 1 and bare not in HONORIFICS and bare not in ABBREVIATIONS


def list_pieces(run: str) -> Iterator[str]:
    for start in range(len(run) - 1):
        yield from (run[start : start + size] for size in range(2, LONGEST + 1) if start + size <= len(run))


def is_capitalised(phrase: str) -> bool:
    words = phrase.split()
    return words[0][0].isupper() and words[-1][0].isupper()
