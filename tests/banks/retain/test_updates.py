"""What was so and is no more, told in two conversations of which the later one brings the news."""

from datetime import UTC, datetime

import pytest

from banks.models import Bank, MemoryUnit, Message, Relationship
from banks.retain.archive import archive_messages
from banks.retain.conversations.retain import Conversation, retain_conversation
from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.tools import Tools
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.factories import make_bank, make_tenant

BEFORE, AFTER = datetime(2024, 1, 8, 12, tzinfo=UTC), datetime(2024, 5, 8, 12, tzinfo=UTC)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def say(bank: Bank, text: str, *, at: datetime) -> None:
    item = RetainItem(at, messages=(GivenMessage("user", text, at, name="Ana"),), thread=f"{at:%Y-%m}")
    with tenant_transaction(bank.tenant_id):
        archive_messages(bank, item)
        waiting = Message.objects.for_tenant(bank.tenant_id).filter(extracted_at=None).order_by("id")
        ids = tuple(waiting.values_list("id", flat=True))
    tools = Tools(BuiltinEngine(), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    retain_conversation(Conversation(bank, item.thread, ids), tools)


def relationships_of(bank: Bank) -> dict[str, Relationship]:
    with tenant_transaction(bank.tenant_id):
        rows = Relationship.objects.for_tenant(bank.tenant_id).select_related("object").order_by("recorded_at")
        return {f"{row.relation} {row.object.name if row.object else row.value}": row for row in rows}


def units_of(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).order_by("mentioned_at"))


