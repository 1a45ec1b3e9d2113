"""Observations that say the same in other words: one stays and takes over what the other rested on."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import numpy as np
from django.db.models.functions import Greatest

from banks.english.word_set import word_set
from banks.models import Bank, Corpus, MemoryUnit, Mention, UnitChange, UnitSource
from banks.text_index.write import retire_texts

ALIKE = 0.97  # cosine: two that differ in a name or number are below it in nearly all cases, and the words decide
MOST = 5_000  # observations that are compared in one night
STOPS = ".,;:!?()[]'\"\u2019\u2018\u201c\u201d"
HOLDING = word_set(
    "a an the this that these those in on at of with for as and but is are has have be been",
    "he she it they his her its their who which when there also",
)
VALUES = word_set(  # the small words on which the sense turns
    "not no never none nobody nothing neither nor or without hardly cannot was were had used former formerly",
    "to from by before after until since against over under above below more less fewer only",
    "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand million once twice half",
)


def unite_twins(bank: Bank, *, actor: str, now: datetime) -> int:
    """Only among observations of the same entity under the same tags.

    Call inside a tenant transaction, after `lock_memory`.
    """
    pairs = find_twins(bank)
    for kept, gone in pairs:
        take_over(bank, kept, gone)
    close(bank, pairs, actor=actor, now=now)
    return len(pairs)


def find_twins(bank: Bank) -> list[tuple[UUID, UUID]]:
    """The newer one stays. Each is in one pair at most, so that a chain is shortened night by night."""
    units = MemoryUnit.objects.of_bank(bank).current().filter(network="observation", embedding__isnull=False)
    newest = list(units.order_by("-recorded_at", "-id")[:MOST])
    entities = read_entities(bank, [unit.id for unit in newest])
    groups: dict[tuple[UUID, bytes], list[MemoryUnit]] = {}
    for unit in newest:
        for entity_id in entities.get(unit.id, ()):
            groups.setdefault((entity_id, bytes(unit.tags_hash)), []).append(unit)
    pairs: list[tuple[UUID, UUID]] = []
    taken: set[UUID] = set()
    for group in groups.values():
        for kept, gone in compare(group):
            if not {kept.id, gone.id} & taken:
                taken |= {kept.id, gone.id}
                pairs.append((kept.id, gone.id))
    return pairs


def read_entities(bank: Bank, unit_ids: Sequence[UUID]) -> dict[UUID, list[UUID]]:
    found: dict[UUID, list[UUID]] = {}
    rows = Mention.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids).order_by("id")
    for unit_id, entity_id in rows.values_list("unit_id", "entity_id"):
        found.setdefault(unit_id, []).append(entity_id)
    return found


def compare(group: Sequence[MemoryUnit]) -> list[tuple[MemoryUnit, MemoryUnit]]:
    vectors = np.stack([np.asarray(unit.embedding, dtype=np.float32) for unit in group])
    cosines = vectors @ vectors.T
    return [
        (group[first], group[second])
        for first in range(len(group))
        for second in range(first + 1, len(group))
        if cosines[first, second] >= ALIKE and has_same_values(group[first].text, group[second].text)
    ]


def has_same_values(one: str, other: str) -> bool:
    """Another number, name or denial makes another statement of it, however near the vectors are, and so does another
    order: "Ana beat Bob" and "Bob beat Ana" have the same words.
    """
    first, second = read_words(one), read_words(other)
    return list_values(first) == list_values(second) and list_shared(first, second) == list_shared(second, first)


def read_words(text: str) -> list[str]:
    """Without those that hold the others together: they may be left out, or open a sentence in capitals."""
    words = (word.strip(STOPS).replace("\u2019", "'").removesuffix("'s") for word in text.split())
    return [word for word in words if word and word.casefold() not in HOLDING]


def list_values(words: Sequence[str]) -> list[str]:
    return [word for word in words if is_value(word)]


def is_value(word: str) -> bool:
    has_digit = any(letter.isdigit() for letter in word)
    return has_digit or word[:1].isupper() or word in VALUES or word.endswith("n't")


def list_shared(words: Sequence[str], others: Sequence[str]) -> list[str]:
    return [word for word in words if word in others]


def take_over(bank: Bank, kept: UUID, gone: UUID) -> None:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role=UnitSource.Role.SUMMARISES)
    has = set(sources.filter(unit_id=kept).values_list("other_unit_id", flat=True))
    missing = sources.filter(unit_id=gone, other_unit__isnull=False).exclude(other_unit_id__in=has)
    rows = [
        UnitSource(unit_id=kept, role=UnitSource.Role.SUMMARISES, other_unit_id=source_id)
        for source_id in missing.values_list("other_unit_id", flat=True)
    ]
    UnitSource.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def close(bank: Bank, pairs: Sequence[tuple[UUID, UUID]], *, actor: str, now: datetime) -> None:
    if not pairs:
        return
    rows = MemoryUnit.objects.of_bank(bank)
    for kept, gone in pairs:
        rows.filter(id=gone).update(
            expired_at=now,
            # No time shows both.
            valid_until=Greatest("valid_from", rows.filter(id=kept).values("valid_from")),
            close_reason=MemoryUnit.CloseReason.UPDATE,
            superseded_by_id=kept,
            updated_at=now,
        )
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_create(
        [
            UnitChange(unit_id=gone, action=UnitChange.Action.MERGED, after={"superseded_by": str(kept)}, actor=actor)
            for kept, gone in pairs
        ]
    )
    retire_texts(bank, Corpus.UNIT, [gone for _, gone in pairs])
