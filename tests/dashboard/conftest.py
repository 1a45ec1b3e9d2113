"""A bank with a conversation that was retained by the real use-case, with small models."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.core.cache import cache

from banks.models import Bank, MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.accounts.conftest import acme, owner
from tests.live_server import use_small_models

__all__ = ["acme", "owner"]

MAY = datetime(2026, 5, 8, 14, tzinfo=UTC)
TALK = (
    ("user", "Caroline", "I live in Boston. I went to a support group there yesterday."),
    ("assistant", "Juno", "How was the group?"),
    ("user", "Caroline", "Wonderful. I painted a sunrise over the lake afterwards."),
)


def hear(
    tenant: Tenant, talk: Sequence[tuple[str, str, str]] = TALK, *, thread: str = "kitchen", tags: Sequence[str] = ()
) -> Bank:
    """Retains the conversation in the bank `support`, a minute between two messages."""
    messages = tuple(
        GivenMessage(role, text, MAY + timedelta(minutes=place), name=name)  # type: ignore[arg-type]  # a role
        for place, (role, name, text) in enumerate(talk)
    )
    item = RetainItem(MAY, messages=messages, thread=thread, tags=tuple(tags), metadata={"channel": "chat"})
    assert retain(BankAccess(tenant.id), "support", [item], wait=True).status == "completed"
    with tenant_transaction(tenant.id):
        return Bank.objects.for_tenant(tenant.id).get(bank_id="support")


def find_unit(bank: Bank, words: str) -> MemoryUnit:
    with tenant_transaction(bank.tenant_id):
        return MemoryUnit.objects.of_bank(bank).get(text__contains=words)


@pytest.fixture
def support(acme: Tenant, monkeypatch: pytest.MonkeyPatch) -> Bank:
    use_small_models(monkeypatch)
    cache.clear()
    return hear(acme)
