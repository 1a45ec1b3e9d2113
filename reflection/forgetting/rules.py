"""Which memories a retention rule means."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Q

from banks.models import Bank, MemoryUnit, UnitTag
from banks.models.unit import UnitQuerySet
from reflection.models import RetentionRule


def find_expired(bank: Bank, rule: RetentionRule, *, now: datetime) -> UnitQuerySet:
    """What the rule is over for. What somebody pinned is kept. Call inside a tenant transaction.

    What is deleted goes with its past; only what is current can fade.
    """
    units = MemoryUnit.objects.of_bank(bank)
    meant = units if rule.action == RetentionRule.Action.DELETE else units.current()
    return meant.filter(build_condition(bank, rule, now=now))


def build_condition(bank: Bank, rule: RetentionRule, *, now: datetime) -> Q:
    condition = Q(mentioned_at__lt=now - timedelta(days=rule.days)) & ~Q(review=MemoryUnit.Review.PINNED)
    if rule.network:
        condition &= Q(network=rule.network)
    if rule.tag:
        tagged = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, tag=rule.tag)
        condition &= Q(id__in=tagged.values("unit_id"))
    if rule.action == RetentionRule.Action.FADE:
        condition &= Q(access_count=0)
    return condition


def join_conditions(conditions: Iterable[Q]) -> Q | None:
    """Any of them; None where there are none."""
    joined: Q | None = None
    for condition in conditions:
        joined = condition if joined is None else joined | condition
    return joined
