"""Echoes: recalled memories that the agent repeats."""

from datetime import UTC, datetime

import pytest

from banks.facts import hash_words
from banks.models import Bank
from banks.retain.echoes import blank_echoes, find_echoes
from banks.types import Role, Turn
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
        make_unit(tenant, bank=bank, text=text, content_hash=hash_words(text), mentioned_at=BEFORE)
    make_unit(
        tenant,
        bank=bank,
        text=DATED,
        content_hash=hash_words(DATED, BEFORE),
        occurred_start=BEFORE,
        valid_from=BEFORE,
        mentioned_at=BEFORE,
    )
    return bank


def left_of(bank: Bank, text: str, *, role: Role = "assistant") -> str:
    turns = [Turn(role, "Agent", text, NOON)]
    (turn,) = blank_echoes(turns, find_echoes(bank, turns))
    assert len(turn.text) == len(text)
    return " ".join(turn.text.split())


@pytest.mark.parametrize(
    "text",
    [
        MEMORY,
        f"According to my memory: {MEMORY}",
        f"- [2024-05-08] {MEMORY}\n- (May 8, 2024) {LONG}\n3. {DATED}",
        f"2024-05-08: {DATED}",
        f"Earlier you mentioned: {MEMORY}",
        LABELLED,
    ],
)
def test_a_turn_of_recalled_memories_gives_no_fact(bank: Bank, text: str) -> None:
    assert left_of(bank, text) == ""


def test_a_line_that_is_new_beside_a_memory_stays_where_it_was(bank: Bank) -> None:
    text = f"{MEMORY}\nShall I look for flights to Porto?"
    turns = [Turn("assistant", "Agent", text, NOON)]
    (turn,) = blank_echoes(turns, find_echoes(bank, turns))
    assert turn.text.index("Shall") == text.index("Shall")
    assert "Lisbon" not in turn.text


def test_a_user_who_repeats_a_memory_adds_proof(bank: Bank) -> None:
    assert left_of(bank, MEMORY, role="user") == MEMORY


def test_memories_inside_a_users_message_are_not_the_users_words(bank: Bank) -> None:
    text = f"What I know:\n- {MEMORY}\nWhere should we eat tonight?"
    assert left_of(bank, text, role="user") == "What I know: Where should we eat tonight?"


@pytest.mark.parametrize(
    "text",
    [f"- {MEMORY}\n- {DATED}", f"* {MEMORY}", f"1. {MEMORY}"],
)
def test_a_list_of_memories_leaves_nothing_of_a_users_turn(bank: Bank, text: str) -> None:
    assert left_of(bank, text, role="user") == ""


def test_a_message_that_is_not_later_than_the_memory_is_no_echo(bank: Bank) -> None:
    assert find_echoes(bank, [Turn("assistant", "Agent", MEMORY, BEFORE)]) == ()


def test_a_text_that_is_no_memory_is_left_alone(bank: Bank) -> None:
    text = "According to my notes: Ana moved to Porto. That is why I ask."
    assert left_of(bank, text) == text


def test_a_memory_of_another_bank_is_no_echo(tenant: Tenant, bank: Bank) -> None:
    assert left_of(make_bank(tenant), MEMORY) == MEMORY
