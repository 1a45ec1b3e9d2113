"""The progress of a long message, and the moment at which a cancellation takes effect."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from banks import vectors
from banks.models import MemoryUnit
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.kinds import retain as retain_kind
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import cancel
from providers.embedding.protocol import EmbeddingBatch
from tenants.audit import SYSTEM
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.operations.conftest import reload

SAID_AT = datetime(2024, 5, 8, tzinfo=UTC)
LONG = " ".join(f"Ana saw the bird number {number} in Porto." for number in range(200))
BATCH = 4


class WatchedEmbedder(WordedEmbedder):
    """Runs a callback at every batch of a long message."""

    def __init__(self) -> None:
        self.calls = 0
        self.watch: Callable[[], None] = lambda: None

    def embed_documents(self, texts: Sequence[str]) -> EmbeddingBatch:
        if len(texts) == BATCH:
            self.calls += 1
            self.watch()
        return super().embed_documents(texts)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WatchedEmbedder:
    watched = WatchedEmbedder()
    monkeypatch.setattr(retain_kind, "get_embedder", lambda _model: watched)
    monkeypatch.setattr(vectors, "BATCH", BATCH)
    return watched


def accept(tenant: Tenant) -> Operation:
    message = GivenMessage("user", LONG, SAID_AT, name="Ana")
    return retain(BankAccess(tenant.id), "support", [RetainItem(SAID_AT, messages=(message,))], wait=False)


def test_progress_moves_inside_of_one_message(tenant: Tenant, embedder: WatchedEmbedder) -> None:
    operation = accept(tenant)
    seen: list[tuple[str, int]] = []
    embedder.watch = lambda: seen.append((reload(operation).stage, reload(operation).processed))
    perform(tenant.id, operation.id)
    assert reload(operation).status == "completed"
    assert seen == [("extracting", 0), *(("embedding", BATCH * done) for done in range(1, embedder.calls))]
    assert embedder.calls > 2


def test_a_cancellation_takes_effect_within_one_message(tenant: Tenant, embedder: WatchedEmbedder) -> None:
    operation = accept(tenant)

    def cancel_in_the_second_batch() -> None:
        if embedder.calls == 2:
            cancel(tenant.id, operation.id, actor=SYSTEM)

    embedder.watch = cancel_in_the_second_batch
    perform(tenant.id, operation.id)
    assert (reload(operation).status, embedder.calls) == ("cancelled", 2)
    with tenant_transaction(tenant.id):
        assert not MemoryUnit.objects.for_tenant(tenant.id).exists()
