"""Merging without a language model, attribute by attribute: a new birthplace takes the old one's place."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from providers.usage import Usage
from reflection.background.attributes import find_attributes
from reflection.background.clauses import join_clauses, split_clauses
from reflection.background.denials import Denial, find_denial, is_denied, split_denied
from reflection.background.exclusive import keep_parts, read_values
from reflection.background.merger import MergedBackground, News
from reflection.background.parts import split_parts

MOST_CHARACTERS = 1_600  # the prompt of every reflection carries it
MOST_NEWS = 800
TOO_LONG = f"Without a language model, news of the background has at most {MOST_NEWS} characters."
NO_ROOM = "The background has no room left for this, and nothing in it may be dropped. Set it anew, shorter."
NOT_A_WORD = re.compile(r"\W+")

Clauses = list[list[str]]


@dataclass(frozen=True)
class Settled:
    """What of a background the news leaves, and what of the news is added: sentences, each as its clauses."""

    kept: Clauses
    added: Clauses


class BuiltinMerger:
    name = "builtin"

    def merge(self, background: str, news: News) -> MergedBackground:
        """One after the other, so that the newest is right. Whatever is refused leaves the background as it was."""
        refused = ""
        for text in news.texts:
            is_too_long = len(text) > MOST_NEWS
            merged = None if is_too_long else merge_backgrounds(background, text)
            if merged is None:
                refused = TOO_LONG if is_too_long else NO_ROOM
            else:
                background = merged
        return MergedBackground(background, Usage(), refused)


def merge_backgrounds(background: str, news: str) -> str | None:
    """None where there is no room."""
    settled = settle(split_clauses(background), news)
    told_now = [join_clauses(sentence) for sentence in settled.added if sentence]
    most = max(MOST_CHARACTERS, len(background))  # what somebody set is not cut because it is long
    return shorten([join_clauses(sentence) for sentence in settled.kept if sentence], told_now, most)


def settle(background: Clauses, news: str) -> Settled:
    """What is no longer so is taken away and not told: a background says what is."""
    told = [[part for clause in sentence for part in split_denied(clause)] for sentence in split_clauses(news)]
    denials = [denial for sentence in told for clause in sentence if (denial := find_denial(clause))]
    news_left = [[clause for clause in sentence if not is_past(clause)] for sentence in told]
    kept = drop_denied(drop_displaced(drop_disproved(background, news_left), news_left), denials)
    return Settled(kept, drop_repeated(news_left, {fold(clause) for sentence in kept for clause in sentence}))


def drop_repeated(news: Clauses, said: set[str]) -> Clauses:
    """Neither what the background says nor what the news itself said before."""
    known, added = set(said), list[list[str]]()
    for sentence in news:
        fresh = dict[str, str]()
        for clause in sentence:
            fresh.setdefault(fold(clause), clause)
        added.append([clause for folded, clause in fresh.items() if folded not in known])
        known |= fresh.keys()
    return added


def is_past(clause: str) -> bool:
    denial = find_denial(clause)
    return denial is not None and denial.is_past


def drop_denied(background: Clauses, denials: Sequence[Denial]) -> Clauses:
    """Of a clause that tells several things what is left of them."""

    def keep(clause: str) -> list[str]:
        if any(is_denied(clause, denial) for denial in denials):
            return []
        parts = split_parts(clause)
        left = [part for part in parts if not any(is_denied(part, denial) for denial in denials)]
        return [clause] if len(left) == len(parts) else left

    return [[left for clause in sentence for left in keep(clause)] for sentence in background]


def drop_disproved(background: Clauses, news: Clauses) -> Clauses:
    """Of "I don't have dogs" nothing is left when the news is "I have a dog"."""
    claims = [clause for sentence in news for clause in sentence if find_denial(clause) is None]
    return [
        [
            clause
            for clause in sentence
            if not ((denial := find_denial(clause)) and any(is_denied(claim, denial) for claim in claims))
        ]
        for sentence in background
    ]


def drop_displaced(background: Clauses, news: Clauses) -> Clauses:
    newer = [values for values in read_values(chain.from_iterable(news)).values() if values]
    if not newer:
        return background
    said = {fold(clause) for clause in chain.from_iterable(news)}
    older = read_values(chain.from_iterable(background))

    def keep(clause: str) -> list[str]:
        return [clause] if fold(clause) in said else keep_parts(clause, newer, older)

    return [[left for clause in sentence for left in keep(clause)] for sentence in background]


def fold(clause: str) -> str:
    return NOT_A_WORD.sub(" ", clause.casefold()).strip()


def shorten(kept: list[str], news: list[str], most: int) -> str | None:
    """What can be said only once stays, and so does the news; of the rest the oldest goes first, and is found in the
    history. None where that is not enough.
    """
    left = list(kept)
    for sentence in kept:
        if len(" ".join([*left, *news])) <= most:
            break
        if not find_attributes(sentence):
            left.remove(sentence)
    merged = " ".join([*left, *news])
    return merged if len(merged) <= most else None
