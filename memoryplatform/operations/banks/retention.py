"""What a caller does with retention rules."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.nights import ask_for_tending
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import TEND_BANK
from memoryplatform.operations.running.submit import submit
from memoryplatform.operations.versions import check_version, write_version
from reflection.errors import RuleExists, RuleNotFound, RuleTooWide
from reflection.forgetting.rules import find_expired
from reflection.models import RetentionRule
from tenants.audit import record
from tenants.transactions import tenant_transaction

EDITABLE = ("name", "network", "tag", "days", "action", "enabled")


@dataclass(frozen=True)
class ShownRule:
    """`matches`: memories that the rule is over for now, and that the next night will take."""

    rule: RetentionRule
    matches: int


def create_rule(access: BankAccess, bank_id: str, **fields: Any) -> ShownRule:
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        rule = RetentionRule(tenant_id=access.tenant_id, bank=bank, **fields)
        save(rule)
        ask_for_tending(bank)
        note(access, bank_id, "retention_rule.created", rule)
        return show_rule(bank, rule)


def change_rule(
    access: BankAccess, bank_id: str, rule_id: UUID, fields: dict[str, Any], *, expected: frozenset[str] | None = None
) -> ShownRule:
    """`expected` are the versions that the caller takes it for, or None where he does not care.

    Other columns stay as they are.
    """
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        rule = get_rule(bank, rule_id, lock=True)
        check_version(read_version(rule), expected)
        for name, value in fields.items():
            setattr(rule, name, value)
        save(rule, update_fields=sorted(fields))
        note(access, bank_id, "retention_rule.changed", rule)
        return show_rule(bank, rule)


def save(rule: RetentionRule, *, update_fields: list[str] | None = None) -> None:
    if rule.action == RetentionRule.Action.DELETE and not (rule.network or rule.tag):
        raise RuleTooWide
    try:
        with transaction.atomic():
            rule.save(update_fields=update_fields)
    except IntegrityError:
        raise RuleExists(rule.name) from None


def delete_rule(access: BankAccess, bank_id: str, rule_id: UUID, *, expected: frozenset[str] | None = None) -> None:
    with tenant_transaction(access.tenant_id):
        rule = get_rule(get_bank(access, bank_id), rule_id, lock=True)
        check_version(read_version(rule), expected)
        note(access, bank_id, "retention_rule.deleted", rule)
        rule.delete()


def apply_now(access: BankAccess, bank_id: str) -> Operation:
    """What a night does, at once."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        record(access.tenant_id, actor=access.actor, action="bank.tended", target=f"bank:{bank_id}")
        return submit(access.tenant_id, TEND_BANK, payload={}, bank=bank)


def get_rule(bank: Bank, rule_id: UUID, *, lock: bool = False) -> RetentionRule:
    rows = RetentionRule.objects.of_bank(bank)
    rule = (rows.select_for_update(no_key=True) if lock else rows).filter(id=rule_id).first()
    if rule is None:
        raise RuleNotFound(rule_id)
    return rule


def read_version(rule: RetentionRule) -> str:
    return write_version({name: getattr(rule, name) for name in EDITABLE})


def show_rule(bank: Bank, rule: RetentionRule) -> ShownRule:
    """Call inside a tenant transaction."""
    return ShownRule(rule, find_expired(bank, rule, now=timezone.now()).count())


def note(access: BankAccess, bank_id: str, action: str, rule: RetentionRule) -> None:
    detail = {"bank_id": bank_id, "name": rule.name, "action": rule.action, "days": rule.days}
    record(access.tenant_id, actor=access.actor, action=action, target=f"retention_rule:{rule.id}", detail=detail)
