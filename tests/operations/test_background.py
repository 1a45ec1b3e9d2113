"""Merging backgrounds through the use-case, without a model and with a scripted one."""

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from django.db import connections

from banks.models import UnitSource
from banks.retain.post_retain import PostRetain
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.profile import BankChange, change_bank, create_bank, get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from providers.llm.errors import LLMUnavailable
from reflection.models import BackgroundRevision
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.llm_server import Received, ScriptedLLM, nothing_scripted
from tests.llm_server.script import Reply
from tests.memory_factories import make_episode, make_message, make_row, make_unit


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    access = BankAccess(tenant.id)
    create_bank(access, "support", BankChange(name="Ada", background="I was born in Colorado."))
    return access


def read_history(access: BankAccess) -> list[BackgroundRevision]:
    with tenant_transaction(access.tenant_id):
        return list(BackgroundRevision.objects.of_bank(get_bank(access, "support")).order_by("number"))


def read_background(access: BankAccess) -> str:
    with tenant_transaction(access.tenant_id):
        return get_bank(access, "support").background


def test_without_a_model_a_statement_is_appended_and_the_former_text_stays_in_the_history(access: BankAccess) -> None:
    merged = merge_background(access, "support", "You were born in Texas.")

    assert read_background(access) == "I was born in Colorado.\nYou were born in Texas."
    assert merged.engine == "builtin"
    first, second = read_history(access)
    assert (first.number, first.before, first.after) == (1, "", "I was born in Colorado.")
    assert (second.number, second.before, second.engine) == (2, "I was born in Colorado.", "builtin")
    assert second.snippet == "You were born in Texas."


