"""The project's settings and members, statistics, summaries and profiles."""

import json
from typing import Any

import pytest
from django.core import mail
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

from retrieval.recall_log import RecallLog
from tenants.models import AuditEvent, Tenant
from tenants.transactions import tenant_transaction
from tests.compat.mem0.conftest import MakeClient
from tests.compat.mem0.quiet_client import MemoryClient
from tests.factories import make_member, make_user
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.llm_server.script import Reply
from tests.retrieval.memory import Memory

__all__ = ["llm"]
BOB = {"user_id": "bob"}
CATEGORIES = [{"allergies": "What must not be eaten."}, {"travel": "Journeys."}]


@pytest.fixture
def admin(alice: Tenant, make_client: MakeClient) -> MemoryClient:
    return make_client(alice, scopes=["admin", "read", "write"])


def test_settings_are_stored_and_shown(client: MemoryClient, alice: Tenant) -> None:
    answer = client.project.update(custom_instructions="Note what people eat.", custom_categories=CATEGORIES)
    assert answer == {"message": "Updated custom instructions, custom categories"}
    fields = ["custom_instructions", "custom_categories"]
    assert client.project.get(fields=fields) == {
        "custom_instructions": "Note what people eat.",
        "custom_categories": CATEGORIES,
    }
    client.project.update(custom_categories=["food"], multilingual=False, decay=True)
    project = client.project.get()
    assert (project["custom_categories"], project["multilingual"], project["decay"]) == ([{"food": ""}], False, True)
    assert project["custom_instructions"] == "Note what people eat."
    client.project.update(custom_instructions="", custom_categories=[])
    assert client.project.get(fields=fields) == {"custom_instructions": "", "custom_categories": []}
    with tenant_transaction(alice.id):
        events = AuditEvent.objects.for_tenant(alice.id).filter(action="mem0_project.changed")
        assert events.count() == 3
        assert "eat" not in str(list(events.values_list("detail", flat=True)))


def test_wrong_settings_are_refused(client: MemoryClient, alice: Tenant, make_client: MakeClient) -> None:
    for bad in ({"custom_categories": [3]}, {"custom_instructions": "x" * 4_001}, {"decay": "perhaps"}):
        with pytest.raises(ValidationError):
            client.project.update(**bad)
    limited = make_client(alice, banks=["mem0:user:bob"])
    with pytest.raises(AuthenticationError, match="limited to some banks"):
        limited.project.update(custom_instructions="x")
    with pytest.raises(AuthenticationError, match="lacks the scope"):
        make_client(alice, scopes=["read"]).project.update(custom_instructions="x")


def extract(llm: ScriptedLLM, client: MemoryClient, **options: Any) -> str:
    """The system message of the extraction."""
    fact = {"text": "Bob is allergic to nuts.", "categories": ["allergies"]}
    llm.chat.otherwise = lambda _received: Reply(text=json.dumps({"facts": [fact]}))
    before = len(llm.chat.received)
    client.add("I can't eat nuts.", async_mode=False, **options)
    return str(llm.chat.received[before].body["messages"][0]["content"])


def test_extraction_follows_the_project_and_a_call_may_differ(client: MemoryClient, llm: ScriptedLLM) -> None:
    client.project.update(
        custom_instructions="Note what people eat.",
        agent_custom_instructions="Note what the agent did.",
        custom_categories=CATEGORIES,
    )
    system = extract(llm, client, **BOB)
    assert "Note what people eat." in system
    assert "allergies (What must not be eaten)" in system
    assert client.get_all(filters=BOB)["results"][0]["categories"] == ["allergies"]
    assert "Note what the agent did." in extract(llm, client, agent_id="nora")
    own = extract(llm, client, user_id="carol", custom_instructions="Note names.", custom_categories=[{"people": ""}])
    assert "Note names." in own
    assert "Note what people eat." not in own
    assert "allergies" not in own
    both = extract(llm, client, user_id="dan", includes="prices")
    assert "Note what people eat." in both
    assert "prices" in both


def test_without_a_language_model_categories_are_chosen_by_similarity(client: MemoryClient) -> None:
    client.project.update(custom_categories=[{"bees": "bees hives honey"}])
    client.add("I keep bees, hives, honey.", user_id="bob", async_mode=False)
    client.add("Snow fell in Oslo.", user_id="bob", async_mode=False)
    found = {one["memory"]: one["categories"] for one in client.get_all(filters=BOB)["results"]}
    assert sorted(found.values()) == [[], ["bees"]]
    assert client.get_all(filters=BOB | {"categories": {"in": ["bees"]}})["count"] == 1


def test_members_are_listed_invited_changed_and_removed(admin: MemoryClient, alice: Tenant) -> None:
    make_member(alice, user=make_user("carl@example.com"), role="viewer")
    (owner,) = [one for one in admin.project.get_members()["members"] if one["email"] != "carl@example.com"]
    assert owner["role"] == "OWNER"
    assert find_roles(admin)["carl@example.com"] == "READER"
    admin.project.update_member("carl@example.com", "OWNER")
    assert set(find_roles(admin).values()) == {"OWNER"}
    admin.project.remove_member("Carl@example.com")
    assert list(find_roles(admin)) == [owner["email"]]
    assert "invited" in admin.project.add_member("eve@example.com", "READER")["message"]
    assert [message.to for message in mail.outbox] == [["eve@example.com"]]
    with pytest.raises(MemoryNotFoundError, match="Member not found"):
        admin.project.remove_member("nobody@example.com")
    with pytest.raises(AuthenticationError, match="can't act on a role above it"):
        admin.project.remove_member(owner["email"])


