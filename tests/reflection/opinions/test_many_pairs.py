"""A hundred facts and a thousand opinions: calls are bounded, and skipped pairs are counted."""

import json
import re
from collections.abc import Sequence
from uuid import UUID

from django.utils import timezone

from banks.models import Bank, MemoryUnit, Mention
from reflection.opinions.candidate_pairs import MOST_BY_ENTITY
from reflection.opinions.model_calls import PAIRS_A_CALL
from reflection.opinions.verdicts import LLMAssessor
from reflection.opinions.weighing import MOST_PAIRS, MOST_STEPS, Reinforced, Tools, reinforce_opinions
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.retain.llm.factory import make_llm
from tests.hashed_embedder import HashedEmbedder
from tests.llm_server import Received, ScriptedLLM
from tests.memory_factories import make_entity

OPINIONS, FACTS = 1_000, 100
MOST_CALLS = 2 * MOST_STEPS * MOST_PAIRS // PAIRS_A_CALL  # a call is at least half full


def store(bank: Bank, texts: Sequence[str], **fields: object) -> list[UUID]:
    """Store only rows; any two texts have distant vectors."""
    now, vectors = timezone.now(), HashedEmbedder().embed_documents(texts).vectors
    units = [
        MemoryUnit(
            bank=bank,
            text=text,
            content_hash=uuid7().bytes,
            mentioned_at=now,
            recorded_at=now,
            embedding=vector,
            **fields,
        )
        for text, vector in zip(texts, vectors, strict=True)
    ]
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.for_tenant(bank.tenant_id).bulk_create(units)
    return [unit.id for unit in units]


def name(bank: Bank, entity_id: UUID, unit_ids: Sequence[UUID]) -> None:
    with tenant_transaction(bank.tenant_id):
        rows = [Mention(unit_id=unit_id, entity_id=entity_id, name="Python") for unit_id in unit_ids]
        Mention.objects.for_tenant(bank.tenant_id).bulk_create(rows)


def weigh(received: Received) -> str:
    pairs = re.findall(r"^fact (\d+) on opinion (\d+),", received.prompt, re.MULTILINE)
    verdicts = [{"opinion": int(o), "verdicts": [{"fact": int(f), "verdict": "neutral"}]} for f, o in pairs]
    return json.dumps({"opinions": verdicts})


def reinforce(bank: Bank, server: ScriptedLLM, facts: Sequence[UUID]) -> Reinforced:
    server.chat.otherwise = weigh
    assessor = LLMAssessor(make_llm(server))
    tools = Tools(assessor, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    return reinforce_opinions(bank, facts, tools, now=timezone.now())


def test_calls_are_bounded_skipped_pairs_are_counted_and_without_candidates_there_is_no_call(
    tenant: Tenant, bank: Bank, llm_server: ScriptedLLM
) -> None:
    texts = [f"I think that matter {number} is well." for number in range(OPINIONS)]
    opinions = store(bank, texts, network="opinion", confidence=0.5)
    facts = store(bank, [f"News number {number} came." for number in range(FACTS)], network="world")
    assert reinforce(bank, llm_server, facts) == Reinforced()
    assert llm_server.chat.received == []
    name(bank, make_entity(tenant, bank=bank).id, [*opinions, *facts])
    done = reinforce(bank, llm_server, facts)
    assert (done.weighed, done.steps) == (MOST_STEPS * MOST_PAIRS, MOST_STEPS)
    assert done.weighed + done.left_out == OPINIONS * MOST_BY_ENTITY
    assert len(llm_server.chat.received) == done.calls <= MOST_CALLS
