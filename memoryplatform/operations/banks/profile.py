"""Banks: create, find, change, delete."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from banks.errors import BankExists, BankIdInvalid, BankNotFound, LegalHold
from banks.models import Bank, BankAlias
from banks.models.bank import BankQuerySet
from memoryplatform.operations.access import BankAccess, check_version, name_of, write_version
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import screen_fields
from memoryplatform.operations.running.kind_names import DELETE_BANK, NIGHTLY_MAINTENANCE
from memoryplatform.operations.running.submit import cancel_waiting, submit
from protection.modes import write_off
from providers.registry import get_embedder
from reflection.background import BackgroundChange, note_background
from tenants.bank_ids import WORDS, is_new_bank_id
from tenants.identifiers import uuid7
from tenants.models import Quota
from tenants.quotas import warn_of_quotas
from tenants.transactions import tenant_transaction

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class BankChange:
    """The fields that a caller gave. None leaves a field as it is; `cleared` ones get the deployment's value."""

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
    retain_mission: str | None = None
    leave_out: str | None = None
    retain_language: str | None = None
    entity_types: list[dict[str, str]] | None = None
    entity_types_closed: bool | None = None
    categories: list[dict[str, str]] | None = None
    protection: dict[str, Any] | None = None  # the given parts; the others stay
    hindsight_settings: dict[str, Any] | None = None  # the given ones; None as a value removes one
    cleared: frozenset[str] = frozenset()

    def given(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in self.names()}
        return {name: value for name, value in values.items() if value is not None} | dict.fromkeys(self.cleared)

    @classmethod
    def names(cls) -> list[str]:
        return [one.name for one in fields(cls) if one.name != "cleared"]


def check_bank_id(bank_id: str) -> None:
    """Postgres stores neither null bytes nor lone surrogates, so no bank has such an id."""
    storable = UNSTORABLE.sub("?", bank_id)
    if storable != bank_id:
        raise BankNotFound(storable)


def get_bank(access: BankAccess, bank_id: str, *, lock: bool = False) -> Bank:
    """Call inside a tenant transaction. Missing, another tenant's and out of the key's reach give the same error."""
    check_bank_id(bank_id)
    rows = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    bank = (rows.select_for_update(no_key=True) if lock else rows).filter(bank_id=bank_id).first()
    if bank is None:
        raise BankNotFound(bank_id)
    return bank


@contextmanager
def bank_transaction(access: BankAccess, bank_id: str, *, lock: bool = False) -> Iterator[Bank]:
    """A tenant transaction that begins with the bank."""
    with tenant_transaction(access.tenant_id):
        yield get_bank(access, bank_id, lock=lock)


def find_banks(access: BankAccess, *, words: str = "") -> BankQuerySet:
    """Banks in the key's reach whose id or name contains the words."""
    banks: BankQuerySet = Bank.objects.for_tenant(access.tenant_id).live().within(access.banks)
    return banks.filter(Q(bank_id__icontains=words) | Q(name__icontains=words)) if words else banks


def create_bank(access: BankAccess, bank_id: str | None, change: BankChange) -> Bank:
    """Raises BankExists, or BankIdInvalid: every way to a new bank ends here, and not all check the id before."""
    bank_id = bank_id or f"bank-{uuid7().hex}"
    check_bank_id(bank_id)
    if not is_new_bank_id(bank_id):
        raise BankIdInvalid(WORDS)
    embedding_model = get_embedder().model_id
    protection = write_off() | (change.protection or {})
    given = screen_fields(Bank(protection=protection), change.given(), are_settings=True) | {"protection": protection}
    given["hindsight_settings"] = merge_settings({}, given.get("hindsight_settings", {}))
    with tenant_transaction(access.tenant_id):
        if BankAlias.objects.for_tenant(access.tenant_id).filter(alias=bank_id).exists():
            raise BankExists(bank_id)
        try:
            with transaction.atomic():
                bank = Bank.objects.for_tenant(access.tenant_id).create(
                    bank_id=bank_id, embedding_model=embedding_model, **({"name": bank_id} | given)
                )
        except IntegrityError:
            raise BankExists(bank_id) from None
        note_background(bank, "", BackgroundChange(bank.background, name_of(access)))
        access.record("bank.created", f"bank:{bank_id}")
    warn_of_quotas(access.tenant_id, Quota.BANKS)
    return bank


def merge_settings(stored: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**stored, **given}.items() if value is not None}


def find_or_create_bank(access: BankAccess, bank_id: str, new: BankChange | None = None) -> tuple[Bank, bool]:
    """The bank, and whether it is new. A key that can't reach the bank does not create it."""
    try:
        with bank_transaction(access, bank_id) as bank:
            return bank, False
    except BankNotFound:
        if not access.reaches(bank_id):
            raise
    try:
        return create_bank(access, bank_id, new or BankChange()), True
    except BankExists:  # a concurrent request created it
        with bank_transaction(access, bank_id) as bank:
            return bank, False


def read_version(bank: Bank) -> str:
    return write_version({name: getattr(bank, name) for name in BankChange.names()})


def change_bank(
    access: BankAccess, bank_id: str, change: BankChange, *, expected: frozenset[str] | None = None
) -> Bank:
    """`expected` are the versions that the caller accepts; None accepts any."""
    with bank_transaction(access, bank_id, lock=True) as bank:
        check_version(read_version(bank), expected)
        before = bank.background
        bank.protection = bank.protection | (change.protection or {})  # the new one counts
        given = screen_fields(bank, change.given(), are_settings=True)
        if "hindsight_settings" in given:
            given["hindsight_settings"] = merge_settings(bank.hindsight_settings, given["hindsight_settings"])
        for name, value in given.items():
            if name != "protection":
                setattr(bank, name, value)
        bank.save()
        note_background(bank, before, BackgroundChange(bank.background, name_of(access)))
        access.record("bank.changed", f"bank:{bank_id}", {"fields": sorted(given)})
    return bank


def delete_bank_for_good(access: BankAccess, bank_id: str, *, expected: frozenset[str] | None = None) -> Operation:
    """Hides the bank at once, which frees its id. A worker removes the rows."""
    with bank_transaction(access, bank_id, lock=True) as bank:
        check_version(read_version(bank), expected)
        if bank.held_since is not None:
            raise LegalHold(bank_id)
        bank.deleted_at = timezone.now()
        bank.save(update_fields=["deleted_at"])
        BankAlias.objects.of_bank(bank).delete()
        access.record("bank.deleted", f"bank:{bank_id}")
        cancel_waiting(bank, NIGHTLY_MAINTENANCE)
        payload = {"bank_pk": str(bank.id), "bank_id": bank_id}
        return submit(access.tenant_id, DELETE_BANK, payload=payload, bank=bank)
