"""Retention rules on opinions: rules that delete opinions, and rules that delete the evidence of kept ones."""

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
from tests.operations.test_nightly_maintenance import LONG_AGO, maintain

SHY, BOLD = "I think that Petra is shy.", "I think that Petra is bold."


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def change_mind(tenant: Tenant, bank: Bank, *, approved_at: datetime) -> tuple[UUID, UUID]:
    """The ids of a reversed and later approved opinion, and of the unit that reversed it."""
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


def test_an_approved_opinion_keeps_the_unit_that_reversed_it(tenant: Tenant, bank: Bank) -> None:
    opinion_id, telling_id = change_mind(tenant, bank, approved_at=timezone.now() - timedelta(days=3))
    make_retention_rule(tenant, bank=bank, network="opinion", action="delete", days=30)

    assert (maintain(bank).result or {})["deleted"] == 0

    left = list_left(bank)
    assert set(left) == {opinion_id, telling_id}
    assert left[opinion_id] == (BOLD, "approved")


def test_a_closed_opinion_is_deleted_with_the_unit_that_reversed_it(tenant: Tenant, bank: Bank) -> None:
    change_mind(tenant, bank, approved_at=LONG_AGO)
    make_retention_rule(tenant, bank=bank, network="opinion", action="delete", days=30)

    assert (maintain(bank).result or {})["deleted"] == 2
    assert list_left(bank) == {}


def test_units_with_the_tag_of_a_rule_are_deleted_even_if_others_rest_on_them(tenant: Tenant, bank: Bank) -> None:
    opinion_id, telling_id = change_mind(tenant, bank, approved_at=timezone.now())
    make_row(UnitTag, tenant, unit_id=telling_id, bank_id=bank.id, tag="secret")
    make_retention_rule(tenant, bank=bank, tag="secret", action="delete", days=30)

    assert (maintain(bank).result or {})["deleted"] == 1
    assert list_left(bank) == {opinion_id: (SHY, "")}
