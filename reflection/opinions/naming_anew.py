"""Whom an opinion speaks of once it has other words. What the words named and name no more goes, with its count."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest

from banks.entities.normalise import normalise_name
from banks.entities.recount import drop_unmentioned, forget_names, recount_companions
from banks.models import Bank, Entity, EntityName, MemoryUnit, Mention, UnitSource
from banks.words import EntityKind
from reflection.opinions.naming import About, SpokenOf, read_names, read_spoken_of, record_spoken_of
from reflection.opinions.wording.matter import FRAMES

NAME_PART = re.compile(r"[^\W_]+(?:[-'.&][^\W_]+)*")
LONGEST_NAME = 4  # words
SHORTEST_NAME = 2  # characters


@dataclass(frozen=True)
class NewWords:
    """`former` are the words before. `told_by` are memories that the new ones came from, besides the evidence, and
    `given` the names that came with them.
    """

    text: str
    former: str = ""
    told_by: tuple[UUID, ...] = ()
    given: tuple[str, ...] = ()


def name_anew(bank: Bank, opinion: MemoryUnit, words: NewWords) -> None:
    """Call inside a tenant transaction, after `lock_memory`, when the opinion has its new words."""
    there = {one.entity_id for one in read_linked(bank, opinion.id)}
    about = find_about(bank, opinion.id, words)
    part_with(bank, opinion, there - {one.entity_id for one in about.chosen})
    coming = [one for one in about.chosen if one.entity_id not in there]
    record_spoken_of(bank, [About(opinion.id, coming, about.given)], now=opinion.mentioned_at)


def find_about(bank: Bank, opinion_id: UUID, words: NewWords) -> About:
    """Those of its own, of its evidence, and of the bank that the new words name, as they do when an opinion is formed;
    and those that no words of it named: who linked them knew more. Call inside a tenant transaction.
    """
    linked = read_linked(bank, opinion_id)
    known = {one.entity_id: one for one in (*linked, *read_evidence(bank, opinion_id, words.told_by))}
    given = [name for name in words.given if has_name(words.text, name) or not has_name(words.former, name)]
    named = [one for one in known.values() if is_named(one, words.text) or any(map(one.is_called, given))]
    unnamed = [one for one in linked if not is_named(one, words.former) and one not in named]
    found, doubtful = find_in_bank(bank, blank(words.text, named))
    chosen = [*named, *unnamed, *found]
    called = [name for name in dict.fromkeys((*given, *doubtful)) if not any(one.is_called(name) for one in chosen)]
    return About(opinion_id, chosen, called)


def read_linked(bank: Bank, opinion_id: UUID) -> list[SpokenOf]:
    (linked,) = read_spoken_of(bank, [[opinion_id]])
    return linked


def read_evidence(bank: Bank, opinion_id: UUID, told_by: Sequence[UUID]) -> list[SpokenOf]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id=opinion_id, other_unit__isnull=False)
    facts = [fact_id for fact_id in sources.values_list("other_unit_id", flat=True) if fact_id]
    (spoken_of,) = read_spoken_of(bank, [[*facts, *told_by]])
    return spoken_of


def is_named(one: SpokenOf, text: str) -> bool:
    """By a name of it, or by the first word of one: Maria is Maria Rossi, unless she is Maria Bianchi."""
    if one.is_in(text):
        return True
    firsts = {name.split()[0] for name in one.names if " " in name and name[0].isupper()}
    return any(re.search(rf"(?<!\w){re.escape(first)}(?!\w)(?! [A-Z])", text) for first in firsts - {"The"})


def has_name(text: str, name: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


def blank(text: str, named: Sequence[SpokenOf]) -> str:
    """Without the names of those, the longest first: of Ann Lee's no Lee is left."""
    names = sorted({name for one in named for name in one.names}, key=len, reverse=True)
    if not names:
        return text
    return re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)", " . ", text, flags=re.IGNORECASE)


def find_in_bank(bank: Bank, text: str) -> tuple[list[SpokenOf], list[str]]:
    """Those that a name of the text is known for, and names that several have: who is meant is for others to tell."""
    runs = list(list_runs(text))
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(
        bank_id=bank.id, normalised_name__in={normalise_name(run) for _, run in runs}
    )
    holders: dict[str, dict[UUID, EntityKind]] = {}
    for name, entity_id, kind in rows.values_list("normalised_name", "entity_id", "entity__kind"):
        holders.setdefault(name, {})[entity_id] = EntityKind(kind)
    found: dict[UUID, EntityKind] = {}
    doubtful = []
    taken: set[int] = set()
    for places, run in runs:
        meant = holders.get(normalise_name(run), {})
        if not meant or not taken.isdisjoint(places):
            continue
        taken.update(places)
        found |= meant if len(meant) == 1 else {}
        doubtful += [run] if len(meant) > 1 else []
    names = read_names(bank, found) if found else {}
    return [SpokenOf(one, kind, names[one], 1) for one, kind in found.items()], doubtful


def list_runs(text: str) -> Iterator[tuple[range, str]]:
    """Words in a row of which the first and the last are written as names are, the longest runs first."""
    words = list(NAME_PART.finditer(text))
    for length in range(LONGEST_NAME, 0, -1):
        for start in range(len(words) - length + 1):
            first, last = words[start], words[start + length - 1]
            run = text[first.start() : last.end()].removesuffix("'s")
            is_written_so = first[0][0].isupper() and run.casefold() not in FRAMES
            if is_written_so and len(run) >= SHORTEST_NAME and not re.search(r"[.,;:!?]\s", run):
                yield range(start, start + length), run


def part_with(bank: Bank, opinion: MemoryUnit, entity_ids: set[UUID]) -> None:
    """What is known of them is told by facts, and stays."""
    if not entity_ids:
        return
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=opinion, entity_id__in=entity_ids)
    heard = list(mentions.values_list("entity_id", "name"))
    mentions.delete()
    forget_names(bank, heard)
    counted = Entity.objects.of_bank(bank).filter(id__in=entity_ids)
    counted.update(mention_count=Greatest(F("mention_count") - 1, 0))
    there = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    drop_unmentioned(bank, entity_ids - set(there.values_list("entity_id", flat=True)))
    recount_companions(bank, list(counted.values_list("id", flat=True)))
