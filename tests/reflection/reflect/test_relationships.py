from datetime import timedelta
from uuid import UUID

from django.db import connection
from django.test.utils import CaptureQueriesContext

from banks.models import Entity, Relationship
from reflection.reflect.relationships import MOST_ENTITIES, MOST_RELATIONSHIPS, find_ties
from retrieval.types import PointInTime
from tenants.transactions import tenant_transaction
from tests.retrieval.memory import NOW, Memory


def tie(memory: Memory, subject: Entity, target: Entity | None, **fields: object) -> Relationship:
    text = f"{subject.name} - {target.name if target else fields['value']}"
    usual = {"subject": subject, "object": target, "value": "", "mentioned_at": NOW}
    return memory.relationship(text, **usual | fields)


def texts(memory: Memory, *entities: Entity, moment: PointInTime | None = None) -> list[str]:
    with tenant_transaction(memory.bank.tenant_id):
        return [one.text for one in find_ties(memory.bank, [one.id for one in entities], moment or PointInTime())]


def test_two_steps_are_followed_and_no_third(memory: Memory) -> None:
    alice, acme, rome, italy = (memory.entity(name) for name in ("Alice", "Acme", "Rome", "Italy"))
    tie(memory, alice, acme)
    tie(memory, acme, rome)
    tie(memory, rome, italy)
    assert texts(memory, alice) == ["Alice - Acme", "Acme - Rome"]


def test_what_no_longer_holds_is_shown_only_to_a_question_about_the_past(memory: Memory) -> None:
    alice = memory.entity("Alice")
    tie(memory, alice, None, value="Rome", expired_at=NOW, close_reason="update", valid_until=NOW - timedelta(days=9))
    tie(memory, alice, None, value="Lisbon")
    assert texts(memory, alice) == ["Alice - Lisbon"]
    assert set(texts(memory, alice, moment=PointInTime(history=True))) == {"Alice - Lisbon", "Alice - Rome"}


def test_entities_and_relationships_are_few_and_one_statement_reads_them(memory: Memory) -> None:
    alice = memory.entity("Alice")
    for number in range(15):
        other = memory.entity(f"friend {number}")
        tie(memory, alice, other)
        tie(memory, other, None, value=f"likes {number}")
    for number in range(25):
        tie(memory, alice, None, value=f"owns {number}", relation="owns")
    with tenant_transaction(memory.bank.tenant_id), CaptureQueriesContext(connection) as queries:
        found = find_ties(memory.bank, [alice.id], PointInTime())
    assert len(queries) == 1
    assert len(found) == MOST_RELATIONSHIPS
    assert len({entity_id for one in found for entity_id in one.entity_ids}) <= MOST_ENTITIES


def test_nobody_named_means_nothing_asked(memory: Memory) -> None:
    assert texts(memory) == []
    assert find_ties(memory.bank, [], PointInTime()) == ()


def test_an_entity_of_another_bank_brings_nothing(memory: Memory) -> None:
    with tenant_transaction(memory.bank.tenant_id):
        assert find_ties(memory.bank, [UUID(int=1)], PointInTime()) == ()
