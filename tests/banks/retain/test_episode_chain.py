"""The order of a thread's episodes, also when messages arrive late."""

from datetime import UTC, datetime, timedelta

import pytest

from banks.models import Bank, Episode, Message
from banks.retain.archive import archive_messages
from banks.retain.conversations import Conversation, retain_conversation
from banks.retain.input import GivenMessage, RetainItem
from banks.retain.tools import Tools
from rules.engine import BuiltinEngine
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.worded_embedder import WordedEmbedder
from tests.factories import make_bank, make_tenant

NOON = datetime(2024, 5, 8, 12, tzinfo=UTC)


@pytest.fixture
def bank(db: None) -> Bank:
    return make_bank(make_tenant("acme"))


def say(bank: Bank, text: str, *hours: float, thread: str = "t") -> None:
    """Retain the text at each of these hours, in one call."""
    messages = [GivenMessage("user", f"{text} {hour}.", NOON + timedelta(hours=hour), name="Ana") for hour in hours]
    with tenant_transaction(bank.tenant_id):
        archive_messages(bank, RetainItem(NOON, messages=tuple(messages), thread=thread))
        ids = list(Message.objects.for_tenant(bank.tenant_id).filter(episode=None).values_list("id", flat=True))
    tools = Tools(BuiltinEngine(), WordedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    retain_conversation(Conversation(bank, thread, tuple(ids)), tools)


def chain(bank: Bank, thread: str = "t") -> list[tuple[float, float | None]]:
    """The hour at which each episode began, and the hour of its predecessor."""
    with tenant_transaction(bank.tenant_id):
        rows = Episode.objects.for_tenant(bank.tenant_id).filter(thread=thread).select_related("previous")
        return [
            (hours_of(row.started_at), hours_of(row.previous.started_at) if row.previous else None)
            for row in rows.order_by("started_at")
        ]


def hours_of(moment: datetime) -> float:
    return (moment - NOON) / timedelta(hours=1)


def test_episodes_of_one_call_follow_each_other(bank: Bank) -> None:
    say(bank, "I ran", 0, 2, 4)
    assert chain(bank) == [(0, None), (2, 0), (4, 2)]


def test_an_older_one_that_comes_later_is_linked_in_between(bank: Bank) -> None:
    say(bank, "I ran", 0)
    say(bank, "I ran", 8)
    say(bank, "I swam", 4, 5)
    assert chain(bank) == [(0, None), (4, 0), (5, 4), (8, 5)]


def test_the_earliest_message_becomes_the_beginning_of_the_chain(bank: Bank) -> None:
    say(bank, "I ran", 4)
    say(bank, "I swam", 0)
    assert chain(bank) == [(0, None), (4, 0)]


def test_only_the_same_thread_of_the_same_bank_is_linked(bank: Bank) -> None:
    other = make_bank(make_tenant("zeta"))
    say(bank, "I ran", 0)
    say(bank, "I ran", 1, thread="u")
    say(other, "I ran", 2)
    say(bank, "I ran", 3)
    assert (chain(bank), chain(bank, "u"), chain(other)) == ([(0, None), (3, 0)], [(1, None)], [(2, None)])


def test_a_late_message_does_not_end_its_episode_earlier(bank: Bank) -> None:
    say(bank, "I ran in the park", 0, 0.4)
    say(bank, "I ran in the park", 0.2)
    with tenant_transaction(bank.tenant_id):
        ends = [hours_of(row.ended_at) for row in Episode.objects.for_tenant(bank.tenant_id)]
    assert max(ends) == 0.4
