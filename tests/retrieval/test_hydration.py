from datetime import timedelta

from banks.models import UnitChange
from retrieval.hydration import hydrate
from retrieval.types import PointInTime
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_row
from tests.retrieval.memory import NOW, Memory


def test_candidates_come_in_the_order_of_the_keys(memory: Memory) -> None:
    one, two, chunk = memory.unit("one"), memory.unit("two"), memory.chunk(text="three")
    found = hydrate(memory.bank, [("chunk", chunk.id), ("unit", two.id), ("unit", one.id)], PointInTime())
    assert [(row.kind, row.text) for row in found] == [("chunk", "three"), ("unit", "two"), ("unit", "one")]


def test_the_text_is_rendered_with_its_speaker_now_and_then(memory: Memory) -> None:
    said = memory.unit("I moved.", days=20, speaker="Ana", role="user", search_text="Ana moved on 5 May 2026.")
    fact = memory.unit("Ana lives in Porto.", days=20)
    then = PointInTime(known_at=NOW - timedelta(days=10))
    for moment in (PointInTime(), then):
        found = hydrate(memory.bank, [("unit", said.id), ("unit", fact.id)], moment)
        assert [row.text for row in found] == ["Ana: I moved.", "Ana lives in Porto."]
        assert [row.search_text for row in found] == ["Ana moved on 5 May 2026.", ""]
    make_row(UnitChange, memory.tenant, unit=said, action="edited", before={"text": "I stay."}, actor="test")
    (row,) = hydrate(memory.bank, [("unit", said.id)], then)
    assert (row.text, row.search_text) == ("Ana: I stay.", "")


def test_a_unit_that_was_superseded_after_the_search_is_left_out(memory: Memory) -> None:
    closed = memory.unit("one", days=2, expired_at=NOW, close_reason="update")
    assert hydrate(memory.bank, [("unit", closed.id)], PointInTime()) == []
    assert len(hydrate(memory.bank, [("unit", closed.id)], PointInTime(known_at=NOW - timedelta(days=1)))) == 1


def test_rows_of_another_bank_or_tenant_are_not_there(memory: Memory) -> None:
    others = [Memory(make_bank(memory.tenant)), Memory(make_bank(make_tenant()))]
    for other in others:
        unit, chunk = other.unit("one"), other.chunk(text="two")
        assert hydrate(memory.bank, [("unit", unit.id), ("chunk", chunk.id)], PointInTime()) == []


def test_a_chunk_lists_its_messages(memory: Memory) -> None:
    first, second = memory.message("I moved."), memory.message("Where to?")
    chunk = memory.chunk(first, second)
    (candidate,) = hydrate(memory.bank, [("chunk", chunk.id)], PointInTime())
    assert [(span.message_id, span.chunk_id, span.start, span.end) for span in candidate.sources] == [
        (first.id, chunk.id, 0, 8),
        (second.id, chunk.id, 0, 9),
    ]
    assert candidate.network is None
