"""An entity with 10,000 facts: a refresh reads a bounded number of rows, and a second one only new facts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from banks.models import Bank, Entity
from providers.usage import Usage
from reflection.observations.llm_observer import LLMObserver, build_question
from reflection.observations.marking_stale import mark_stale
from reflection.observations.refreshing import MOST_CALLS, RefreshTools, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed, Observer
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.memory_factories import make_entity
from tests.stored_facts import store_fact

FACTS = 10_000
MOST_CHARACTERS = 40_000  # per prompt

TELL_MANY = """
WITH told AS (
    INSERT INTO banks_memoryunit (
        id, tenant_id, bank_id, network, kind, text, dimensions, content_hash, context, mentioned_at, recorded_at,
        importance, access_count, proof_count, review, close_reason, updated_at
    )
    SELECT gen_random_uuid(), %(tenant_id)s, %(bank_id)s, 'world', 'conversation',
        'Ana visited the town of number ' || number || ' and wrote a long letter about it to her friends at home.',
        '{}', sha256(number::text::bytea), '', now() - number * interval '1 hour', now() - interval '1 day',
        0.5, 0, 1, '', '', now()
    FROM generate_series(1, %(facts)s) AS number
    RETURNING id
)
INSERT INTO banks_mention (id, tenant_id, entity_id, unit_id, name)
SELECT gen_random_uuid(), %(tenant_id)s, %(entity_id)s, told.id, 'Ana' FROM told
"""


@dataclass
class Recorder:
    """Writes seven observations, each from as many facts as it can cite."""

    name: str = "recorder"
    facts_at_once: int = LLMObserver.facts_at_once
    seen: list[Dossier] = field(default_factory=list)

    def observe(self, dossier: Dossier) -> Observed:
        self.seen.append(dossier)
        known = [source_id for one in dossier.known for source_id in one.source_ids]
        ids = [*known, *(fact.id for fact in dossier.facts)]
        told = [Observation(f"Ana travels, {place}", tuple(ids[place::7])) for place in range(7)]
        return Observed(tuple(one for one in told if one.source_ids), Usage(calls=1))


@pytest.fixture
def ana(bank: Bank) -> Entity:
    """The statistics are updated, because the planner would underestimate the 10,000 rows of an open transaction."""
    entity = make_entity(bank.tenant, bank=bank, name="Ana", first_seen_at=timezone.now(), last_seen_at=timezone.now())
    values: dict[str, Any] = {"tenant_id": bank.tenant_id, "bank_id": bank.id, "entity_id": entity.id, "facts": FACTS}
    with tenant_transaction(bank.tenant_id), connection.cursor() as cursor:
        cursor.execute(TELL_MANY, values)
        cursor.execute("SET LOCAL enable_nestloop = off")
    return entity


@contextmanager
def counting_rows(most: list[int]) -> Iterator[None]:
    """Records the largest number of rows that a statement returned or changed."""

    def run(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:  # noqa: FBT001  # Django's signature
        result = execute(sql, params, many, context)
        most.append(context["cursor"].rowcount)
        return result

    with connection.execute_wrapper(run):
        yield


def refresh(bank: Bank, entity: Entity, observer: Observer) -> int:
    """Refresh the entity, and return the number of rows of the largest statement."""
    with tenant_transaction(bank.tenant_id):
        mark_stale(bank, [entity.id], now=timezone.now(), quiet=timedelta(0))
    rows: list[int] = []
    with counting_rows(rows):
        refresh_entity(
            bank, entity.id, RefreshTools(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
        )
    return max(rows)


def test_it_is_read_in_bounded_parts_and_then_only_its_new_facts(bank: Bank, ana: Entity) -> None:
    first, second = Recorder(), Recorder()

    rows = refresh(bank, ana, first)

    assert [len(dossier.facts) for dossier in first.seen] == [LLMObserver.facts_at_once] * MOST_CALLS
    assert max(len(build_question([dossier])) for dossier in first.seen) < MOST_CHARACTERS
    assert rows <= LLMObserver.facts_at_once * MOST_CALLS
    assert first.seen[0].fact_count == FACTS

    for number in range(3):
        store_fact(bank, f"Ana bought boat {number}.", "Ana")
    rows = refresh(bank, ana, second)

    [dossier] = second.seen
    assert sorted(fact.text for fact in dossier.facts) == [f"Ana bought boat {number}." for number in range(3)]
    assert len(dossier.known) == 7
    assert rows < FACTS / 10
