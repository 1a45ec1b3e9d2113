"""What stands beside others, what was announced and is not to be, and what stays against what was announced."""

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from banks.models import Bank, MemoryUnit, Relationship
from banks.retain.relationships.relations import Beside, Ending, Staying, TakenBack
from banks.retain.types import FoundEntity, FoundRelationship
from banks.words import EntityKind
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import make_fact, store, units_of
from tests.banks.lifecycle.worded_embedder import embed
from tests.factories import make_bank, make_tenant

JANUARY, FEBRUARY, MARCH, APRIL = (datetime(2024, month, 1, tzinfo=UTC) for month in (1, 2, 3, 4))
AHEAD = datetime(2099, 3, 1, tzinfo=UTC)
LATER = datetime(2099, 6, 1, tzinfo=UTC)
OVER = datetime(2024, 6, 1, tzinfo=UTC)  # ahead of what is said, and over by now

Saying = tuple[str, datetime, FoundRelationship]


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def say(
    text: str,
    place: str,
    at: datetime,
    *,
    since: datetime | None = None,
    kind: type[FoundRelationship] = FoundRelationship,
) -> Saying:
    found = kind("Ana", "lives_in", place, f"Ana lives in {place}.", object_is_value=not place, valid_from=since)
    return text, at, found


def tell(bank: Bank, *sayings: Saying) -> None:
    """In one batch."""
    facts = [
        make_fact(
            text,
            mentioned_at=at,
            occurred_start=found.valid_from,
            entities=(FoundEntity("Ana", EntityKind.PERSON), *list_places(found)),
            relationships=(found,),
            relationship_vectors=(embed(found.text),),
        )
        for text, at, found in sayings
    ]
    store(bank, *facts)


def list_places(found: FoundRelationship) -> Sequence[FoundEntity]:
    return [FoundEntity(found.object, EntityKind.LOCATION)] if found.object else []


def rows_of(bank: Bank) -> dict[str, Relationship]:
    with tenant_transaction(bank.tenant_id):
        rows = Relationship.objects.for_tenant(bank.tenant_id).select_related("object").order_by("recorded_at")
        return {row.object.name if row.object else row.value: row for row in rows}


def is_open(row: MemoryUnit | Relationship) -> bool:
    return (row.expired_at, row.announced_at, row.valid_until, row.superseded_by_id) == (None, None, None, None)


def in_berlin(at: datetime = JANUARY) -> Saying:
    return say("Ana lives in Berlin.", "Berlin", at)


def to_rome(day: datetime, at: datetime = FEBRUARY) -> Saying:
    return say(f"Ana is moving to Rome on {day:%-d %B %Y}.", "Rome", at, since=day)


def not_to(place: str, at: datetime = MARCH) -> Saying:
    return say("Ana is not moving.", place, at, kind=TakenBack)


def stays(at: datetime = MARCH) -> Saying:
    return say("Ana is staying in Berlin.", "Berlin", at, kind=Staying)


def assert_rome_is_not_to_be(bank: Bank, day: datetime) -> None:
    rows, units = rows_of(bank), units_of(bank)
    assert is_open(rows["Berlin"])
    assert is_open(units["Ana lives in Berlin."])
    for rome in (rows["Rome"], units[to_rome(day)[0]]):
        assert (rome.close_reason, rome.valid_from, rome.valid_until) == ("update", day, day)


@pytest.mark.parametrize("is_batch", [False, True])
@pytest.mark.parametrize("day", [AHEAD, OVER])
@pytest.mark.parametrize("denial", [not_to("Rome"), not_to(""), stays()])
def test_what_was_announced_is_not_to_be_and_the_former_goes_on(
    bank: Bank, denial: Saying, day: datetime, *, is_batch: bool
) -> None:
    if is_batch:
        tell(bank, in_berlin(), to_rome(day), denial)
    else:
        for saying in (in_berlin(), to_rome(day), denial):
            tell(bank, saying)
    assert_rome_is_not_to_be(bank, day)
    assert is_open(units_of(bank)[denial[0]])
    proofs = 2 if isinstance(denial[2], Staying) and not is_batch else 1
    assert rows_of(bank)["Berlin"].proof_count == proofs
    with tenant_transaction(bank.tenant_id):
        assert Relationship.objects.for_tenant(bank.tenant_id).count() == 2


@pytest.mark.parametrize(
    "denial",
    [not_to("Paris"), not_to("Rome", at=JANUARY), stays(at=JANUARY), not_to("Rome", datetime(2099, 4, 1, tzinfo=UTC))],
)
def test_what_was_not_announced_then_is_not_denied(bank: Bank, denial: Saying) -> None:
    for saying in (in_berlin(), to_rome(AHEAD), denial):
        tell(bank, saying)
    rows = rows_of(bank)
    assert (rows["Berlin"].valid_until, rows["Berlin"].superseded_by_id) == (AHEAD, rows["Rome"].id)
    assert (units_of(bank)["Ana lives in Berlin."].valid_until, rows["Rome"].expired_at) == (AHEAD, None)
    assert set(rows) == {"Berlin", "Rome"}


