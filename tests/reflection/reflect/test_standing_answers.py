"""Mental models about the question come first in the prompt, if the question may see their sources."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from reflection.mental_models import build_query
from reflection.models import MentalModel, MentalModelRevision, MentalModelSource
from reflection.reflect import standing_answers
from reflection.reflect.prompt import count_messages
from reflection.reflect.reflect import reflect
from reflection.reflect.tools import ReflectTools
from reflection.reflect.types import BOUNDS
from retrieval.filters.types import Filters, Tags
from retrieval.types import PointInTime
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM
from tests.reflection.reflect.answers import ask, write
from tests.retrieval.memory import NOW, Memory

QUESTION = "What food does Maya like?"
CONTENT = "Maya likes dumplings and rice [3]."


def make_model(memory: Memory, *, content: str = CONTENT, key: str = "food", **fields: Any) -> MentalModel:
    usual = {"name": "Food", "source_query": QUESTION, "content": content, "refreshed_at": NOW}
    with tenant_transaction(memory.bank.tenant_id):
        return MentalModel.objects.for_tenant(memory.bank.tenant_id).create(bank=memory.bank, key=key, **usual | fields)


def read_prompt(server: ScriptedLLM) -> str:
    return str(server.chat.received[-1].body["messages"][-1]["content"])


def test_a_model_about_the_question_is_shown_first_and_named_in_the_answer(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standing_answers, "NEAR", 0.95)  # vectors of words are nearer to each other than a model's
    memory.unit("Maya ate dumplings in Riga, food that Maya does like")
    make_model(memory)
    make_model(memory, key="work", source_query="Where is the office of the company?", content="In Riga.")
    server.chat.say(write("Dumplings [1]."))
    result = reflect(memory.bank, ask(QUESTION), tools)
    prompt = read_prompt(server)
    assert prompt.index("Maya likes dumplings and rice.") < prompt.index("ate dumplings")
    assert "In Riga." not in prompt
    assert [one.key for one in result.mental_models] == ["food"]


@pytest.mark.parametrize(
    "fields",
    [
        {"moment": PointInTime(as_of=NOW - timedelta(days=3))},
        {"filters": Filters(entities=("Maya",))},
        {"filters": Filters(tags=Tags(("guest",), "any_strict"))},
        {"filters": Filters(tags=Tags(("maya", "home"), "all_strict"))},
    ],
)
def test_a_question_that_may_not_see_the_sources_does_not_see_the_content(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM, fields: dict[str, Any]
) -> None:
    memory.unit("Maya ate dumplings in Riga, food that Maya does like", tags=["guest"])
    make_model(memory, tags=["maya"])
    make_model(memory, key="all")
    server.chat.say(write("I don't know."))
    query = ask(QUESTION)
    result = reflect(memory.bank, replace(query, recall=replace(query.recall, **fields)), tools)
    assert (result.mental_models, "dumplings and rice" in read_prompt(server)) == ((), False)


def test_a_question_with_the_tags_of_a_model_sees_it(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    make_model(memory, tags=["maya"])
    make_model(memory, key="wider", tags=["maya"], trigger={"tags_match": "any"})
    server.chat.say(write("Dumplings."))
    query = ask(QUESTION)
    tagged = replace(query.recall, filters=Filters(tags=Tags(("maya",), "any_strict")))
    result = reflect(memory.bank, replace(query, recall=tagged), tools)
    assert [one.key for one in result.mental_models] == ["food"]


def test_a_refresh_does_not_read_mental_models(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    model = make_model(memory)
    server.chat.say(write("Dumplings."))
    assert reflect(memory.bank, build_query(model, now=NOW), tools).mental_models == ()


def test_a_long_content_leaves_room_for_memories(memory: Memory, tools: ReflectTools, server: ScriptedLLM) -> None:
    memory.unit("Maya ate dumplings in Riga, food that Maya does like")
    make_model(memory, content="Maya likes rice. " * 2_000)
    server.chat.say(write("Rice [1]."))
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert result.cited
    assert count_messages(result.trace.prompt) <= (BOUNDS["low"].prompt_tokens or 0)


def test_an_opinion_has_the_tags_of_a_contents_sources(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    """The model may repeat words of a memory that only the content carries into the prompt."""
    secret = memory.unit("Maya hides dumplings", tags=["maya"])
    model = make_model(memory, revision=1)
    with tenant_transaction(memory.bank.tenant_id):
        rows = MentalModelRevision.objects.for_tenant(memory.bank.tenant_id)
        revision = rows.create(bank=memory.bank, mental_model=model, number=1, source_query="", content=CONTENT)
        sources = MentalModelSource.objects.for_tenant(memory.bank.tenant_id)
        sources.create(bank=memory.bank, revision=revision, unit=secret)
    server.chat.say(write("Dumplings."))
    result = reflect(memory.bank, ask(QUESTION), tools)
    assert [one.source_ids for one in result.mental_models] == [(secret.id,)]


def test_a_content_written_under_other_tags_is_not_shown(
    memory: Memory, tools: ReflectTools, server: ScriptedLLM
) -> None:
    """The tags of a model may change after its content was written."""
    secret = memory.unit("Ana has the code 77", tags=["ana"])
    model = make_model(memory, tags=["ben"], revision=1)
    with tenant_transaction(memory.bank.tenant_id):
        rows = MentalModelRevision.objects.for_tenant(memory.bank.tenant_id)
        revision = rows.create(bank=memory.bank, mental_model=model, number=1, source_query="", content=CONTENT)
        sources = MentalModelSource.objects.for_tenant(memory.bank.tenant_id)
        sources.create(bank=memory.bank, revision=revision, unit=secret)
    server.chat.say(write("I don't know."))
    query = ask(QUESTION)
    tagged = replace(query.recall, filters=Filters(tags=Tags(("ben",), "any_strict")))
    assert reflect(memory.bank, replace(query, recall=tagged), tools).mental_models == ()
