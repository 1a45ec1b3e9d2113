"""Which memories a retention rule means."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from banks.models import Bank, MemoryUnit, UnitSource, UnitTag
from banks.models.unit import UnitQuerySet
from banks.words import Network
from reflection.models import OpinionRevision, RetentionRule, RevisionEvidence
from reflection.models.opinion_revision import OpinionRevisionQuerySet
from tenants.scoping import TenantQuerySet

CAUSE = OpinionRevision.Cause
# Not its formation: an opinion of an old talk is as old as the talk.
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
    """What the rule is over for. What somebody pinned is kept. Call inside a tenant transaction.

    What is deleted goes with its past; only what is current can fade. What became part of an opinion that the same
    rule keeps is no past: without it the opinion would turn back.
    """
    units = MemoryUnit.objects.of_bank(bank)
    condition = build_condition(bank, rule, now=now)
    if rule.action != RetentionRule.Action.DELETE:
        return units.current().filter(condition)
    opinions = units.current().filter(build_scope(bank, rule), network=Network.OPINION)
    tellings = find_tellings(bank, opinions.exclude(condition))
    return units.filter(condition).exclude(network=Network.OPINION, id__in=tellings)


def build_condition(bank: Bank, rule: RetentionRule, *, now: datetime) -> Q:
    """Summaries of months are meant by none: they are about old things, and while their episodes are there the same
    night would write them again. They go with what they sum up.
    """
    since = now - timedelta(days=rule.days)
    condition = build_scope(bank, rule) & Q(mentioned_at__lt=since) & ~Q(review=MemoryUnit.Review.PINNED)
    condition &= ~Q(id__in=find_summaries(bank).values("unit_id"))
    if rule.network in ("", Network.OPINION):
        condition &= ~Q(id__in=find_affirmed(bank, since=since).values("opinion_id"))
    if rule.action == RetentionRule.Action.FADE:
        condition &= Q(access_count=0)
    return condition


def build_scope(bank: Bank, rule: RetentionRule) -> Q:
    """Of whichever age."""
    scope = Q(network=rule.network) if rule.network else Q()
    if rule.tag:
        tagged = UnitTag.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id, tag=rule.tag)
        scope &= Q(id__in=tagged.values("unit_id"))
    return scope


def find_summaries(bank: Bank) -> TenantQuerySet[UnitSource]:
    rows = UnitSource.objects.for_tenant(bank.tenant_id)
    return rows.filter(unit__bank=bank, role=UnitSource.Role.SUMMARISES, episode__isnull=False)


def find_tellings(bank: Bank, opinions: UnitQuerySet) -> QuerySet[RevisionEvidence, UUID | None]:
    """All that steps of these opinions came from, and that was not taken back: facts too."""
    rows = RevisionEvidence.objects.of_bank(bank).standing().filter(opinion__in=opinions)
    return rows.values_list("fact_id", flat=True)


def find_affirmed(bank: Bank, *, since: datetime) -> OpinionRevisionQuerySet:
    """An opinion that a fact, the agent or a person affirmed was said again then."""
    rows = OpinionRevision.objects.of_bank(bank)
    return rows.filter(created_at__gte=since, cause__in=AFFIRMING, withdrawn=False)


def join_conditions(conditions: Iterable[Q]) -> Q | None:
    """Any of them; None where there are none."""
    joined: Q | None = None
    for condition in conditions:
        joined = condition if joined is None else joined | condition
    return joined
