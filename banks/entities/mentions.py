"""Mentions: the entities that a batch of units names, stored with their names and counts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from banks.entities.names.canonical import choose_canonical
from banks.entities.names.normalise import identity_key, normalise_name
from banks.entities.recount import find_chosen
from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.identifier import Identities, follow_answers
from banks.entities.resolution.known import find_candidates, read_aliases
from banks.entities.store import insert_entities, store_companions, store_mentions, store_names
from banks.entities.types import Decision, MentionOf, Naming, Resolved
from banks.enums import EntityKind
from banks.models import Bank, Entity, Mention
from banks.types import FoundEntity

LONGEST_NAME = 300


def read_mentions(bank: Bank, unit_ids: Collection[UUID]) -> list[Resolved]:
    """The mentions of known units. Call inside a tenant transaction."""
    if not unit_ids:
        return []
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids).order_by("id")
    found = rows.values_list("unit_id", "unit__mentioned_at", "name", "entity__kind", "entity_id")
    return [
        Resolved(Naming(unit_id, (), seen_at), name, EntityKind(kind), entity_id)
        for unit_id, seen_at, name, kind, entity_id in found
    ]


def find_new_names(
    entities: Sequence[FoundEntity], before: Sequence[Resolved], unit_id: UUID
) -> tuple[FoundEntity, ...]:
    known = {identity_key(one.name) for one in before if one.naming.unit_id == unit_id}
    return tuple(entity for entity in entities if identity_key(entity.name) not in known)


def record_mentions(bank: Bank, namings: Sequence[Naming], *, identities: Identities | None = None) -> list[Resolved]:
    """Call inside a tenant transaction, after `lock_memory`. `identities` are answers to `find_questions`."""
    mentions = [(naming, entity) for naming in namings for entity in list_named_entities(naming)]
    asked = [build_mention(naming, entity) for naming, entity in mentions]
    candidates = find_candidates(bank, {mention.name for mention in asked})
    decisions = follow_answers(asked, resolve_all(asked, candidates), identities or {}, candidates)
    entity_ids = find_or_make_entities(bank, asked, decisions)
    ids = follow_introductions(
        bank, mentions, entity_ids, made=set(entity_ids) - {candidate.id for candidate in candidates}
    )
    resolved = [
        Resolved(naming, entity.name, entity.kind, entity_id)
        for (naming, entity), entity_id in zip(mentions, ids, strict=True)
    ]
    known = {(candidate.id, alias) for candidate in candidates for alias in candidate.aliases}
    store_names(bank, resolved, known=known)
    rename_entities(bank, {one.entity_id for one in resolved if (one.entity_id, one.name) not in known})
    set_types(bank, {entity_id: one.type for one, entity_id in zip(asked, ids, strict=True) if one.type})
    store_mentions(bank, resolved)
    store_companions(bank, resolved)
    return resolved


def follow_introductions(
    bank: Bank, mentions: Sequence[tuple[Naming, FoundEntity]], ids: Sequence[UUID], *, made: set[UUID]
) -> list[UUID]:
    """In "I'm Maya" of an unnamed user the name is the speaker's, unless the speaker has another name already.

    `made` are the entities of this call. One that was made for the name alone is dropped, and every mention of it means
    the speaker.
    """
    by_name = {(naming.unit_id, entity.name): ids[place] for place, (naming, entity) in enumerate(mentions)}
    speakers: dict[UUID, UUID] = {}
    followed = list(ids)
    for place, (naming, entity) in enumerate(mentions):
        speaker_id = by_name.get((naming.unit_id, entity.same_as)) if entity.same_as else None
        names = set(read_aliases(bank, [speaker_id])[speaker_id]) if speaker_id else set()
        if speaker_id and names <= {entity.same_as, entity.name}:
            followed[place] = speaker_id
            if ids[place] in made and ids[place] != speaker_id:
                speakers[ids[place]] = speaker_id
    if speakers:
        Entity.objects.of_bank(bank).filter(id__in=speakers).delete()
    return [speakers.get(one, one) for one in followed]


def rename_entities(bank: Bank, ids: set[UUID]) -> None:
    """Give each entity its most complete name so far: Mel becomes Melanie once a unit names her so.

    A name that a person chose stays.
    """
    if not ids:
        return
    aliases = read_aliases(bank, list(ids))
    named = Entity.objects.of_bank(bank).filter(id__in=ids).only("tenant_id", "name")
    names = {
        entity.id: choose_canonical(list_first_writings(aliases[entity.id])) for entity in named if aliases[entity.id]
    }
    changed = [entity for entity in named if names.get(entity.id, entity.name) != entity.name]
    chosen = find_chosen(bank, {entity.id for entity in changed}) if changed else {}
    renamed = [entity for entity in changed if entity.id not in chosen]
    for entity in renamed:
        entity.name = names[entity.id]
    Entity.objects.for_tenant(bank.tenant_id).bulk_update(renamed, ["name"])


def set_types(bank: Bank, types: Mapping[UUID, str]) -> None:
    """The newest mention decides: the bank's list of types may have changed."""
    for name in set(types.values()):
        ids = [entity_id for entity_id, its_type in types.items() if its_type == name]
        Entity.objects.of_bank(bank).filter(id__in=ids).exclude(type=name).update(type=name)


def list_first_writings(names: Sequence[str]) -> list[str]:
    """One spelling of each normal form: a title or a legal form does not make a name more complete."""
    return list({normalise_name(name): name for name in reversed(names)}.values())


def list_named_entities(naming: Naming) -> list[FoundEntity]:
    """The entities with letters in their names, each name once. A speaker is a person, even if the kind was guessed."""
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
        speakers=naming.speakers,
        type=entity.type,
    )


def find_or_make_entities(bank: Bank, mentions: Sequence[MentionOf], decisions: Sequence[Decision]) -> list[UUID]:
    """The entity of each mention. A new name, or one that only an LLM could decide, gets a new entity."""
    made = make_entities(bank, [m for m, d in zip(mentions, decisions, strict=True) if d.verdict != "same"])
    ids: dict[int, UUID] = {}
    for place, (mention, decision) in enumerate(zip(mentions, decisions, strict=True)):
        if decision.verdict != "same":
            ids[place] = made[identity_key(mention.name), mention.kind]
        elif decision.entity_id is not None:
            ids[place] = decision.entity_id
    for place, decision in enumerate(decisions):
        if decision.same_as is not None:
            ids[place] = ids[decision.same_as]
    return [ids[place] for place in range(len(mentions))]


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
