"""With a language model, short episodes of one conversation share a call."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from banks.models import Bank, Chunk, Episode, MemoryUnit, Message, UnitSource
from banks.retain.archive import archive_messages
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.input import GivenMessage, Instructions, RetainItem
from banks.retain.llm import engine as llm_engine
from banks.retain.tools import Retained, Tools
from banks.types import Labels
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.banks.retain.llm.factory import make_engine
from tests.factories import make_bank, make_tenant
from tests.llm_server import ScriptedLLM

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
CELLO = (0, "Ana: I play the cello in Porto.")
TOMATOES = (90, "Ana: I grow tomatoes in Braga.")  # an episode of its own: the gap is too long


@pytest.fixture
def llm() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def retain(bank: Bank, llm: ScriptedLLM, *lines: tuple[int, str], tags: tuple[str, ...] = ()) -> list[Retained]:
    """A line is its minute after noon and "Name: text"."""
    messages = []
    for minute, line in lines:
        name, _, text = line.partition(": ")
        messages.append(GivenMessage("user", text, NOON + timedelta(minutes=minute), name=name))
    with tenant_transaction(bank.tenant_id):
        ids = archive_messages(bank, RetainItem(NOON, messages=tuple(messages), thread="t"))["t"]
    tools = Tools(make_engine(llm), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    instructions = Instructions(labels=Labels(tags=tags))
    return retain_conversation(Conversation(bank, "t", tuple(ids), instructions), tools)


def say_facts(llm: ScriptedLLM, *facts: tuple[str, int]) -> None:
    llm.chat.say(json.dumps({"facts": [{"text": text, "turns": [turn]} for text, turn in facts]}))


def test_two_episodes_of_a_day_are_one_call_and_each_keeps_its_sources(bank: Bank, llm: ScriptedLLM) -> None:
    say_facts(llm, ("Ana plays the cello in Porto.", 1), ("Ana grows tomatoes in Braga.", 2))
    (outcome,) = retain(bank, llm, CELLO, TOMATOES)
    assert outcome.usage.calls == 1
    with tenant_transaction(bank.tenant_id):
        sources = UnitSource.objects.for_tenant(bank.tenant_id).select_related("unit", "message")
        told = {source.unit.text: source.message and source.message.content for source in sources}
        assert told == {
            "Ana plays the cello in Porto.": "I play the cello in Porto.",
            "Ana grows tomatoes in Braga.": "I grow tomatoes in Braga.",
        }
        episodes = Episode.objects.for_tenant(bank.tenant_id)
        assert [one.narrative.count("cello") for one in episodes.order_by("id")] == [1, 0]
        assert Chunk.objects.for_tenant(bank.tenant_id).filter(embedding=None).count() == 0
        assert Chunk.objects.for_tenant(bank.tenant_id).values("episode_id").distinct().count() == 2


def test_episodes_of_different_days_are_read_one_after_the_other(bank: Bank, llm: ScriptedLLM) -> None:
    """The second is compared with the facts of the first, which it may end."""
    say_facts(llm, ("Ana plays the cello in Porto.", 1))
    say_facts(llm, ("Ana grows tomatoes in Braga.", 1))
    assert len(retain(bank, llm, CELLO, (60 * 25, TOMATOES[1]))) == 2


def test_episodes_that_are_too_long_together_are_read_apart(
    bank: Bank, llm: ScriptedLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llm_engine.LLMEngine, "batch_tokens", 12)
    say_facts(llm, ("Ana plays the cello in Porto.", 1))
    say_facts(llm, ("Ana grows tomatoes in Braga.", 1))
    assert len(retain(bank, llm, CELLO, TOMATOES)) == 2


def test_a_failed_batch_stores_nothing_and_is_read_again(bank: Bank, llm: ScriptedLLM) -> None:
    llm.chat.fail(500)
    with pytest.raises(Exception, match="500"):
        retain(bank, llm, CELLO, TOMATOES)
    with tenant_transaction(bank.tenant_id):
        assert not MemoryUnit.objects.of_bank(bank).exists()
        assert Message.objects.for_tenant(bank.tenant_id).filter(extracted_at=None).count() == 2


def test_the_last_turns_of_the_thread_explain_the_next_episode(bank: Bank, llm: ScriptedLLM) -> None:
    say_facts(llm, ("Ana plays the cello in Porto.", 1))
    retain(bank, llm, CELLO)
    say_facts(llm)
    retain(bank, llm, (90, "Ana: It has four strings."))
    prompt = llm.chat.received[-1].prompt
    assert prompt.index("earlier: Ana") < prompt.index("I play the cello") < prompt.index("turn 1: Ana")


def test_earlier_turns_of_another_user_are_not_shown(bank: Bank, llm: ScriptedLLM) -> None:
    """A model that resolves "me too" would put the words of one user into a fact of the other."""
    say_facts(llm, ("Ana has a secret.", 1))
    retain(bank, llm, (0, "Ana: My PIN is 4711."), tags=("user:ana",))
    say_facts(llm)
    retain(bank, llm, (1, "Ben: Me too!"), tags=("user:ben",))
    assert "4711" not in llm.chat.received[-1].prompt
    say_facts(llm)
    retain(bank, llm, (2, "Ana: It is the same everywhere."), tags=("user:ana",))
    assert "4711" in llm.chat.received[-1].prompt