def test_an_invited_person_is_listed_changed_and_removed(admin: MemoryClient) -> None:
    admin.project.add_member("eve@example.com", "READER")
    listed = admin.project.get_members()["members"]
    assert [(one["email"], one["status"]) for one in listed[1:]] == [("eve@example.com", "invited")]
    assert admin.project.get()["members"] == listed
    admin.project.update_member("Eve@example.com", "OWNER")
    assert find_roles(admin)["eve@example.com"] == "OWNER"
    admin.project.remove_member("eve@example.com")
    assert "eve@example.com" not in find_roles(admin)
    with pytest.raises(MemoryNotFoundError, match="Member not found"):
        admin.project.remove_member("eve@example.com")


def test_the_project_shows_its_members_to_a_key_that_manages_them(
    admin: MemoryClient, client: MemoryClient, alice: Tenant, make_client: MakeClient
) -> None:
    project = admin.project.get()
    assert (project["members"], project["user_role"]) == (admin.project.get_members()["members"], "OWNER")
    assert [one["role"] for one in project["members"]] == ["OWNER"]
    for other in (client, make_client(alice, scopes=["admin"], banks=["mem0:user:bob"])):
        project = other.project.get()
        assert (project["members"], project["user_role"]) == ([], "READER")


def find_roles(client: MemoryClient) -> dict[str, str]:
    return {one["email"]: one["role"] for one in client.project.get_members()["members"]}


def test_members_need_the_scope_admin(client: MemoryClient) -> None:
    with pytest.raises(AuthenticationError, match="lacks the scope"):
        client.project.get_members()


def test_statistics_count_memories_owners_and_events(client: MemoryClient, recall_log: RecallLog) -> None:
    client.add("I keep bees.", user_id="bob", infer=False)
    client.add("I keep hens.", user_id="carol", agent_id="nora", infer=False)
    client.search("bees", filters=BOB)
    recall_log.write()
    stats = client.client.get("/v1/stats/").json()
    assert (stats["total_memories"], stats["total_add_events"], stats["total_retrieval_events"]) == (2, 2, 1)
    assert (stats["total_users_with_memories"], stats["total_agents_with_memories"]) == (2, 1)
    assert (stats["memories_per_user"], stats["memories_per_agent"], stats["memories_per_run"]) == (1, 2, 0)


def test_a_summary_without_a_language_model_lists_the_memories(client: MemoryClient) -> None:
    client.add(["I keep bees.", "I keep hens."], user_id="bob", infer=False)
    summary = client.get_summary(filters=BOB)
    assert (summary["status"], summary["count"]) == ("SUCCEEDED", 2)
    assert set(summary["summary"].splitlines()) == {"- I keep bees.", "- I keep hens."}
    assert client.get_summary(filters={"user_id": "nobody"})["summary"] == ""
    with pytest.raises(ValidationError):
        client.get_summary()


def test_a_summary_of_a_user_is_written_by_the_model(client: MemoryClient, llm: ScriptedLLM) -> None:
    client.add("I keep bees.", user_id="bob", infer=False)
    llm.chat.otherwise = lambda _received: "Bob keeps bees. [1]"
    assert client.get_summary(filters=BOB)["summary"] == "Bob keeps bees."
    narrow = client.get_summary(filters=BOB | {"created_at": {"gte": "2020-01-01"}})
    assert narrow["summary"] == "- I keep bees."


def test_a_profile_is_read_from_the_memories(client: MemoryClient, memory: Memory) -> None:
    client.add("I keep bees.", user_id="bob", infer=False, metadata={"city": "Rome"})
    profile = client.get_profile("bob")
    assert (profile["status"], profile["entity_id"], profile["profile"]) == (
        "succeeded",
        "bob",
        {"memories": ["I keep bees."]},
    )
    schema = {"type": "object", "properties": {"city": {"type": "string", "description": "Home."}}}
    settings = client.update_profile_settings(schema=schema, custom_instructions="Be brief.")
    assert settings["entities"]["user"] == {"schema": schema, "custom_instructions": "Be brief."}
    assert client.get_profile_settings() == settings
    assert client.get_profile("bob")["profile"] == {"city": "Rome"}
    client.update_profile_settings(enabled=False)
    assert client.get_profile("bob")["status"] == "not_enabled"
    with pytest.raises(MemoryNotFoundError):
        client.get_profile("nobody")


def test_a_profile_job_is_done_at_once(client: MemoryClient) -> None:
    client.add("I keep bees.", user_id="bob", infer=False)
    job = client.generate_profile("bob", idempotency_key="k1")
    assert (job["status"], job["entity_count_reserved"]) == ("succeeded", 1)
    assert client.generate_profile("bob", idempotency_key="k1")["job_id"] == job["job_id"]
    assert client.get_profile_job(job["status_url"])["job"]["succeeded"] == 1
    assert client.sample_profiles(limit=2)["entity_ids"] == ["bob"]
    with pytest.raises(MemoryNotFoundError):
        client.generate_profile("nobody")
    with pytest.raises(MemoryNotFoundError, match="No memory export request found"):
        client.get_memory_export(memory_export_id=job["job_id"])
