"""What a caller does with the mental models of a bank."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db import IntegrityError, transaction

from banks.models import Bank, Chunk, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.mental_models.refreshes import ask_for_content
from memoryplatform.operations.mental_models.scope import find_stale
from memoryplatform.operations.models import Operation
from memoryplatform.operations.versions import check_version, write_version
from reflection.errors import MentalModelExists, MentalModelNotFound
from reflection.mental_models.storing import add_revision
from reflection.mental_models.trigger import DEFAULTS
from reflection.models import MentalModel, MentalModelRevision, MentalModelSource
from tenants.audit import record
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction

EDITABLE = ("name", "source_query", "tags", "max_tokens", "trigger")
OF_THE_QUESTION = ("source_query", "tags", "trigger")


@dataclass(frozen=True)
class MentalModelChange:
    """The fields that a caller gave; None leaves a field as it is. Of `trigger` the given settings change."""

    name: str | None = None
    source_query: str | None = None
    tags: list[str] | None = None
    max_tokens: int | None = None
    trigger: dict[str, Any] | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class ShownModel:
    """`is_stale`: memories in its scope came that its content has not seen, or one that it was made from is over."""

    model: MentalModel
    is_stale: bool


@dataclass(frozen=True)
class Basis:
    """A memory or raw passage that the content cites. `network` is empty for a passage."""

    id: str
    text: str
    network: str


def create_model(
    access: BankAccess, bank_id: str, key: str | None, change: MentalModelChange
) -> tuple[ShownModel, Operation]:
    """With the operation that writes its first content."""
    key = key or f"mm-{uuid7().hex}"
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        fields = change.given() | {"trigger": {**DEFAULTS, **(change.trigger or {})}}
        try:
            with transaction.atomic():
                model = MentalModel.objects.for_tenant(access.tenant_id).create(bank=bank, key=key, **fields)
        except IntegrityError:
            raise MentalModelExists(key) from None
        note(access, bank_id, "mental_model.created", model)
        return show_models(bank, [model])[0], ask_for_content(bank, model)


def change_model(
    access: BankAccess, bank_id: str, key: str, change: MentalModelChange, *, expected: frozenset[str] | None = None
) -> ShownModel:
    """The content stays until the next refresh. `expected` are the versions that the caller takes it for."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        model = get_model(bank, key, lock=True)
        check_version(read_version(model), expected)
        before = [getattr(model, name) for name in OF_THE_QUESTION]
        for name, value in change.given().items():
            setattr(model, name, {**model.trigger, **value} if name == "trigger" else value)
        if [getattr(model, name) for name in OF_THE_QUESTION] != before:
            model.seen_until = None
        model.save()
        note(access, bank_id, "mental_model.changed", model)
        return show_models(bank, [model])[0]


def delete_model(access: BankAccess, bank_id: str, key: str, *, expected: frozenset[str] | None = None) -> None:
    """With its history: the foreign keys cascade."""
    with tenant_transaction(access.tenant_id):
        model = get_model(get_bank(access, bank_id), key, lock=True)
        check_version(read_version(model), expected)
        note(access, bank_id, "mental_model.deleted", model)
        model.delete()


def refresh_model(access: BankAccess, bank_id: str, key: str, *, mode: str = "") -> Operation:
    """At once, whatever its trigger says of the time between two refreshes."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        model = get_model(bank, key)
        note(access, bank_id, "mental_model.refreshed", model)
        return ask_for_content(bank, model, mode=mode)


def clear_model(access: BankAccess, bank_id: str, key: str) -> ShownModel:
    """Its content goes; the earlier ones stay in its history."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        model = get_model(bank, key, lock=True)
        if model.content:
            add_revision(model, content="")
        model.seen_until = None
        model.save()
        note(access, bank_id, "mental_model.cleared", model)
        return show_models(bank, [model])[0]


def get_model(bank: Bank, key: str, *, lock: bool = False) -> MentalModel:
    """Call inside a tenant transaction, as all below."""
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
    return [ShownModel(model, model.id in stale) for model in models]


def find_last_revision(model: MentalModel) -> MentalModelRevision | None:
    return MentalModelRevision.objects.of_model(model).filter(number=model.revision).first()


def read_basis(revision: MentalModelRevision) -> list[Basis]:
    cited = MentalModelSource.objects.for_tenant(revision.tenant_id).filter(revision=revision, is_cited=True)
    units = MemoryUnit.objects.for_tenant(revision.tenant_id).filter(id__in=cited.values("unit_id"))
    chunks = Chunk.objects.for_tenant(revision.tenant_id).filter(id__in=cited.values("chunk_id"))
    told = [Basis(str(row.id), row.text, row.network) for row in units.order_by("id").only("text", "network")]
    return told + [Basis(str(row.id), row.text, "") for row in chunks.order_by("id").only("text")]


def read_version(model: MentalModel) -> str:
    return write_version({name: getattr(model, name) for name in EDITABLE})


def note(access: BankAccess, bank_id: str, action: str, model: MentalModel) -> None:
    detail = {"bank_id": bank_id, "mental_model_id": model.key}
    record(access.tenant_id, actor=access.actor, action=action, target=f"mental_model:{model.id}", detail=detail)
