"""Whom a question means: by name, or as somebody whom the asker has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from banks.dates.fold import fold
from banks.kinship import list_same
from reflection.reflect.builtin.kin import Kin, list_named
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


@dataclass(frozen=True)
class Meant:
    """`names` are folded. `is_sure`: they are names, or stand for somebody; else any words that may be some."""

    names: frozenset[str]
    is_sure: bool


def find_meant(question: str, memories: Sequence[Labelled]) -> Meant:
    phrases = list(list_phrases(REQUEST.sub("", question)))
    capitalised = [phrase for phrase in phrases if is_capitalised(phrase)]
    own = MY_OWN.search(question) if not capitalised else None
    named = name_kin(own["kin"].lower(), memories) if own else capitalised or phrases
    return Meant(frozenset(fold(name).text for name in named), is_sure=bool(own or capitalised))


def name_kin(kin: str, memories: Sequence[Labelled]) -> list[str]:
    """The words for the one whom the asker has, and what memories call him: "Ann's brother Tom"."""
    return [*list_same(kin), *(name for name, _ in list_named(Kin(kin, kin), memories))]
