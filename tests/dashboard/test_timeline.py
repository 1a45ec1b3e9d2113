"""The timeline: what was true then, what was known then, and counts where there are too many memories."""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from banks.models import Bank, Mention
from memoryplatform.operations import timeline
from tenants.models import Tenant, User
from tests.accounts.conftest import make_person, sign_in
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_entity, make_row, make_unit

DAY = datetime(2026, 5, 1, 12, tzinfo=UTC)


def day(number: int) -> datetime:
    return DAY + timedelta(days=number - 1)


@pytest.fixture
def bank(acme: Tenant) -> Bank:
    return make_bank(acme, bank_id="support")


@pytest.fixture
def client(acme: Tenant, owner: User) -> Client:
    return sign_in(owner, acme)


def tell(bank: Bank, text: str, on: int, **fields: Any) -> UUID:
    """A state that was told on this day of May."""
    told = {"mentioned_at": day(on), "recorded_at": day(on), "text": text}
    return make_unit(Tenant(id=bank.tenant_id), bank=bank, **told | fields).id


def read(client: Client, query: str = "", bank_id: str = "support") -> dict[str, Any]:
    response = client.get(f"/dashboard/banks/{bank_id}/timeline/?{query}")
    assert response.status_code == 200
    (found,) = re.findall(
        r'<script id="timeline-data" type="application/json">(.*?)</script>', response.content.decode()
    )
    return dict(json.loads(found))


def texts(data: dict[str, Any]) -> list[str]:
    return [one["text"] for one in data["items"]]


def test_a_memory_vanishes_before_it_was_said(client: Client, bank: Bank) -> None:
    tell(bank, "Alice lives in Lisbon.", 1)
    tell(bank, "Alice likes tea.", 10)
    assert texts(read(client)) == ["Alice lives in Lisbon.", "Alice likes tea."]
    assert texts(read(client, "known_at=2026-05-05T00:00:00Z")) == ["Alice lives in Lisbon."]
    assert texts(read(client, "known_at=2026-04-05T00:00:00Z")) == []


def test_as_of_shows_the_state_that_was_true_then(client: Client, bank: Bank) -> None:
    closed = {"valid_until": day(10), "expired_at": day(10), "close_reason": "update"}
    tell(bank, "Alice lives in Lisbon.", 1, **closed)
    tell(bank, "Alice lives in Porto.", 10, valid_from=day(10))
    assert texts(read(client, "as_of=2026-05-04T00:00:00Z")) == ["Alice lives in Lisbon."]
    assert texts(read(client, "as_of=2026-05-20T00:00:00Z")) == ["Alice lives in Porto."]
    # On 12 May the bank knew of the move; on 8 May it did not, and the end of the old state is open.
    assert texts(read(client, "as_of=2026-05-20T00:00:00Z&known_at=2026-05-12T00:00:00Z")) == ["Alice lives in Porto."]
    before = read(client, "as_of=2026-05-20T00:00:00Z&known_at=2026-05-08T00:00:00Z")
    assert [(one["text"], one["until"], one["closed"]) for one in before["items"]] == [
        ("Alice lives in Lisbon.", None, "")
    ]


def test_an_event_was_not_true_before_it_happened(client: Client, bank: Bank) -> None:
    tell(bank, "Alice moved.", 10, kind="event", occurred_start=day(9), occurred_end=day(10))
    assert texts(read(client, "as_of=2026-05-05T00:00:00Z")) == []
    (item,) = read(client, "as_of=2026-05-11T00:00:00Z")["items"]
    assert item["since"] is None
    assert item["ended"] == day(10).timestamp() * 1000


def test_a_correction_was_never_true(client: Client, bank: Bank) -> None:
    tell(bank, "Alice lives in Rome.", 1, expired_at=day(3), close_reason="correction")
    assert texts(read(client)) == ["Alice lives in Rome."]
    assert texts(read(client, "closed=no")) == []
    assert texts(read(client, "as_of=2026-05-02T00:00:00Z")) == []
    assert texts(read(client, "as_of=2026-05-02T00:00:00Z&known_at=2026-05-02T00:00:00Z")) == ["Alice lives in Rome."]


def test_a_state_that_began_before_the_window_reaches_into_it(client: Client, bank: Bank) -> None:
    tell(bank, "Alice lives in Lisbon.", 1, valid_from=day(1))
    tell(bank, "Bob lived in Bath.", 1, valid_until=day(2), expired_at=day(2), close_reason="update")
    tell(bank, "Alice likes tea.", 10)
    assert texts(read(client, "from=2026-05-09T00:00:00Z&to=2026-05-12T00:00:00Z")) == [
        "Alice lives in Lisbon.",
        "Alice likes tea.",
    ]


def test_filters_by_network_and_entity(client: Client, bank: Bank, acme: Tenant) -> None:
    lisbon = tell(bank, "Alice lives in Lisbon.", 1)
    tell(bank, "Tea is good.", 2, network="opinion", confidence=0.7)
    alice = make_entity(acme, bank=bank, name="Alice")
    make_row(Mention, acme, unit_id=lisbon, entity=alice, name="Alice")
    assert texts(read(client, "network=opinion")) == ["Tea is good."]
    data = read(client, f"entity={alice.id}&lanes=entity")
    assert texts(data) == ["Alice lives in Lisbon."]
    assert data["entities"] == [{"id": str(alice.id), "name": "Alice"}]


def test_many_memories_are_counted_by_step(client: Client, bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "MOST_ITEMS", 3)
    for number in range(1, 6):
        tell(bank, f"Fact {number}.", number)
    tell(bank, "Tea is good.", 5, network="opinion", confidence=0.7)
    data = read(client)
    assert data["items"] == []
    assert sum(sum(one["counts"].values()) for one in data["buckets"]) == 6
    assert sum(one["counts"].get("opinion", 0) for one in data["buckets"]) == 1
    known = read(client, "known_at=2026-05-02T23:00:00Z")
    assert sum(sum(one["counts"].values()) for one in known["buckets"]) == 2


def test_nonsense_in_the_address_is_ignored(client: Client, bank: Bank) -> None:
    tell(bank, "Alice likes tea.", 1)
    for query in (
        "from=x&to=y", "from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z", "as_of=9999-99-99",
        "known_at=0001-01-01T00:00:00%2B14:00",
        "lanes=x", "network=x", "entity=x", "as_of=%00",
    ):  # fmt: skip
        assert texts(read(client, query)) == ["Alice likes tea."], query


def test_a_text_is_escaped_and_an_empty_bank_says_so(client: Client, bank: Bank) -> None:
    assert b"No memories yet" in client.get("/dashboard/banks/support/timeline/").content
    tell(bank, "</script><script>alert(1)</script>", 1)
    page = client.get("/dashboard/banks/support/timeline/").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_another_tenant_sees_nothing(client: Client, bank: Bank) -> None:
    tell(bank, "Alice likes tea.", 1)
    other = make_tenant()
    foreign = make_entity(other)
    assert client.get(f"/dashboard/banks/support/timeline/?entity={foreign.id}").status_code == 404
    assert client.get(f"/dashboard/banks/support/timeline/?entity={uuid4()}").status_code == 404
    stranger = sign_in(make_person("eve@example.com"))
    assert stranger.get("/dashboard/banks/support/timeline/").status_code == 302  # to found a tenant of their own


def test_the_queries_do_not_grow_with_the_memories(
    client: Client, bank: Bank, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(1, 20):
        tell(bank, f"Fact {number}.", number)
    with django_assert_max_num_queries(26):
        read(client, "as_of=2026-05-12T00:00:00Z")
