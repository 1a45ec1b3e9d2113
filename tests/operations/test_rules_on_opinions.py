"""Retention rules that delete opinions, and what opinions that are kept came from."""

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from banks.models import Bank, MemoryUnit, UnitTag
from reflection.models import OpinionRevision
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_opinion, make_opinion_revision, make_retention_rule, make_revision_evidence
from tests.factories import make_bank
from tests.memory_factories import make_row, make_unit
from tests.operations.test_tend_bank import LONG_AGO, tend

SHY, BOLD = "I think that Petra is shy.", "I think that Petra is bold."


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def change_mind(tenant: Tenant, bank: Bank, *, approved_at: datetime) -> tuple[UUID, UUID]:
    """The ids of an opinion that was turned round, and later approved, and of the telling that did it."""
    old = {"bank": bank, "mentioned_at": LONG_AGO}
    opinion = make_opinion(tenant, text=BOLD, review="approved", content_hash=b"bold", **old)
    closed = {"expired_at": LONG_AGO, "close_reason": "correction", "confidence": 0.7, "network": "opinion"}
    telling = make_unit(tenant, text="But now I think she is bold.", content_hash=b"telling", **closed, **old)
    turned = {"confidence_before": 0.7, "text_before": SHY, "text_after": BOLD}
    revised = make_opinion_revision(tenant, opinion=opinion, number=2, cause="revised", **turned)
    make_revision_evidence(tenant, revision=revised, fact=telling)
    same = {"confidence_before": 0.7, "text_before": BOLD}
    make_opinion_revision(tenant, opinion=opinion, number=3, cause="approved", **same)
    with tenant_transaction(tenant.id):
        steps = OpinionRevision.objects.of_bank(bank)
        steps.update(created_at=LONG_AGO)
        steps.filter(number=1).update(text_after=SHY)
        steps.filter(number=3).update(created_at=approved_at)
    return opinion.id, telling.id


def list_left(bank: Bank) -> dict[UUID, tuple[str, str]]:
    with tenant_transaction(bank.tenant_id):
        return {unit.id: (unit.text, unit.review) for unit in MemoryUnit.objects.of_bank(bank)}


def test_an_opinion_that_was_approved_keeps_what_turned_it_round(tenant: Tenant, bank: Bank) -> None:
    opinion_id, telling_id = change_mind(tenant, bank, approved_at=timezone.now() - timedelta(days=3))
    make_retention_rule(tenant, bank=bank, network="opinion", action="delete", days=30)

    assert (tend(bank).result or {})["deleted"] == 0

    left = list_left(bank)
    assert set(left) == {opinion_id, telling_id}
    assert left[opinion_id] == (BOLD, "approved")


def test_with_an_opinion_that_is_over_goes_what_turned_it_round(tenant: Tenant, bank: Bank) -> None:
    change_mind(tenant, bank, approved_at=LONG_AGO)
    make_retention_rule(tenant, bank=bank, network="opinion", action="delete", days=30)

    assert (tend(bank).result or {})["deleted"] == 2
    assert list_left(bank) == {}


def test_what_has_the_tag_of_a_rule_goes_whatever_came_from_it(tenant: Tenant, bank: Bank) -> None:
    opinion_id, telling_id = change_mind(tenant, bank, approved_at=timezone.now())
    make_row(UnitTag, tenant, unit_id=telling_id, bank_id=bank.id, tag="secret")
    make_retention_rule(tenant, bank=bank, tag="secret", action="delete", days=30)

    assert (tend(bank).result or {})["deleted"] == 1
    assert list_left(bank) == {opinion_id: (SHY, "")}
