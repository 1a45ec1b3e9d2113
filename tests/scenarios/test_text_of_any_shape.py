"""The same talk is found alike, whether it comes as messages, as one document a turn, or as one document."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from banks.models import Bank, Chunk, Document, Entity, MemoryUnit, UnitSource
from banks.retain.input import GivenMessage, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.documents import delete_document
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_tenant

pytestmark = pytest.mark.django_db

AT = datetime(2024, 5, 8, 12, tzinfo=UTC)
TALK = [
    ("Maria", "Hey Andrew! How long have you been climbing?"),
    ("Andrew", "Five years already! I joined a club in Porto yesterday."),
    ("Maria", "Ooo, which one?"),
    ("Andrew", "The Granite Club."),
]


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


def store(tenant: Tenant, items: list[RetainItem], name: str = "talk") -> None:
    operation = retain(BankAccess(tenant.id), name, items, wait=True)
    assert operation.status == "completed", operation.error_detail


def write_line(turn: tuple[str, str]) -> str:
    return f"{turn[0]}: {turn[1]}"


def build_documents(**fields: Any) -> list[RetainItem]:
    return [
        RetainItem(AT + timedelta(seconds=place), text=write_line(turn), document_id=f"d{place}", **fields)
        for place, turn in enumerate(TALK)
    ]


def read_units(tenant: Tenant, name: str = "talk") -> list[tuple[Any, ...]]:
    with tenant_transaction(tenant.id):
        rows = MemoryUnit.objects.of_bank(Bank.objects.for_tenant(tenant.id).get(bank_id=name)).order_by("id")
        return [(one.speaker, one.role, one.text, one.search_text, one.occurred_start) for one in rows]


def read_entities(tenant: Tenant, name: str = "talk") -> set[str]:
    with tenant_transaction(tenant.id):
        bank = Bank.objects.for_tenant(tenant.id).get(bank_id=name)
        return set(Entity.objects.of_bank(bank).values_list("name", flat=True))


def read_turns_before(tenant: Tenant) -> list[str]:
    with tenant_transaction(tenant.id):
        return list(Chunk.objects.for_tenant(tenant.id).values_list("turns_before", flat=True))


def test_every_shape_gives_the_memories_of_messages(tenant: Tenant) -> None:
    messages = tuple(
        GivenMessage("user", text, AT + timedelta(seconds=place), name=name) for place, (name, text) in enumerate(TALK)
    )
    store(tenant, [RetainItem(AT, messages=messages, thread="t")], "messages")
    store(tenant, build_documents(), "documents")
    store(tenant, [RetainItem(AT, text="\n".join(map(write_line, TALK)))], "transcript")

    wanted = read_units(tenant, "messages")
    assert wanted[1][:3] == ("Andrew", "user", TALK[1][1])
    assert wanted[1][3].startswith("Maria: ")
    assert wanted[1][4] == datetime(2024, 5, 7, tzinfo=UTC)
    assert read_units(tenant, "documents") == wanted
    assert read_units(tenant, "transcript") == wanted
    assert (
        read_entities(tenant, "documents") == read_entities(tenant, "transcript") == read_entities(tenant, "messages")
    )


def test_the_document_is_kept_as_it_was_and_each_memory_points_into_it(tenant: Tenant) -> None:
    text = "**Maria:** How are you?\n\n**Andrew:** Fine,\nthank you.\n\n**Maria:** Good.\n"
    store(tenant, [RetainItem(AT, text=text, document_id="d")])

    with tenant_transaction(tenant.id):
        assert Document.objects.for_tenant(tenant.id).get().text == text
        sources = UnitSource.objects.for_tenant(tenant.id).select_related("chunk", "unit").order_by("id")
        places = [(one.chunk.start, one.start or 0, one.end or 0) for one in sources if one.chunk]
        quoted = [text[first + start : first + end] for first, start, end in places]
        assert quoted == [one.unit.text for one in sources] == ["How are you?", "Fine,\nthank you.", "Good."]


def test_a_long_transcript_is_cut_between_turns(tenant: Tenant) -> None:
    turns = [(TALK[place % 2][0], f"Line {place}. " + "We talked about the weather. " * 8) for place in range(20)]
    store(tenant, [RetainItem(AT, text="\n".join(map(write_line, turns)))])

    with tenant_transaction(tenant.id):
        chunks = [one.text for one in Chunk.objects.for_tenant(tenant.id).order_by("position")]
    assert len(chunks) > 2
    assert all(chunk.startswith(("Maria: Line", "Andrew: Line")) for chunk in chunks)
    assert [unit[2] for unit in read_units(tenant)] == [text.strip() for _, text in turns]


def test_turns_that_come_one_call_at_a_time_are_recognised_once_a_speaker_is_known(tenant: Tenant) -> None:
    for item in build_documents():
        store(tenant, [item])

    assert [unit[0] for unit in read_units(tenant)] == ["", "", "Maria", "Andrew"]
    assert not {name for name in read_entities(tenant) if ":" in name}


def test_a_context_may_say_that_one_turn_is_talk(tenant: Tenant) -> None:
    store(tenant, [RetainItem(AT, text="Andrew: Ooo, nice!", context="A chat of two friends.")])

    assert [unit[0] for unit in read_units(tenant)] == ["Andrew"]


def test_notes_with_headings_have_no_speaker(tenant: Tenant) -> None:
    notes = ["Note: buy milk", "Todo: call Ana", "Note: pay the rent", "Berlin: a city in Germany"]
    store(tenant, [RetainItem(AT, text=text, document_id=text) for text in notes])

    assert {unit[0] for unit in read_units(tenant)} == {""}


def test_the_question_of_a_deleted_document_is_gone_from_the_answer(tenant: Tenant) -> None:
    store(tenant, build_documents())
    assert [unit for unit in read_units(tenant) if "climbing" in unit[3]]
    assert [text for text in read_turns_before(tenant) if "climbing" in text]

    delete_document(BankAccess(tenant.id), "talk", "d0")

    assert not [unit for unit in read_units(tenant) if "climbing" in unit[3] + unit[2]]
    assert not [text for text in read_turns_before(tenant) if "climbing" in text]


def test_a_question_under_other_tags_is_not_repeated(tenant: Tenant) -> None:
    first, *others = build_documents()
    store(tenant, [RetainItem(first.said_at, text=first.text, document_id="d0", tags=("private",)), *others])

    assert not [unit for unit in read_units(tenant) if "climbing" in unit[3]]
    assert not [text for text in read_turns_before(tenant) if "climbing" in text]
