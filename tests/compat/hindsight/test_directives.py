"""Directives, through Hindsight's client."""

from collections.abc import Iterator

import pytest
from django.test import override_settings
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from providers import registry
from tests.compat.hindsight.conftest import Run
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import write
from tests.retrieval.memory import Memory


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        with override_settings(LLM_BASE_URL=server.url, LLM_MODEL="scripted", LLM_MAX_RETRIES=0):
            registry.LANGUAGE_MODELS.reset()
            yield server
        registry.LANGUAGE_MODELS.reset()


def test_a_directive_is_made_read_changed_and_deleted(client: Hindsight, memory: Memory) -> None:
    made = client.create_directive("support", "Formal", "Be formal.", priority=3, tags=["office"])
    assert (made.bank_id, made.priority, made.is_active, made.tags) == ("support", 3, True, ["office"])
    assert client.get_directive("support", made.id).content == "Be formal."
    changed = client.update_directive("support", made.id, content="Be very formal.")
    assert (changed.content, changed.name, changed.tags) == ("Be very formal.", "Formal", ["office"])
    client.delete_directive("support", made.id)
    with pytest.raises(ApiException) as gone:
        client.get_directive("support", made.id)
    assert gone.value.status == 404


def test_they_are_listed_by_priority_and_scope(client: Hindsight, run: Run, memory: Memory) -> None:
    client.create_directive("support", "low", "c")
    client.create_directive("support", "high", "c", priority=9)
    client.create_directive("support", "office", "c", tags=["office"], priority=5)
    client.create_directive("support", "off", "c", is_active=False)
    assert [one.name for one in client.list_directives("support").items] == ["high", "office", "low"]
    assert [one.name for one in client.list_directives("support", tags=["home"]).items] == ["high", "low"]
    page = client.list_directives("support", limit=1, offset=1)
    assert ([one.name for one in page.items], page.total) == (["office"], 3)
    every = run(client.directives.list_directives("support", active_only=False))
    assert every.total == 4


def test_a_reflect_follows_those_in_its_scope_and_names_them(
    client: Hindsight, memory: Memory, model: ScriptedLLM
) -> None:
    memory.unit("Alice moved to Lisbon", tags=["office"])
    made = client.create_directive("support", "Formal", "Be formal.")
    client.create_directive("support", "Office", "Name the office.", tags=["office"])
    for _ in range(2):
        model.chat.say(write("In Lisbon [1].", in_memory=True))
    plain = client.reflect("support", "Where is Alice, Lisbon?", include_facts=True).to_dict()["based_on"]
    assert plain["directives"] == [{"id": made.id, "name": "Formal", "content": "Be formal."}]
    scoped = client.reflect("support", "Where is Alice, Lisbon?", include_facts=True, tags=["office"]).to_dict()
    assert [one["name"] for one in scoped["based_on"]["directives"]] == ["Formal", "Office"]
    assert "Name the office." in model.chat.received[-1].body["messages"][0]["content"]
