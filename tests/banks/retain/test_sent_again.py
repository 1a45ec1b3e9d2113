"""Identical messages, sent twice without an idempotency key, add proof and no unit."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest

from banks.models import Bank, Episode, MemoryUnit, Message
from banks.retain.archive import archive_messages
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.post_retain import PostRetain
from banks.retain.tools import Retained, Tools
from rules.engine import BuiltinEngine
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.factories import make_bank, make_tenant

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)
THINGS = ("boat", "garden", "violin", "bakery", "novel", "bridge", "camera", "orchard", "lantern", "saddle")


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def build_talk(apart: timedelta) -> list[GivenMessage]:
    """A conversation longer than an episode, so that it is cut between a question and its answer."""
    lines = [("Ana", "I have been thinking about the harbour lately.")]
    for thing in THINGS:
        lines += [
            ("Ana", f"The {thing} looks lovely. How did you find the {thing}?"),
            ("Ben", f"My uncle left me the {thing} in his will."),
            ("Ben", f"It took a while to repair the {thing}. Do you want to see it?"),
        ]
    return [GivenMessage("user", text, NOON + place * apart, name=name) for place, (name, text) in enumerate(lines)]


def send(bank: Bank, messages: Sequence[GivenMessage], *, thread: str = "") -> list[Retained]:
    with tenant_transaction(bank.tenant_id):
        archive_messages(bank, RetainItem(NOON, messages=tuple(messages), thread=thread))
        waiting = Message.objects.for_tenant(bank.tenant_id).filter(extracted_at=None).order_by("id")
        ids = tuple(waiting.values_list("id", flat=True))
    tools = Tools(BuiltinEngine(), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    return retain_conversation(Conversation(bank, thread, ids), tools)


def texts_of(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        return sorted(MemoryUnit.objects.of_bank(bank).values_list("text", flat=True))


@pytest.mark.parametrize("thread", ["", "t"])
@pytest.mark.parametrize("apart", [timedelta(minutes=1), timedelta(0)])
def test_a_long_conversation_that_is_sent_twice_adds_no_unit(bank: Bank, apart: timedelta, thread: str) -> None:
    talk = build_talk(apart)
    send(bank, talk, thread=thread)
    before = texts_of(bank)
    outcomes = send(bank, talk, thread=thread)
    assert texts_of(bank) == before
    assert PostRetain.of(outcomes).proven_ids


def test_a_conversation_that_is_sent_twice_in_parts_adds_no_unit(bank: Bank) -> None:
    talk = build_talk(timedelta(minutes=1))
    for part in (talk[:8], talk[8:]):
        send(bank, part)
    before = texts_of(bank)
    for part in (talk[:8], talk[8:]):
        send(bank, part)
    assert texts_of(bank) == before


def test_the_agents_words_are_no_echo_of_themselves(bank: Bank) -> None:
    talk = [
        GivenMessage("user", "Which language suits the parser?", NOON, name="Ana"),
        GivenMessage(
            "assistant", "I compared three. I think Rust is the best fit. Go came second.", NOON, name="Agent"
        ),
    ]
    send(bank, talk)
    before = texts_of(bank)
    send(bank, talk)
    assert texts_of(bank) == before


def test_new_messages_among_repeated_ones_join_their_episode(bank: Bank) -> None:
    talk = build_talk(timedelta(minutes=1))[:6]
    send(bank, talk)
    before = texts_of(bank)
    news = GivenMessage("user", "Yes, I want to see the garden.", NOON + timedelta(minutes=6), name="Ana")
    send(bank, [*talk, news])
    (added,) = set(texts_of(bank)) - set(before)
    assert added == "Yes, I want to see the garden."
    with tenant_transaction(bank.tenant_id):
        assert Episode.objects.for_tenant(bank.tenant_id).count() == 1


def test_the_same_words_at_another_moment_are_said_again(bank: Bank) -> None:
    hello = GivenMessage("user", "I live in Porto.", NOON, name="Ana")
    later = GivenMessage("user", "I live in Porto.", NOON + timedelta(days=1), name="Ana")
    send(bank, [hello])
    send(bank, [later])
    with tenant_transaction(bank.tenant_id):
        placed = Message.objects.for_tenant(bank.tenant_id).values_list("episode_id", flat=True)
        assert len(set(placed)) == 2
