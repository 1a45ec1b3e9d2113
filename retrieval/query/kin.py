"""Somebody who is named by whose he is: "Nadia's husband", "the sister of Tom"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from banks.entities.names.normalise import normalise_name
from banks.kinship import PARTNERS, RELATIVES
from retrieval.query.names import is_stop_word

NAME = r"[^\W\d_][\w.-]*(?: [^\W\d_][\w.-]*){0,3}"
NOUN = "|".join(sorted(map(re.escape, RELATIVES | PARTNERS.keys()), key=len, reverse=True))
POSSESSED = re.compile(rf"(?P<owner>{NAME})(?P<rest>['\u2019]s? (?:\w+ )?(?P<noun>{NOUN})\b)", re.IGNORECASE)
OF = re.compile(rf"(?P<rest>\b(?:the )?(?P<noun>{NOUN}) of )(?P<owner>{NAME})", re.IGNORECASE)
MAX_CHARACTERS = 600


@dataclass(frozen=True)
class Kin:
    """`phrase` are the words for him, as "Nadia's husband". `owners` are what could be the name of whose he is,
    normalised; `relations` say what he is to that one.
    """

    phrase: str
    owners: tuple[str, ...]
    relations: tuple[str, ...]


def find_kin(query: str) -> Kin | None:
    """The first of them. Whose "my sister" is no words of a query tell."""
    text = query[:MAX_CHARACTERS]
    if found := POSSESSED.search(text):
        away = found["owner"].split()[::-1]  # from the noun, next to which the name stands
        owners = [" ".join(away[:size][::-1]) for size in range(1, len(away) + 1)]
        return build_kin(found["noun"], owners, f"{owners[count_named(away) - 1]}{found['rest']}")
    if found := OF.search(text):
        away = found["owner"].split()
        owners = [" ".join(away[:size]) for size in range(1, len(away) + 1)]
        return build_kin(found["noun"], owners, f"{found['rest']}{owners[count_named(away) - 1]}")
    return None


def build_kin(noun: str, owners: Sequence[str], phrase: str) -> Kin:
    relations = (noun.lower(), *PARTNERS.get(noun.lower(), ()))
    return Kin(phrase, tuple(dict.fromkeys(map(normalise_name, owners))), relations)


def count_named(words: Sequence[str]) -> int:
    """How many of them are the name, as far as capitals tell."""
    named = takewhile(lambda word: word[0].isupper() and not is_stop_word(word), words)
    return max(1, sum(1 for _ in named))
