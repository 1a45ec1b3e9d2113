"""Entities of opinions: the people and things that an opinion is about, linked as its mentions."""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F
from django.db.models.functions import Greatest

from banks.entities.mentions import record_mentions
from banks.entities.names.normalise import identity_key, normalise_name
from banks.entities.recount import drop_unmentioned, forget_names, recount_companions
from banks.entities.store import store_companions, store_mentions
from banks.entities.types import Naming, Resolved
from banks.enums import EntityKind
from banks.models import Bank, Entity, EntityName, MemoryUnit, Mention, UnitSource
from banks.types import FoundEntity
from reflection.opinions.claims import CandidateOpinion

# Scripts without spaces between words: there a name is found by its letters alone.
UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
NAME_PART = re.compile(r"[^\W_]+(?:[-'.&][^\W_]+)*")
LONGEST_NAME = 4  # words
SHORTEST_NAME = 2  # characters
MOST_OF_EVIDENCE = 3  # entities that a claim without a name takes from its evidence


@dataclass(frozen=True)
class NamedEntity:
    """An entity with all its names, the most used first."""

    entity_id: UUID
    kind: EntityKind
    names: tuple[str, ...]

    def is_named_in(self, text: str) -> bool:
        return is_named_in(text, self.names)

    def has_name(self, name: str) -> bool:
        """Also where the name is the first word of one: Maria of Maria Rossi."""
        return identity_key(name) in map(identity_key, self.names) or name in list_first_words(self.names)


@dataclass(frozen=True)
class About:
    """The entities of a claim. `unresolved` are further names, which the resolver looks up or makes entities of.

    `given` are the names from the author's list that the claim or its reasoning contains.
    """

    entities: tuple[NamedEntity, ...] = ()
    unresolved: tuple[str, ...] = ()
    given: tuple[str, ...] = ()

    @property
    def entity_ids(self) -> frozenset[UUID]:
        return frozenset(one.entity_id for one in self.entities)


@dataclass(frozen=True)
class NewWording:
    """`former` is the text before. `source_ids` are memories behind the new text besides the evidence, `given` the
    names that its author listed.
    """

    text: str
    former: str = ""
    source_ids: tuple[UUID, ...] = ()
    given: tuple[str, ...] = ()


def is_named_in(text: str, names: Iterable[str]) -> bool:
    """By a name, or by the first word of one: "Maria" is Maria Rossi, "Maria Bianchi" is not."""
    every = tuple(names)
    if any(contains_name(text, name) for name in every):
        return True
    return any(re.search(rf"(?<!\w){re.escape(first)}(?!\w)(?! [A-Z])", text) for first in list_first_words(every))


def contains_name(text: str, name: str) -> bool:
    if UNSPACED.search(name):
        return name in text
    return bool(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE))


def list_first_words(names: Iterable[str]) -> set[str]:
    return {name.split()[0] for name in names if " " in name and name[0].isupper()} - {"The"}


def read_entities(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, frozenset[UUID]]:
    """The entities that each unit mentions."""
    found: dict[UUID, frozenset[UUID]] = {}
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    for unit_id, entity_id in rows.values_list("unit_id", "entity_id"):
        found[unit_id] = found.get(unit_id, frozenset()) | {entity_id}
    return found


def read_names(bank: Bank, entity_ids: Collection[UUID]) -> dict[UUID, tuple[str, ...]]:
    """The most used name first."""
    names: dict[UUID, tuple[str, ...]] = {}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    for entity_id, name in rows.order_by("-uses", "id").values_list("entity_id", "name"):
        names[entity_id] = (*names.get(entity_id, ()), name)
    return names


def read_mentioned(bank: Bank, groups: Sequence[Collection[UUID]]) -> list[list[NamedEntity]]:
    """For each group of units the entities that they mention, the most mentioned first, then the oldest."""
    unit_ids = {unit_id for group in groups for unit_id in group}
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids)
    kinds: dict[UUID, EntityKind] = {}
    mentioned: dict[UUID, list[UUID]] = {}
    for unit_id, entity_id, kind in mentions.values_list("unit_id", "entity_id", "entity__kind"):
        kinds[entity_id] = EntityKind(kind)
        mentioned.setdefault(unit_id, []).append(entity_id)
    names = read_names(bank, kinds)
    found = []
    for group in groups:
        times = Counter(entity_id for unit_id in group for entity_id in mentioned.get(unit_id, ()))
        ranked = sorted(times, key=lambda entity_id: (-times[entity_id], entity_id))
        found.append([NamedEntity(one, kinds[one], names[one]) for one in ranked if one in names])
    return found


def find_about(bank: Bank, claims: Sequence[CandidateOpinion], evidence: Sequence[Collection[UUID]]) -> list[About]:
    """The entities of each claim: of its evidence and of the bank those that its text names.

    A claim that names nobody ("She is kind") is about the entities of its evidence, first of all those that its author
    lists.
    """
    mentioned = read_mentioned(bank, evidence)
    named = [
        [one for one in known if one.is_named_in(claim.text) or is_meant(one, claim)]
        for claim, known in zip(claims, mentioned, strict=True)
    ]
    given = [
        tuple(name for name in claim.entities if is_named_in(f"{claim.text}\n{claim.reasoning}", [name]))
        for claim in claims
    ]
    found = add_named_in_bank(bank, [claim.text for claim in claims], named, given)
    return [
        about if about.entities or about.unresolved else About(choose_of_evidence(claim, known))
        for claim, known, about in zip(claims, mentioned, found, strict=True)
    ]


