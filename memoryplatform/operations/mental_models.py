"""Use-cases of mental models: create, change, delete, refresh, clear and show, and when a content is written again."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max, Min
from django.utils import timezone

from banks.models import Bank, Chunk, MemoryUnit
from banks.models.unit import UnitQuerySet
from memoryplatform.operations.access import BankAccess, check_version, write_version
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import screen_fields
from memoryplatform.operations.running.kind_names import (
    REFRESH_MENTAL_MODEL,
    REFRESH_OBSERVATIONS,
    SCHEDULED_REFRESHES,
)
from memoryplatform.operations.running.submit import submit, submit_for_later, submit_once_for_later
from reflection.errors import MentalModelExists, MentalModelNotFound
from reflection.mental_models import (
    add_revision,
    find_next_refresh,
    find_outdated,
    mark_corrected_sources_lost,
    merge_trigger,
    read_trigger,
    withdraw_lost_contents,
)
from reflection.models import KnowledgeNode, MentalModel, MentalModelRevision, MentalModelSource, ObservedEntity
from retrieval.filters.types import TagMatch
from tenants.identifiers import uuid7

AFTER_OBSERVATIONS = "after_observations"
UNDERWAY = ("pending", "processing")
# A memory without tags makes no model with tags stale, even if a refresh would read it.
STRICT: dict[str, TagMatch] = {"any": "any_strict", "all": "all_strict"}


def find_scope(bank: Bank, model: MentalModel) -> UnitQuerySet:
    """The memories that a model is about.

    All memories if the model has no tags, or if its trigger has groups of tags: a needless refresh is better than a
    missing one.
    """
    trigger = read_trigger(model.trigger)
    match = trigger.tags_match or "all_strict"
    wanted = MemoryFilter(tags=tuple(model.tags), tags_match=STRICT.get(match, match))
    units = find_units(bank, wanted if model.tags and trigger.tag_groups is None else MemoryFilter())
    return units.filter(network__in=trigger.fact_types) if trigger.fact_types else units


def find_newest(bank: Bank, model: MentalModel) -> datetime | None:
    """The `recorded_at` of the newest memory in the scope."""
    newest: datetime | None = find_scope(bank, model).aggregate(newest=Max("recorded_at"))["newest"]
    return newest


def is_stale(bank: Bank, model: MentalModel) -> bool:
    return bool(find_stale(bank, [model]))


def find_stale(bank: Bank, models: Sequence[MentalModel]) -> set[UUID]:
    """The models that have unseen memories in their scope, or whose content rests on a memory that expired.

    A deletion makes no model stale: it withdraws the content.
    """
    if not models:
        return set()
    outdated = find_outdated(bank, [one.id for one in models if one.content])
    newest = MemoryUnit.objects.of_bank(bank).aggregate(newest=Max("recorded_at"))["newest"]
    behind = [one for one in models if newest is not None and (one.seen_until is None or one.seen_until < newest)]
    return outdated | {one.id for one in behind if one.id not in outdated and has_unseen_memories(bank, one)}


def has_unseen_memories(bank: Bank, model: MentalModel) -> bool:
    units = find_scope(bank, model)
    return (units if model.seen_until is None else units.filter(recorded_at__gt=model.seen_until)).exists()


def ask_for_content(bank: Bank, model: MentalModel, *, mode: str = "") -> Operation:
    """Refreshes at once."""
    return submit(
        bank.tenant_id, REFRESH_MENTAL_MODEL, payload={"mental_model_id": str(model.id), "mode": mode}, bank=bank
    )


def ask_for_later_content(bank: Bank, model: MentalModel, *, not_before: datetime | None = None) -> None:
    """Refreshes after the stale observations, which an answer would repeat. A waiting refresh is enough."""
    if is_waiting(bank, model):
        return
    moments = [one for one in (find_last_due_observation(bank), not_before, timezone.now()) if one is not None]
    payload = {"mental_model_id": str(model.id), AFTER_OBSERVATIONS: True}
    submit_for_later(bank, REFRESH_MENTAL_MODEL, payload=payload, due_at=max(moments))


def follow_facts(bank: Bank, unit_ids: Collection[UUID] = ()) -> int:
    """Schedules a refresh for each stale model that follows its facts. Returns their number."""
    following = list(MentalModel.objects.of_bank(bank).following_facts().order_by("id"))
    behind = [one for one in following if find_scope(bank, one).filter(id__in=unit_ids).exists() or is_stale(bank, one)]
    for model in behind:
        ask_for_later_content(bank, model, not_before=find_earliest(model))
    return len(behind)


def refresh_lost_models(bank: Bank) -> None:
    """Withdraws the contents made from deleted memories, and schedules their refreshes.

    Call inside the transaction of the deletion, after its observations are marked stale.
    """
    for model in withdraw_lost_contents(bank):
        ask_for_later_content(bank, model)


def follow_closed_units(bank: Bank, closed_ids: Collection[UUID]) -> None:
    """Withdraws contents that rest on corrected units, and schedules refreshes for those that rest on expired ones.

    Call inside the transaction that closed the units, after their observations are marked stale.
    """
    mark_corrected_sources_lost(bank, closed_ids)
    refresh_lost_models(bank)
    follow_facts(bank)


def is_waiting(bank: Bank, model: MentalModel) -> bool:
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(
        kind=REFRESH_MENTAL_MODEL, bank=bank, status="pending"
    )
    return waiting.filter(payload__mental_model_id=str(model.id)).exists()


def find_last_due_observation(bank: Bank) -> datetime | None:
    """The latest due time of the stale observations, without those that an observer refused."""
    stale = ObservedEntity.objects.of_bank(bank).stale().filter(refused_since=None)
    last: datetime | None = stale.aggregate(last=Max("due_at"))["last"]
    return last


def is_observing(bank: Bank) -> bool:
    """Observations are due, and an operation is about to refresh them."""
    due = ObservedEntity.objects.of_bank(bank).stale().filter(due_at__lte=timezone.now())
    underway = Operation.objects.for_tenant(bank.tenant_id).filter(
        bank=bank, kind=REFRESH_OBSERVATIONS, status__in=UNDERWAY
    )
    return due.exists() and underway.exists()


def find_earliest(model: MentalModel) -> datetime | None:
    least = read_trigger(model.trigger).min_refresh_interval_seconds
    return model.refreshed_at + timedelta(seconds=least) if least and model.refreshed_at else None


def set_next_refresh(bank: Bank, model: MentalModel) -> None:
    """Saves the next moment of the model's schedule, and submits the operation that keeps it.

    Call inside a tenant transaction that holds the model.
    """
    model.next_refresh_at = find_next_refresh(model.trigger, timezone.now())
    model.save(update_fields=["next_refresh_at"])
    submit_scheduled_refreshes(bank)


def submit_scheduled_refreshes(bank: Bank) -> None:
    """One pending operation keeps the schedules of a bank: it is due at the earliest moment of all its models."""
    earliest = MentalModel.objects.of_bank(bank).scheduled().aggregate(at=Min("next_refresh_at"))["at"]
    if earliest is not None:
        submit_once_for_later(bank, SCHEDULED_REFRESHES, due_at=earliest)


def keep_schedules(bank: Bank) -> dict[str, int]:
    """Asks for the refreshes that are due, and moves their models on to the next moment.

    A model whose content is not stale is left out, and so is one whose last refresh failed. Call inside the transaction
    of the operation: the rows are locked, so of two operations at once the second one finds nothing due.
    """
    now = timezone.now()
    rows = MentalModel.objects.of_bank(bank).scheduled().filter(next_refresh_at__lte=now)
    due = list(rows.order_by("id").select_for_update(no_key=True))
    stale = find_stale(bank, [model for model in due if model.failed_at is None])
    for model in due:
        if model.id in stale:
            ask_for_later_content(bank, model, not_before=find_earliest(model))
        model.next_refresh_at = find_next_refresh(model.trigger, now)
        model.save(update_fields=["next_refresh_at"])
    submit_scheduled_refreshes(bank)
    return {"due": len(due), "refreshed": len(stale)}


def renew_schedules(bank: Bank) -> None:
    """After an import: a file has the schedules without their next moments. Call inside a tenant transaction."""
    for model in MentalModel.objects.of_bank(bank).order_by("id").select_for_update(no_key=True):
        set_next_refresh(bank, model)


EDITABLE = ("name", "source_query", "tags", "max_tokens", "trigger")
OF_THE_QUESTION = ("source_query", "tags", "trigger")


@dataclass(frozen=True)
class MentalModelChange:
    """The fields to change; None keeps a field. `trigger` changes only the given settings."""

    name: str | None = None
    source_query: str | None = None
    tags: list[str] | None = None
    max_tokens: int | None = None
    trigger: dict[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class ShownModel:
    """`is_stale`: the content has not seen a memory in its scope, or rests on a memory that expired.

    `is_page`: it has a place in the tree of knowledge pages.
    """

    model: MentalModel
    is_stale: bool
    is_page: bool


@dataclass(frozen=True)
class Basis:
    """A unit or chunk that the content cites. `network` is empty for a chunk."""

    id: str
    text: str
    network: str


def create_model(
    access: BankAccess, bank_id: str, key: str | None, change: MentalModelChange
) -> tuple[ShownModel, Operation]:
    """Returns the model and the operation that writes its first content."""
    key = key or f"mm-{uuid7().hex}"
    with bank_transaction(access, bank_id) as bank:
        given = screen_fields(bank, change.given(), are_settings=True)
        fields = given | {"trigger": merge_trigger({}, given.get("trigger", {}))}
        try:
            with transaction.atomic():
                model = MentalModel.objects.for_tenant(access.tenant_id).create(bank=bank, key=key, **fields)
        except IntegrityError:
            raise MentalModelExists(key) from None
        set_next_refresh(bank, model)
        note(access, bank_id, "mental_model.created", model)
        return show_models(bank, [model])[0], ask_for_content(bank, model)


def change_model(
    access: BankAccess, bank_id: str, key: str, change: MentalModelChange, *, expected: frozenset[str] | None = None
) -> ShownModel:
    """The content stays until the next refresh. `expected` are the versions that the caller accepts (If-Match)."""
    with bank_transaction(access, bank_id) as bank:
        model = get_model(bank, key, lock=True)
        check_version(read_version(model), expected)
        before = [getattr(model, name) for name in OF_THE_QUESTION]
        for name, value in screen_fields(bank, change.given(), are_settings=True).items():
            setattr(model, name, merge_trigger(model.trigger, value) if name == "trigger" else value)
        if [getattr(model, name) for name in OF_THE_QUESTION] != before:
            model.seen_until = None
        model.save()
        if "trigger" in change.given():
            set_next_refresh(bank, model)
        note(access, bank_id, "mental_model.changed", model)
        return show_models(bank, [model])[0]


def delete_model(access: BankAccess, bank_id: str, key: str, *, expected: frozenset[str] | None = None) -> None:
    """With its history: the foreign keys cascade."""
    with bank_transaction(access, bank_id) as bank:
        model = get_model(bank, key, lock=True)
        check_version(read_version(model), expected)
        note(access, bank_id, "mental_model.deleted", model)
        model.delete()


def refresh_model(access: BankAccess, bank_id: str, key: str, *, mode: str = "") -> Operation:
    """Refreshes at once, whatever the least interval of its trigger."""
    with bank_transaction(access, bank_id) as bank:
        model = get_model(bank, key)
        note(access, bank_id, "mental_model.refreshed", model)
        return ask_for_content(bank, model, mode=mode)


def clear_model(access: BankAccess, bank_id: str, key: str) -> ShownModel:
    """Empties the content. Earlier contents stay in the history."""
    with bank_transaction(access, bank_id) as bank:
        model = get_model(bank, key, lock=True)
        if model.content:
            add_revision(model, content="")
        model.seen_until = None
        model.save()
        note(access, bank_id, "mental_model.cleared", model)
        return show_models(bank, [model])[0]


def get_model(bank: Bank, key: str, *, lock: bool = False) -> MentalModel:
    rows = MentalModel.objects.of_bank(bank)
    found = (
        (rows.select_for_update(no_key=True) if lock else rows).filter(key=key) if "\x00" not in key else rows.none()
    )
    model = found.first()
    if model is None:
        raise MentalModelNotFound(key.replace("\x00", "?"))
    return model


def show_models(bank: Bank, models: Sequence[MentalModel]) -> list[ShownModel]:
    stale = find_stale(bank, models)
    pages = KnowledgeNode.objects.of_bank(bank).filter(mental_model__in=models)
    page_ids = set(pages.values_list("mental_model_id", flat=True))
    return [ShownModel(model, model.id in stale, model.id in page_ids) for model in models]


def find_last_revision(model: MentalModel) -> MentalModelRevision | None:
    return MentalModelRevision.objects.of_model(model).filter(number=model.revision).first()


def read_basis(revision: MentalModelRevision) -> list[Basis]:
    cited = MentalModelSource.objects.for_tenant(revision.tenant_id).filter(revision=revision, is_cited=True)
    units = MemoryUnit.objects.for_tenant(revision.tenant_id).filter(id__in=cited.values("unit_id"))
    chunks = Chunk.objects.for_tenant(revision.tenant_id).filter(id__in=cited.values("chunk_id"))
    cited_units = units.order_by("id").only("speaker", "text", "network")
    basis = [Basis(str(row.id), row.rendered_text, row.network) for row in cited_units]
    return basis + [Basis(str(row.id), row.text, "") for row in chunks.order_by("id").only("text")]


def read_version(model: MentalModel) -> str:
    return write_version({name: getattr(model, name) for name in EDITABLE})


def note(access: BankAccess, bank_id: str, action: str, model: MentalModel) -> None:
    detail = {"bank_id": bank_id, "mental_model_id": model.key}
    access.record(action, f"mental_model:{model.id}", detail)
