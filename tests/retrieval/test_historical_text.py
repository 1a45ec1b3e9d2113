"""Content that was recorded after `known_at` is never shown, neither in a result nor beside it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from banks.enums import Network
from banks.models import Link, MemoryUnit, Mention, UnitChange
from reflection.models import OpinionRevision
from retrieval.filters.moment import find_last_id
from retrieval.filters.types import Filters, TimeRange
from retrieval.hydration import hydrate
from retrieval.recall import RecallTools, recall
from retrieval.types import Candidate, Channel, Include, PointInTime, RecallQuery
from tenants.identifiers import uuid7
from tenants.transactions import tenant_transaction
from tests.memory_factories import make_episode, make_row
from tests.retrieval.channels.searching import search
from tests.retrieval.memory import NOW, Memory

THEN = NOW - timedelta(days=10)
EARLIER, LATER = THEN - timedelta(days=1), THEN + timedelta(days=1)
KNOWN = PointInTime(known_at=THEN)


def id_of(moment: datetime) -> UUID:
    """A possible id of a row that was created at that time."""
    return UUID(int=find_last_id(moment).int - uuid7().int % 2**60)


@contextmanager
def clock_at(moment: datetime) -> Iterator[None]:
    """Sets the clock for columns that default to the time of the insert."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("django.utils.timezone.now", lambda: moment)
        yield


@pytest.fixture
def told_twice(memory: Memory) -> MemoryUnit:
    unit = memory.unit("Rex is a brown labrador", days=11, proof_count=2)
    with tenant_transaction(memory.tenant.id):
        MemoryUnit.objects.for_tenant(memory.tenant.id).filter(id=unit.id).update(mentioned_at=LATER)
    for at, text in ((EARLIER, "My dog Rex is brown."), (LATER, "As I said, Rex is a labrador.")):
        with clock_at(at):
            memory.quote(unit, memory.message(text, said_at=at))
    return unit


def read(memory: Memory, unit: MemoryUnit, moment: PointInTime) -> Candidate:
    (candidate,) = hydrate(memory.bank, [("unit", unit.id)], moment)
    return candidate


def test_a_later_proof_is_neither_counted_nor_shown(memory: Memory, told_twice: MemoryUnit) -> None:
    then, now = read(memory, told_twice, KNOWN), read(memory, told_twice, PointInTime())
    assert (then.proof_count, then.mentioned_at, len(then.sources)) == (1, EARLIER, 1)
    assert (now.proof_count, now.mentioned_at, len(now.sources)) == (2, LATER, 2)


def test_a_unit_without_later_proofs_keeps_its_time_and_count(memory: Memory) -> None:
    unit = memory.unit("Rex is a labrador", days=11, proof_count=3, mentioned_at=EARLIER)
    with clock_at(EARLIER):
        memory.quote(unit, memory.message("Rex!", said_at=EARLIER - timedelta(days=5)))
    then = read(memory, unit, KNOWN)
    assert (then.proof_count, then.mentioned_at) == (3, EARLIER)


def test_a_text_that_grew_later_is_read_as_it_was(memory: Memory) -> None:
    unit = memory.unit("Rex ate the passport of Ivan", days=11, context="after")
    for days, before in ((1, {"text": "Rex ate a passport"}), (2, {"text": "Rex ate it", "context": "before"})):
        with clock_at(THEN + timedelta(days=3 - days)):
            make_row(UnitChange, memory.tenant, unit=unit, action="merged", before=before, actor="test")
    then, now = read(memory, unit, KNOWN), read(memory, unit, PointInTime())
    assert (then.text, then.context) == ("Rex ate it", "before")
    assert (now.text, now.context) == ("Rex ate the passport of Ivan", "after")


def test_an_edited_quotation_is_read_with_its_former_speaker(memory: Memory) -> None:
    unit = memory.unit("Caroline has a new bike", days=11)
    edit(memory, unit, text="I have a new bike", speaker="Caroline", role="user")
    then, now = read(memory, unit, KNOWN), read(memory, unit, PointInTime())
    assert (then.text, then.speaker, then.role) == ("Caroline: I have a new bike", "Caroline", "user")
    assert (now.text, now.speaker, now.role) == ("Caroline has a new bike", "", "")


def edit(memory: Memory, unit: MemoryUnit, **before: Any) -> None:
    """Edit the unit at LATER; `before` are its former values."""
    with clock_at(LATER):
        make_row(UnitChange, memory.tenant, unit=unit, action="edited", before=before, actor="test")


