from datetime import datetime, timedelta

from django.utils import timezone

from banks.models import Bank, MemoryUnit
from reflection.forgetting.retention_rules import FadeCounts, fade_units, find_expired
from reflection.models import OpinionRevision, RetentionRule
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_opinion_revision, make_retention_rule
from tests.memory_factories import make_unit

NOW = timezone.now()
CAUSE = OpinionRevision.Cause


def make_old(bank: Bank, **fields: object) -> MemoryUnit:
    return make_unit(bank.tenant, bank=bank, mentioned_at=NOW - timedelta(days=200), **fields)


def make_rule(bank: Bank, **fields: object) -> RetentionRule:
    return make_retention_rule(bank.tenant, bank=bank, **fields)


def fade_by(bank: Bank, *rules: RetentionRule) -> FadeCounts:
    with tenant_transaction(bank.tenant_id):
        return fade_units(bank, rules, now=NOW)


def read_faded_at(bank: Bank, unit: MemoryUnit) -> datetime | None:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(id=unit.id).faded_at


def test_an_old_memory_that_was_never_recalled_fades(bank: Bank) -> None:
    old, recalled = make_old(bank), make_old(bank, access_count=3)
    fresh = make_unit(bank.tenant, bank=bank, mentioned_at=NOW)

    assert fade_by(bank, make_rule(bank)) == FadeCounts(faded=1)

    assert read_faded_at(bank, old) == NOW
    assert read_faded_at(bank, recalled) is None
    assert read_faded_at(bank, fresh) is None


def test_a_recalled_memory_is_restored(bank: Bank) -> None:
    recalled = make_old(bank, access_count=1, faded_at=NOW - timedelta(days=3))

    assert fade_by(bank, make_rule(bank)) == FadeCounts(restored=1)
    assert read_faded_at(bank, recalled) is None


def test_without_rules_everything_comes_back(bank: Bank) -> None:
    faint = make_old(bank, faded_at=NOW - timedelta(days=3))

    assert fade_by(bank) == FadeCounts(restored=1)
    assert read_faded_at(bank, faint) is None


def test_a_rule_means_its_network_only(bank: Bank) -> None:
    make_old(bank, network="world")
    make_old(bank, network="experience")

    assert fade_by(bank, make_rule(bank, network="experience")) == FadeCounts(faded=1)


def test_a_pinned_opinion_does_not_fade(bank: Bank) -> None:
    make_old(bank, network="opinion", confidence=0.5, review="pinned")

    assert fade_by(bank, make_rule(bank)) == FadeCounts()


def test_another_bank_is_left_alone(bank: Bank) -> None:
    elsewhere = make_unit(bank.tenant, mentioned_at=NOW - timedelta(days=200))
    rule = make_rule(bank)

    assert elsewhere.bank_id != bank.id
    assert fade_by(bank, rule) == FadeCounts()


def test_an_opinion_is_as_old_as_its_last_affirmation(bank: Bank) -> None:
    causes = [CAUSE.RESTATED, CAUSE.REINFORCE, CAUSE.APPROVED, CAUSE.CONTRADICT]
    held = {cause: make_old(bank, network="opinion", confidence=0.5, text=cause.value) for cause in causes}
    for cause, opinion in held.items():
        make_opinion_revision(bank.tenant, opinion=opinion)
        make_opinion_revision(bank.tenant, opinion=opinion, number=2, cause=cause, confidence_before=0.5)
    taken_back = make_old(bank, network="opinion", confidence=0.5, text="taken back")
    make_opinion_revision(
        bank.tenant, opinion=taken_back, number=2, cause=CAUSE.REINFORCE, confidence_before=0.5, withdrawn=True
    )

    rule = make_rule(bank, network="opinion", action="delete")

    with tenant_transaction(bank.tenant_id):
        expired = {unit.text for unit in find_expired(bank, rule, now=NOW)}
        later = find_expired(bank, rule, now=NOW + timedelta(days=rule.days + 1)).count()
    assert (expired, later) == ({"contradict", "taken back"}, 5)
