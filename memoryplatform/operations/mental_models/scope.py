"""Which memories a mental model is about, and whether it has seen them all."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Max

from banks.models import Bank, MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from reflection.mental_models.storing import find_outdated
from reflection.mental_models.trigger import read_trigger
from reflection.models import MentalModel
from retrieval.filters.types import TagMatch

# A memory without tags is no news for a model that has some, also where a refresh reads it.
STRICT: dict[str, TagMatch] = {"any": "any_strict", "all": "all_strict"}


def find_scope(bank: Bank, model: MentalModel) -> UnitQuerySet:
    """All memories are for a model without tags, which reads all of them, and where the trigger has groups of tags: a
    refresh too many is better than one too few.
    """
    trigger = read_trigger(model.trigger)
    match = trigger.tags_match or "all_strict"
    wanted = MemoryFilter(tags=tuple(model.tags), tags_match=STRICT.get(match, match))
    units = find_units(bank, wanted if model.tags and trigger.tag_groups is None else MemoryFilter())
    return units.filter(network__in=trigger.fact_types) if trigger.fact_types else units


def find_newest(bank: Bank, model: MentalModel) -> datetime | None:
    """When the newest memory in its scope was recorded. Call inside a tenant transaction, as all below."""
    newest: datetime | None = find_scope(bank, model).aggregate(newest=Max("recorded_at"))["newest"]
    return newest


def is_stale(bank: Bank, model: MentalModel) -> bool:
    return bool(find_stale(bank, [model]))


def find_stale(bank: Bank, models: Sequence[MentalModel]) -> set[UUID]:
    """Those with memories in their scope that they have not seen, and those that were made from one that is over
    since. That a memory was deleted makes none stale.
    """
    if not models:
        return set()
    outdated = find_outdated(bank, [one.id for one in models if one.content])
    newest = MemoryUnit.objects.of_bank(bank).aggregate(newest=Max("recorded_at"))["newest"]
    behind = [one for one in models if newest is not None and (one.seen_until is None or one.seen_until < newest)]
    return outdated | {one.id for one in behind if one.id not in outdated and has_unseen(bank, one)}


def has_unseen(bank: Bank, model: MentalModel) -> bool:
    units = find_scope(bank, model)
    return (units if model.seen_until is None else units.filter(recorded_at__gt=model.seen_until)).exists()


def concerns(bank: Bank, model: MentalModel, unit_ids: Collection[UUID]) -> bool:
    return find_scope(bank, model).filter(id__in=unit_ids).exists()
