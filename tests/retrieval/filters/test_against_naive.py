"""On random units and filters, the SQL accepts the same units as the naive predicate."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from banks.enums import Network
from banks.models import (
    Bank,
    Chunk,
    Document,
    Entity,
    EntityName,
    MemoryUnit,
    Mention,
    UnitMetadata,
    UnitSource,
    UnitTag,
)
from retrieval.filters.conditions import list_owners
from retrieval.filters.scope import build_unit_condition
from retrieval.filters.tree import add_condition
from retrieval.filters.types import (
    AllOf,
    AnyOf,
    Condition,
    Entities,
    Filters,
    Happened,
    Metadata,
    Not,
    TagCondition,
    TagMatch,
    Tags,
    TimeRange,
)
from retrieval.statements import read_rows
from retrieval.types import PointInTime
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.retrieval.filters.naive import Said, passes
from tests.retrieval.memory import undone

DAYS = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 9)]
SCHEDULED = datetime(2400, 1, 1, tzinfo=UTC)
NAMES = ["alice", "bob", "carol"]
TAGS = ["a", "b", "c"]
MANY_TAGS = [*TAGS, "d", "e", "f"]  # above the limit for separate look-ups
KEYS = ["k", "l", "m", "n", "o", "p"]
DOCUMENTS = ["d/1", "d/2"]

days = st.sampled_from(DAYS)
maybe_day = st.none() | days
some_tags = st.frozensets(st.sampled_from(TAGS), max_size=3)
many_tags = st.frozensets(st.sampled_from(MANY_TAGS), min_size=4) | some_tags
some_values = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["1", "2"]), max_size=2)
VALUES = ["2", "10", "json:3", "json:true", "red", "2026-01-03", "2026-01-05T10:00:00Z", "3x", ""]
odd_values = st.dictionaries(st.sampled_from(KEYS[:2]), st.sampled_from(VALUES), max_size=2)
many_values = st.fixed_dictionaries(dict.fromkeys(KEYS, st.sampled_from(["1", "1", "1", "2"])))


@st.composite
def units(draw: st.DrawFn) -> Said:
    start, end = draw(maybe_day), draw(st.integers(0, 3))
    valid = sorted([draw(days), draw(days)])
    expired = draw(maybe_day)
    return Said(
        network=draw(st.sampled_from(["world", "experience", "observation"])),
        mentioned_at=draw(days),
        recorded_at=draw(days),
        tags=draw(many_tags),
        metadata=draw(some_values | many_values | odd_values),
        entities=draw(st.frozensets(st.sampled_from(NAMES), max_size=2)),
        documents=draw(st.frozensets(st.sampled_from(DOCUMENTS), max_size=2)),
        occurred_start=start,
        occurred_end=start + timedelta(days=end) if start and end else None,
        valid_from=draw(st.sampled_from([None, valid[0]])),
        valid_until=draw(st.sampled_from([None, valid[1], SCHEDULED])),
        expired_at=expired,
        close_reason=draw(st.sampled_from(["update", "correction", "source_removed"])) if expired else "",
    )


tag_matches = st.sampled_from(["any", "all", "any_strict", "all_strict", "exact"])
plain_tags = st.builds(lambda tags, match: Tags(tuple(sorted(tags)), match), many_tags, tag_matches)
tag_trees: st.SearchStrategy[TagCondition] = st.recursive(
    plain_tags,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AllOf, st.lists(inner, max_size=4).map(tuple))
        | st.builds(AnyOf, st.lists(inner, max_size=4).map(tuple))
    ),
    max_leaves=8,
)
ranges = st.builds(TimeRange, maybe_day, maybe_day)
keys = st.sampled_from(KEYS[:2])
comparisons = st.sampled_from(["gt", "gte", "lt", "lte"])
leaves = st.one_of(
    plain_tags,
    st.builds(Metadata, keys, st.just("in"), st.lists(st.sampled_from(VALUES), max_size=3).map(tuple)),
    st.builds(Metadata, keys, st.sampled_from(["contains", "icontains"]), st.sampled_from([("e",), ("json",), ("'",)])),
    st.builds(Metadata, keys, st.just("exists")),
    st.builds(Metadata, keys, comparisons, st.sampled_from([(2,), (3,), (9.0,), ("2026-01-03",), ("2026-01-04",)])),
    st.builds(Entities, st.sampled_from([("Alice", "Bob"), ("carol",), ()])),
    st.builds(Happened, st.sampled_from(["occurred", "mentioned"]), ranges),
)
trees: st.SearchStrategy[Condition] = st.recursive(
    leaves,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(AllOf, st.lists(inner, max_size=4).map(tuple))
        | st.builds(AnyOf, st.lists(inner, max_size=4).map(tuple))
    ),
    max_leaves=8,
)
# One or two kinds of conditions at a time, because hardly any unit would pass all of them.
one_filter = st.one_of(
    st.builds(Filters, networks=st.just((Network.WORLD, Network.EXPERIENCE))),
    st.builds(Filters, tags=plain_tags),
    st.builds(Filters, tags=tag_trees),
    st.builds(Filters, metadata=st.just({"k": "1"})),
    st.builds(Filters, metadata=st.sampled_from([dict.fromkeys(KEYS[:count], "1") for count in (2, 5, 6)])),
    st.builds(Filters, entities=st.just(("Alice", "Bob"))),
    st.builds(Filters, occurred=ranges),
    st.builds(Filters, mentioned=ranges),
    st.builds(Filters, document_ids=st.just(("d/1",))),
    st.builds(Filters, where=trees),
    st.builds(add_condition, st.builds(Filters, mentioned=ranges), trees),
    st.builds(Filters, networks=st.just((Network.WORLD,)), tags=plain_tags, occurred=ranges),
)
moments = st.builds(PointInTime, as_of=maybe_day, known_at=maybe_day, history=st.booleans())
everything = st.just(PointInTime(history=True))
questions = st.tuples(one_filter, everything) | st.tuples(st.just(Filters()), moments) | st.tuples(one_filter, moments)


class Bench:
    """Writes units in few statements, so that many examples can be tested."""

    def __init__(self, bank: Bank) -> None:
        self.bank = bank
        self.tenant_id = bank.tenant_id
        with tenant_transaction(self.tenant_id):
            self.entities = {name: self.make_entity(name) for name in NAMES}
            self.chunks = {name: self.make_chunk(name) for name in DOCUMENTS}

    def make_entity(self, name: str) -> Entity:
        entities = Entity.objects.for_tenant(self.tenant_id)
        entity = entities.create(bank=self.bank, name=name, identity=name, kind="PERSON")
        EntityName.objects.for_tenant(self.tenant_id).create(
            entity=entity, bank_id=self.bank.id, name=name, normalised_name=name
        )
        return entity

    def make_chunk(self, document_id: str) -> Chunk:
        document = Document.objects.for_tenant(self.tenant_id).create(
            bank=self.bank, document_id=document_id, text="t", content_hash=b"x", said_at=DAYS[0]
        )
        return Chunk.objects.for_tenant(self.tenant_id).create(
            bank=self.bank, document=document, text="t", content_hash=b"x", said_at=DAYS[0], position=0
        )

    def write(self, said: list[Said]) -> list[UUID]:
        rows = [build_unit(self.bank, one) for one in said]
        ids = [row.id for row in rows]
        pairs = list(zip(said, rows, strict=True))
        bank_id = self.bank.id
        MemoryUnit.objects.for_tenant(self.tenant_id).bulk_create(rows)
        UnitTag.objects.for_tenant(self.tenant_id).bulk_create(
            [UnitTag(unit=row, bank_id=bank_id, tag=tag) for one, row in pairs for tag in one.tags]
        )
        UnitMetadata.objects.for_tenant(self.tenant_id).bulk_create(
            [
                UnitMetadata(unit=row, bank_id=bank_id, key=key, value=value)
                for one, row in pairs
                for key, value in one.metadata.items()
            ]
        )
        Mention.objects.for_tenant(self.tenant_id).bulk_create(
            [Mention(unit=row, entity=self.entities[name], name=name) for one, row in pairs for name in one.entities]
        )
        UnitSource.objects.for_tenant(self.tenant_id).bulk_create(
            [UnitSource(unit=row, chunk=self.chunks[name]) for one, row in pairs for name in one.documents]
        )
        return ids


def build_unit(bank: Bank, said: Said) -> MemoryUnit:
    unit_id = uuid7()
    columns = {
        name: value for name, value in vars(said).items() if name not in {"tags", "metadata", "entities", "documents"}
    }
    return MemoryUnit(id=unit_id, bank=bank, text="t", content_hash=unit_id.bytes, **columns)


def find_passing(bank: Bank, wanted: Filters, moment: PointInTime) -> set[UUID]:
    condition = build_unit_condition(wanted, moment)
    statement = sql.SQL("SELECT unit.id FROM banks_memoryunit AS unit WHERE {}").format(condition)
    return {row[0] for row in read_rows(bank.tenant_id, statement, list_owners(bank), within_seconds=None)}


@pytest.fixture
def bench(bank: Bank) -> Bench:
    return Bench(bank)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=st.lists(units(), min_size=4, max_size=12), asked=st.lists(questions, min_size=10, max_size=20))
def test_the_sql_agrees_with_the_naive_filters(
    bench: Bench, said: list[Said], asked: list[tuple[Filters, PointInTime]]
) -> None:
    with undone(bench.bank):
        ids = bench.write(said)
        for wanted, moment in asked:
            expected = {row_id for row_id, one in zip(ids, said, strict=True) if passes(one, wanted, moment)}
            assert find_passing(bench.bank, wanted, moment) == expected, (wanted, moment)


@pytest.mark.parametrize("match", ["any", "all", "any_strict", "all_strict", "exact"])
@pytest.mark.parametrize("wanted", [(), ("a",), ("a", "b")])
def test_each_way_to_match_tags(bench: Bench, match: TagMatch, wanted: tuple[str, ...]) -> None:
    said = [
        Said("world", DAYS[0], DAYS[0], tags=frozenset(tags)) for tags in ((), ("a",), ("a", "b"), ("a", "c"), ("c",))
    ]
    asked = Filters(tags=Tags(wanted, match))
    with undone(bench.bank):
        ids = bench.write(said)
        expected = {row_id for row_id, one in zip(ids, said, strict=True) if passes(one, asked, PointInTime())}
        assert find_passing(bench.bank, asked, PointInTime()) == expected


@pytest.mark.parametrize("match", ["any", "all", "any_strict", "all_strict", "exact"])
@pytest.mark.parametrize("is_deep", [False, True])
def test_each_way_to_match_many_tags(bench: Bench, match: TagMatch, is_deep: bool) -> None:  # noqa: FBT001  # pytest's
    """Tested alone, and in a tree with so many conditions that all tags are checked at once."""
    said = [
        Said("world", DAYS[0], DAYS[0], tags=frozenset(tags))
        for tags in ((), ("a",), MANY_TAGS[:5], MANY_TAGS, [*MANY_TAGS[:5], "x"], ("x",))
    ]
    leaf = Tags((*MANY_TAGS[:5], "a"), match)
    asked = Filters(tags=AllOf((leaf,) * 6) if is_deep else leaf)
    with undone(bench.bank):
        ids = bench.write(said)
        expected = {row_id for row_id, one in zip(ids, said, strict=True) if passes(one, asked, PointInTime())}
        assert find_passing(bench.bank, asked, PointInTime()) == expected