def test_a_model_merges_where_there_is_one(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.say(json.dumps({"background": "I was born in Texas and have 10 years of startup experience."}))

    merged = merge_background(access, "support", "You were born in Texas and have 10 years of startup experience.")

    assert merged.engine == "scripted"
    assert read_background(access) == "I was born in Texas and have 10 years of startup experience."
    [asked] = llm.chat.received
    assert "I was born in Colorado." in asked.prompt
    assert "You were born in Texas and have 10 years" in asked.prompt
    with tenant_transaction(access.tenant_id):
        assert UsageRecord.objects.for_tenant(access.tenant_id).filter(kind="reflect", calls=1).exists()


def test_a_statement_that_a_model_answers_nonsense_on_is_appended(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _: "I would rather not."

    merged = merge_background(access, "support", "You were born in Texas.")

    assert merged.engine == "builtin"
    assert read_background(access) == "I was born in Colorado.\nYou were born in Texas."
    assert len(read_history(access)) == 2
    with tenant_transaction(access.tenant_id):
        assert UsageRecord.objects.for_tenant(access.tenant_id).filter(kind="reflect", calls=2).exists()


def test_a_model_that_is_away_changes_nothing(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.fail(503)

    with pytest.raises(LLMUnavailable):
        merge_background(access, "support", "You were born in Texas.")

    assert read_background(access) == "I was born in Colorado."
    assert len(read_history(access)) == 1


def test_a_known_statement_makes_no_revision(access: BankAccess) -> None:
    merged = merge_background(access, "support", "I was born in Colorado.")

    assert merged.revision is None
    assert len(read_history(access)) == 1


def test_two_merges_at_once_lose_neither(access: BankAccess) -> None:
    def merge(number: int) -> None:
        try:
            merge_background(access, "support", f"You like the number {number}.")
        finally:
            connections.close_all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(merge, range(4)))

    background = read_background(access)
    assert all(f"You like the number {number}." in background for number in range(4))
    history = read_history(access)
    assert [revision.number for revision in history] == [1, 2, 3, 4, 5]
    assert all(later.before == earlier.after for earlier, later in pairwise(history))


def test_a_background_that_is_set_leaves_a_revision_too(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(background="I am somebody else."))

    assert [revision.after for revision in read_history(access)] == ["I was born in Colorado.", "I am somebody else."]


def answer(server: ScriptedLLM, background: str, *statements: str) -> None:
    """Script a model that finds these statements in messages and merges them into this background."""

    def respond(received: Received) -> Reply | str:
        if "You read messages" in received.prompt:
            return json.dumps({"statements": list(statements)})
        if "You keep the short description" in received.prompt:
            return json.dumps({"background": background})
        return nothing_scripted(received)

    server.chat.otherwise = respond


def list_asked(server: ScriptedLLM) -> list[str]:
    """The prompts about the background."""
    prompts = [received.prompt for received in server.chat.received]
    return [one for one in prompts if "You read messages" in one or "You keep the short description" in one]


def learn(access: BankAccess, *turns: tuple[str, str]) -> Operation:
    """Consolidate a conversation whose last message has just arrived."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, "support")
        tenant = Tenant.objects.get(id=access.tenant_id)
    episode = make_episode(tenant, bank=bank)
    for role, text in turns:
        message = make_message(tenant, bank=bank, episode=episode, role=role, content=text)
    unit = make_unit(tenant, bank=bank, text="Eve spoke of Ada.")
    make_row(UnitSource, tenant, unit=unit, message=message, role="said")
    with tenant_transaction(access.tenant_id):
        payload = PostRetain(unit_ids=(unit.id,)).write()
        operation = submit(access.tenant_id, "consolidate", payload=payload, bank=bank, wake=False)
    perform(access.tenant_id, operation.id)
    with tenant_transaction(access.tenant_id):
        return Operation.objects.for_tenant(access.tenant_id).get(id=operation.id)


TEXAS = ("user", "You were born in Texas. You met Bob yesterday.")
HELLO = ("assistant", "Hello.")


def test_statements_about_the_agent_are_learned_in_one_merge(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    answer(llm, "I was born in Texas and like tea.", "I was born in Texas.", "I like tea.")

    assert learn(access, HELLO, TEXAS).status == "completed"

    assert read_background(access) == "I was born in Texas and like tea."
    newest = read_history(access)[-1]
    assert (newest.actor, newest.snippet) == ("consolidate", "I was born in Texas.\nI like tea.")
    found, merged = list_asked(llm)
    assert "| You were born in Texas. You met Bob yesterday." in found
    assert "Hello." not in found
    assert "| I was born in Texas.\n| I like tea." in merged


def test_messages_before_the_agents_first_reply_are_learned_from_with_it(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    answer(llm, "I was born in Texas.", "I was born in Texas.")

    learn(access, TEXAS)
    assert list_asked(llm) == []
    learn(access, TEXAS, HELLO)

    assert read_background(access) == "I was born in Texas."


def test_a_later_reply_does_not_learn_once_more(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    answer(llm, "I was born in Texas.", "I was born in Texas.")

    learn(access, TEXAS, HELLO, ("assistant", "Texas has a long coast, as I said to you."))

    assert list_asked(llm) == []


def test_nothing_is_merged_where_the_model_finds_nothing(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    answer(llm, "I am somebody else.")

    learn(access, HELLO, TEXAS)

    assert read_background(access) == "I was born in Colorado."
    assert len(list_asked(llm)) == 1


@pytest.mark.parametrize("learns_background", [True, False])
def test_without_a_model_or_the_setting_nothing_is_learned(
    access: BankAccess, request: pytest.FixtureRequest, *, learns_background: bool
) -> None:
    """Two cases: the setting without a model, and a model without the setting."""
    change_bank(access, "support", BankChange(learns_background=learns_background))
    if not learns_background:
        answer(request.getfixturevalue("llm"), "I was born in Texas.", "I was born in Texas.")

    assert learn(access, HELLO, TEXAS).status == "completed"

    assert read_background(access) == "I was born in Colorado."


def test_messages_that_a_model_refuses_are_not_learned(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    llm.chat.otherwise = nothing_scripted

    assert (learn(access, HELLO, TEXAS).result or {})["background_refused"] == 1
    assert read_background(access) == "I was born in Colorado."
