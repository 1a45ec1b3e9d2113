"""Mental models: questions that a bank keeps together with the latest answer of reflect.

A trigger says when a refresh runs and which memories it may see. A refresh asks reflect and stores the answer with its
sources. A content whose source is deleted or corrected is withdrawn.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from django.db.models import F
from pydantic import AfterValidator, TypeAdapter, ValidationError

from banks.enums import Network
from banks.models import Bank, Chunk, MemoryUnit, UnitSource
from reflection.models import MentalModel, MentalModelRevision, MentalModelSource
from reflection.opinions.tags import do_all_exist
from reflection.reflect.response_schema import SchemaInvalid, check_schema
from reflection.reflect.types import BOUNDS, ReflectQuery, ReflectResult
from reflection.refresh_schedule import find_next_moment, read_cron
from retrieval.analysis import clean_query
from retrieval.filters.types import AllOf, AnyOf, Filters, Not, TagCondition, TagMatch, Tags
from retrieval.types import BUDGETS, RecallQuery

USUAL_BUDGET = "mid"  # a text that is read many times is worth more than one call
USUAL_TOKENS = 4_096  # of the memories and of the answer; the usual bounds have room for both
NEVER_TRUE = (MemoryUnit.CloseReason.CORRECTION, MemoryUnit.CloseReason.SOURCE_REMOVED)

Mode = Literal["full", "delta"]
Cron = Annotated[str, AfterValidator(read_cron)]


@dataclass(frozen=True)
class Trigger:
    """The settings of a refresh. `mode` delta: the content stays if no memory in its scope is new.

    A model follows its facts (`refresh_after_consolidation`) or `refresh_cron`, not both. Every refresh that writes
    begins anew here, so `full_refresh_cron` is a second schedule.

    `tags_match` says how the model's tags select memories; None: a memory must have all of them. `tag_groups`, in the
    form of the API, replace the tags.
    """

    mode: Mode = "full"
    refresh_after_consolidation: bool = False
    refresh_cron: Cron | None = None
    full_refresh_cron: Cron | None = None
    min_refresh_interval_seconds: int | None = None
    budget: Literal["low", "mid", "high"] | None = None
    fact_types: tuple[Network, ...] | None = None
    tags_match: TagMatch | None = None
    tag_groups: tuple[dict[str, Any], ...] | None = None
    recall_max_tokens: int | None = None
    response_schema: dict[str, Any] | None = None


TRIGGER = TypeAdapter(Trigger)
DEFAULTS: Mapping[str, Any] = TRIGGER.dump_python(Trigger(), mode="json")
SCHEDULES = {"refresh_cron", "full_refresh_cron"}


def read_trigger(stored: Mapping[str, Any]) -> Trigger:
    return TRIGGER.validate_python(dict(stored))


def merge_trigger(stored: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """`given` changes only its own settings. A new schedule ends the following of facts, and the other way round."""
    merged = {**DEFAULTS, **stored, **given}
    if given.get("refresh_cron"):
        merged["refresh_after_consolidation"] = False
    elif given.get("refresh_after_consolidation"):
        merged["refresh_cron"] = None
    return merged


def find_next_refresh(trigger: Mapping[str, Any], after: datetime) -> datetime | None:
    """The first moment of the schedule after `after`; None without a schedule."""
    return find_next_moment((trigger.get("refresh_cron"), trigger.get("full_refresh_cron")), after)


def check_trigger(given: Any) -> None:
    """For an imported trigger, which older files have without a schedule. Raises ValueError if it is invalid."""
    if not isinstance(given, dict) or set(given) | SCHEDULES != set(DEFAULTS):
        raise ValueError("these are not the settings of a trigger")
    try:
        trigger = TRIGGER.validate_python(given)
        build_tag_condition(trigger, ())
        if trigger.response_schema is not None:
            check_schema(trigger.response_schema)
    except (ValidationError, SchemaInvalid, KeyError, TypeError) as fault:
        raise ValueError("a setting of the trigger is at fault") from fault


def build_tag_condition(trigger: Trigger, tags: tuple[str, ...]) -> TagCondition | None:
    """On the memories that a refresh may see. A model with tags sees only memories with those tags."""
    if trigger.tag_groups is not None:
        return AllOf(tuple(read_group(group) for group in trigger.tag_groups))
    return Tags(tags, trigger.tags_match or "all_strict") if tags else None


def read_group(group: Mapping[str, Any]) -> TagCondition:
    """Precondition: the API has validated the group."""
    match group:
        case {"and": children}:
            return AllOf(tuple(map(read_group, children)))
        case {"or": children}:
            return AnyOf(tuple(map(read_group, children)))
        case {"not": inner}:
            return Not(read_group(inner))
    return Tags(tuple(group["tags"]), group.get("match", "any_strict"))


def build_query(model: MentalModel, *, now: datetime) -> ReflectQuery:
    """The question of a mental model for reflect. It forms no opinions."""
    trigger = read_trigger(model.trigger)
    budget = trigger.budget or USUAL_BUDGET
    memory_tokens = USUAL_TOKENS if trigger.recall_max_tokens is None else trigger.recall_max_tokens
    recall = RecallQuery(
        text=clean_query(model.source_query),
        asked_at=now,
        max_tokens=memory_tokens,
        budget=BUDGETS[budget],
        filters=Filters(networks=trigger.fact_types or (), tags=build_tag_condition(trigger, tuple(model.tags))),
        fills=True,
    )
    usual = BOUNDS[budget]
    more = max(0, memory_tokens - USUAL_TOKENS) + max(0, model.max_tokens - USUAL_TOKENS)
    return ReflectQuery(
        recall=recall,
        bounds=replace(usual, tokens=usual.tokens + usual.calls * more),
        looks_wider=budget != "low",
        answer_tokens=model.max_tokens,
        response_schema=trigger.response_schema,
        forms_opinions=False,
        uses_mental_models=False,
    )


def store_content(
    bank: Bank, model: MentalModel, result: ReflectResult, *, seen_until: datetime | None, now: datetime
) -> bool:
    """Returns whether the content changed.

    Call inside a tenant transaction that locked the model, after `lock_memory`.
    """
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
    """Models may write null characters, which Postgres refuses in texts."""
    if isinstance(value, dict):
        return {drop_nulls(name): drop_nulls(one) for name, one in value.items()}
    if isinstance(value, list):
        return [drop_nulls(one) for one in value]
    return value.replace("\x00", "") if isinstance(value, str) else value


def has_lost_sources(bank: Bank) -> bool:
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


def has_all_recalled(bank: Bank, result: ReflectResult) -> bool:
    """All recalled memories still exist. Call inside a tenant transaction, after `lock_memory`."""
    look_ups = (look_up for look_up in result.trace.look_ups if look_up.kind != "source")
    return do_all_exist(bank, {found: None for look_up in look_ups for found in look_up.found})


def build_sources(bank: Bank, revision: MentalModelRevision, result: ReflectResult) -> Iterator[MentalModelSource]:
    """All memories that were looked up, cited or not: a model may have taken its words from any of them.

    The sources of observations and opinions among them are included, because those repeat the words of their sources.
    """
    cited = {memory.id for memory in result.cited}
    found = {found for look_up in result.trace.look_ups for found in look_up.found}
    units = set(MemoryUnit.objects.of_bank(bank).filter(id__in=found).values_list("id", flat=True))
    chunks = Chunk.objects.of_bank(bank).filter(id__in=found).order_by("id")
    for unit_id in sorted(units | find_source_units(bank, units)):
        yield MentalModelSource(bank=bank, revision=revision, unit_id=unit_id, is_cited=unit_id in cited)
    for chunk_id in chunks.values_list("id", flat=True):
        yield MentalModelSource(bank=bank, revision=revision, chunk_id=chunk_id, is_cited=chunk_id in cited)


def find_source_units(bank: Bank, unit_ids: Collection[UUID]) -> set[UUID]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, other_unit__isnull=False)
    return {one for one in rows.values_list("other_unit_id", flat=True) if one is not None}


def mark_sources_lost(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Contents made from these units lose their sources: the units have another text or other tags now.

    Call inside a tenant transaction, before `withdraw_lost_contents`.
    """
    MentalModelSource.objects.of_bank(bank).filter(unit_id__in=unit_ids).update(unit=None)


