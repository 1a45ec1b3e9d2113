from datetime import timedelta
from uuid import UUID

from banks.models import Entity, Relationship
from reflection.reflect.surroundings import MOST_ENTITIES, MOST_RELATIONSHIPS, find_relationships
from retrieval.filters.types import Filters, TagMatch, Tags
from retrieval.types import PointInTime
from tenants.transactions import tenant_transaction
from tests.retrieval.memory import NOW, Memory


def tie(memory: Memory, subject: Entity, target: Entity | None, **fields: object) -> Relationship:
    text = f"{subject.name} - {target.name if target else fields['value']}"
    usual = {"subject": subject, "object": target, "value": "", "mentioned_at": NOW}
    return memory.relationship(text, **usual | fields)


def texts(memory: Memory, *entities: Entity, moment: PointInTime | None = None) -> list[str]:
    with tenant_transaction(memory.bank.tenant_id):
        return [
            one.text for one in find_relationships(memory.bank, [one.id for one in entities], moment or PointInTime())
        ]


def test_two_steps_are_followed_and_no_third(memory: Memory) -> None:
    alice, acme, rome, italy = (memory.entity(name) for name in ("Alice", "Acme", "Rome", "Italy"))
    tie(memory, alice, acme)
    tie(memory, acme, rome)
    tie(memory, rome, italy)
    assert texts(memory, alice) == ["Alice - Acme", "Acme - Rome"]


def test_ended_relationships_are_shown_only_to_questions_about_the_past(memory: Memory) -> None:
    alice = memory.entity("Alice")
    tie(memory, alice, None, value="Rome", expired_at=NOW, close_reason="update", valid_until=NOW - timedelta(days=9))
    tie(memory, alice, None, value="Lisbon")
    assert texts(memory, alice) == ["Alice - Lisbon"]
    assert set(texts(memory, alice, moment=PointInTime(history=True))) == {"Alice - Lisbon", "Alice - Rome"}


def test_entities_and_relationships_are_few(memory: Memory) -> None:
    alice = memory.entity("Alice")
    for number in range(15):
        other = memory.entity(f"friend {number}")
        tie(memory, alice, other)
        tie(memory, other, None, value=f"likes {number}")
    for number in range(25):
        tie(memory, alice, None, value=f"owns {number}", relation="owns")
    with tenant_transaction(memory.bank.tenant_id):
        found = find_relationships(memory.bank, [alice.id], PointInTime())
    assert len(found) == MOST_RELATIONSHIPS
    assert len({entity_id for one in found for entity_id in one.entity_ids}) <= MOST_ENTITIES


def test_without_entities_no_relationship_is_looked_up(memory: Memory) -> None:
    assert texts(memory) == []
    assert find_relationships(memory.bank, [], PointInTime()) == ()


def test_an_entity_of_another_bank_brings_nothing(memory: Memory) -> None:
    with tenant_transaction(memory.bank.tenant_id):
        assert find_relationships(memory.bank, [UUID(int=1)], PointInTime()) == ()


def test_a_filter_hides_relationships_of_hidden_memories(memory: Memory) -> None:
    alice = memory.entity("Alice")
    hers, his = memory.unit("Alice earns 90,000", tags=["user:alice"]), memory.unit("Alice runs", tags=["user:bob"])
    open_to_all = memory.unit("Alice is tall")
    memory.relationship("earns", hers, subject=alice, value="90,000", object=None)
    memory.relationship("runs", his, subject=alice, value="fast", object=None, relation="runs")
    memory.relationship("is", open_to_all, subject=alice, value="tall", object=None, relation="is")

    def find(*tags: str, match: TagMatch) -> set[str]:
        with tenant_transaction(memory.bank.tenant_id):
            filters = Filters(tags=Tags(tags, match))
            return {one.text for one in find_relationships(memory.bank, [alice.id], PointInTime(), filters)}

    assert find("user:bob", match="any_strict") == {"runs"}
    assert find("user:bob", match="any") == {"runs", "is"}
    assert find("user:alice", "user:bob", match="any_strict") == {"earns", "runs"}


def test_a_relationship_comes_with_its_source_memories(memory: Memory) -> None:
    alice = memory.entity("Alice")
    first, second = memory.unit("Alice is tall"), memory.unit("Alice is very tall")
    memory.relationship("is", first, second, subject=alice, value="tall", object=None, relation="is")
    with tenant_transaction(memory.bank.tenant_id):
        (found,) = find_relationships(memory.bank, [alice.id], PointInTime())
    assert list(found.source_ids) == [second.id, first.id]


def test_hidden_sources_of_a_relationship_show_none_of_their_words(memory: Memory) -> None:
    alice, porto = memory.entity("Alice"), memory.entity("Porto")
    hers, his = memory.unit("one", tags=["user:ann"]), memory.unit("two", tags=["user:bob"])
    fields = {"subject": alice, "object": porto, "relation": "lives_in", "value": ""}
    memory.relationship("Alice fled to Porto, she told me in tears.", hers, his, **fields)

    def ask(*tags: str) -> list[str]:
        filters = Filters(tags=Tags(tags)) if tags else Filters()
        with tenant_transaction(memory.bank.tenant_id):
            return [one.text for one in find_relationships(memory.bank, [alice.id], PointInTime(), filters)]

    assert ask("user:bob") == ["Alice lives in Porto."]
    assert ask() == ask("user:ann", "user:bob") == ["Alice fled to Porto, she told me in tears."]
