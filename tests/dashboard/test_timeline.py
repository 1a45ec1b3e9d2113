"""The timeline: what was true then, what was known then, and counts where there are too many memories."""

import html
import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from banks.models import Bank, Mention, UnitChange, UnitSource
from memoryplatform.operations import timeline
from reflection.models import OpinionRevision
from tenants.models import Tenant, User
from tenants.transactions import tenant_transaction
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


def test_the_past_has_its_own_words_and_no_ends_that_were_set_later(client: Client, bank: Bank, acme: Tenant) -> None:
    """An end that is scheduled, the observation of it, and an opinion in its later words."""
    fact = tell(bank, "The office is in Bristol.", 1, valid_from=day(1), valid_until=day(500))
    observed = tell(
        bank, "The office is Bristolian.", 1, network="observation", valid_from=day(1), valid_until=day(500)
    )
    opinion = tell(bank, "Bristol suits us, for now.", 1, network="opinion", confidence=0.6, valid_from=day(1))
    make_row(UnitSource, acme, unit_id=observed, other_unit_id=fact, role=UnitSource.Role.SUMMARISES)
    set_on = {"unit_id": fact, "action": UnitChange.Action.SCHEDULED, "before": {"valid_until": None}}
    with tenant_transaction(acme.id):
        change = UnitChange.objects.for_tenant(acme.id).create(**set_on, after={}, actor="test")
        UnitChange.objects.for_tenant(acme.id).filter(id=change.id).update(changed_at=day(20))
        revisions = OpinionRevision.objects.for_tenant(acme.id)
        common = {"opinion_id": opinion, "bank": bank, "confidence_after": 0.6}
        revisions.create(number=1, cause="formed", text_after="Bristol suits us.", **common)
        revised = revisions.create(
            number=2, cause="revised", confidence_before=0.9, text_before="Bristol suits us.",
            text_after="Bristol suits us, for now.", **common,
        )  # fmt: skip
        revisions.filter(id=revised.id).update(created_at=day(20))
    now = {one["id"]: one for one in read(client)["items"]}
    then = {one["id"]: one for one in read(client, "known_at=2026-05-10T00:00:00Z")["items"]}
    assert [now[str(one)]["until"] is None for one in (fact, observed, opinion)] == [False, False, True]
    assert [then[str(one)]["until"] for one in (fact, observed, opinion)] == [None] * 3
    assert (now[str(opinion)]["text"], then[str(opinion)]["text"]) == (
        "Bristol suits us, for now.",
        "Bristol suits us.",
    )
    pinned = read(client, f"known_at=2026-05-10T00:00:00Z&memory={opinion}")
    assert "for now" not in json.dumps(pinned)
    listed = client.get("/dashboard/banks/support/memories/?known_at=2026-05-10T00:00").content.decode()
    assert "Bristol suits us." in listed
    assert "for now" not in listed
    assert not re.search(r">\s*ends\s*<", listed)
    assert "0.90" in listed
    assert re.search(r">\s*ends\s*<", client.get("/dashboard/banks/support/memories/").content.decode())


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


def test_nonsense_in_the_address_is_named_and_ignored(client: Client, bank: Bank) -> None:
    tell(bank, "Alice likes tea.", 1)
    for query in (
        "from=x&to=y", "from=2026-05-02T00:00:00Z&to=2026-05-01T00:00:00Z", "as_of=9999-99-99",
        "known_at=0001-01-01T00:00:00%2B14:00",
        "lanes=x", "network=x", "entity=x", "as_of=%00",
    ):  # fmt: skip
        assert texts(read(client, query)) == ["Alice likes tea."], query
        page = client.get(f"/dashboard/banks/support/timeline/?{query}").content.decode()
        assert "can&#x27;t be read, so" in page or "A window ends after it begins" in page, query
    assert (
        "can&#x27;t be read, so" not in client.get("/dashboard/banks/support/timeline/?lanes=entity").content.decode()
    )


def pinned(client: Client, unit_id: UUID, query: str = "") -> tuple[str, bool]:
    """The sentence of the card, and whether the sliders hide the memory."""
    page = client.get(f"/dashboard/banks/support/timeline/?memory={unit_id}&{query}").content.decode()
    (sentence,) = re.findall(r'<p class="[^"]*" data-state="\w+">(.*?)</p>', page, re.DOTALL)
    words = re.sub(r"<time[^>]*>(\d+ \w+) [^<]*</time>", r"\1", sentence)
    is_grey = "timeline-pin-hidden" in page
    assert read(client, f"memory={unit_id}&{query}")["pinned"]["is_hidden"] == is_grey
    return " ".join(words.split()), is_grey