def is_meant(entity: NamedEntity, claim: CandidateOpinion) -> bool:
    return any(map(entity.has_name, claim.entities)) and entity.is_named_in(claim.reasoning)


def choose_of_evidence(claim: CandidateOpinion, known: Sequence[NamedEntity]) -> tuple[NamedEntity, ...]:
    listed = tuple(one for one in known if any(map(one.has_name, claim.entities)))
    return listed or tuple(known[:MOST_OF_EVIDENCE])


def add_named_in_bank(
    bank: Bank, texts: Sequence[str], named: Sequence[Sequence[NamedEntity]], given: Sequence[Sequence[str]]
) -> list[About]:
    """For each text the entities in `named`, and further ones of the bank whose name the text contains.

    Names in `given`, and names of several entities, stay unresolved where none of these entities has them.
    """
    runs = [list(list_other_names(text, own)) for text, own in zip(texts, named, strict=True)]
    wanted = {normalise_name(run) for some in runs for _, run in some}
    rows = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, normalised_name__in=wanted)
    holders: defaultdict[str, dict[UUID, EntityKind]] = defaultdict(dict)
    for name, entity_id, kind in rows.values_list("normalised_name", "entity_id", "entity__kind") if wanted else ():
        holders[name][entity_id] = EntityKind(kind)
    names = read_names(bank, {one for some in holders.values() for one in some}) if holders else {}
    found = []
    for some, own, listed in zip(runs, named, given, strict=True):
        met = {one.entity_id: one for one in own}
        ambiguous, taken = [], set[int]()
        for places, run in some:
            meant = holders.get(normalise_name(run), {})
            if meant and taken.isdisjoint(places):
                taken.update(places)
                met |= {one: NamedEntity(one, kind, names[one]) for one, kind in meant.items() if len(meant) == 1}
                ambiguous += [run] if len(meant) > 1 else []
        unresolved = dict.fromkeys((*listed, *ambiguous))
        missing = tuple(name for name in unresolved if not any(one.has_name(name) for one in met.values()))
        found.append(About(tuple(met.values()), missing, tuple(listed)))
    return found


def list_other_names(text: str, own: Sequence[NamedEntity]) -> Iterator[tuple[range, str]]:
    """Word sequences that begin with a capital, with their places, the longest first, without names of `own`.

    Words of a longer name count no more: Ann Lee is not Lee.
    """
    words = list(NAME_PART.finditer(text))
    taken = set[int]()
    for length in range(LONGEST_NAME, 0, -1):
        for start in range(len(words) - length + 1):
            places = range(start, start + length)
            run = text[words[start].start() : words[places[-1]].end()].removesuffix("'s")
            is_name = run[0].isupper() and len(run) >= SHORTEST_NAME and not re.search(r"[.,;:!?]\s", run)
            if not is_name or not taken.isdisjoint(places):
                continue
            if any(one.has_name(run) for one in own):
                taken.update(places)
            else:
                yield places, run


def record_about(bank: Bank, opinions: Sequence[tuple[UUID, About]], *, now: datetime) -> None:
    """Links opinions with their entities. Call inside a tenant transaction, after `lock_memory`."""
    resolved = [
        Resolved(Naming(unit_id, (), now), one.names[0], one.kind, one.entity_id)
        for unit_id, about in opinions
        for one in about.entities
    ]
    store_mentions(bank, resolved)
    store_companions(bank, resolved)
    guesses = [
        Naming(unit_id, tuple(FoundEntity(name, EntityKind.OTHER, is_guess=True) for name in about.unresolved), now)
        for unit_id, about in opinions
        if about.unresolved
    ]
    if guesses:
        record_mentions(bank, guesses)


def relink_entities(bank: Bank, opinion: MemoryUnit, wording: NewWording) -> None:
    """Brings the mentions in line with a new text, after the opinion has it.

    Entities that only the former text named go. Entities that no text named stay: whoever linked them knew more. Call
    inside a tenant transaction, after `lock_memory`.
    """
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion, other_unit__isnull=False)
    facts = [fact_id for fact_id in sources.values_list("other_unit_id", flat=True) if fact_id]
    linked, of_evidence = read_mentioned(bank, [[opinion.id], [*facts, *wording.source_ids]])
    known = {one.entity_id: one for one in (*linked, *of_evidence)}
    given = [
        name for name in wording.given if contains_name(wording.text, name) or not contains_name(wording.former, name)
    ]
    named = [one for one in known.values() if one.is_named_in(wording.text) or any(map(one.has_name, given))]
    unnamed = [one for one in linked if not one.is_named_in(wording.former) and one not in named]
    (about,) = add_named_in_bank(bank, [wording.text], [[*named, *unnamed]], [given])
    there = {one.entity_id for one in linked}
    unlink(bank, opinion, there - about.entity_ids)
    added = tuple(one for one in about.entities if one.entity_id not in there)
    record_about(bank, [(opinion.id, About(added, about.unresolved))], now=opinion.mentioned_at)


def unlink(bank: Bank, opinion: MemoryUnit, entity_ids: set[UUID]) -> None:
    """The facts about these entities stay."""
    if not entity_ids:
        return
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit=opinion, entity_id__in=entity_ids)
    names = list(mentions.values_list("entity_id", "name"))
    mentions.delete()
    forget_names(bank, names)
    counted = Entity.objects.of_bank(bank).filter(id__in=entity_ids)
    counted.update(mention_count=Greatest(F("mention_count") - 1, 0))
    there = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids)
    drop_unmentioned(bank, entity_ids - set(there.values_list("entity_id", flat=True)))
    recount_companions(bank, list(counted.values_list("id", flat=True)))
