"""Whom of all that a bank knows some words name, however little their author said of whom he means."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from banks.entities.names.normalise import normalise_name
from banks.models import Bank, EntityName
from banks.words import EntityKind
from reflection.opinions.naming import SpokenOf, list_firsts, read_names
from reflection.opinions.wording.matter import FRAMES
from reflection.opinions.words_or_names import is_mere_word

NAME_PART = re.compile(r"[^\W_]+(?:[-'.&][^\W_]+)*")
LONGEST_NAME = 4  # words
SHORTEST_NAME = 2  # characters
BLANK = " . "

Run = tuple[range, str]
Holders = dict[str, dict[UUID, EntityKind]]


@dataclass(frozen=True)
class NamedInBank:
    """Those that a name of the words is known for, and names that several have: who is meant is for others to tell."""

    found: tuple[SpokenOf, ...] = ()
    doubtful: tuple[str, ...] = ()


def find_in_bank(bank: Bank, texts: Sequence[str]) -> list[NamedInBank]:
    """For each text. No statement where none of them has a word that is written as names are, else two at most.

    Call inside a tenant transaction.
    """
    runs = [list(list_runs(text)) if may_name(text) else [] for text in texts]
    names = {normalise_name(run) for told in runs for _, run in told}
    if not names:
        return [NamedInBank() for _ in texts]
    holders = read_holders(bank, names)
    met = [meet(told, holders) for told in runs]
    called = read_names(bank, {one for found, _ in met for one in found}) if holders else {}
    return [
        NamedInBank(tuple(SpokenOf(one, kind, called[one], 1) for one, kind in found.items()), doubtful)
        for found, doubtful in met
    ]


def read_holders(bank: Bank, names: set[str]) -> Holders:
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, normalised_name__in=names)
    holders: Holders = {}
    for name, entity_id, kind in rows.values_list("normalised_name", "entity_id", "entity__kind"):
        holders.setdefault(name, {})[entity_id] = EntityKind(kind)
    return holders


def meet(runs: Sequence[Run], holders: Holders) -> tuple[dict[UUID, EntityKind], tuple[str, ...]]:
    """The longest name that a word belongs to counts: who is called Ann Lee is not Lee."""
    found: dict[UUID, EntityKind] = {}
    doubtful: list[str] = []
    taken: set[int] = set()
    for places, run in runs:
        meant = holders.get(normalise_name(run), {})
        if not meant or not taken.isdisjoint(places):
            continue
        taken.update(places)
        found |= meant if len(meant) == 1 else {}
        doubtful += [run] if len(meant) > 1 else []
    return found, tuple(doubtful)


def may_name(text: str) -> bool:
    """Whether a word is written as names are, besides the I of "I think"."""
    words = (part[0] for part in NAME_PART.finditer(text))
    return any(word[0].isupper() and word.partition("'")[0].casefold() not in FRAMES for word in words)


def list_runs(text: str) -> Iterator[Run]:
    """Words in a row of which the first is written as names are, the longest runs first."""
    words = list(NAME_PART.finditer(text))
    for length in range(LONGEST_NAME, 0, -1):
        for start in range(len(words) - length + 1):
            first, last = words[start], words[start + length - 1]
            run = text[first.start() : last.end()].removesuffix("'s")
            is_written_so = first[0][0].isupper() and run.casefold() not in FRAMES
            if length == 1 and is_mere_word(text, first.start(), first.start() + len(run)):
                continue
            if is_written_so and len(run) >= SHORTEST_NAME and not re.search(r"[.,;:!?]\s", run):
                yield range(start, start + length), run


def blank(text: str, named: Sequence[SpokenOf]) -> str:
    """Without the names of those, the longest first: of Ann Lee's no Lee is left."""
    names = sorted({name for one in named for name in one.names}, key=len, reverse=True)
    if not names:
        return text
    left = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", BLANK, text, flags=re.IGNORECASE)
    firsts = "|".join(map(re.escape, sorted(list_firsts(names))))
    return re.sub(rf"(?<!\w)(?:{firsts})(?!\w)(?! [A-Z])", BLANK, left) if firsts else left
