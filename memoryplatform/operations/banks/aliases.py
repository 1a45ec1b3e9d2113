"""Aliases of a bank: further ids that it answers to in Hindsight's interface. Nothing is copied or renamed."""

from django.db import IntegrityError, transaction

from banks.errors import BankAliasNotFound, BankExists, BankIdInvalid
from banks.models import Bank, BankAlias
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from tenants.bank_ids import WORDS, is_new_bank_id
from tenants.transactions import tenant_transaction


def resolve_bank_id(access: BankAccess, name: str) -> str:
    """The id of the bank with that alias, or the name itself. A bank out of the key's reach has no aliases for it."""
    if "\x00" in name:
        return name
    with tenant_transaction(access.tenant_id):
        rows = BankAlias.objects.for_tenant(access.tenant_id).filter(alias=name, bank__deleted_at=None)
        found = rows.values_list("bank__bank_id", flat=True).first()
    return found if found is not None and access.reaches(found) else name


def list_aliases(bank: Bank) -> list[BankAlias]:
    """Call inside a tenant transaction."""
    return list(BankAlias.objects.of_bank(bank).order_by("id"))


def show_aliases(access: BankAccess, bank_id: str) -> list[BankAlias]:
    with bank_transaction(access, bank_id) as bank:
        return list_aliases(bank)


def create_alias(access: BankAccess, bank_id: str, alias: str, *, is_primary: bool) -> list[BankAlias]:
    """Raises BankExists if a bank or another alias has that name."""
    if not is_new_bank_id(alias):
        raise BankIdInvalid(WORDS)
    with bank_transaction(access, bank_id, lock=True) as bank:
        if Bank.objects.for_tenant(access.tenant_id).live().filter(bank_id=alias).exists():
            raise BankExists(alias)
        if is_primary:
            BankAlias.objects.of_bank(bank).update(is_primary=False)
        try:
            with transaction.atomic():
                BankAlias.objects.for_tenant(access.tenant_id).create(bank=bank, alias=alias, is_primary=is_primary)
        except IntegrityError:
            raise BankExists(alias) from None
        access.record("bank.alias_added", f"bank:{bank_id}", {"alias": alias})
        return list_aliases(bank)


def set_primary_alias(access: BankAccess, bank_id: str, alias: str, *, is_primary: bool) -> list[BankAlias]:
    """At most one alias of a bank is primary."""
    with bank_transaction(access, bank_id, lock=True) as bank:
        row = get_alias(bank, alias)
        if is_primary:
            BankAlias.objects.of_bank(bank).update(is_primary=False)
        row.is_primary = is_primary
        row.save(update_fields=["is_primary"])
        return list_aliases(bank)


def delete_alias(access: BankAccess, bank_id: str, alias: str) -> list[BankAlias]:
    with bank_transaction(access, bank_id, lock=True) as bank:
        get_alias(bank, alias).delete()
        access.record("bank.alias_removed", f"bank:{bank_id}", {"alias": alias})
        return list_aliases(bank)


def get_alias(bank: Bank, alias: str) -> BankAlias:
    rows = BankAlias.objects.of_bank(bank)
    row = rows.filter(alias=alias).first() if "\x00" not in alias else None
    if row is None:
        raise BankAliasNotFound(alias.replace("\x00", "?"))
    return row
