"""Banks, their settings and their statistics, through Hindsight's client."""

from typing import Any
from uuid import UUID

import aiohttp
import pytest
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException
from hindsight_client_api.models.add_background_request import AddBackgroundRequest
from hindsight_client_api.models.create_bank_request import CreateBankRequest

from memoryplatform.operations.running.perform import perform
from tenants.models import Tenant
from tests.compat.hindsight.conftest import MakeClient, Run
from tests.factories import make_bank, make_operation
from tests.llm_server import ScriptedLLM
from tests.llm_server.observing import observe_each_fact
from tests.retrieval.memory import Memory
from tests.stored_facts import store_fact


def test_a_bank_is_made_and_then_changed(client: Hindsight, run: Run) -> None:
    made = client.create_bank("nora", name="Nora", mission="I help people.", disposition={"skepticism": 5})
    assert (made.bank_id, made.name, made.mission, made.background) == ("nora", "Nora", "I help people.", made.mission)
    assert made.disposition.to_dict() == {"skepticism": 5, "literalism": 3, "empathy": 3}
    again = client.create_bank("nora", disposition_empathy=1, reflect_mission="I help my team.")
    assert (again.name, again.mission) == ("Nora", "I help my team.")
    assert again.disposition.to_dict() == {"skepticism": 5, "literalism": 3, "empathy": 1}
    with pytest.warns(DeprecationWarning, match="profile"):  # Hindsight gave it up
        shown = run(client.banks.get_bank_profile("nora"))
    assert shown.to_dict() == again.to_dict()


def test_a_partial_change_needs_the_bank(client: Hindsight, run: Run) -> None:
    client.create_bank("nora")
    changed = run(client.banks.update_bank("nora", CreateBankRequest(name="Nora B.")))
    assert (changed.name, changed.mission) == ("Nora B.", "")
    with pytest.raises(ApiException, match="Bank 'nowhere' not found"):
        run(client.banks.update_bank("nowhere", CreateBankRequest(name="Nora B.")))


def test_settings_without_a_counterpart_are_ignored_and_named(client: Hindsight, run: Run, base_url: str) -> None:
    async def put() -> Any:
        headers = client.banks.api_client.default_headers
        body = {"name": "Nora", "retain_chunk_batch_size": 5, "no_such_field": 1, "enable_graph_retrieval": None}
        where = f"{base_url}/v1/default/banks/nora"
        async with aiohttp.request("PUT", where, json=body, headers=headers) as response:
            return await response.json()

    assert run(put())["ignored"] == ["no_such_field", "retain_chunk_batch_size"]


def test_banks_are_listed_page_by_page(client: Hindsight, run: Run, memory: Memory) -> None:
    client.create_bank("other")
    memory.unit("Bob has a boat")
    memory.unit("I think that Bob loves it", network="opinion", confidence=0.8)
    listed = run(client.banks.list_banks(limit=1))
    assert (listed.total, listed.limit, listed.offset) == (2, 1, 0)
    assert [bank.bank_id for bank in listed.banks] == ["other"]
    (found,) = run(client.banks.list_banks(q="UPP")).banks
    assert (found.bank_id, found.fact_count) == ("support", 1)
    assert found.last_write_at is not None


def test_a_deleted_bank_is_gone_and_one_that_is_not_there_is_no_error(
    client: Hindsight, run: Run, memory: Memory
) -> None:
    memory.unit("Bob has a boat")
    gone = client.delete_bank("support")
    assert (gone.success, gone.deleted_count) == (True, 1)
    assert run(client.banks.list_banks()).total == 0
    again = client.delete_bank("support")
    assert (again.success, again.deleted_count) == (True, 0)


def test_settings_are_changed_shown_and_reset(client: Hindsight) -> None:
    made = client.update_bank_config("nora", disposition_empathy=5, retain_extraction_mode="verbatim")
    assert made["overrides"] == {"disposition_empathy": 5, "retain_extraction_mode": "verbatim"}
    shown = client.get_bank_config("nora")
    assert shown == made
    assert shown["config"]["disposition_literalism"] == 3
    assert client.reset_bank_config("nora")["overrides"] == {}


