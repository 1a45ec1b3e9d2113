"""Merging without a language model, attribute by attribute: a new birthplace takes the old one's place."""

import re
from collections.abc import Iterable, Sequence

from providers.usage import Usage
from reflection.background.attributes import displaces, find_attributes
from reflection.background.clauses import join_clauses, split_clauses
from reflection.background.denials import Denial, find_denial, is_denied, split_denied
from reflection.background.merger import MergedBackground, Snippet

MOST_CHARACTERS = 800  # the prompt of every reflection carries it
NOT_A_WORD = re.compile(r"\W+")


class BuiltinMerger:
    name = "builtin"

    def merge(self, background: str, snippet: Snippet) -> MergedBackground:
        return MergedBackground(merge_backgrounds(background, snippet.text), Usage())


def merge_backgrounds(background: str, news: str) -> str:
    """What is no longer so is taken away and not told: a background says what is."""
    told = [[part for clause in sentence for part in split_denied(clause)] for sentence in split_clauses(news)]
    denials = [denial for sentence in told for clause in sentence if (denial := find_denial(clause))]
    news_left = [[clause for clause in sentence if not is_past(clause)] for sentence in told]
    kept = drop_denied(drop_displaced(split_clauses(background), news_left), denials)
    said = {fold(clause) for sentence in kept for clause in sentence}
    added = [[clause for clause in sentence if fold(clause) not in said] for sentence in news_left]
    return shorten([join_clauses(sentence) for sentence in [*kept, *added] if sentence])


def is_past(clause: str) -> bool:
    denial = find_denial(clause)
    return denial is not None and denial.is_past


def drop_denied(background: list[list[str]], denials: Sequence[Denial]) -> list[list[str]]:
    return [
        [clause for clause in sentence if not any(is_denied(clause, denial) for denial in denials)]
        for sentence in background
    ]


def drop_displaced(background: list[list[str]], news: list[list[str]]) -> list[list[str]]:
    newer = [find_attributes(clause) for sentence in news for clause in sentence]
    said = {fold(clause) for sentence in news for clause in sentence}
    return [
        [clause for clause in sentence if fold(clause) in said or not is_displaced(find_attributes(clause), newer)]
        for sentence in background
    ]


def is_displaced(older: frozenset[str], newer: Iterable[frozenset[str]]) -> bool:
    return any(displaces(one, older) for one in newer)


def fold(clause: str) -> str:
    return NOT_A_WORD.sub(" ", clause.casefold()).strip()


def shorten(sentences: list[str]) -> str:
    """What can be said only once stays; of the rest the oldest goes first, and is found in the history."""
    left = list(sentences)
    while len(left) > 1 and len(" ".join(left)) > MOST_CHARACTERS:
        passing = [sentence for sentence in left[:-1] if not find_attributes(sentence)]
        left.remove(passing[0] if passing else left[0])
    return " ".join(left)