def test_a_pinned_memory_says_its_state_in_words(client: Client, bank: Bank) -> None:
    closed = {"valid_until": day(20), "expired_at": day(21), "close_reason": "update"}
    lisbon = tell(bank, "Alice lives in Lisbon.", 10, valid_from=day(5), **closed)
    assert pinned(client, lisbon) == ("No longer true: it ended on 20 May.", False)
    assert pinned(client, lisbon, "closed=no") == ("No longer true: it ended on 20 May.", True)
    for query, words, is_hidden in (
        ("known_at=2026-05-08T00:00:00Z", "Not known yet on 8 May: it was said on 10 May.", True),
        ("known_at=2026-05-12T00:00:00Z", "Known and true on 12 May.", False),
        ("known_at=2026-05-12T00:00&as_of=2026-05-03T00:00", "Not true yet on 3 May: it is true from 5 May.", True),
        ("as_of=2026-05-03T00:00:00Z", "Not true yet on 3 May: it is true from 5 May.", True),
        ("as_of=2026-05-12T00:00:00Z", "Known and true on 12 May.", False),
        ("as_of=2026-05-30T00:00:00Z", "No longer true on 30 May: it ended on 20 May.", True),
        ("as_of=2026-05-30T00:00:00Z&known_at=2026-05-12T00:00:00Z", "Known on 12 May and true on 30 May.", False),
        ("as_of=2026-05-12T00:00&known_at=2026-05-08T00:00", "Not known yet on 8 May: it was said on 10 May.", True),
    ):  # fmt: skip
        assert pinned(client, lisbon, query) == (words, is_hidden), query


def test_the_words_of_plans_events_opinions_corrections_and_late_imports(client: Client, bank: Bank) -> None:
    planned = tell(bank, "Alice lives in Porto.", 10, valid_from=day(20))
    words = ("Known, but not true yet on 12 May: it is true from 20 May.", False)
    assert pinned(client, planned, "known_at=2026-05-12T00:00:00Z") == words
    event = tell(bank, "Alice moved.", 10, kind="event", occurred_start=day(9))
    assert pinned(client, event) == ("Known now: it happened on 9 May.", False)
    assert pinned(client, event, "as_of=2026-05-03T00:00:00Z") == ("Not yet on 3 May: its date is 9 May.", True)
    wrong = tell(bank, "Alice lives in Rome.", 1, expired_at=day(3), close_reason="correction")
    assert pinned(client, wrong, "as_of=2026-05-12T00:00:00Z") == ("Never true: it was corrected on 3 May.", True)
    opinion = tell(bank, "Tea is good.", 10, network="opinion", confidence=0.7)
    sentence = "No start is known, so it counts as true on 3 May. The agent formed this only on 10 May."
    assert pinned(client, opinion, "as_of=2026-05-03T00:00:00Z") == (sentence, False)
    imported = tell(bank, "Bob likes tea.", 2, recorded_at=day(10))
    words = ("Not known yet on 5 May: the agent was told on 10 May.", True)
    assert pinned(client, imported, "known_at=2026-05-05T00:00:00Z") == words
    removed = tell(bank, "Bob has a cat.", 2, expired_at=day(5), close_reason="source_removed")
    assert pinned(client, removed) == ("No longer held: it ended on 5 May.", False)


def test_a_pinned_memory_offers_the_day_before_it_was_known(client: Client, bank: Bank) -> None:
    unit = tell(bank, "Alice lives in Lisbon.", 10, valid_from=day(5))
    words = "True on 7 May. The agent heard this only on 10 May."
    assert pinned(client, unit, "as_of=2026-05-07T00:00:00Z") == (words, False)
    page = client.get(f"/dashboard/banks/support/timeline/?memory={unit}&as_of=2026-05-07T00:00:00Z").content.decode()
    (address,) = re.findall(r'href="\?([^"]*)" data-known-at', page)
    sentence, is_hidden = pinned(client, unit, html.unescape(address))
    assert sentence.startswith("Not known yet on 9 May")
    assert is_hidden
    assert read(client, html.unescape(address))["pinned"]["is_unknown"]
    page = client.get(f"/dashboard/banks/support/timeline/?memory={unit}").content.decode()
    assert "Show what the agent knew on" in page  # also where no slider is moved
    page = client.get(f"/dashboard/banks/support/timeline/?memory={unit}&known_at=2026-05-09T00:00Z").content.decode()
    assert "Show what the agent knows now" in page


