"""Statistics, tags, settings and graphs of a bank, under our prefix and Hindsight's."""

from typing import Any

import pytest

from memoryplatform.api.v1.bank_config import HINDSIGHT_NAMES
from memoryplatform.operations.banks.profile import BankChange
from memoryplatform.operations.transfer.tables import PROFILE_FIELDS
from tenants.models import Tenant
from tests.api.conftest import Caller
from tests.factories import make_bank
from tests.retrieval.memory import Memory

BANK = "/v1/banks/support"
ROUTES = (
    "stats",
    "stats/memories-timeseries?period=30d",
    "tags",
    "tags?source=mental_models&q=s*",
    "graph?limit=5",
    "entities/graph?tags=sea&tags_match=any_strict",
    "config",
)


@pytest.fixture
def memory(alice: Tenant) -> Memory:
    return Memory(make_bank(alice, bank_id="support"))


@pytest.fixture
def told(memory: Memory) -> Memory:
    bob, carol = memory.entity("Bob", mention_count=2), memory.entity("Carol", mention_count=1)
    boat = memory.unit("Bob has a boat", tags=["sea"], about=[bob, carol])
    memory.link(boat, memory.unit("Bob fishes", tags=["sea", "food"], about=[bob]))
    memory.unit("I like Bob", network="opinion", confidence=0.9, tags=["mine"])
    return memory


def get(call: Caller, route: str) -> Any:
    answer = call("GET", f"{BANK}/{route}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_a_bank_is_counted_drawn_and_searched_by_tags(call: Caller, told: Memory) -> None:
    stats = get(call, "stats")
    assert (stats["total_nodes"], stats["total_links"], stats["total_opinions"]) == (2, 1, 1)
    assert (stats["nodes_by_fact_type"], stats["links_breakdown"]) == ({"world": 2}, {"world": {"semantic": 1}})
    assert get(call, "tags")["items"] == [{"tag": "sea", "count": 2}, {"tag": "food", "count": 1}]
    assert get(call, "tags?q=*o*&limit=1")["items"] == [{"tag": "food", "count": 1}]
    graph = get(call, "graph?tags=food")
    assert [node["data"]["label"] for node in graph["nodes"]] == ["Bob fishes"]
    assert (len(get(call, "graph")["edges"]), graph["edges"], graph["total_units"]) == (1, [], 1)
    nodes = [node["data"] for node in get(call, "entities/graph")["nodes"]]
    assert [(node["label"], node["mentionCount"]) for node in nodes] == [("Bob", 2), ("Carol", 1)]
    steps = get(call, "stats/memories-timeseries?period=1d&time_field=created_at")
    assert (steps["trunc"], len(steps["buckets"])) == ("hour", 24)


def take(answer: Any, like: Any) -> Any:
    """The answer with the keys of the other one. Hindsight's address has more: its settings, and kinds without rows."""
    if not isinstance(answer, dict) or not isinstance(like, dict):
        return answer
    return {name: take(answer[name], value) for name, value in like.items()}


def test_both_addresses_answer_the_same(call: Caller, told: Memory) -> None:
    for route in ROUTES:
        peers = call("GET", f"{BANK.replace('/v1/', '/v1/default/')}/{route}")
        ours = get(call, route)
        assert ours == take(peers.json(), ours), route


def test_settings_are_changed_one_by_one_and_reset(call: Caller, told: Memory) -> None:
    changed = call("PATCH", f"{BANK}/config", {"updates": {"disposition_empathy": 5, "reflect_mission": "I help."}})
    assert changed.json()["overrides"] == {"disposition_empathy": 5, "reflect_mission": "I help."}
    assert get(call, "config")["config"]["retain_extraction_mode"] == "concise"
    one_back = call("PATCH", f"{BANK}/config", {"updates": {"disposition_empathy": None}})
    assert one_back.json()["overrides"] == {"reflect_mission": "I help."}
    assert call("DELETE", f"{BANK}/config").json()["overrides"] == {}


OTHER_SETTINGS = {
    "disposition_skepticism": 1,
    "disposition_literalism": 5,
    "disposition_empathy": 2,
    "reflect_mission": "I help.",
    "retain_extraction_mode": "verbatim",
    "learns_background": True,
    "bias_strength": 0.9,
    "opinion_step": 0.3,
    "opinion_reach": 0.6,
    "retain_mission": "What patients take, and why.",
    "leave_out": "Names of relatives.",
    "llm_output_language": "German",
    "entity_types": [{"name": "MEDICATION", "description": "A drug that a patient takes."}],
    "entity_types_closed": True,
    "categories": [{"name": "allergies", "description": ""}],
    "protection": {
        "secrets": "redact",
        "personal_data": "flag",
        "instructions": "quarantine",
        "personal_kinds": ["card"],
        "phone_region": "DE",
    },
}


def test_every_setting_is_shown_changed_reset_and_taken_along(call: Caller, told: Memory) -> None:
    elsewhere = {"name", "hindsight_settings"}  # the latter only Hindsight's interface writes
    assert {HINDSIGHT_NAMES.get(name, name) for name in BankChange.names()} - elsewhere == set(OTHER_SETTINGS)
    assert set(PROFILE_FIELDS) == set(BankChange.names())
    new = get(call, "config")["config"]
    for config in (f"{BANK}/config", f"{BANK.replace('/v1/', '/v1/default/')}/config"):
        changed = call("PATCH", config, {"updates": OTHER_SETTINGS}).json()
        assert take(changed["config"], OTHER_SETTINGS) == take(changed["overrides"], OTHER_SETTINGS) == OTHER_SETTINGS
        reset = call("PATCH", config, {"updates": dict.fromkeys(OTHER_SETTINGS)}).json()
        assert (take(reset["config"], new), reset["overrides"]) == (new, {})
        call("PATCH", config, {"updates": OTHER_SETTINGS})
        reset = call("DELETE", config).json()
        assert (take(reset["config"], new), reset["overrides"]) == (new, {})


def test_a_template_has_every_setting(call: Caller, told: Memory) -> None:
    call("PATCH", f"{BANK}/config", {"updates": OTHER_SETTINGS})
    template = call("GET", "/v1/default/banks/support/export").json()
    assert call("POST", "/v1/default/banks/new/import", template).json()["ignored"] == []
    assert call("GET", "/v1/banks/new/config").json()["overrides"] == OTHER_SETTINGS


@pytest.mark.parametrize(
    ("method", "route", "body"),
    [
        ("GET", "stats/memories-timeseries?period=2d", None),
        ("GET", "tags?limit=0", None),
        ("GET", "tags?colour=red", None),
        ("GET", "graph?type=opinion", None),
        ("GET", "entities/graph?min_count=-1", None),
        ("PATCH", "config", {"updates": {"retain_chunk_size": 5}}),
        ("PATCH", "config", {"updates": {"disposition_empathy": 6}}),
        ("PATCH", "config", {"updates": {"opinion_step": 0}}),
    ],
)
def test_faults_are_named(call: Caller, told: Memory, method: str, route: str, body: Any) -> None:
    answer = call(method, f"{BANK}/{route}", body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert answer.json()["errors"][0]["field"]