@pytest.mark.parametrize(
    ("before", "then", "now"),
    [
        ({"network": "experience"}, Filters(networks=(Network.EXPERIENCE,)), Filters(networks=(Network.WORLD,))),
        (
            {"occurred_start": "2026-01-01 00:00:00+00:00"},
            Filters(occurred=TimeRange(end=EARLIER)),
            Filters(occurred=TimeRange(start=EARLIER)),
        ),
        (
            {"mentioned_at": "2026-01-01 00:00:00+00:00"},
            Filters(mentioned=TimeRange(end=EARLIER)),
            Filters(mentioned=TimeRange(start=EARLIER)),
        ),
    ],
)
def test_filters_apply_to_the_former_values(
    memory: Memory, before: dict[str, str], then: Filters, now: Filters
) -> None:
    unit = memory.unit("Rex", days=11, mentioned_at=EARLIER, occurred_start=EARLIER)
    edit(memory, unit, **before)
    for asked, moment, is_found in (
        (then, KNOWN, True),
        (now, KNOWN, False),
        (then, PointInTime(), False),
        (now, PointInTime(), True),
        (now, PointInTime(known_at=NOW), True),
    ):
        hits = search(Channel.SEMANTIC, memory, "Rex", filters=asked, moment=moment)
        assert [hit.id for hit in hits] == ([unit.id] if is_found else []), (asked, moment)


def test_it_is_found_by_the_words_that_it_had(memory: Memory) -> None:
    unit = memory.unit("The pump hangs behind the cellar door", days=11)
    memory.unit("chess is played at the club in the long street by the river", days=11)
    edit(memory, unit, text="Karl plays chess as tidepool")
    for query, moment, place in (
        ("chess by tidepool", KNOWN, 0),
        ("pump behind the cellar", KNOWN, None),
        ("chess by tidepool", PointInTime(known_at=NOW), None),
        ("pump behind the cellar", PointInTime(known_at=NOW), 0),
        ("chess by tidepool", PointInTime(), None),
    ):
        hits = [hit.id for hit in search(Channel.KEYWORD, memory, query, moment=moment)]
        assert (hits.index(unit.id) if unit.id in hits else None) == place, (query, moment)


def test_former_words_count_as_much_as_they_would_in_the_index(memory: Memory) -> None:
    """An edit that does not change the words changes neither the order nor the scores."""
    texts = ["green parrot", "green parrot song of a long day", "parrot", "zebra"]
    units = [memory.unit(text, days=11) for text in texts]
    query = "green parrot song parrot"
    plain = search(Channel.KEYWORD, memory, query, moment=KNOWN)
    for unit in units:
        edit(memory, unit, text=unit.text)
    assert search(Channel.KEYWORD, memory, query, moment=KNOWN) == plain


def revise(memory: Memory, opinion: MemoryUnit, number: int, at: datetime, **fields: Any) -> None:
    usual = {"bank": memory.bank, "opinion": opinion, "number": number, "cause": "reinforce", "actor": "test"}
    with clock_at(at):
        make_row(OpinionRevision, memory.tenant, **usual | fields)


def test_an_opinion_has_the_confidence_and_the_words_of_then(memory: Memory) -> None:
    opinion = memory.unit("Rex is the best dog", days=12, network="opinion", confidence=0.9)
    first, second, third = "Rex is loud", "Rex is the best dog", "Rex is the best dog"
    changed = [
        (1, EARLIER - timedelta(hours=1), None, 0.5, "", first),
        (2, EARLIER, 0.5, 0.6, first, first),
        (3, LATER, 0.6, 0.7, first, first),
        (4, LATER + timedelta(days=1), 0.7, 0.8, first, second),
        (5, LATER + timedelta(days=2), 0.8, 0.9, second, third),
    ]
    for number, at, before, after, text_before, text_after in changed:
        values = {"confidence_before": before, "confidence_after": after}
        revise(memory, opinion, number, at, **values, text_before=text_before, text_after=text_after)
    then, now = read(memory, opinion, KNOWN), read(memory, opinion, PointInTime())
    assert (then.text, then.confidence, then.search_text) == (first, 0.6, "")
    assert (now.text, now.confidence) == (third, 0.9)
    after_rewording = PointInTime(known_at=LATER + timedelta(days=1, hours=1))
    assert (read(memory, opinion, after_rewording).text, read(memory, opinion, after_rewording).confidence) == (
        second,
        0.8,
    )
    assert [hit.id for hit in search(Channel.KEYWORD, memory, "loud", moment=KNOWN)] == [opinion.id]
    assert search(Channel.KEYWORD, memory, "best", moment=KNOWN) == []