def test_a_bank_in_numbers(client: Hindsight, run: Run, memory: Memory, alice: Tenant) -> None:
    boat, sea = memory.unit("Bob has a boat"), memory.unit("I saw the sea", network="experience")
    memory.unit("I think that Bob loves it", network="opinion", confidence=0.8)
    memory.link(boat, sea)
    make_operation(alice, bank=memory.bank, status="failed")
    stats = run(client.banks.get_agent_stats("support"))
    assert (stats.total_nodes, stats.nodes_by_fact_type) == (2, {"world": 1, "experience": 1, "observation": 0})
    assert (stats.total_links, stats.links_by_link_type) == (1, {"semantic": 1})
    assert stats.links_breakdown == {"world": {"semantic": 1}}
    assert (stats.failed_operations, stats.pending_operations) == (1, 0)
    with pytest.raises(ApiException, match="Bank 'nowhere' not found"):
        run(client.banks.get_agent_stats("nowhere"))


def test_memories_over_time_have_a_bucket_for_every_step(client: Hindsight, run: Run) -> None:
    client.retain("new", "Bob bought a boat.")
    for period, step, count in (("1h", "minute", 60), ("12h", "hour", 12), ("7d", "day", 7)):
        series = run(client.banks.get_memories_timeseries("new", period=period))
        assert (series.trunc, len(series.buckets)) == (step, count)
        assert sum(bucket.world for bucket in series.buckets[-2:]) == 1


def test_a_key_for_one_bank_reaches_no_other(
    client: Hindsight, make_client: MakeClient, alice: Tenant, run: Run
) -> None:
    make_bank(alice, bank_id="mine")
    make_bank(alice, bank_id="other")
    limited = make_client(alice, banks=["mine"])
    assert [bank.bank_id for bank in run(limited.banks.list_banks()).banks] == ["mine"]
    with pytest.raises(ApiException, match="Bank 'new' not found"):
        limited.retain("new", "Bob bought a boat.")


def test_a_statement_is_merged_into_the_mission(client: Hindsight, run: Run) -> None:
    client.create_bank("nora", mission="I help people.", disposition={"skepticism": 5})
    with pytest.warns(DeprecationWarning, match="background"):  # Hindsight gave it up
        told = run(client.banks.add_bank_background("nora", AddBackgroundRequest(content="You were born in Texas.")))
    assert (told.mission, told.background) == ("I help people.\nYou were born in Texas.", told.mission)
    assert told.disposition.skepticism == 5


def test_observations_are_made_when_they_are_asked_for(
    client: Hindsight, run: Run, memory: Memory, alice: Tenant, llm: ScriptedLLM
) -> None:
    llm.chat.otherwise = observe_each_fact
    for text in ("Bob sails.", "Bob fishes."):
        store_fact(memory.bank, text, "Bob", tags=("sea",))
    fact = str(client.list_memories("support", search_query="sails").items[0].id)
    assert run(client.memory.clear_memory_observations("support", fact)).deleted_count == 0
    asked, again = (run(client.banks.trigger_consolidation("support")) for _ in range(2))
    assert (asked.operation_id, asked.deduplicated, again.deduplicated) == (again.operation_id, True, True)
    perform(alice.id, UUID(asked.operation_id))
    made = client.list_memories("support", type="observation").items
    assert [one.tags for one in made] == [["sea"]] * 2
    (on_sailing,) = [one for one in made if fact in (one.source_memory_ids or [])]
    assert on_sailing.text == "Bob sails."
    shown = run(client.memory.get_memory("support", str(on_sailing.id)))
    assert shown["source_memory_ids"] == [fact]
    assert [(one["id"], one["text"], one["type"]) for one in shown["source_memories"]] == [
        (fact, "Bob sails.", "world")
    ]
    assert [one.to_dict() for one in run(client.memory.list_observation_scopes("support")).scopes] == [
        {"tags": ["sea"], "count": 2}
    ]
    assert run(client.memory.clear_memory_observations("support", fact)).deleted_count == 1
    perform(alice.id, UUID(run(client.banks.trigger_consolidation("support")).operation_id))
    assert run(client.banks.clear_observations("support")).deleted_count == 2
    client.create_bank("other")
    assert run(client.banks.trigger_consolidation("other")).deduplicated is False
