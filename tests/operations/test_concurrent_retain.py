"""Eight callers that retain overlapping content concurrently."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from django.db import connections

from banks.models import ChunkPart, Document, Entity, Episode, MemoryUnit, Message, UnitSource
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.retain import archive, retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

SAID_AT = datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
LINES = [
    ("Caroline", "I moved from Boston to Lisbon in March because of a new job."),
    ("Melanie", "Robert Chen painted our kitchen yesterday."),
    ("Caroline", "Bob Chen is a great painter, and he works at Acme Inc."),
    ("Melanie", "My daughter Emily adopted a dog named Rex."),
]


def retain_some(tenant: Tenant, number: int) -> str:
    chosen = LINES[number % 3 : number % 3 + 2]
    messages = tuple(GivenMessage("user", text, SAID_AT, name=speaker) for speaker, text in chosen)
    try:
        item = RetainItem(SAID_AT, messages=messages, thread="shared")
        return retain(BankAccess(tenant.id), "support", [item], wait=True).status
    finally:
        connections.close_all()


def test_no_message_is_lost_and_nothing_is_there_twice(tenant: Tenant) -> None:
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda number: retain_some(tenant, number), range(16))) == {"completed"}
    with tenant_transaction(tenant.id):
        messages = Message.objects.for_tenant(tenant.id)
        assert messages.count() == 32
        assert not messages.filter(extracted_at=None).exists()
        assert not messages.filter(episode=None).exists()
        episodes = Episode.objects.for_tenant(tenant.id)
        assert sum(episode.message_count for episode in episodes) == len(LINES)  # repeated messages count once
        assert ChunkPart.objects.for_tenant(tenant.id).values("message_id").distinct().count() == 32
        texts = Counter(MemoryUnit.objects.for_tenant(tenant.id).values_list("text", flat=True))
        assert set(texts.values()) == {1}
        assert UnitSource.objects.for_tenant(tenant.id).count() == 32
        names = Counter(Entity.objects.for_tenant(tenant.id).values_list("identity", flat=True))
        assert set(names.values()) == {1}
        assert {"caroline", "melanie", "boston", "lisbon"} <= set(names)
        assert not {"robert chen", "bob chen"} <= set(names)


def test_the_same_call_twice_at_once_is_one_operation(tenant: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    both_are_new = Barrier(2, timeout=30)

    def archive_together(*given: Any) -> Any:
        both_are_new.wait()
        return archive(*given)

    def accept(_number: int) -> UUID:
        try:
            item = RetainItem(SAID_AT, text="Ana lives in Porto.")
            return retain(BankAccess(tenant.id), "support", [item], wait=False, idempotency_key="hindsight:mine").id
        finally:
            connections.close_all()

    monkeypatch.setattr("memoryplatform.operations.retain.archive", archive_together)
    with ThreadPoolExecutor(2) as pool:
        assert len(set(pool.map(accept, range(2)))) == 1
    with tenant_transaction(tenant.id):
        assert Document.objects.for_tenant(tenant.id).count() == 1
