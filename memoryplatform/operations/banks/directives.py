"""Directives of a bank: create, change, delete."""

from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from banks.models import Bank
from memoryplatform.operations.access import BankAccess, check_version, write_version
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.protection import screen_fields
from reflection.errors import DirectiveNotFound
from reflection.models import Directive

EDITABLE = ("name", "content", "priority", "is_active", "tags")


@dataclass(frozen=True)
class DirectiveChange:
    """The fields that a caller gave; None leaves a field as it is."""

    name: str | None = None
    content: str | None = None
    priority: int | None = None
    is_active: bool | None = None
    tags: list[str] | None = None

    def given(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def create_directive(access: BankAccess, bank_id: str, change: DirectiveChange) -> Directive:
    with bank_transaction(access, bank_id) as bank:
        given = screen_fields(bank, change.given(), are_settings=True)
        directive = Directive.objects.for_tenant(access.tenant_id).create(bank=bank, **given)
        note(access, bank_id, "directive.created", directive)
        return directive


def change_directive(
    access: BankAccess,
    bank_id: str,
    directive_id: UUID,
    change: DirectiveChange,
    *,
    expected: frozenset[str] | None = None,
) -> Directive:
    """`expected` are the versions that the caller accepts; None accepts any."""
    with bank_transaction(access, bank_id) as bank:
        directive = get_directive(bank, directive_id, lock=True)
        check_version(read_version(directive), expected)
        for name, value in screen_fields(bank, change.given(), are_settings=True).items():
            setattr(directive, name, value)
        directive.save()
        note(access, bank_id, "directive.changed", directive)
        return directive


def delete_directive(
    access: BankAccess, bank_id: str, directive_id: UUID, *, expected: frozenset[str] | None = None
) -> None:
    with bank_transaction(access, bank_id) as bank:
        directive = get_directive(bank, directive_id, lock=True)
        check_version(read_version(directive), expected)
        note(access, bank_id, "directive.deleted", directive)
        directive.delete()


def get_directive(bank: Bank, directive_id: UUID, *, lock: bool = False) -> Directive:
    """Call inside a tenant transaction."""
    rows = Directive.objects.of_bank(bank)
    directive = (rows.select_for_update(no_key=True) if lock else rows).filter(id=directive_id).first()
    if directive is None:
        raise DirectiveNotFound(directive_id)
    return directive


def read_version(directive: Directive) -> str:
    return write_version({name: getattr(directive, name) for name in EDITABLE})


def note(access: BankAccess, bank_id: str, action: str, directive: Directive) -> None:
    detail = {"bank_id": bank_id, "name": directive.name}
    access.record(action, f"directive:{directive.id}", detail)