def test_an_entity_that_was_found_in_it_later_is_not_named(memory: Memory) -> None:
    unit = memory.unit("Rex ate a passport", days=11)
    for name, at in (("Rex", EARLIER), ("Ivan", LATER)):
        make_row(Mention, memory.tenant, id=id_of(at), unit=unit, entity=memory.entity(name), name=name)
    assert read(memory, unit, KNOWN).entities == ("Rex",)
    assert read(memory, unit, PointInTime()).entities == ("Ivan", "Rex")


def test_a_fact_about_an_earlier_time_keeps_its_later_sources(memory: Memory, told_twice: MemoryUnit) -> None:
    both = read(memory, told_twice, PointInTime(as_of=THEN - timedelta(days=5))).sources
    first = read(memory, told_twice, PointInTime(as_of=THEN)).sources
    assert (len(both), len(first)) == (2, 1)


def make_surroundings(memory: Memory) -> dict[str, Any]:
    """For two known units: of each kind of surrounding row, one that was known at the time and one recorded later."""
    one, two = memory.unit("Rex is a labrador", days=11), memory.unit("Rex is a dog", days=11)
    episode = make_episode(memory.tenant, bank=memory.bank)
    rex = memory.entity("Rex", summary="ate a passport", mention_count=9)
    said: dict[str, Any] = {"entity": rex, "one": one, "two": two}
    for name, at in (("early", EARLIER), ("late", LATER)):
        with clock_at(at):
            message = memory.message(f"Rex, {name}.", said_at=at, episode=episode)
            chunk = memory.chunk(message, is_indexed=False, said_at=at)
        said |= {name: message, f"{name}_chunk": chunk}
    memory.quote(one, said["early"])
    memory.quote(one, said["late"])
    for unit, at in ((one, EARLIER), (two, LATER)):
        make_row(Mention, memory.tenant, id=id_of(at), unit=unit, entity=rex, name="Rex")
    for kind, at in (("semantic", EARLIER), ("causes", LATER)):
        make_row(Link, memory.tenant, id=id_of(at), source=one, target=two, type=kind, weight=0.5)
    return said


QUERY = RecallQuery(
    "What kind of dog is Rex, a labrador?",
    NOW,
    include=Include(entities=500, chunks=500, source_messages=500, neighbours=2, links=True),
)


def test_included_parts_are_those_known_at_the_time(memory: Memory, tools: RecallTools) -> None:
    said = make_surroundings(memory)
    asked = RecallQuery(QUERY.text, NOW, include=QUERY.include, moment=KNOWN)
    then, now = recall(memory.bank, asked, tools).included, recall(memory.bank, QUERY, tools).included
    assert [one.id for one in then.messages] == [said["early"].id]
    assert {one.id for one in now.messages} == {said["early"].id, said["late"].id}
    assert [one.id for one in then.chunks] == [said["early_chunk"].id]
    assert len(now.chunks) == 2
    assert [one.type for one in then.links] == ["semantic"]
    assert len(now.links) == 2
    assert [(one.text, one.mention_count, one.unit_ids) for one in then.entities] == [("Rex", 1, (said["one"].id,))]
    assert [(one.text, one.mention_count) for one in now.entities] == [("Rex: ate a passport", 9)]


def test_neighbours_that_were_recorded_later_stay_away(memory: Memory, tools: RecallTools) -> None:
    episode = make_episode(memory.tenant, bank=memory.bank)
    unit = memory.unit("Rex is a labrador", days=11)
    messages = []
    for at in (EARLIER, LATER):
        with clock_at(at):
            messages.append(memory.message(f"Turn {at}.", said_at=at, episode=episode))
    memory.quote(unit, messages[0])
    asked = RecallQuery(QUERY.text, NOW, include=QUERY.include, moment=KNOWN)
    assert [one.id for one in recall(memory.bank, asked, tools).included.messages] == [messages[0].id]
    as_of = RecallQuery(QUERY.text, NOW, include=QUERY.include, moment=PointInTime(as_of=THEN))
    assert [one.id for one in recall(memory.bank, as_of, tools).included.messages] == [messages[0].id]


@pytest.mark.parametrize("moment", [datetime(1960, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), NOW])
def test_an_id_holds_the_time_of_its_row(moment: datetime) -> None:
    assert (find_last_id(moment) < uuid7()) == (moment < datetime.now(UTC))
