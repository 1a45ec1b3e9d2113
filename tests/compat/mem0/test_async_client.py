"""The asynchronous client has the same methods: one journey through them."""

import asyncio
from typing import Any

from tenants.models import Tenant
from tests.compat.mem0.quiet_client import AsyncMemoryClient
from tests.factories import make_key_with_text

BOB = {"user_id": "bob"}


async def travel(client: AsyncMemoryClient) -> dict[str, Any]:
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
    seen["deleted"] = (await client.delete(memory_id))["message"]
    await client.delete_all(user_id="bob")
    seen["gone"] = (await client.delete_users(user_id="bob"))["message"]
    seen["left"] = (await client.users())["results"]
    await client.async_client.aclose()
    return seen


def test_every_method_has_its_asynchronous_twin(base_url: str, alice: Tenant) -> None:
    client = AsyncMemoryClient(api_key=make_key_with_text(alice)[1], host=base_url)
    assert asyncio.run(travel(client)) == {
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
        "deleted": "Memory deleted successfully!",
        "gone": "Entity deleted successfully.",
        "left": [],
    }
