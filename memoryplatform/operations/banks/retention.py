"""Retention rules of a bank, and the schedule of the nightly maintenance that applies them."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.access import BankAccess, check_version, write_version
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.models import Operation
from memoryplatform.operations.protection import screen_fields
from memoryplatform.operations.running.kind_names import NIGHTLY_MAINTENANCE
from memoryplatform.operations.running.submit import submit, submit_for_later
from reflection.errors import RuleExists, RuleNotFound, RuleTooWide
from reflection.forgetting.retention_rules import find_expired
from reflection.models import RetentionRule

EDITABLE = ("name", "network", "tag", "days", "action", "enabled")
NIGHT = time(3)  # UTC
SPREAD_MINUTES = 120  # over which the banks of a night are spread


@dataclass(frozen=True)
class ShownRule:
    """`matches`: memories that the next night deletes or fades."""

    rule: RetentionRule
    matches: int


def create_rule(access: BankAccess, bank_id: str, **fields: Any) -> ShownRule:
    with bank_transaction(access, bank_id) as bank:
        rule = RetentionRule(tenant_id=access.tenant_id, bank=bank, **screen_fields(bank, fields, are_settings=True))
        save(rule)
        schedule_maintenance(bank)
        note(access, bank_id, "retention_rule.created", rule)
        return show_rule(bank, rule)


def change_rule(
    access: BankAccess, bank_id: str, rule_id: UUID, fields: dict[str, Any], *, expected: frozenset[str] | None = None
) -> ShownRule:
    """Changes the given fields only. `expected` are the versions that the caller accepts; None accepts any."""
    with bank_transaction(access, bank_id) as bank:
        rule = get_rule(bank, rule_id, lock=True)
        check_version(read_version(rule), expected)
        for name, value in screen_fields(bank, fields, are_settings=True).items():
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
    with bank_transaction(access, bank_id) as bank:
        rule = get_rule(bank, rule_id, lock=True)
        check_version(read_version(rule), expected)
        note(access, bank_id, "retention_rule.deleted", rule)
        rule.delete()


def run_maintenance_now(access: BankAccess, bank_id: str) -> Operation:
    with bank_transaction(access, bank_id) as bank:
        access.record("bank.tended", f"bank:{bank_id}")
        return submit(access.tenant_id, NIGHTLY_MAINTENANCE, payload={}, bank=bank)


def schedule_maintenance(bank: Bank) -> Operation | None:
    """Submits the maintenance of the coming night, once. Call inside a tenant transaction."""
    rows = Operation.objects.for_tenant(bank.tenant_id)
    if rows.filter(kind=NIGHTLY_MAINTENANCE, bank=bank, status="pending").exists():
        return None
    return submit_for_later(bank, NIGHTLY_MAINTENANCE, payload={}, due_at=find_night(bank, timezone.now()))


def find_night(bank: Bank, now: datetime) -> datetime:
    """The next moment of the bank's own minute of the night."""
    night = datetime.combine(now.date(), NIGHT, tzinfo=now.tzinfo) + timedelta(minutes=bank.id.int % SPREAD_MINUTES)
    return night if night > now else night + timedelta(days=1)


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
    access.record(action, f"retention_rule:{rule.id}", detail)