def test_the_window_of_a_pinned_memory_holds_its_end(client: Client, bank: Bank) -> None:
    ended = tell(bank, "Alice lives in Rome.", 1, valid_until=day(50), expired_at=day(50), close_reason="update")
    data = read(client, f"memory={ended}")
    assert data["from"] < day(1).timestamp() * 1000 < day(50).timestamp() * 1000 < data["to"]
    far = tell(bank, "Alice owns a house.", 1, valid_until=datetime(3500, 1, 1, tzinfo=UTC))
    assert read(client, f"memory={far}")["to"] == day(15).timestamp() * 1000


def test_a_pin_opens_the_window_around_the_memory_and_survives_filters(
    client: Client, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea = tell(bank, "Alice likes tea.", 60)
    tell(bank, "Alice lives in Lisbon.", 1)
    data = read(client, f"memory={tea}&network=opinion")
    assert data["pinned"]["text"] == "Alice likes tea."
    assert (data["from"], data["to"]) == (day(46).timestamp() * 1000, day(74).timestamp() * 1000)
    assert data["pinned"]["learned"] in data["learned"]
    data = read(client, f"memory={tea}&from=2026-05-01T00:00:00Z&to=2026-05-03T00:00:00Z")
    assert texts(data) == ["Alice lives in Lisbon."]
    assert data["pinned"]["id"] == str(tea)
    monkeypatch.setattr(timeline, "MOST_ITEMS", 0)
    data = read(client, f"memory={tea}")
    assert data["buckets"]
    assert data["pinned"]["id"] == str(tea)


def test_a_pin_that_is_not_in_the_bank_is_said_plainly(client: Client, bank: Bank, acme: Tenant) -> None:
    tell(bank, "Alice likes tea.", 1)
    elsewhere = tell(make_bank(acme, bank_id="other"), "Bob likes tea.", 1)
    foreign = make_unit(make_tenant()).id
    for memory_id in (elsewhere, foreign, uuid4(), "x"):
        page = client.get(f"/dashboard/banks/support/timeline/?memory={memory_id}")
        assert b"The memory of this address is not in this bank." in page.content
        assert b'name="memory"' not in page.content
        assert texts(read(client, f"memory={memory_id}")) == ["Alice likes tea."]


def test_the_part_for_htmx_brings_the_summary(client: Client, bank: Bank) -> None:
    tea = tell(bank, "Alice likes tea.", 1)
    address = f"/dashboard/banks/support/timeline/?memory={tea}&known_at=2026-04-01T00:00:00Z&from=x"
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert '<div id="timeline-summary" hx-swap-oob="innerHTML">' in part
    assert 'href="/dashboard/banks/support/timeline/?known_at=2026-04-01T00%3A00%3A00Z"' in part
    assert "Not known yet" in part


def test_the_page_of_a_memory_leads_to_its_pin(client: Client, bank: Bank) -> None:
    tea = tell(bank, "Alice likes tea.", 1)
    page = client.get(f"/dashboard/banks/support/memories/{tea}/").content.decode()
    assert f"/dashboard/banks/support/timeline/?memory={tea}" in page


def test_a_start_that_is_not_known_is_not_told(client: Client, bank: Bank) -> None:
    tell(bank, "Alice likes tea.", 1)
    tell(bank, "Alice lives in Lisbon.", 2, valid_from=day(1))
    found = {one["text"]: (one["true_from"], one["is_said"]) for one in read(client)["items"]}
    start = day(1).timestamp() * 1000
    assert found == {"Alice likes tea.": (None, True), "Alice lives in Lisbon.": (start, False)}


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
    read(client, "")  # the first page of a bank is remembered in the session
    with django_assert_max_num_queries(26):
        read(client, "as_of=2026-05-12T00:00:00Z")


def test_each_slider_covers_the_times_at_which_its_answer_changes(client: Client, bank: Bank) -> None:
    tell(bank, "Alice likes tea.", 1)
    tell(bank, "Alice moves to Porto.", 11, occurred_start=day(20), kind="event")
    ranges = read(client)["ranges"]
    hours = timedelta(days=10).total_seconds() * 0.02  # a margin, so that a time before the first can be chosen
    assert ranges["known_at"] == [(day(1).timestamp() - hours) * 1000, (day(11).timestamp() + hours) * 1000]
    assert ranges["as_of"][0] == (day(1) - timedelta(hours=1)).timestamp() * 1000
    page = client.get("/dashboard/banks/support/timeline/").content.decode()
    assert re.search(r"2 memories</span> between <time", page)
