"""The asynchronous client has the same methods: one journey through all of them."""

import asyncio
import inspect
from typing import Any

import pytest
from mem0.exceptions import MemoryError as RefusedByService
from mem0.exceptions import MemoryNotFoundError

from tenants.models import Tenant
from tests.compat.mem0.quiet_client import AsyncMemoryClient
from tests.factories import make_key_with_text

BOB = {"user_id": "bob"}
NOT_ITS_OWN = {"chat"}  # raises NotImplementedError before anything is sent


class Traveller:
    """The client, with the names of the called methods."""

    def __init__(self, client: AsyncMemoryClient) -> None:
        self.client = client
        self.called: set[str] = set()

    def __getattr__(self, name: str) -> Any:
        self.called.add(name)
        return getattr(self.client, name)


async def travel(client: Any) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    added = await client.add([{"role": "user", "content": "I keep bees."}], user_id="bob", run_id="r1", infer=False)
    memory_id = added["results"][0]["id"]
    seen["searched"] = (await client.search("Who keeps bees?", filters=BOB))["results"][0]["id"] == memory_id
    seen["updated"] = (await client.update(memory_id, text="I keep wasps."))["memory"]
    seen["batch"] = await client.batch_update([{"memory_id": memory_id, "metadata": {"a": 1}}])
    seen["got"] = (await client.get(memory_id))["metadata"]
    seen["history"] = [step["event"] for step in await client.history(memory_id)]
    seen["listed"] = (await client.get_all(filters={"AND": [BOB, {"run_id": "*"}]}))["count"]
    seen["users"] = sorted(one["name"] for one in (await client.users())["results"])
    seen["feedback"] = (await client.feedback(memory_id, "POSITIVE"))["feedback"]
    export = await client.create_memory_export({"properties": {"memory": {}}}, filters=BOB)
    seen["exported"] = await client.get_memory_export(memory_export_id=export["id"])
    seen["project"] = (await client.project.get(fields=["name"]))["name"]
    seen["same project"] = (await client.get_project(fields=["name"]))["name"]
    seen["deleted"] = (await client.delete(memory_id))["message"]
    await client.delete_all(user_id="bob")
    seen["gone"] = (await client.delete_users(user_id="bob"))["message"]
    seen["left"] = (await client.users())["results"]
    again = await client.add("I keep hens.", user_id="bob", infer=False)
    seen["deleted at once"] = await client.batch_delete([{"memory_id": again["results"][0]["id"]}])
    await client.add("I keep cats.", user_id="carol", infer=False)
    await client.reset()
    seen["left after all"] = (await client.users())["results"]
    return seen


async def visit_webhooks(client: Any) -> list[Any]:
    project = client.client.project_id
    made = await client.create_webhook("https://example.com/", "chat", project, ["memory_add"])
    await client.update_webhook(made["webhook_id"], name="talk")
    listed = await client.get_webhooks(project)
    await client.delete_webhook(made["webhook_id"])
    return [[one["name"] for one in listed], await client.get_webhooks(project)]


async def visit_project(client: Any) -> None:
    await client.update_profile_settings(enabled=True)
    assert (await client.get_profile_settings())["enabled"] is True
    await client.add("I keep bees.", user_id="zoe", infer=False)
    assert (await client.get_summary(filters={"user_id": "zoe"}))["summary"] == "- I keep bees."
    job = await client.generate_profile("zoe")
    assert (await client.get_profile_job(job["job_id"]))["job"]["total"] == 1
    assert (await client.get_profile("zoe"))["profile"] == {"memories": ["I keep bees."]}
    assert (await client.sample_profiles())["sampled"] == 1
    await client.delete_users(user_id="zoe")
    await client.update_project(custom_instructions="Be brief.")
    await client.project.update(custom_instructions="")
    assert len((await client.project.get_members())["members"]) == 1
    await client.project.add_member("bob@example.com")
    await client.project.update_member("bob@example.com", "OWNER")
    listed = (await client.project.get_members())["members"]
    assert [(one["email"], one["role"], one["status"]) for one in listed[1:]] == [
        ("bob@example.com", "OWNER", "invited")
    ]
    await client.project.remove_member("bob@example.com")
    assert len((await client.project.get_members())["members"]) == 1
    with pytest.raises(MemoryNotFoundError):
        await client.project.update_member("bob@example.com", "OWNER")
    with pytest.raises(MemoryNotFoundError):
        await client.project.remove_member("bob@example.com")
    for ask in (
        lambda: client.project.create("x"),
        client.project.delete,
    ):  # called one by one, so that each is awaited
        with pytest.raises(RefusedByService, match=r"\w\.$") as refused:
            await ask()
        assert refused.value.error_code == "HTTP_501"


def test_every_method_has_its_asynchronous_twin(base_url: str, alice: Tenant) -> None:
    client = AsyncMemoryClient(api_key=make_key_with_text(alice, scopes=["admin"])[1], host=base_url)
    traveller = Traveller(client)

    async def see_all() -> tuple[dict[str, Any], list[Any]]:
        async with client.async_client:
            await visit_project(traveller)
            return await travel(traveller), await visit_webhooks(traveller)

    seen, webhooks = asyncio.run(see_all())
    assert seen == {
        "searched": True,
        "updated": "I keep wasps.",
        "batch": {"message": "Successfully updated 1 memories"},
        "got": {"a": 1},
        "history": ["ADD", "UPDATE", "UPDATE"],
        "listed": 1,
        "users": ["bob", "r1"],
        "feedback": "POSITIVE",
        "exported": {"memory": "I keep wasps."},
        "project": "Alice",
        "same project": "Alice",
        "deleted": "Memory deleted successfully!",
        "gone": "Entity deleted successfully.",
        "left": [],
        "deleted at once": {"message": "Successfully deleted 1 memories"},
        "left after all": [],
    }
    assert webhooks == [["talk"], []]
    methods = {name for name, _ in inspect.getmembers(AsyncMemoryClient, inspect.iscoroutinefunction)}
    assert {name for name in methods if not name.startswith("_")} - NOT_ITS_OWN <= traveller.called
