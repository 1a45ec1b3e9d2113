"""Candidates for entity names in a query. The bank's entities decide which of them are names."""

import re
from collections.abc import Iterator
from itertools import pairwise

from banks.entities.names.normalise import normalise_name
from banks.entities.names.vocabulary import ABBREVIATIONS, HONORIFICS
from retrieval.query.language import ALL_STOP_WORDS
from timewords.folding import fold_word

LONGEST = 4  # words, and characters where a script has no spaces
MOST = 64  # candidates: 20 words have 74 n-grams, and stop words leave a third of them
WORD = re.compile(r"[\w&+#]+(?:['\u2019.\-/][\w&+#]+)*\.?")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]{2,}")
POSSESSIVE = re.compile(r"['\u2019]s?$")
BREAK = re.compile(r"[?!\u2026;:()\"\u201c\u201d.]")


def list_name_candidates(query: str) -> tuple[str, ...]:
    """Normalised like the names of entities. Capitalised phrases come first, and short ones before long ones, so that
    the bound drops the least likely. Lower case is allowed: "where does alice work".
    """
    phrases = sorted(list_phrases(query), key=lambda phrase: not is_capitalised(phrase))
    keys = dict.fromkeys(normalise_name(phrase) for phrase in phrases)
    return tuple(key for key in keys if any(character.isalnum() for character in key))[:MOST]


def list_phrases(query: str) -> Iterator[str]:
    """N-grams within a sentence that neither begin nor end with a stop word, unless it has a capital inside a sentence
    ("The Who", "Will").
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
    """Has a capital; "I" does not count."""
    return len(word) > 1 and word[0].isupper()


def is_broken(query: str, run: list[re.Match[str]]) -> bool:
    return any(
        ends_sentence(left[0]) or BREAK.search(query, left.end(), right.start()) for left, right in pairwise(run)
    )


def ends_sentence(word: str) -> bool:
    """Ends with a full stop that is not part of the word, as in "Dr." and "J."."""
    bare = word[:-1].lower()
    return word.endswith(".") and len(bare) > 1 and bare not in HONORIFICS and bare not in ABBREVIATIONS


def list_pieces(run: str) -> Iterator[str]:
    for start in range(len(run) - 1):
        yield from (run[start : start + size] for size in range(2, LONGEST + 1) if start + size <= len(run))


def is_capitalised(phrase: str) -> bool:
    words = phrase.split()
    return words[0][0].isupper() and words[-1][0].isupper()
