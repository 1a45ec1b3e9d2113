"""Residence, employer and spouse: a later conversation brings a new value, without a language model."""

from datetime import UTC, datetime

import pytest

from banks.models import Bank, MemoryUnit, Message, Relationship
from banks.retain.archive import archive_messages
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.tools import Tools
from rules.engine import BuiltinEngine
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
        ("I work at Initech.", "I now work for Acme.", "works_at Initech", "works_at Acme"),
        ("I live in Porto.", "I moved to Lisbon.", "lives_in Porto", "lives_in Lisbon"),
    ],
)
def test_a_new_value_supersedes_the_former(bank: Bank, earlier: str, later: str, former: str, now: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    stated = relationships_of(bank)
    closed, held = stated[former], stated[now]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (AFTER, "update", held.id)
    assert (held.expired_at, held.valid_from) == (None, AFTER)
    older, newer = units_of(bank)
    assert (older.valid_until, older.superseded_by_id) == (AFTER, newer.id)
    assert (newer.expired_at, newer.valid_from) == (None, AFTER)


@pytest.mark.parametrize(
    "earlier",
    [
        "I moved to Porto in March 2023.",  # a dated event stays what happened
        "I live in Porto, and I met Tom and learned to sail here, and I love it a lot.",
    ],
)
def test_a_unit_with_a_date_or_with_more_to_it_stays(bank: Bank, earlier: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, "I live in Lisbon now.", at=AFTER)
    assert relationships_of(bank)["lives_in Porto"].valid_until == AFTER
    older, _ = units_of(bank)
    assert (older.expired_at, older.valid_until) == (None, None)


def test_a_backdated_value_is_closed_at_once(bank: Bank) -> None:
    say(bank, "I live in Denver.", at=AFTER)
    say(bank, "I live in Boston.", at=BEFORE)
    stated = relationships_of(bank)
    closed, held = stated["lives_in Boston"], stated["lives_in Denver"]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (AFTER, "update", held.id)
    assert held.expired_at is None
    older, newer = units_of(bank)
    assert (older.valid_until, older.superseded_by_id, newer.expired_at) == (AFTER, newer.id, None)


@pytest.mark.parametrize(
    ("earlier", "later", "former"),
    [
        ("I work at Acme.", "I want to leave Acme.", "works_at Acme"),
        ("I work at Acme.", "My brother works at Initech.", "works_at Acme"),
        ("I live in Porto.", "If I moved to Lisbon, I would miss the sea.", "lives_in Porto"),
        ("I live in Porto.", "My brother moved to Lisbon.", "lives_in Porto"),
        ("I live in Porto.", "Did you move to Lisbon?", "lives_in Porto"),
        ("I live in Porto.", "I moved to a new flat.", "lives_in Porto"),
    ],
)
def test_other_statements_close_nothing(bank: Bank, earlier: str, later: str, former: str) -> None:
    say(bank, earlier, at=BEFORE)
    say(bank, later, at=AFTER)
    assert relationships_of(bank)[former].expired_at is None
    assert [unit.expired_at for unit in units_of(bank)] == [None, None]


def test_a_closed_statement_that_is_sent_again_stays_closed(bank: Bank) -> None:
    for text, at in (("I live in Porto.", BEFORE), ("I moved to Lisbon.", AFTER), ("I live in Porto.", BEFORE)):
        say(bank, text, at=at)
    assert relationships_of(bank)["lives_in Porto"].expired_at is not None
    assert len(units_of(bank)) == 2