@pytest.mark.parametrize(
    ("earlier", "later", "former", "now"),
    [
        (
            "My favourite colour is blue.",
            "My favorite color is green now.",
            "favourite_color blue",
            "favourite_color green",
        ),
        ("I work at Initech.", "I started working at Acme.", "works_at Initech", "works_at Acme"),
        ("I work at Initech.", "I got a new job at Acme.", "works_at Initech", "works_at Acme"),
        ("I work at Initech.", "I joined Acme.", "works_at Initech", "works_at Acme"),
        ("I work at Initech.", "I now work for Acme.", "works_at Initech", "works_at Acme"),
        ("I live in Porto.", "I moved from Porto to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
        ("I live in Porto.", "I relocated to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
        ("I have two cats.", "I have 3 cats.", "has_cats 2", "has_cats 3"),
        ("Since March 2023 I live in Porto.", "I moved to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
        ("I've been living in Porto since March 2023.", "I moved to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
        ("I've worked at Initech since 2020.", "I work at Acme now.", "works_at Initech", "works_at Acme"),
        ("From next month on I work at Initech.", "I work at Acme now.", "works_at Initech", "works_at Acme"),
        ("I will move to Porto in February 2024.", "I moved to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
    ],
)
def test_news_take_the_place_of_what_was_so(bank: Bank, earlier: str, later: str, former: str, now: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    told = relationships_of(bank)
    closed, held = told[former], told[now]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (AFTER, "update", held.id)
    assert (held.expired_at, held.valid_from) == (None, AFTER)
    older, newer = units_of(bank)
    assert (older.valid_until, older.superseded_by_id) == (AFTER, newer.id)
    assert (newer.expired_at, newer.valid_from) == (None, AFTER)


@pytest.mark.parametrize(
    "earlier",
    [
        "I moved to Porto in March 2023.",  # what happened stays what happened
        "Since March 2023 I live in Porto, where I met Tom and learned to sail.",
        "I live in Porto, where I met Tom and learned to sail, and I love it.",
    ],
)
def test_what_happened_or_tells_more_stays_and_the_news_hold_since_then(bank: Bank, earlier: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, "I live in Lisbon now.", at=AFTER)
    assert relationships_of(bank)["lives_in Porto"].valid_until == AFTER
    older, newer = units_of(bank)
    assert (older.expired_at, older.valid_until) == (None, None)
    assert newer.valid_from == AFTER


@pytest.mark.parametrize(
    ("news", "since"),
    [("I moved to Reno.", AFTER), ("I moved to Reno, and the dog loves the yard behind the house.", None)],
)
def test_a_unit_that_tells_nothing_but_a_beginning_holds_since_then(
    bank: Bank, news: str, since: datetime | None
) -> None:
    say(bank, news, at=AFTER)
    assert [unit.valid_from for unit in units_of(bank)] == [since]


@pytest.mark.parametrize(
    ("earlier", "later", "former", "now"),
    [
        ("I live in Boston.", "I live in Denver.", "lives_in Boston", "lives_in Denver"),
        ("I work at Initech.", "I joined Acme.", "works_at Initech", "works_at Acme"),
    ],
)
def test_what_was_so_and_is_told_late_is_over(bank: Bank, earlier: str, later: str, former: str, now: str) -> None:
    say(bank, later, at=AFTER)
    say(bank, earlier, at=BEFORE)
    told = relationships_of(bank)
    closed, held = told[former], told[now]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (AFTER, "update", held.id)
    assert (held.expired_at, held.valid_from) == (None, AFTER)
    older, newer = units_of(bank)
    assert (older.valid_until, older.close_reason, older.superseded_by_id) == (AFTER, "update", newer.id)
    assert newer.expired_at is None


def test_a_move_that_is_told_late_is_no_more_than_a_stay(bank: Bank) -> None:
    say(bank, "I live in Denver.", at=AFTER)
    say(bank, "I moved to Boston.", at=BEFORE)
    told = relationships_of(bank)
    boston, denver = told["lives_in Boston"], told["lives_in Denver"]
    assert (boston.valid_until, boston.superseded_by_id, denver.expired_at) == (AFTER, denver.id, None)


@pytest.mark.parametrize(
    ("earlier", "later", "former"),
    [
        ("I work at Acme.", "I left Acme.", "works_at Acme"),
        ("I work at Acme.", "I quit my job at Acme.", "works_at Acme"),
        ("I work at Acme.", "I was laid off from Acme.", "works_at Acme"),
        ("I work at Acme.", "I lost my job.", "works_at Acme"),
        ("I'm married to Peter.", "We got divorced.", "married_to Peter"),
        ("I'm married to Peter.", "We separated.", "married_to Peter"),
        ("I'm dating Sam.", "We broke up.", "dating Sam"),
        ("I'm dating Sam.", "I broke up with Sam.", "dating Sam"),
        ("I'm married to Tom.", "Tom and I got divorced.", "married_to Tom"),
        ("I'm married to Peter.", "Peter and I split up.", "married_to Peter"),
        ("I'm married to Peter.", "I'm not married to Peter anymore.", "married_to Peter"),
        ("My husband is Peter.", "My husband Peter and I are getting divorced.", "married_to Peter"),
        ("My husband is Peter.", "My ex-husband Peter called me.", "married_to Peter"),
        ("Bob is married to Alice.", "Alice divorced Bob.", "married_to Alice"),
        ("I work at Acme.", "I no longer work at Acme.", "works_at Acme"),
        ("I work at Acme.", "I don't work at Acme anymore.", "works_at Acme"),
        ("I live in Porto.", "I no longer live in Porto.", "lives_in Porto"),
    ],
)
def test_an_end_closes_what_it_ends_and_puts_nothing_in_its_place(
    bank: Bank, earlier: str, later: str, former: str
) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    (told,) = relationships_of(bank).items()
    assert told[0] == former
    assert (told[1].valid_until, told[1].close_reason, told[1].superseded_by_id) == (AFTER, "update", None)
    older, newer = units_of(bank)
    assert (older.valid_until, older.superseded_by_id) == (AFTER, newer.id)
    assert newer.expired_at is None


@pytest.mark.parametrize(
    ("earlier", "later", "former"),
    [
        ("I work at Acme.", "I left London.", "works_at Acme"),
        ("I work at Acme.", "I worked at Initech.", "works_at Acme"),
        ("I work at Acme.", "I want to leave Acme.", "works_at Acme"),
        ("I work at Acme.", "My brother left Acme.", "works_at Acme"),
        ("I work at Acme.", "I joined the Rowing Club.", "works_at Acme"),
        ("I'm married to Peter.", "My parents got divorced.", "married_to Peter"),
        ("I live in Porto.", "If I moved to Lisbon, I would miss the sea.", "lives_in Porto"),
        ("I live in Porto.", "I didn't move to Lisbon.", "lives_in Porto"),
        ("I live in Porto.", "My brother moved to Lisbon.", "lives_in Porto"),
        ("I live in Porto.", "Did you move to Lisbon?", "lives_in Porto"),
        ("I live in Porto.", "I moved to a new flat.", "lives_in Porto"),
    ],
)
def test_what_is_no_news_of_the_speaker_closes_nothing(bank: Bank, earlier: str, later: str, former: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    assert relationships_of(bank)[former].expired_at is None
    assert [unit.expired_at for unit in units_of(bank)] == [None, None]


@pytest.mark.parametrize(
    ("earlier", "later", "former", "now"),
    [
        (
            "My favourite colour is blue.",
            "My favourite colour isn't blue anymore, it's red.",
            "favourite_color blue",
            "favourite_color red",
        ),
        ("I work for Google.", "I lost my job and joined Amazon.", "works_at Google", "works_at Amazon"),
        ("I work for Google.", "I left Google and joined Amazon.", "works_at Google", "works_at Amazon"),
    ],
)
def test_what_begins_with_the_end_of_the_former_holds_since_then(
    bank: Bank, earlier: str, later: str, former: str, now: str
) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    told = relationships_of(bank)
    assert (told[former].valid_until, told[former].close_reason) == (AFTER, "update")
    assert (told[now].valid_from, told[now].expired_at) == (AFTER, None)


def test_who_joins_after_having_left_works_there_since_then(bank: Bank) -> None:
    say(bank, "I work for Initech.", at=BEFORE)
    say(bank, "I left Initech.", at=BEFORE.replace(month=2))
    say(bank, "I joined Acme.", at=AFTER)
    assert relationships_of(bank)["works_at Acme"].valid_from == AFTER


def test_the_end_of_what_nobody_told_of_leaves_no_row(bank: Bank) -> None:
    say(bank, "I left Acme.", at=BEFORE)
    assert relationships_of(bank) == {}
    assert len(units_of(bank)) == 1


def test_an_end_that_lies_before_what_is_told_closes_nothing(bank: Bank) -> None:
    say(bank, "I work at Acme.", at=BEFORE)
    say(bank, "I left Acme in 2019.", at=AFTER)
    assert relationships_of(bank)["works_at Acme"].expired_at is None


def test_who_was_hired_again_works_there_again(bank: Bank) -> None:
    say(bank, "I work at Acme.", at=BEFORE)
    say(bank, "I left Acme.", at=AFTER)
    say(bank, "I work at Acme again.", at=AFTER.replace(month=8))
    assert relationships_of(bank)["works_at Acme"].expired_at is None


@pytest.mark.parametrize(
    ("earlier", "later", "former"),
    [
        ("I live in Porto.", "I moved to Lisbon.", "lives_in Porto"),
        ("I work at Acme.", "I left Acme.", "works_at Acme"),
    ],
)
def test_what_is_over_and_sent_again_as_of_its_time_stays_over(
    bank: Bank, earlier: str, later: str, former: str
) -> None:
    for text, at in ((earlier, BEFORE), (later, AFTER), (earlier, BEFORE)):
        say(bank, text, at=at)
    assert relationships_of(bank)[former].expired_at is not None
    assert len(units_of(bank)) == 2
