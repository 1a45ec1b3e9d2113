"""Ready facts: facts that the caller has extracted."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from banks.enums import Network
from banks.models import Bank, CachedAnswer, Chunk, Document, Link, MemoryUnit, UnitSource
from banks.retain.document_versions import DocumentVersion
from banks.retain.input import RetainItem
from banks.retain.ready_facts import FactChunk, FactsJob, archive_facts, retain_facts
from banks.retain.tools import Retained, Tools
from banks.types import Cause, CauseType, ExtractedFact, FoundEntity, FoundRelationship
from rules.engine import BuiltinEngine
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.hashed_embedder import HashedEmbedder

SAID_AT = datetime(2026, 1, 2, tzinfo=UTC)
SINCE, UNTIL = datetime(2021, 3, 1, tzinfo=UTC), datetime(2025, 9, 1, tzinfo=UTC)
PLACES = ["Lisbon", "Porto", "Braga", "Faro", "Evora", "Sintra", "Tomar", "Beja"]


class Crash(Exception):
    pass


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


@pytest.fixture
def embedder() -> HashedEmbedder:
    return HashedEmbedder()


def make_fact(text: str, **fields: Any) -> ExtractedFact:
    return ExtractedFact(text=text, network=Network.WORLD, mentioned_at=SAID_AT, **fields)


def make_facts(count: int) -> list[ExtractedFact]:
    return [make_fact(f"Visitor {number} saw {PLACES[number % 8]} in the rain.") for number in range(count)]


def accept(bank: Bank, facts: list[ExtractedFact], **fields: Any) -> FactsJob:
    with tenant_transaction(bank.tenant_id):
        archived = archive_facts(bank, RetainItem(SAID_AT, facts=tuple(facts), **fields))
    version = DocumentVersion(bank, archived.document.id, archived.document.version)
    return FactsJob(version, archived.chunks, archived.dropped)


def build_tools(bank: Bank, embedder: HashedEmbedder, *, writes: int = 1_000) -> Tools:
    """Tools that crash at the end of the last allowed write."""
    left = iter(range(writes))

    @contextmanager
    def write() -> Iterator[None]:
        with tenant_transaction(bank.tenant_id):
            yield
            if next(left, None) is None:
                raise Crash

    return Tools(BuiltinEngine(), embedder, write)


def retain(bank: Bank, embedder: HashedEmbedder, facts: list[ExtractedFact], **fields: Any) -> list[Retained]:
    return retain_facts(accept(bank, facts, **fields), build_tools(bank, embedder))


def texts_of(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        return sorted(MemoryUnit.objects.of_bank(bank).values_list("text", flat=True))


def test_each_fact_becomes_a_unit_that_points_at_its_words(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(30)
    retain(bank, embedder, facts, document_id="trip")
    assert texts_of(bank) == sorted(fact.text for fact in facts)
    with tenant_transaction(bank.tenant_id):
        document = Document.objects.for_tenant(bank.tenant_id).get()
        assert document.text == "\n".join(fact.text for fact in facts)
        for source in UnitSource.objects.for_tenant(bank.tenant_id).select_related("unit", "chunk"):
            assert source.chunk is not None
            assert source.chunk.text[source.start : source.end] == source.unit.text
            assert document.text[source.chunk.start : source.chunk.end] == source.chunk.text
            assert source.chunk.embedding is None


def test_chunks_are_cut_between_facts_and_stay_short(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = [make_fact(f"{number} " + "word " * 150) for number in range(12)]
    retain(bank, embedder, facts)
    with tenant_transaction(bank.tenant_id):
        chunks = Chunk.objects.for_tenant(bank.tenant_id)
        assert max(len(chunk.text) for chunk in chunks) <= 1_600


def test_sent_again_it_is_the_same(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(30)
    retain(bank, embedder, facts, document_id="trip")
    before = texts_of(bank)
    outcomes = retain(bank, embedder, facts, document_id="trip")
    assert (texts_of(bank), outcomes) == (before, [])
    assert len(embedder.seen) == 30


def test_a_new_version_deletes_missing_facts_and_keeps_the_others(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(60)
    retain(bank, embedder, facts, document_id="trip")
    changed = [make_fact("It began well."), *facts[:30], *facts[31:]]
    outcomes = retain(bank, embedder, changed, document_id="trip")
    assert texts_of(bank) == sorted(fact.text for fact in changed)
    assert sum(len(outcome.units) for outcome in outcomes) < 30


def test_a_fact_with_the_same_words_and_another_date_is_a_new_unit(bank: Bank, embedder: HashedEmbedder) -> None:
    retain(bank, embedder, [make_fact("Ana saw Porto.")], document_id="trip")
    dated = make_fact("Ana saw Porto.", occurred_start=SAID_AT)
    retain(bank, embedder, [dated], document_id="trip")
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).get().occurred_start == SAID_AT


def test_a_fact_with_another_source_stays(bank: Bank, embedder: HashedEmbedder) -> None:
    shared = make_fact("Ana saw Porto.")
    retain(bank, embedder, [shared], document_id="one")
    retain(bank, embedder, [shared, make_fact("Ana saw Faro.")], document_id="two")
    retain(bank, embedder, [make_fact("Ana saw Beja.")], document_id="two")
    assert texts_of(bank) == ["Ana saw Beja.", "Ana saw Porto."]


def test_append_adds_to_the_stored_facts(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(20)
    retain(bank, embedder, facts[:8], document_id="trip")
    retain(bank, embedder, facts[8:], document_id="trip", update_mode="append")
    assert texts_of(bank) == sorted(fact.text for fact in facts)
    with tenant_transaction(bank.tenant_id):
        document = Document.objects.for_tenant(bank.tenant_id).get()
        chunks = list(Chunk.objects.for_tenant(bank.tenant_id).order_by("position"))
        assert "\n".join(chunk.text for chunk in chunks) == document.text
        assert [chunk.position for chunk in chunks] == list(range(len(chunks)))


def test_after_a_crash_it_goes_on_where_it_was_left(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(250)
    job = accept(bank, facts)
    with pytest.raises(Crash):
        retain_facts(job, build_tools(bank, embedder, writes=2))
    stored = len(texts_of(bank))
    assert 100 <= stored < 130
    retain_facts(job, build_tools(bank, embedder))
    assert texts_of(bank) == sorted(fact.text for fact in facts)
    assert stored <= len(facts) < len(embedder.seen) < len(facts) + 130  # only the batch of the crash is embedded twice
    with tenant_transaction(bank.tenant_id):
        assert set(MemoryUnit.objects.of_bank(bank).values_list("proof_count", flat=True)) == {1}


def test_an_older_call_that_runs_last_stores_no_replaced_fact(bank: Bank, embedder: HashedEmbedder) -> None:
    older = accept(bank, make_facts(20), document_id="trip")
    newer = accept(bank, [make_fact("Ana stayed at home.")], document_id="trip")
    retain_facts(newer, build_tools(bank, embedder))
    retain_facts(older, build_tools(bank, embedder))
    assert texts_of(bank) == ["Ana stayed at home."]


def test_a_call_that_is_replaced_while_it_embeds_stores_only_remaining_facts(bank: Bank) -> None:
    facts = make_facts(20)
    older = accept(bank, facts, document_id="trip")

    class Interrupted(HashedEmbedder):
        def embed_documents(self, texts: Any) -> Any:
            if not self.seen:
                accept(bank, facts[:10], document_id="trip")
            return super().embed_documents(texts)

    retain_facts(older, build_tools(bank, Interrupted()))
    assert set(texts_of(bank)) < {fact.text for fact in facts[:10]}


def test_causes_are_linked_within_a_chunk_and_beyond(bank: Bank, embedder: HashedEmbedder) -> None:
    facts = make_facts(40)
    facts[0] = replace(facts[0], causes=(Cause(39, CauseType.CAUSES, 0.9), Cause(1, CauseType.ENABLES, 0.4)))
    facts[39] = replace(facts[39], causes=(Cause(38, CauseType.CAUSED_BY, 0.5),))
    retain(bank, embedder, facts)
    with tenant_transaction(bank.tenant_id):
        rows = Link.objects.for_tenant(bank.tenant_id).exclude(type="semantic").order_by("weight")
        linked = [(row.source.text, row.type, row.target.text) for row in rows.select_related("source", "target")]
    assert linked == [
        (facts[0].text, "enables", facts[1].text),
        (facts[39].text, "caused_by", facts[38].text),
        (facts[0].text, "causes", facts[39].text),
    ]


def lives(place: str, since: datetime | None = None, until: datetime | None = None) -> FoundRelationship:
    return FoundRelationship("Ana", "lives_in", place, f"Ana lives in {place}.", valid_from=since, valid_until=until)


@pytest.mark.parametrize(
    ("fields", "validity"),
    [
        ({"relationships": (lives("Porto"),)}, (None, None)),
        ({"relationships": (lives("Porto", SINCE),)}, (SINCE, None)),
        ({"relationships": (lives("Porto", SINCE, UNTIL),)}, (SINCE, UNTIL)),
        ({"relationships": (lives("Porto", SINCE, UNTIL), lives("Rua Nova", SINCE))}, (SINCE, None)),
        ({"relationships": (lives("Porto", SINCE), lives("Rua Nova"))}, (SINCE, None)),
        ({"relationships": (lives("Porto", SINCE), lives("Rua Nova", SAID_AT))}, (None, None)),
        ({"relationships": (lives("Porto", SINCE, UNTIL),), "occurred_start": SAID_AT}, (SAID_AT, None)),
    ],
)
def test_a_fact_is_valid_from_the_start_of_its_relations(
    bank: Bank,
    embedder: HashedEmbedder,
    fields: dict[str, Any],
    validity: tuple[datetime | None, datetime | None],
) -> None:
    entities = tuple(FoundEntity(name) for name in ("Ana", "Porto", "Rua Nova"))
    retain(bank, embedder, [make_fact("Ana lives in Rua Nova in Porto.", entities=entities, **fields)])
    with tenant_transaction(bank.tenant_id):
        unit = MemoryUnit.objects.of_bank(bank).get()
    assert (unit.valid_from, unit.valid_until) == validity


def test_vectors_are_not_kept_twice(bank: Bank, embedder: HashedEmbedder) -> None:
    retain(bank, embedder, make_facts(10))
    with tenant_transaction(bank.tenant_id):
        assert not CachedAnswer.objects.for_tenant(bank.tenant_id).exists()


def test_known_facts_are_not_embedded_again(bank: Bank, embedder: HashedEmbedder) -> None:
    dated = make_fact("Ana saw Porto.", occurred_start=SAID_AT)
    retain(bank, embedder, [dated])
    retain(bank, embedder, [dated, make_fact("ANA saw Porto!", occurred_start=SAID_AT)])
    assert embedder.seen == ["Ana saw Porto.", "ANA saw Porto!"]


def test_the_hash_of_a_stored_fact_stays_the_same_in_later_versions() -> None:
    """Otherwise a document that is sent again after an upgrade would be stored anew, and its memories get other ids."""
    fact = ExtractedFact("A likes B.", Network.WORLD, datetime(2024, 1, 1, tzinfo=UTC), entities=(FoundEntity("A"),))
    assert FactChunk((fact,), 0).content_hash.hex().startswith("b0e69ae6bc3137813a19f067c4f54145")
