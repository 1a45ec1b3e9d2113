"""A live server on loopback, and one thing of every kind to ask it for."""

import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn

from memoryplatform.asgi import application
from memoryplatform.embedded.redis import EmbeddedRedis
from memoryplatform.operations import recall as recall_use_case
from memoryplatform.operations import reflect as reflect_use_case
from providers import registry
from providers.once import Once
from providers.reranking.none import NoReranker
from retrieval.recall_log import RecallLog
from tenants.models import Tenant
from tests.belief_factories import make_directive, make_mental_model, make_opinion, make_retention_rule
from tests.factories import make_bank, make_delivery, make_operation, make_tenant, make_webhook
from tests.memory_factories import (
    make_chunk,
    make_document,
    make_entity,
    make_episode,
    make_message,
    make_recall_record,
    make_unit,
)
from tests.retrieval.fakes import WordEmbedder


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    """Uvicorn in a thread of this process, on the database of whichever test asks."""
    server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", ws="none", log_config=None))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(timeout=30)


@pytest.fixture
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "EMBEDDER", Once(WordEmbedder))
    monkeypatch.setattr(registry, "RERANKER", Once(NoReranker))
    for use_case in (recall_use_case, reflect_use_case):
        monkeypatch.setattr(use_case, "RECALL_LOG", RecallLog())


@pytest.fixture
def acme(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("acme")


def make_things(tenant: Tenant) -> dict[str, str]:
    """The ids of one thing of each kind, under the names that paths have for them."""
    bank = make_bank(tenant, bank_id="support", embedding_model=WordEmbedder.model_id)
    webhook = make_webhook(tenant, bank_id=bank.bank_id)
    return {
        "bank_id": bank.bank_id,
        "operation_id": str(make_operation(tenant, bank=bank).id),
        "memory_id": str(make_unit(tenant, bank=bank, text="Alice paints.").id),
        "opinion_id": str(make_opinion(tenant, bank=bank, text="Painting calms.").id),
        "message_id": str(make_message(tenant, bank=bank, content="I paint.").id),
        "episode_id": str(make_episode(tenant, bank=bank, narrative="Of painting.").id),
        "document_id": make_document(tenant, bank=bank, document_id="notes/one", text="Alice paints.").document_id,
        "chunk_id": str(make_chunk(tenant, bank=bank, text="Alice paints.").id),
        "entity_id": str(make_entity(tenant, bank=bank, name="Alice").id),
        "directive_id": str(make_directive(tenant, bank=bank).id),
        "model_id": make_mental_model(tenant, bank=bank).key,
        "rule_id": str(make_retention_rule(tenant, bank=bank, name="old").id),
        "webhook_id": str(webhook.id),
        "delivery_id": str(make_delivery(tenant, webhook=webhook).id),
        "recall_id": str(make_recall_record(tenant, bank=bank, query="painting").recall_id),
    }
