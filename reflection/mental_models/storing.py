"""Writing what a refresh brought, and forgetting what rested on deleted memories."""

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import F

from banks.models import Bank, Chunk, MemoryUnit, UnitSource
from reflection.models import MentalModel, MentalModelRevision, MentalModelSource
from reflection.reflect.types import ReflectResult

NEVER_SO = (MemoryUnit.CloseReason.CORRECTION, MemoryUnit.CloseReason.SOURCE_REMOVED)


def store_content(
    bank: Bank, model: MentalModel, result: ReflectResult, *, seen_until: datetime | None, now: datetime
) -> bool:
    """Whether the content changed. Call inside a tenant transaction that locked the model, after `lock_memory`."""
    text, structured = drop_nulls(result.text), drop_nulls(result.structured.value)
    changed = bool(text != model.content)
    if changed:
        revision = add_revision(model, content=text, engine=result.model, structured=structured)
    else:
        revision = MentalModelRevision.objects.of_model(model).get(number=model.revision)
        MentalModelSource.objects.for_tenant(model.tenant_id).filter(revision=revision).delete()
    MentalModelSource.objects.for_tenant(model.tenant_id).bulk_create(list(build_sources(bank, revision, result)))
    model.seen_until, model.refreshed_at, model.failed_at = seen_until, now, None
    model.save()
    return changed


def drop_nulls(value: Any) -> Any:
    """Models may write null characters; Postgres has no text with them."""
    if isinstance(value, dict):
        return {drop_nulls(name): drop_nulls(one) for name, one in value.items()}
    if isinstance(value, list):
        return [drop_nulls(one) for one in value]
    return value.replace("\x00", "") if isinstance(value, str) else value


def has_lost(bank: Bank) -> bool:
    """Call inside a tenant transaction."""
    return MentalModelSource.objects.of_bank(bank).lost().exists()


def add_revision(
    model: MentalModel, *, content: str, engine: str = "", structured: object = None
) -> MentalModelRevision:
    """The caller saves the model."""
    model.content, model.revision = content, model.revision + 1
    return MentalModelRevision.objects.for_tenant(model.tenant_id).create(
        bank_id=model.bank_id,
        mental_model=model,
        number=model.revision,
        source_query=model.source_query,
        content=content,
        structured=structured,
        engine=engine,
    )


def has_all(bank: Bank, result: ReflectResult) -> bool:
    """Whether all that was recalled is still there. Call inside a tenant transaction, after `lock_memory`."""
    recalled = {found for look_up in result.trace.look_ups if look_up.kind != "source" for found in look_up.found}
    units, chunks = find_looked_at(bank, recalled)
    return recalled == units | chunks


def find_looked_at(bank: Bank, ids: Collection[UUID]) -> tuple[set[UUID], set[UUID]]:
    """The memories and the raw passages among them."""
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids)
    chunks = Chunk.objects.of_bank(bank).filter(id__in=ids)
    return set(units.values_list("id", flat=True)), set(chunks.values_list("id", flat=True))


def build_sources(bank: Bank, revision: MentalModelRevision, result: ReflectResult) -> Iterator[MentalModelSource]:
    """All that was looked at, cited or not: a model may have taken its words from any of it.

    With what summaries and beliefs among it rest on: their words are those of their sources.
    """
    cited = {memory.id for memory in result.cited}
    units, chunks = find_looked_at(bank, {found for look_up in result.trace.look_ups for found in look_up.found})
    for unit_id in sorted(units | find_grounds(bank, units)):
        yield MentalModelSource(bank=bank, revision=revision, unit_id=unit_id, is_cited=unit_id in cited)
    for chunk_id in sorted(chunks):
        yield MentalModelSource(bank=bank, revision=revision, chunk_id=chunk_id, is_cited=chunk_id in cited)


def find_grounds(bank: Bank, unit_ids: Collection[UUID]) -> set[UUID]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, other_unit__isnull=False)
    return {one for one in rows.values_list("other_unit_id", flat=True) if one is not None}


def lose(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """What was made from these counts as lost, though they are there: they tell something else by now, or are not for
    the same eyes. Call inside a tenant transaction, before `withdraw_lost`.
    """
    MentalModelSource.objects.of_bank(bank).filter(unit_id__in=unit_ids).update(unit=None)


def lose_corrected(bank: Bank, closed_ids: Collection[UUID]) -> None:
    """Of memories that were closed those that were never so, or whose source went: nobody may be told them any more.

    Call as `lose`.
    """
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=closed_ids, close_reason__in=NEVER_SO)
    if unit_ids := list(units.values_list("id", flat=True)):
        lose(bank, unit_ids)


def find_outdated(bank: Bank, model_ids: Collection[UUID]) -> set[UUID]:
    """The models among them whose content was made from a memory that was closed since. Call inside a tenant
    transaction.
    """
    sources = MentalModelSource.objects.of_bank(bank).filter(
        revision__mental_model_id__in=model_ids, revision__number=F("revision__mental_model__revision")
    )
    ended = sources.filter(unit__expired_at__gt=F("revision__mental_model__refreshed_at"))
    return set(ended.values_list("revision__mental_model_id", flat=True))


def withdraw_lost(bank: Bank) -> list[MentalModel]:
    """Empty the contents that were made from memories which are gone; those that stood last want to be made anew.

    Call inside the tenant transaction of a deletion, after it. One query if there is none.
    """
    lost = set(MentalModelSource.objects.of_bank(bank).lost().values_list("revision_id", flat=True))
    if not lost:
        return []
    revisions = MentalModelRevision.objects.for_tenant(bank.tenant_id).filter(bank=bank, id__in=lost)
    revisions.update(content="", structured=None, withdrawn=True)
    MentalModelSource.objects.of_bank(bank).filter(revision_id__in=lost).delete()
    last = dict(revisions.values_list("mental_model_id", "number").order_by("number"))
    models = MentalModel.objects.of_bank(bank).filter(id__in=last).select_for_update(no_key=True)
    bereft = [model for model in models.order_by("id") if model.revision == last[model.id]]
    for model in bereft:
        model.content, model.seen_until = "", None
        model.save()
    return bereft
