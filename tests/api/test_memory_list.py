"""Lists of memories by filter, and deletion by the same filters."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

import pytest

from banks.enums import Kind, Network
from banks.models import Bank, MemoryUnit, UnitTag
from banks.types import Source
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.memory_factories import (
    make_chunk,
    make_document,
    make_entity,
    make_episode,
    make_message,
    make_row,
    make_unit,
)
from tests.stored_facts import NOON, store_fact

DAY = timedelta(days=1)


@pytest.fixture
def bank(alice: Tenant) -> Bank:
    return make_bank(alice, bank_id="support")


def listed(call: Caller, *, route: str = "memories", **query: Any) -> set[str]:
    response = call("GET", f"/v1/banks/support/{route}?{urlencode(query, doseq=True)}")
    assert response.status_code == 200, response.content
    return {unit["text"] for unit in response.json()["items"]}


def test_a_list_is_narrowed_by_network_and_kind(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Alice ran.", kind=Kind.EVENT, occurred_start=NOON)
    store_fact(bank, "I prefer tea.", network=Network.OPINION, confidence=0.5)
    assert listed(call, type="opinion") == {"I prefer tea."}
    assert listed(call, kind="event") == {"Alice ran."}
    assert listed(call, route="memories/list", type="world") == {"Alice ran."}


TAGGED = {"none": (), "work": ("work",), "home": ("home",), "both": ("work", "home"), "more": ("work", "home", "x")}


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ("any", {"none", "work", "home", "both", "more"}),
        ("any_strict", {"work", "home", "both", "more"}),
        ("all", {"none", "both", "more"}),
        ("all_strict", {"both", "more"}),
        ("exact", {"both"}),
    ],
)
def test_tags_match_in_five_ways(call: Caller, bank: Bank, match: str, expected: set[str]) -> None:
    for text, tags in TAGGED.items():
        store_fact(bank, text, tags=tags)
    assert listed(call, tags=["work", "home"], tags_match=match) == expected


def test_a_list_is_filtered_by_entity_and_source(call: Caller, alice: Tenant, bank: Bank) -> None:
    episode = make_episode(alice, bank=bank)
    message = make_message(alice, bank=bank, thread="t1", episode=episode)
    chunk = make_chunk(alice, bank=bank, document=make_document(alice, bank=bank, document_id="a/b"))
    store_fact(bank, "Bob said it.", "Bob", sources=[Source(0, 1, message_id=message.id)])
    store_fact(bank, "Carol wrote it.", "Carol", sources=[Source(0, 1, chunk_id=chunk.id)])
    assert listed(call, thread="t1") == listed(call, episode_id=episode.id) == {"Bob said it."}
    assert listed(call, document_id="a/b") == {"Carol wrote it."}
    shown = call("GET", "/v1/banks/support/memories?document_id=a/b").json()["items"][0]
    assert (shown["document_id"], shown["chunk_id"], shown["entities"]) == ("a/b", str(chunk.id), "Carol")
    entities = call("GET", "/v1/banks/support/entities?q=carol").json()["items"]
    assert listed(call, entity_id=entities[0]["id"]) == {"Carol wrote it."}


def test_a_list_is_narrowed_by_time(call: Caller, bank: Bank) -> None:
    for number in range(3):
        at = NOON + number * DAY
        store_fact(bank, f"fact {number}", mentioned_at=at, occurred_start=at - 10 * DAY)
    between = {"mentioned_after": (NOON + DAY).isoformat(), "mentioned_before": (NOON + 2 * DAY).isoformat()}
    assert listed(call, **between) == {"fact 1"}
    assert listed(call, occurred_before=(NOON - 9 * DAY).isoformat()) == {"fact 0"}
    assert listed(call, time_field="occurred_start", start_date=(NOON - 8 * DAY).isoformat()) == {"fact 2"}


def test_words_are_found_in_whichever_form_and_all_are_wanted(call: Caller, bank: Bank) -> None:
    store_fact(bank, "Alice was painting a Sunrise.")
    store_fact(bank, "Bob paints houses.")
    assert listed(call, q="paint") == {"Alice was painting a Sunrise.", "Bob paints houses."}
    assert listed(call, q="painted sunrises") == {"Alice was painting a Sunrise."}
    assert listed(call, q="paint zebra") == listed(call, q="the") == set()


def make_past(tenant: Tenant, bank: Bank) -> None:
    """Porto was recorded in 2020 and closed in 2022 as of 2021. Faro was closed in 2022 as a correction."""
    year = {number: NOON.replace(year=number) for number in range(2019, 2025)}
    closed = {"bank": bank, "recorded_at": year[2020], "expired_at": year[2022], "valid_from": year[2019]}
    make_unit(tenant, text="Porto", valid_until=year[2021], close_reason="update", **closed)
    make_unit(tenant, text="Faro", close_reason="correction", **closed)
    make_unit(tenant, bank=bank, text="Lisbon", recorded_at=year[2022], valid_from=year[2021])


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, {"Lisbon"}),
        ({"state": "valid"}, {"Lisbon"}),
        ({"state": "superseded"}, {"Porto", "Faro"}),
        ({"state": "invalidated"}, {"Porto", "Faro"}),
        ({"state": "all"}, {"Porto", "Faro", "Lisbon"}),
        ({"as_of": "2020-06-01T00:00Z"}, {"Porto"}),
        ({"as_of": "2023-06-01T00:00Z"}, {"Lisbon"}),
        ({"known_at": "2021-12-01T00:00Z"}, {"Porto", "Faro"}),
        ({"known_at": "2021-12-01T00:00Z", "as_of": "2021-11-01T00:00Z"}, {"Porto", "Faro"}),
        ({"known_at": "2023-01-01T00:00Z", "as_of": "2020-06-01T00:00Z"}, {"Porto"}),
        ({"known_at": "2023-01-01T00:00Z", "as_of": "2021-11-01T00:00Z"}, {"Lisbon"}),
        ({"known_at": "2021-12-01T00:00Z", "as_of": "2018-06-01T00:00Z"}, set()),
    ],
)
def test_the_past_can_be_listed(
    call: Caller, alice: Tenant, bank: Bank, query: dict[str, str], expected: set[str]
) -> None:
    make_past(alice, bank)
    assert listed(call, **query) == expected


def test_pages_by_cursor_and_by_offset_show_each_memory_once(call: Caller, bank: Bank) -> None:
    for number in range(5):
        store_fact(bank, f"fact {number}")
    by_cursor, cursor = [], ""
    while cursor is not None:
        page = call("GET", f"/v1/banks/support/memories?limit=2{cursor and f'&cursor={cursor}'}").json()
        by_cursor += [unit["text"] for unit in page["items"]]
        cursor = page["next_cursor"]
    by_offset = [
        unit["text"]
        for offset in (0, 2, 4)
        for unit in call("GET", f"/v1/banks/support/memories/list?limit=2&offset={offset}").json()["items"]
    ]
    assert by_cursor == by_offset == [f"fact {number}" for number in reversed(range(5))]
    first = call("GET", "/v1/banks/support/memories?limit=2").json()
    assert (first["total"], first["limit"], first["offset"]) == (5, 2, 0)


@pytest.mark.parametrize("query", ["type=king", "state=x", "as_of=yesterday", "colour=red", "limit=0", "tags=a%00"])
def test_a_list_that_makes_no_sense_is_refused(call: Caller, bank: Bank, query: str) -> None:
    assert call("GET", f"/v1/banks/support/memories?{query}").status_code == 422


def test_only_matching_memories_are_deleted(call: Caller, bank: Bank, alice: Tenant) -> None:
    store_fact(bank, "Alice ran.", "Alice")
    store_fact(bank, "I prefer tea.", network=Network.OPINION, confidence=0.5)
    receipt = call("DELETE", "/v1/banks/support/memories?type=opinion").json()
    assert (receipt["success"], receipt["deleted_count"]) == (True, 1)
    assert listed(call) == {"Alice ran."}
    make_past(alice, bank)
    assert call("DELETE", "/v1/banks/support/memories").json()["deleted_count"] == 2  # the current ones
    assert call("DELETE", "/v1/banks/support/memories?state=all").json()["deleted_count"] == 2
    with tenant_transaction(bank.tenant_id):
        assert not MemoryUnit.objects.of_bank(bank).exists()


FILTERS = (
    "q",
    "type",
    "kind",
    "tags",
    "entity_id",
    "document_id",
    "episode_id",
    "thread",
    "start_date",
    "end_date",
    "occurred_after",
    "mentioned_before",
    "state",
    "as_of",
    "known_at",
)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_without_a_value_is_refused_and_deletes_nothing(call: Caller, bank: Bank, name: str) -> None:
    store_fact(bank, "Alice ran.")
    for method in ("DELETE", "GET"):
        refused = call(method, f"/v1/banks/support/memories?{name}=")
        assert (refused.status_code, refused.json()["errors"][0]["field"].split(".")[0]) == (422, name)
    assert listed(call) == {"Alice ran."}


@pytest.mark.parametrize("name", ["type", "document_id"])
def test_of_two_values_of_a_filter_none_is_deleted_by(call: Caller, bank: Bank, name: str) -> None:
    store_fact(bank, "Alice ran.")
    query = f"{name}=world&{name}=experience"
    assert call("DELETE", f"/v1/banks/support/memories?{query}").json()["errors"][0]["code"] == "repeated"
    assert call("DELETE", f"/v1/default/banks/support/memories?{query}").status_code == 422
    assert listed(call) == {"Alice ran."}


@pytest.mark.parametrize("query", ["tags_match=all_strict", "tags_match=any", "time_field=occurred_start"])
def test_a_modifier_without_its_filter_deletes_nothing(call: Caller, bank: Bank, query: str) -> None:
    store_fact(bank, "Alice ran.")
    assert call("DELETE", f"/v1/banks/support/memories?{query}").status_code == 422
    assert listed(call) == {"Alice ran."}


def test_exact_without_tags_matches_memories_without_tags(call: Caller, bank: Bank) -> None:
    for text, tags in TAGGED.items():
        store_fact(bank, text, tags=tags)
    assert listed(call, tags_match="exact") == {"none"}
    assert call("DELETE", "/v1/banks/support/memories?tags_match=exact").json()["deleted_count"] == 1
    assert listed(call) == set(TAGGED) - {"none"}


@pytest.mark.parametrize("path", ["/v1/banks/support/memories", "/v1/default/banks/support/memories"])
def test_a_filter_in_the_body_of_a_deletion_deletes_nothing(call: Caller, bank: Bank, alice: Tenant, path: str) -> None:
    make_unit(alice, bank=bank, text="Bob has a boat")
    assert call("DELETE", path, {"type": "opinion"}).status_code == 422
    assert listed(call) == {"Bob has a boat"}


def test_a_deletion_by_a_tag_spares_untagged_memories(call: Caller, bank: Bank, alice: Tenant) -> None:
    tagged, _ = (
        make_unit(alice, bank=bank, text=text, content_hash=text.encode()) for text in ("Bob has a boat", "Ana sings")
    )
    make_row(UnitTag, alice, unit=tagged, bank_id=bank.id, tag="a")
    assert call("DELETE", "/v1/banks/support/memories?tags=a").status_code == 200
    assert listed(call) == {"Ana sings"}


NOWHERE = UUID(int=7)
ANY_CURSOR = f"{NOWHERE}.00000000"
BACKWARDS = "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z"


@pytest.mark.parametrize(
    ("route", "query", "expected"),
    [
        ("memories", {"q": "???"}, (422, "query_without_words")),
        ("entities", {"q": "???"}, (422, "query_without_words")),
        ("memories", {"cursor": ANY_CURSOR, "offset": 1}, (422, "invalid")),
        ("episodes", {"cursor": ANY_CURSOR, "offset": 1}, (422, "invalid")),
        ("opinions", {"cursor": ANY_CURSOR, "offset": 1}, (422, "invalid")),
        ("memories", dict(zip(("occurred_after", "occurred_before"), BACKWARDS, strict=True)), (422, "invalid")),
        ("memories", dict(zip(("mentioned_after", "mentioned_before"), BACKWARDS, strict=True)), (422, "invalid")),
        ("memories", dict(zip(("start_date", "end_date"), BACKWARDS, strict=True)), (422, "invalid")),
        ("memories", {"entity_id": NOWHERE}, (404, "entity_not_found")),
        ("memories", {"episode_id": NOWHERE}, (404, "episode_not_found")),
        ("messages", {"episode_id": NOWHERE}, (404, "episode_not_found")),
        ("observations", {"entity_id": NOWHERE}, (404, "entity_not_found")),
        ("opinions", {"entity_id": NOWHERE}, (404, "entity_not_found")),
        ("relationships", {"subject_id": NOWHERE}, (404, "entity_not_found")),
    ],
)
def test_a_filter_that_can_find_nothing_is_refused(
    call: Caller, bank: Bank, route: str, query: dict[str, Any], expected: tuple[int, str]
) -> None:
    answer = call("GET", f"/v1/banks/support/{route}?{urlencode(query)}")
    assert (answer.status_code, answer.json()["code"]) == expected


def test_an_entity_of_another_tenant_is_not_there_to_filter_by(call: Caller, bank: Bank, charlie: Tenant) -> None:
    foreign = make_entity(charlie)
    for method in ("GET", "DELETE"):
        answer = call(method, f"/v1/banks/support/memories?entity_id={foreign.id}")
        assert (answer.status_code, str(foreign.id) in answer.json()["detail"]) == (404, True)