def mark_corrected_sources_lost(bank: Bank, closed_ids: Collection[UUID]) -> None:
    """The closed units that were corrected, or whose source was removed, must not be shown any more.

    Call as `mark_sources_lost`.
    """
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=closed_ids, close_reason__in=NEVER_TRUE)
    if unit_ids := list(units.values_list("id", flat=True)):
        mark_sources_lost(bank, unit_ids)


def find_outdated(bank: Bank, model_ids: Collection[UUID]) -> set[UUID]:
    """The models whose content rests on a unit that expired after the refresh."""
    sources = MentalModelSource.objects.of_bank(bank).filter(
        revision__mental_model_id__in=model_ids, revision__number=F("revision__mental_model__revision")
    )
    ended = sources.filter(unit__expired_at__gt=F("revision__mental_model__refreshed_at"))
    return set(ended.values_list("revision__mental_model_id", flat=True))


def withdraw_lost_contents(bank: Bank) -> list[MentalModel]:
    """Empties the contents with lost sources. Returns the models whose current content is among them.

    Call inside the tenant transaction of a deletion, after it. Makes one query if no source is lost.
    """
    lost = set(MentalModelSource.objects.of_bank(bank).lost().values_list("revision_id", flat=True))
    if not lost:
        return []
    revisions = MentalModelRevision.objects.for_tenant(bank.tenant_id).filter(bank=bank, id__in=lost)
    revisions.update(content="", structured=None, withdrawn=True)
    MentalModelSource.objects.of_bank(bank).filter(revision_id__in=lost).delete()
    last = dict(revisions.values_list("mental_model_id", "number").order_by("number"))
    models = MentalModel.objects.of_bank(bank).filter(id__in=last).select_for_update(no_key=True)
    emptied = [model for model in models.order_by("id") if model.revision == last[model.id]]
    for model in emptied:
        model.content, model.seen_until = "", None
        model.save()
    return emptied
