"""Memories that an agent recalled and says again."""

from datetime import UTC, datetime

import pytest

from banks.models import Bank
from banks.retain.conversations.echoes import forget_echoes
from banks.retain.prepared import hash_fact, hash_telling
from banks.retain.types import Role, Turn
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

BEFORE, NOON = datetime(2024, 5, 7, 12, tzinfo=UTC), datetime(2024, 5, 8, 12, tzinfo=UTC)
MEMORY = "Ana moved to Lisbon because of a new job."
LONG = "Ana asked: Where do you work? Ben: I work at Acme. I like it there."
LABELLED = "Ben: Ben keeps bees behind the old mill."
DATED = "Ana adopted a dog from the shelter."


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    bank = make_bank(tenant)
    for text in (MEMORY, LONG, LABELLED):
        make_unit(tenant, bank=bank, text=text, content_hash=hash_fact(text), mentioned_at=BEFORE)
    make_unit(
        tenant,
        bank=bank,
        text=DATED,
        content_hash=hash_telling(DATED, BEFORE, BEFORE),
        occurred_start=BEFORE,
        valid_from=BEFORE,
        mentioned_at=BEFORE,
    )
    return bank


def left_of(bank: Bank, text: str, *, role: Role = "assistant") -> str:
    (turn,) = forget_echoes(bank, [Turn(role, "Agent", text, NOON)])
    assert len(turn.text) == len(text)
    return " ".join(turn.text.split())


@pytest.mark.parametrize(
    "text",
    [
        MEMORY,
        f"According to my memory: {MEMORY}",
        f"I remember that {MEMORY[0].lower()}{MEMORY[1:]}",
        f"Relevant memories:\n- [2024-05-08] {MEMORY}\n- (May 8, 2024) {LONG}\n3. {DATED}",
        f"2024-05-08: {DATED}",
        f"{MEMORY} {LONG}",
        f"As I remember, {MEMORY}",
        f"As far as I know, {MEMORY} {DATED}",
        f"You told me that {MEMORY}",
        f"You told me {MEMORY}",
        f"Earlier you mentioned: {MEMORY}",
        LABELLED,
        "Ben keeps bees behind the old mill.",
        "I remember that Ben keeps bees behind the old mill",
    ],
)
def test_a_turn_of_recalled_memories_has_nothing_left_to_tell(bank: Bank, text: str) -> None:
    assert left_of(bank, text) == ""


def test_what_is_new_beside_a_memory_stays_where_it_was(bank: Bank) -> None:
    text = f"According to my memory: {MEMORY} Shall I look for flights to Porto?"
    (turn,) = forget_echoes(bank, [Turn("assistant", "Agent", text, NOON)])
    assert turn.text.strip().endswith("Shall I look for flights to Porto?")
    assert turn.text.index("Shall") == text.index("Shall")
    assert "Lisbon" not in turn.text


def test_a_user_who_says_the_same_again_is_heard(bank: Bank) -> None:
    assert left_of(bank, MEMORY, role="user") == MEMORY


def test_memories_that_are_handed_over_in_a_users_name_are_not_taken_for_his_words(bank: Bank) -> None:
    text = f"What I know:\n- {MEMORY}\nWhere should we eat tonight?"
    assert left_of(bank, text, role="user") == "Where should we eat tonight?"


@pytest.mark.parametrize(
    "text",
    [f"- {MEMORY}\n- {DATED}", f"* {MEMORY}", f"You told me that {MEMORY}", f"As I remember, {MEMORY}", f"1. {MEMORY}"],
)
def test_a_list_of_memories_or_a_reminder_of_one_leaves_nothing_of_a_users_turn(bank: Bank, text: str) -> None:
    assert left_of(bank, text, role="user") == ""


def test_what_was_told_no_earlier_than_the_memory_is_no_echo_of_it(bank: Bank) -> None:
    (turn,) = forget_echoes(bank, [Turn("assistant", "Agent", MEMORY, BEFORE)])
    assert turn.text == MEMORY


def test_a_text_that_is_no_memory_is_left_alone(bank: Bank) -> None:
    text = "According to my notes: Ana moved to Porto. That is why I ask."
    assert left_of(bank, text) == text


def test_a_memory_of_another_bank_is_no_echo(tenant: Tenant, bank: Bank) -> None:
    assert left_of(make_bank(tenant), MEMORY) == MEMORY