def test_nothing_is_stored_of_what_nobody_announced(bank: Bank) -> None:
    tell(bank, not_to("Rome"))
    assert rows_of(bank) == {}


def test_the_batch_is_heard_in_its_order(bank: Bank) -> None:
    tell(bank, in_berlin(), not_to("Rome", at=FEBRUARY), to_rome(AHEAD))
    assert rows_of(bank)["Berlin"].valid_until == AHEAD


def test_it_can_be_announced_anew(bank: Bank) -> None:
    for saying in (in_berlin(), to_rome(AHEAD), not_to("Rome"), to_rome(AHEAD, at=APRIL)):
        tell(bank, saying)
    rows = rows_of(bank)
    assert (rows["Berlin"].valid_until, rows["Rome"].expired_at) == (AHEAD, None)
    units = units_of(bank, expired_at=None)
    assert units["Ana lives in Berlin."].superseded_by_id == units[to_rome(AHEAD)[0]].id


def test_what_is_taken_back_leaves_the_former_to_what_comes_next(bank: Bank) -> None:
    reno = say("Ana is moving to Reno on 1 June 2099.", "Reno", FEBRUARY, since=LATER)
    for saying in (in_berlin(), to_rome(AHEAD), reno, not_to("Rome")):
        tell(bank, saying)
    rows, units = rows_of(bank), units_of(bank)
    assert (rows["Berlin"].valid_until, rows["Berlin"].superseded_by_id) == (LATER, rows["Reno"].id)
    berlin = units["Ana lives in Berlin."]
    assert (berlin.valid_until, berlin.superseded_by_id) == (LATER, units[reno[0]].id)


def test_who_stays_goes_nowhere(bank: Bank) -> None:
    reno = say("Ana is moving to Reno on 1 June 2099.", "Reno", FEBRUARY, since=LATER)
    for saying in (in_berlin(), to_rome(AHEAD), reno, stays()):
        tell(bank, saying)
    assert_rome_is_not_to_be(bank, AHEAD)
    assert rows_of(bank)["Reno"].close_reason == "update"


@pytest.mark.parametrize("place", ["Berlin", ""])
def test_an_end_that_was_told_by_itself_goes_by_itself(bank: Bank, place: str) -> None:
    leaving = say("Ana will leave Berlin on 1 March 2099.", place, FEBRUARY, since=AHEAD, kind=Ending)
    for saying in (in_berlin(), leaving):
        tell(bank, saying)
    assert rows_of(bank)["Berlin"].valid_until == AHEAD
    tell(bank, stays())
    assert is_open(rows_of(bank)["Berlin"])
    assert is_open(units_of(bank)["Ana lives in Berlin."])


def test_who_stays_where_nobody_knew_them_closes_nothing(bank: Bank) -> None:
    tell(bank, say("Ana lives in Rome.", "Rome", JANUARY))
    tell(bank, stays())
    assert {name: is_open(row) for name, row in rows_of(bank).items()} == {"Rome": True, "Berlin": True}


@pytest.mark.parametrize("since", [None, FEBRUARY, AHEAD])
def test_what_is_so_beside_others_ends_none_of_them(bank: Bank, since: datetime | None) -> None:
    tell(bank, in_berlin())
    tell(bank, say("Ana also lives in Rome.", "Rome", FEBRUARY, since=since, kind=Beside))
    tell(bank, say("Ana still lives in Berlin.", "Berlin", MARCH))
    assert {name: is_open(row) for name, row in rows_of(bank).items()} == {"Rome": True, "Berlin": True}
    tell(bank, say("Ana moved to Porto.", "Porto", APRIL, since=APRIL))
    rows = rows_of(bank)
    assert (rows["Berlin"].valid_until, rows["Porto"].expired_at) == (APRIL, None)


def test_a_unit_without_a_date_of_its_own_ends_with_what_it_announces(bank: Bank) -> None:
    for text, place, since in (
        ("Ana lives in Boston.", "Boston", None),
        ("Ana lives in Denver from March 2099.", "Denver", AHEAD),
        ("Ana lives in Reno from June 2099.", "Reno", LATER),
    ):
        _, at, found = say(text, place, JANUARY, since=since)
        entities = (FoundEntity("Ana", EntityKind.PERSON), *list_places(found))
        told = {"entities": entities, "relationships": (found,), "valid_from": since}
        store(bank, make_fact(text, said=at.year, relationship_vectors=(embed(found.text),), **told))
    units = units_of(bank)
    assert units["Ana lives in Boston."].valid_until == AHEAD
    assert units["Ana lives in Denver from March 2099."].valid_until == LATER
