"""Writing down who a batch of units speaks of."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from banks.entities.curation.chosen import find_chosen
from banks.entities.named import Naming, Resolved
from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import identity_key, normalise_name
from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.identifier import Identities
from banks.entities.resolution.identify import follow_answers
from banks.entities.resolution.known import find_candidates, read_aliases
from banks.entities.store import insert_entities, store_companions, store_mentions, store_names
from banks.entities.types import Decision, MentionOf
from banks.models import Bank, Entity
from banks.retain.types import FoundEntity
from banks.words import EntityKind

LONGEST_NAME = 300


def record_mentions(bank: Bank, namings: Sequence[Naming], *, identities: Identities | None = None) -> list[Resolved]:
    """Call inside a tenant transaction, after `lock_memory`. `identities` are answers to `find_questions`."""
    mentions = [(naming, entity) for naming in namings for entity in usable(naming)]
    asked = [build_mention(naming, entity) for naming, entity in mentions]
    candidates = find_candidates(bank, {mention.name for mention in asked})
    decisions = follow_answers(asked, resolve_all(asked, candidates), identities or {}, candidates)
    ids = settle(bank, asked, decisions)
    resolved = [
        Resolved(naming, entity.name, entity.kind, entity_id)
        for (naming, entity), entity_id in zip(mentions, ids, strict=True)
    ]
    known = {(candidate.id, alias) for candidate in candidates for alias in candidate.aliases}
    store_names(bank, resolved, known=known)
    rename_entities(bank, {one.entity_id for one in resolved if (one.entity_id, one.name) not in known})
    store_mentions(bank, resolved)
    store_companions(bank, resolved)
    return resolved


def rename_entities(bank: Bank, ids: set[UUID]) -> None:
    """Give each the most complete name that was heard so far: Mel becomes Melanie once she is called that.

    A name that a person gave stays.
    """
    if not ids:
        return
    heard = read_aliases(bank, list(ids))
    named = Entity.objects.of_bank(bank).filter(id__in=ids).only("tenant_id", "name")
    names = {entity.id: choose_canonical(list_first_writings(heard[entity.id])) for entity in named if heard[entity.id]}
    changed = [entity for entity in named if names.get(entity.id, entity.name) != entity.name]
    chosen = find_chosen(bank, {entity.id for entity in changed}) if changed else {}
    renamed = [entity for entity in changed if entity.id not in chosen]
    for entity in renamed:
        entity.name = names[entity.id]
    Entity.objects.for_tenant(bank.tenant_id).bulk_update(renamed, ["name"])


def list_first_writings(names: Sequence[str]) -> list[str]:
    """One of each normal form: a title or a legal form makes no name more complete."""
    return list({normalise_name(name): name for name in reversed(names)}.values())


def usable(naming: Naming) -> list[FoundEntity]:
    """Without those whose name has no letters, and each name once. Who speaks is a person, whatever a guess says."""
    speakers = {identity_key(speaker) for speaker in naming.speakers if has_letters(speaker)}
    named: dict[tuple[str, EntityKind], FoundEntity] = {}
    for entity in naming.entities:
        if has_letters(entity.name) and len(entity.name) <= LONGEST_NAME:
            is_guess = entity.is_guess or entity.kind is EntityKind.OTHER
            speaks = is_guess and identity_key(entity.name) in speakers
            known = replace(entity, kind=EntityKind.PERSON, is_guess=False) if speaks else entity
            named.setdefault((identity_key(known.name), known.kind), known)
    return list(named.values())


def has_letters(name: str) -> bool:
    return any(character.isalnum() for character in name)


def build_mention(naming: Naming, entity: FoundEntity) -> MentionOf:
    others = frozenset(other.name for other in naming.entities if other.name != entity.name)
    return MentionOf(
        entity.name,
        entity.kind,
        others | naming.beside,
        naming.seen_at,
        kind_is_guess=entity.is_guess,
        kind_is_stated=entity.is_stated,
    )


def settle(bank: Bank, mentions: Sequence[MentionOf], decisions: Sequence[Decision]) -> list[UUID]:
    """The entity of each mention, made where it is new. Where only an LLM could tell, a new one is the safer side."""
    made = make_entities(bank, [m for m, d in zip(mentions, decisions, strict=True) if is_new(d)])
    ids: dict[int, UUID] = {}
    for place, (mention, decision) in enumerate(zip(mentions, decisions, strict=True)):
        if is_new(decision):
            ids[place] = made[identity_key(mention.name), mention.kind]
        elif decision.entity_id is not None:
            ids[place] = decision.entity_id
    for place, decision in enumerate(decisions):
        if decision.same_as is not None:
            ids[place] = ids[decision.same_as]
    return [ids[place] for place in range(len(mentions))]


def is_new(decision: Decision) -> bool:
    return decision.verdict != "same"


def make_entities(bank: Bank, mentions: Sequence[MentionOf]) -> dict[tuple[str, EntityKind], UUID]:
    wanted = {(identity_key(mention.name), mention.kind): mention for mention in mentions}
    if not wanted:
        return {}
    insert_entities(bank, [wanted[key] for key in sorted(wanted)])
    there = Entity.objects.of_bank(bank).filter(identity__in={identity for identity, _ in wanted})
    made = {
        (identity, EntityKind(kind)): row_id for row_id, identity, kind in there.values_list("id", "identity", "kind")
    }
    stated = [made[key] for key, mention in wanted.items() if mention.kind_is_stated]
    Entity.objects.of_bank(bank).filter(id__in=stated, kind_is_stated=False).update(kind_is_stated=True)
    return made
