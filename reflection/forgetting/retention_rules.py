"""Retention rules: the memories that each applies to, and how those fade."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from banks.enums import Network
from banks.models import Bank, MemoryUnit, UnitSource, UnitTag
from banks.models.of_bank import OfBankQuerySet
from banks.models.unit import UnitQuerySet
from reflection.models import OpinionRevision, RetentionRule, RevisionEvidence
from tenants.scoping import TenantQuerySet

CAUSE = OpinionRevision.Cause
# The formation of an opinion is not among them: an opinion is as old as the conversation that it comes from.
AFFIRMING = (
    CAUSE.RESTATED,
    CAUSE.REVISED,
    CAUSE.REINFORCE,
    CAUSE.EDITED,
    CAUSE.APPROVED,
    CAUSE.PINNED,
    CAUSE.RESTORED,
)


def find_expired(bank: Bank, rule: RetentionRule, *, now: datetime) -> UnitQuerySet:
    """Memories that the rule deletes or fades now. Pinned ones are kept. Call inside a tenant transaction.

    A deletion includes closed memories; only current ones can fade. Evidence of an opinion that the same rule keeps is
    kept too: without it the opinion would turn back.
    """
    units = MemoryUnit.objects.of_bank(bank)
    condition = build_condition(bank, rule, now=now)
    if rule.action != RetentionRule.Action.DELETE:
        return units.current().filter(condition)
    opinions = units.current().filter(build_scope(bank, rule), network=Network.OPINION)
    evidence = find_evidence(bank, opinions.exclude(condition))
    return units.filter(condition).exclude(network=Network.OPINION, id__in=evidence)


def build_condition(bank: Bank, rule: RetentionRule, *, now: datetime) -> Q:
    """Month summaries are exempt: they are about old things, and the same night would write them again while their
    episodes exist. They are deleted with their episodes.
    """
    since = now - timedelta(days=rule.days)
    condition = build_scope(bank, rule) & Q(mentioned_at__lt=since) & ~Q(review=MemoryUnit.Review.PINNED)
    condition &= ~Q(id__in=find_month_summaries(bank).values("unit_id"))
    if rule.network in ("", Network.OPINION):
        condition &= ~Q(id__in=find_affirmed(bank, since=since).values("opinion_id"))
    if rule.action == RetentionRule.Action.FADE:
        condition &= Q(access_count=0)
    return condition


def build_scope(bank: Bank, rule: RetentionRule) -> Q:
    """The rule's network and tag, whatever the age."""
    scope = Q(network=rule.network) if rule.network else Q()
    if rule.tag:
        tagged = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, tag=rule.tag)
        scope &= Q(id__in=tagged.values("unit_id"))
    return scope


def find_month_summaries(bank: Bank) -> TenantQuerySet[UnitSource]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    return rows.filter(unit__bank=bank, role=UnitSource.Role.SUMMARISES, episode__isnull=False)


def find_evidence(bank: Bank, opinions: UnitQuerySet) -> QuerySet[RevisionEvidence, UUID | None]:
    """Memories behind the standing revisions of these opinions."""
    rows = RevisionEvidence.objects.of_bank(bank).standing().filter(opinion__in=opinions)
    return rows.values_list("fact_id", flat=True)


def find_affirmed(bank: Bank, *, since: datetime) -> OfBankQuerySet[OpinionRevision]:
    """An opinion counts as said again when a fact, the agent or a person affirms it."""
    rows = OpinionRevision.objects.of_bank(bank)
    return rows.filter(created_at__gte=since, cause__in=AFFIRMING, withdrawn=False)


@dataclass(frozen=True)
class FadeCounts:
    faded: int = 0
    restored: int = 0


def fade_units(bank: Bank, rules: Sequence[RetentionRule], *, now: datetime) -> FadeCounts:
    """Lowers the rank of old memories that nobody recalled, and restores those that no rule covers any more.

    `rules` are all fading rules of the bank.
    """
    units = MemoryUnit.objects.of_bank(bank).current()
    covered = Q(pk__in=[])
    for rule in rules:
        covered |= build_condition(bank, rule, now=now)
    restored = units.filter(faded_at__isnull=False).exclude(covered).update(faded_at=None)
    return FadeCounts(units.filter(covered, faded_at=None).update(faded_at=now), restored)
