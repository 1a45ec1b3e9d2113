from datetime import timedelta

from retrieval.hydrate import hydrate
from retrieval.types import PointInTime
from tests.factories import make_bank, make_tenant
from tests.retrieval.memory import NOW, Memory


def test_candidates_come_in_the_order_of_the_keys(memory: Memory) -> None:
    one, two, chunk = memory.unit("one"), memory.unit("two"), memory.chunk(text="three")
    found = hydrate(memory.bank, [("chunk", chunk.id), ("unit", two.id), ("unit", one.id)], PointInTime())
    assert [(row.kind, row.text) for row in found] == [("chunk", "three"), ("unit", "two"), ("unit", "one")]


def test_what_was_superseded_since_it_was_found_is_left_out(memory: Memory) -> None:
    closed = memory.unit("one", days=2, expired_at=NOW, close_reason="update")
    assert hydrate(memory.bank, [("unit", closed.id)], PointInTime()) == []
    assert len(hydrate(memory.bank, [("unit", closed.id)], PointInTime(known_at=NOW - timedelta(days=1)))) == 1


def test_rows_of_another_bank_or_tenant_are_not_there(memory: Memory) -> None:
    others = [Memory(make_bank(memory.tenant)), Memory(make_bank(make_tenant()))]
    for other in others:
        unit, chunk = other.unit("one"), other.chunk(text="two")
        assert hydrate(memory.bank, [("unit", unit.id), ("chunk", chunk.id)], PointInTime()) == []


def test_a_chunk_tells_which_messages_it_holds(memory: Memory) -> None:
    first, second = memory.message("I moved."), memory.message("Where to?")
    chunk = memory.chunk(first, second)
    (candidate,) = hydrate(memory.bank, [("chunk", chunk.id)], PointInTime())
    assert [(span.message_id, span.chunk_id, span.start, span.end) for span in candidate.sources] == [
        (first.id, chunk.id, 0, 8),
        (second.id, chunk.id, 0, 9),
    ]
    assert candidate.network is None
