"""Whom a question means: by name, or as somebody whom the asker has."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banks.dates.fold import fold
from reflection.reflect.builtin.asker import list_users
from reflection.reflect.builtin.relatives import CHILDREN, RELATIVES
from reflection.reflect.types import Labelled
from retrieval.query.names import is_capitalised, list_phrases

# A request begins with a verb, whose capital makes no name of it.
REQUEST = re.compile(
    r"^\W*(?:please )?(?:advise|choose|find|give|help|list|name|pick|plan|propose|recommend|show|suggest|tell"
    r"|empfiehl|nenne?|schlage?|recommande[sz]?|propose[sz]?|recomi\u00e9nda(?:me)?|sugi\u00e9re(?:me)?|consiglia(?:mi)?)\b",
    re.IGNORECASE,
)
# "What could I cook with my wife?" means both.
MY_OWN = re.compile(rf"(?<!with )\bmy (?:\w+ )?(?P<kin>{RELATIVES}|{CHILDREN})\b(?!['\u2019])", re.IGNORECASE)
CALLED = r"(?:(?:['\u2019]s name)? is (?:called |named )?)"


@dataclass(frozen=True)
class Meant:
    """`names` are folded. `is_sure`: they are names, or stand for somebody; else any words that may be some."""

    names: frozenset[str]
    is_sure: bool


def find_meant(question: str, memories: Sequence[Labelled]) -> Meant:
    phrases = list(list_phrases(REQUEST.sub("", question)))
    capitalised = [phrase for phrase in phrases if is_capitalised(phrase)]
    own = MY_OWN.search(question) if not capitalised else None
    named = [own["kin"], *list_names(own["kin"], memories)] if own else capitalised or phrases
    return Meant(frozenset(fold(name).text for name in named), is_sure=bool(own or capitalised))


def list_names(kin: str, memories: Sequence[Labelled]) -> Iterator[str]:
    """By which memories call the one whom the asker has: "Ann's brother Tom"; where one alone may be the asker."""
    users = list_users(memories)
    if len(users) > 1:
        return
    owner = rf"(?:my|{'|'.join(re.escape(name) for name in users) or 'my'}['\u2019]s?) (?:\w+ )?{re.escape(kin)}"
    name = r"(?P<name>(?-i:[A-Z\u00c0-\u00de])\w+)"
    told = re.compile(
        rf"(?<!\w){owner}(?:,? |{CALLED}){name}|(?<!\w){name.replace('name', 'other')}(?:,| is) {owner}\b",
        re.IGNORECASE,
    )
    for memory in memories:
        yield from (found["name"] or found["other"] for found in told.finditer(memory.item.text))
