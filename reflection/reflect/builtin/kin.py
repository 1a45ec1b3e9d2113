"""Somebody whom a question names by whose he is, and what memories call him: "my father", "Nadia's husband"."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from banks.kinship import PARTNERS, list_same
from reflection.reflect.builtin.asker import list_users
from reflection.reflect.builtin.pieces import Piece, cut_statements
from reflection.reflect.builtin.relatives import CHILDREN, RELATIVES
from reflection.reflect.types import Labelled

NAME = r"(?-i:[A-Z\u00c0-\u00de])\w+"
KIN = rf"(?P<kin>{RELATIVES}|{CHILDREN})"
NO_NAME = r"(?!(?:who|what|where|when|how|that|there|here|it|s?he)\b)"  # "Who's my brother?"
WHOSE = re.compile(
    rf"(?<!with )\bmy (?:(?P<sort>\w+) )?{KIN}\b"
    rf"|(?<!\w){NO_NAME}(?P<owner>{NAME})['\u2019]s? (?:(?P<kind>\w+) )?{KIN.replace('kin', 'theirs')}\b"
    rf"|\bthe {KIN.replace('kin', 'of')} of (?P<whom>{NAME})(?!\w)",
    re.IGNORECASE,
)
CALLED = r"(?:(?:['\u2019]s name)? is (?:called |named )?)"
NOT_ANY_MORE = r"(?!(?:former|previous|late|ex|old|first|future)\b)"
# How it is said of either of a couple: "Nadia is married to Viktor", "Nadia just got engaged to Viktor".
COUPLED = {"married_to": "married(?: to)?", "engaged_to": "engaged to", "dating": "dating"}
OF_NOW = {"new", "current", "present", "own", "dear"}
WHO = re.compile(
    r"^\W*(?:who(?: is|['\u2019]s) (?P<who>[^?]+?)|what(?: is|['\u2019]s) the name of (?P<of>[^?]+?)"
    r"|what(?: is|['\u2019]s) (?P<whose>[^?]+?)['\u2019]s? name|what is (?P<called>[^?]+?) called)(?: now)?\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Kin:
    """`phrase` are the words for him. `owner` is whose he is; empty where that is the asker. `sort` tells him from
    others who are the same to the owner: "my best friend".
    """

    phrase: str
    kin: str
    owner: str = ""
    sort: str = ""


def find_kin(question: str) -> Kin | None:
    """The first who is named so."""
    found = WHOSE.search(question)
    if found is None:
        return None
    kin = found["kin"] or found["theirs"] or found["of"]
    sort = found["sort"] or found["kind"] or ""
    owner = found["owner"] or found["whom"] or ""
    return Kin(found[0], kin.lower(), owner, "" if sort.lower() in OF_NOW else sort)


def list_named(kin: Kin, memories: Sequence[Labelled]) -> Iterator[tuple[str, Piece]]:
    """What he is called, with what tells it, where it is known whose he is: of the asker's where one alone may ask."""
    users = list_users(memories)
    if not kin.owner and len(users) > 1:
        return
    told = build_tellings(kin, users)
    for memory in memories:
        for piece in cut_statements(memory, memory.item.text.strip()):
            yield from ((found["name"], piece) for way in told for found in way.finditer(piece.text))


def build_tellings(kin: Kin, users: frozenset[str]) -> list[re.Pattern[str]]:
    """The ways in which a sentence says what he is called, each with a group `name`."""
    owners = [f"{re.escape(name)}['\u2019]s?" for name in ([kin.owner] if kin.owner else users)]
    owner = "|".join(owners if kin.owner else [*owners, "my"])
    words = "|".join(map(re.escape, list_same(kin.kin)))
    sort = f"{re.escape(kin.sort)} " if kin.sort else rf"{NOT_ANY_MORE}(?:\w+ )?"
    his = rf"(?<!\w)(?:{owner}) {sort}(?:{words})"
    patterns = [rf"{his}(?:,? |{CALLED})(?P<name>{NAME})", rf"(?<!\w)(?P<name>{NAME})(?:,| is) {his}\b"]
    if joined := "|".join(COUPLED[relation] for relation in PARTNERS.get(kin.kin, ())):
        one = "|".join(map(re.escape, [kin.owner] if kin.owner else users)) or "i"
        patterns += [
            rf"(?<!\w)(?:{one})(?: (?:is|are|just|has|got)){{0,2}} (?:{joined}) (?P<name>{NAME})",
            rf"(?<!\w)(?P<name>{NAME})(?: (?:is|are|just|has|got)){{0,2}} (?:{joined}) (?:{one})(?!\w)",
        ]
    return [re.compile(pattern, re.IGNORECASE) for pattern in patterns]


def find_who(question: str, memories: Sequence[Labelled]) -> list[Piece]:
    """Who somebody's relative is, the latest first, each name once and as plainly as it was told; empty where
    something else is asked for.
    """
    asked = WHO.match(question)
    kin = find_kin(question) if asked else None
    whole = next(filter(None, asked.groups()), "") if asked else ""
    if kin is None or kin.phrase.lower() != whole.lower():
        return []
    held = [one for one in list_named(kin, memories) if one[1].memory.item.candidate.expired_at is None]
    by_name: dict[str, list[Piece]] = {}
    for name, piece in sorted(held, key=lambda one: one[1].memory.item.candidate.mentioned_at, reverse=True):
        by_name.setdefault(name, []).append(piece)
    plainest = (min(pieces, key=lambda piece: len(piece.shown)) for pieces in by_name.values())
    return list({piece.text: piece for piece in plainest}.values())


def ask_by_name(question: str, memories: Sequence[Labelled]) -> str:
    """With the name of whom it means, where memories have one for him; else empty."""
    kin = find_kin(question)
    names = list(dict.fromkeys(name for name, _ in list_named(kin, memories))) if kin else []
    return question.replace(kin.phrase, names[0], 1) if kin and len(names) == 1 else ""


def ask_in_other_words(question: str) -> list[str]:
    """With other words for the same relative."""
    kin = find_kin(question)
    if kin is None:
        return []
    word = re.compile(rf"\b{re.escape(kin.kin)}\b", re.IGNORECASE)
    return [word.sub(same, question, count=1) for same in list_same(kin.kin)[1:]]
