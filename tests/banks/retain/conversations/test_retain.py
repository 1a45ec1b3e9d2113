"""Retaining conversations with the built-in engine and the database."""

from datetime import UTC, datetime, timedelta

import pytest

from banks.models import Bank, Corpus, CorpusStatistics, Entity, Episode, MemoryUnit, Message, UnitSource
from banks.retain.archive import archive_messages
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.post_retain import PostRetain
from banks.retain.tools import Retained, Tools
from banks.types import Role
from rules.engine import BuiltinEngine
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.factories import make_bank, make_tenant

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def say(bank: Bank, *lines: str, minutes: int = 0) -> list[Retained]:
    """A line is "Name: text"; Agent speaks as the assistant."""
    said_at = NOON + timedelta(minutes=minutes)
    messages = []
    for line in lines:
        speaker, _, text = line.partition(": ")
        role: Role = "assistant" if speaker == "Agent" else "user"
        messages.append(GivenMessage(role, text, said_at, name=speaker))
    with tenant_transaction(bank.tenant_id):
        ids = archive_messages(bank, RetainItem(said_at, messages=tuple(messages), thread="t"))["t"]
    tools = Tools(BuiltinEngine(), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    return retain_conversation(Conversation(bank, "t", tuple(ids)), tools)


def texts_of(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).order_by("id").values_list("text", flat=True))


def test_an_answer_in_the_next_call_has_the_question_of_the_last(bank: Bank) -> None:
    say(bank, "Ana: I heard that you play the guitar. How long have you played the guitar?")
    say(bank, "Ben: Five years already!", minutes=1)
    with tenant_transaction(bank.tenant_id):
        answer = MemoryUnit.objects.of_bank(bank).order_by("id").last()
        assert answer is not None
        assert (answer.rendered_text, answer.search_text) == (
            "Ben: Five years already!",
            "Ana: How long have you played the guitar?\nBen: Five years already!",
        )
        (episode,) = Episode.objects.for_tenant(bank.tenant_id)
    assert "guitar" in episode.narrative


def test_an_echo_of_the_agent_is_archived_and_gives_no_fact(bank: Bank) -> None:
    say(bank, "Ana: I moved to Lisbon because of a new job.")
    (memory,) = texts_of(bank)
    (outcome,) = say(bank, f"Agent: According to my memory: Ana: {memory}", minutes=1)
    assert (texts_of(bank), outcome.units) == ([memory], ())
    with tenant_transaction(bank.tenant_id):
        assert Message.objects.for_tenant(bank.tenant_id).filter(extracted_at__isnull=False).count() == 2
        assert UnitSource.objects.for_tenant(bank.tenant_id).count() == 1
        assert [unit.proof_count for unit in MemoryUnit.objects.of_bank(bank)] == [1]


def test_a_conversation_that_comes_twice_adds_proof_and_no_unit(bank: Bank) -> None:
    lines = ("Ana: I live in Porto.", "Ben: My sister Emily works at Acme.", "Ana: I moved to Lisbon.")
    say(bank, *lines)
    before = texts_of(bank)
    outcomes = say(bank, *lines)
    assert texts_of(bank) == before
    post = PostRetain.of(outcomes)
    assert (post.unit_ids, bool(post.proven_ids)) == ((), True)


def test_an_outcome_names_the_units_and_entities_that_it_touched(bank: Bank) -> None:
    say(bank, "Ana: I live in Porto.")
    (outcome,) = say(bank, "Ana: I moved to Lisbon.", minutes=60)
    with tenant_transaction(bank.tenant_id):
        (closed,) = MemoryUnit.objects.of_bank(bank).exclude(expired_at=None)
    assert closed.rendered_text == "Ana: I live in Porto."
    post = PostRetain.of([outcome])
    assert post.closed_ids == (closed.id,)
    assert (len(post.unit_ids), len(post.entity_ids)) == (1, 2)


def test_units_relationships_chunks_and_episodes_are_searchable_by_their_words(bank: Bank) -> None:
    say(bank, "Ana: I live in Porto.")
    say(bank, "Ana: I moved to Lisbon.", minutes=60)
    with tenant_transaction(bank.tenant_id):
        rows = CorpusStatistics.objects.for_tenant(bank.tenant_id).filter(bank=bank)
        counts = {row.corpus: row.texts for row in rows}
    assert counts == {Corpus.UNIT: 1, Corpus.RELATIONSHIP: 1, Corpus.CHUNK: 2, Corpus.EPISODE: 2}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\U0001f44d", "\U0001f44e"),
        ("Balance: +200", "Balance: -200"),
        ("I write C++.", "I write C#."),
        ("a < b", "a > b"),
        ("Did you pay?", "Did you pay!"),
    ],
)
def test_messages_that_differ_in_a_sign_are_two_memories(bank: Bank, one: str, other: str) -> None:
    say(bank, f"Ana: {one}", f"Ana: {other}")
    assert texts_of(bank) == [one, other]


def test_a_short_answer_to_another_question_is_another_memory(bank: Bank) -> None:
    say(bank, "Agent: Do you eat peanuts?", "Ana: Yes.", "Agent: Do you own a kayak?", "Ana: Yes.")
    assert texts_of(bank).count("Yes.") == 2
    say(bank, "Agent: Do you own a kayak?", "Ana: yes", minutes=1)
    assert texts_of(bank).count("Yes.") == 2


def test_the_same_words_again_are_a_proof(bank: Bank) -> None:
    say(bank, "Ana: I moved to Lisbon.", "Ana: i moved  to Lisbon")
    assert texts_of(bank) == ["I moved to Lisbon."]


def test_a_user_who_says_a_name_is_one_entity(bank: Bank) -> None:
    say(bank, "User: Hi! I'm Maya.", "Agent: Nice to meet you, Maya!", "User: I'm Belgian.")
    with tenant_transaction(bank.tenant_id):
        people = Entity.objects.of_bank(bank).filter(kind="PERSON").values_list("name", flat=True)
        assert [name for name in people if name != "Agent"] == ["Maya"]
