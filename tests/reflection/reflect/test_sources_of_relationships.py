"""A question by tags gets the source units under its tags, however many other sources a relationship has."""

from reflection.reflect.surroundings import MOST_SOURCES, find_relationships
from retrieval.filters.types import Filters, Not, TagCondition, Tags
from retrieval.types import PointInTime
from tenants.transactions import tenant_transaction
from tests.retrieval.memory import Memory


def test_the_tags_are_asked_of_before_the_latest_are_chosen(memory: Memory) -> None:
    alice = memory.entity("Alice")
    hers, open_to_all = memory.unit("Alice is tall", tags=["ann"]), memory.unit("Alice is so tall")
    others = [memory.unit(f"Alice is tall, said {number}", tags=["bob"]) for number in range(MOST_SOURCES)]
    memory.relationship("is", hers, open_to_all, *others, subject=alice, value="tall", object=None, relation="is")

    def find_named(tags: TagCondition | None) -> list[object]:
        with tenant_transaction(memory.bank.tenant_id):
            (found,) = find_relationships(memory.bank, [alice.id], PointInTime(), Filters(tags=tags))
        return list(found.source_ids)

    assert find_named(Tags(("ann",), "any_strict")) == [hers.id]
    assert find_named(Tags(("ann",), "any")) == [open_to_all.id, hers.id]
    assert find_named(Not(Tags(("bob",), "any_strict"))) == [open_to_all.id, hers.id]
    assert find_named(None) == [one.id for one in reversed(others)]
