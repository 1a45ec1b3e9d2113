"""Merging backgrounds through the use-case, with the built-in merger and with a scripted model."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from django.db import connections

from banks.models import UnitSource
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.post_retain import PostRetain
from banks.retain.types import Role
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.background import merge_background
from memoryplatform.operations.banks.profile import BankChange, change_bank, create_bank, get_bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from memoryplatform.operations.running.perform import perform
from memoryplatform.operations.running.submit import submit
from providers.llm.errors import MalformedAnswer
from reflection.models import BackgroundRevision
from tenants.models import Tenant, UsageRecord
from tenants.transactions import tenant_transaction
from tests.llm_server import ScriptedLLM, nothing_scripted
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


def test_colorado_becomes_texas_and_the_former_text_stays_in_the_history(access: BankAccess) -> None:
    merged = merge_background(access, "support", "You were born in Texas and have 10 years of startup experience.")

    assert read_background(access) == "I was born in Texas and have 10 years of startup experience."
    assert merged.engine == "builtin"
    first, second = read_history(access)
    assert (first.number, first.before, first.after) == (1, "", "I was born in Colorado.")
    assert (second.number, second.before) == (2, "I was born in Colorado.")
    assert second.snippet == "You were born in Texas and have 10 years of startup experience."


def test_a_model_merges_where_there_is_one(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.say(json.dumps({"background": "You were born in Texas and have 10 years of startup experience."}))

    merged = merge_background(access, "support", "You were born in Texas and have 10 years of startup experience.")

    assert merged.engine == "scripted"
    assert read_background(access) == "I was born in Texas and have 10 years of startup experience."
    [asked] = llm.chat.received
    assert "I was born in Colorado." in asked.prompt
    assert "I was born in Texas and have 10 years" in asked.prompt
    with tenant_transaction(access.tenant_id):
        assert UsageRecord.objects.for_tenant(access.tenant_id).filter(kind="reflect", calls=1).exists()


def test_a_model_that_answers_nonsense_changes_nothing(access: BankAccess, llm: ScriptedLLM) -> None:
    llm.chat.otherwise = lambda _: "I would rather not."

    with pytest.raises(MalformedAnswer):
        merge_background(access, "support", "You were born in Texas.")

    assert read_background(access) == "I was born in Colorado."
    assert len(read_history(access)) == 1


def test_news_that_are_known_make_no_revision(access: BankAccess) -> None:
    merged = merge_background(access, "support", "You were born in Colorado.")

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
    assert all(f"I like the number {number}." in background for number in range(4))
    history = read_history(access)
    assert [revision.number for revision in history] == [1, 2, 3, 4, 5]
    assert all(later.before == earlier.after for earlier, later in pairwise(history))


def test_a_background_that_is_set_leaves_a_revision_too(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(background="I am somebody else."))

    assert [revision.after for revision in read_history(access)] == ["I was born in Colorado.", "I am somebody else."]


def talk(access: BankAccess, *turns: tuple[Role, str], minute: int = 0) -> None:
    at = datetime(2026, 1, 2, 0, minute, tzinfo=UTC)
    names: dict[Role, str] = {"user": "Eve", "assistant": "Ada"}
    messages = tuple(GivenMessage(role, text, at, name=names[role]) for role, text in turns)
    retain(access, "support", [RetainItem(at, messages=messages)], wait=True)
    with tenant_transaction(access.tenant_id):
        rows = Operation.objects.for_tenant(access.tenant_id).filter(kind="consolidate", status="pending")
        ids = list(rows.values_list("id", flat=True))
    for operation_id in ids:
        perform(access.tenant_id, operation_id)


def test_what_people_tell_the_agent_about_itself_is_learned_where_the_bank_wants_that(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(learns_background=True))

    talk(access, ("user", "You were born in Texas. You met Bob yesterday."), ("assistant", "I live in Rome."))

    assert read_background(access) == "I was born in Texas."
    assert read_history(access)[-1].actor == "consolidate"


def test_what_was_said_before_the_agents_first_reply_is_learned_with_it(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(learns_background=True))

    talk(access, ("user", "You were born in Texas."))
    unanswered = read_background(access)
    talk(access, ("assistant", "Thank you, I will keep Texas in mind."), minute=1)

    assert (unanswered, read_background(access)) == ("I was born in Colorado.", "I was born in Texas.")


def test_a_later_reply_does_not_learn_once_more_what_a_person_changed_since(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    talk(access, ("user", "You were born in Texas."), ("assistant", "Thank you, I will keep Texas in mind."))
    change_bank(access, "support", BankChange(background="I was born in Oregon."))

    talk(access, ("assistant", "Texas has a long coast, as I said to you."), minute=1)

    assert read_background(access) == "I was born in Oregon."


def test_a_bank_that_does_not_want_it_learns_nothing_about_itself(access: BankAccess) -> None:
    talk(access, ("user", "You were born in Texas."))

    assert read_background(access) == "I was born in Colorado."


def learn(access: BankAccess, told: str) -> Operation:
    """A consolidation of a talk in which somebody says this to the agent."""
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, "support")
        tenant = Tenant.objects.get(id=access.tenant_id)
    episode = make_episode(tenant, bank=bank)
    make_message(tenant, bank=bank, episode=episode, role="assistant", content="Hello.")
    message = make_message(tenant, bank=bank, episode=episode, role="user", content=told)
    unit = make_unit(tenant, bank=bank, text="Eve spoke of Ada.")
    make_row(UnitSource, tenant, unit=unit, message=message, role="said")
    with tenant_transaction(access.tenant_id):
        payload = PostRetain(unit_ids=(unit.id,)).write()
        operation = submit(access.tenant_id, "consolidate", payload=payload, bank=bank, wake=False)
    perform(access.tenant_id, operation.id)
    with tenant_transaction(access.tenant_id):
        return Operation.objects.for_tenant(access.tenant_id).get(id=operation.id)


def test_all_that_a_long_message_tells_of_the_agent_is_one_merge(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    llm.chat.say(json.dumps({"background": "I was born in Colorado and live in town 99."}))

    learn(access, " ".join(f"You live in town {number}." for number in range(100)))

    [merge] = llm.chat.received
    assert "I live in town 99." in merge.prompt
    assert "I live in town 79." not in merge.prompt
    assert [revision.after for revision in read_history(access)][1:] == ["I was born in Colorado and live in town 99."]


def test_of_what_one_message_tells_the_last_is_right(access: BankAccess) -> None:
    change_bank(access, "support", BankChange(learns_background=True))

    learn(access, "You live in Rome. You live in Oslo.")

    assert read_background(access) == "I was born in Colorado. I live in Oslo."
    assert len(read_history(access)) == 2


def test_what_a_model_refuses_to_merge_is_not_learned(access: BankAccess, llm: ScriptedLLM) -> None:
    change_bank(access, "support", BankChange(learns_background=True))
    llm.chat.otherwise = nothing_scripted

    assert (learn(access, "You live in Rome.").result or {})["background_refused"] == 1
    assert read_background(access) == "I was born in Colorado."
