"""Making, changing and deleting banks."""

from dataclasses import dataclass, fields
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from banks.errors import BankExists, BankNotFound
from banks.models import Bank
from banks.models.bank import BankQuerySet
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import DELETE_BANK
from memoryplatform.operations.running.submit import submit
from memoryplatform.operations.versions import check_version, write_version
from providers.registry import get_embedder
from reflection.background.revisions import BackgroundChange, note_background
from tenants.audit import record
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class BankChange:
    """The fields that a caller gave; None leaves one as it is, `cleared` names those that become the deployment's."""

    name: str | None = None
    background: str | None = None
    learns_background: bool | None = None
    skepticism: int | None = None
    literalism: int | None = None
    empathy: int | None = None
    bias_strength: float | None = None
    opinion_step: float | None = None
    opinion_reach: float | None = None
    extraction_mode: str | None = None
    cleared: frozenset[str] = frozenset()

    def given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.names()}
        return {name: value for name, value in values.items() if value is not None} | dict.fromkeys(self.cleared)

    @classmethod
    def names(cls) -> list[str]:
        return [one.name for one in fields(cls) if one.name != "cleared"]


def check_bank_id(bank_id: str) -> None:
    """An id that no bank can have is one that is not there: Postgres has no text with a null byte."""
    if "\x00" in bank_id:
        raise BankNotFound(bank_id.replace("\x00", "?"))


def get_bank(access: BankAccess, bank_id: str, *, lock: bool = False) -> Bank:
    """Fetch inside a tenant transaction. Not there, not yours and out of the key's reach are the same."""
    check_bank_id(bank_id)
    rows = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    bank = (rows.select_for_update(no_key=True) if lock else rows).filter(bank_id=bank_id).first()
    if bank is None:
        raise BankNotFound(bank_id)
    return bank


def find_banks(access: BankAccess, *, words: str = "") -> BankQuerySet:
    """Those that the key reaches and whose id or name has the words."""
    banks: BankQuerySet = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    return banks.filter(Q(bank_id__icontains=words) | Q(name__icontains=words)) if words else banks


def create_bank(access: BankAccess, bank_id: str | None, change: BankChange) -> Bank:
    bank_id = bank_id or f"bank-{uuid7().hex}"
    check_bank_id(bank_id)
    embedding_model = get_embedder().model_id
    with tenant_transaction(access.tenant_id):
        try:
            with transaction.atomic():
                bank = Bank.objects.for_tenant(access.tenant_id).create(
                    bank_id=bank_id, embedding_model=embedding_model, **({"name": bank_id} | change.given())
                )
        except IntegrityError:
            raise BankExists(bank_id) from None
        note_background(bank, "", BackgroundChange(bank.background, name_of(access)))
        record(access.tenant_id, actor=access.actor, action="bank.created", target=f"bank:{bank_id}")
    return bank


def read_version(bank: Bank) -> str:
    return write_version({name: getattr(bank, name) for name in BankChange.names()})


def change_bank(
    access: BankAccess, bank_id: str, change: BankChange, *, expected: frozenset[str] | None = None
) -> Bank:
    """`expected` are the versions that the caller takes it for, or None where he does not care."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id, lock=True)
        check_version(read_version(bank), expected)
        given = change.given()
        before = bank.background
        for name, value in given.items():
            setattr(bank, name, value)
        bank.save()
        note_background(bank, before, BackgroundChange(bank.background, name_of(access)))
        record(
            access.tenant_id,
            actor=access.actor,
            action="bank.changed",
            target=f"bank:{bank_id}",
            detail={"fields": sorted(given)},
        )
    return bank


def delete_bank_for_good(access: BankAccess, bank_id: str, *, expected: frozenset[str] | None = None) -> Operation:
    """Hide the bank at once, so that its id is free again, and have a worker remove its rows."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id, lock=True)
        check_version(read_version(bank), expected)
        bank.deleted_at = timezone.now()
        bank.save(update_fields=["deleted_at"])
        record(access.tenant_id, actor=access.actor, action="bank.deleted", target=f"bank:{bank_id}")
        payload = {"bank_pk": str(bank.id), "bank_id": bank_id}
        return submit(access.tenant_id, DELETE_BANK, payload=payload, bank=bank)
