"""A live server on loopback, and one object of every kind."""

from collections.abc import Iterator

import pytest

from memoryplatform.embedded.redis import EmbeddedRedis
from tenants.models import Tenant
from tests.belief_factories import make_directive, make_mental_model, make_opinion, make_retention_rule
from tests.factories import (
    make_api_key,
    make_bank,
    make_connected_app,
    make_delivery,
    make_erasure,
    make_invitation,
    make_llm_request,
    make_member,
    make_operation,
    make_tenant,
    make_webhook,
)
from tests.live_server import serve, use_small_models
from tests.memory_factories import (
    make_chunk,
    make_document,
    make_entity,
    make_episode,
    make_message,
    make_quarantined_item,
    make_recall_record,
    make_unit,
)
from tests.retrieval.fakes import WordEmbedder


@pytest.fixture(scope="session")
def base_url(django_db_setup: None) -> Iterator[str]:
    with serve() as url:
        yield url


@pytest.fixture
def small_models(monkeypatch: pytest.MonkeyPatch) -> None:
    use_small_models(monkeypatch)


@pytest.fixture
def acme(committed_db: None, redis_server: EmbeddedRedis) -> Tenant:
    return make_tenant("acme")


def make_things(tenant: Tenant, colour: str = "red") -> dict[str, str]:
    """The ids of one object of each kind, by the names of the path parameters. Their texts name the colour."""
    bank = make_bank(tenant, bank_id="support", background=f"I paint {colour}.", embedding_model=WordEmbedder.model_id)
    webhook = make_webhook(tenant, bank_id=bank.bank_id)
    return {
        "bank_id": bank.bank_id,
        "operation_id": str(make_operation(tenant, bank=bank).id),
        "memory_id": str(make_unit(tenant, bank=bank, text=f"Alice paints {colour}.").id),
        "opinion_id": str(make_opinion(tenant, bank=bank, text=f"Painting {colour} calms.").id),
        "message_id": str(make_message(tenant, bank=bank, content=f"I paint {colour}.").id),
        "episode_id": str(make_episode(tenant, bank=bank, narrative=f"Of painting {colour}.").id),
        "document_id": make_document(
            tenant, bank=bank, document_id="notes/one", text=f"Alice paints {colour}."
        ).document_id,
        "chunk_id": str(make_chunk(tenant, bank=bank, text=f"Alice paints {colour}.").id),
        "entity_id": str(make_entity(tenant, bank=bank, name=f"Alice {colour}").id),
        "directive_id": str(make_directive(tenant, bank=bank, content=f"Paint {colour}.").id),
        "model_id": make_mental_model(tenant, bank=bank, content=f"Alice paints {colour}.").key,
        "rule_id": str(make_retention_rule(tenant, bank=bank, name=f"old {colour}").id),
        "webhook_id": str(webhook.id),
        "user_id": str(make_member(tenant).user_id),
        "invitation_id": str(make_invitation(tenant).id),
        "key_id": str(make_api_key(tenant).id),
        "app_id": str(make_connected_app(tenant).id),
        "erasure_id": str(make_erasure(tenant, bank_key=bank.bank_id).id),
        "item_id": str(make_quarantined_item(tenant, bank=bank).id),
        "delivery_id": str(make_delivery(tenant, webhook=webhook).id),
        "llm_request_id": str(make_llm_request(tenant, bank_key=bank.bank_id).id),
        "recall_id": str(make_recall_record(tenant, bank=bank, query=f"painting {colour}").recall_id),
    }
