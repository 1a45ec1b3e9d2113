"""Storing facts that repeat, restate or contradict known ones."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from banks.enums import EntityKind, Kind, Network
from banks.lifecycle.decisions import Action
from banks.lifecycle.deleting import delete_units
from banks.models import Bank, MemoryUnit, Relationship, UnitChange, UnitSource
from banks.types import FoundEntity, FoundRelationship, Source
from tenants.models import Delivery, Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import YEAR, make_fact, make_plan, rule, store, units_of
from tests.banks.lifecycle.worded_embedder import embed
from tests.factories import make_bank, make_tenant, make_webhook
from tests.memory_factories import make_message

DOG, SAME_DOG = "Ana has a dog named Rex.", "Ana owns a dog called Rex."
ACME, GLOBEX = "Ana works at Acme.", "Ana works at Globex."


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def changes_of(bank: Bank) -> list[UnitChange]:
    with tenant_transaction(bank.tenant_id):
        return list(UnitChange.objects.for_tenant(bank.tenant_id).order_by("id"))


def test_a_restated_fact_is_a_proof_with_its_source_and_its_wording(bank: Bank, tenant: Tenant) -> None:
    messages = [make_message(tenant, bank=bank) for _ in range(2)]
    first, again = (Source(0, 5, message_id=message.id) for message in messages)
    (unit,) = store(bank, make_fact(DOG, said=2023, sources=(first,)))
    fact = make_fact(SAME_DOG, said=2024, sources=(again,))
    (same,) = store(bank, fact, plan=make_plan(rule(bank, Action.NONE, unit.id)))
    assert (same.id, same.is_new) == (unit.id, False)
    stored = units_of(bank)[DOG]
    assert (stored.proof_count, stored.mentioned_at) == (2, YEAR[2024])
    with tenant_transaction(tenant.id):
        assert UnitSource.objects.for_tenant(tenant.id).filter(unit_id=unit.id).count() == 2
    (change,) = changes_of(bank)
    assert (change.action, change.after) == ("merged", {"also_told": SAME_DOG})


def test_without_a_judge_other_words_are_another_unit(bank: Bank) -> None:
    store(bank, make_fact(DOG))
    store(bank, make_fact(SAME_DOG))
    assert set(units_of(bank, expired_at=None)) == {DOG, SAME_DOG}


def test_a_wording_is_recorded_once_however_often_it_is_repeated(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(DOG))
    for _ in range(2):
        store(bank, make_fact(SAME_DOG), plan=make_plan(rule(bank, Action.NONE, unit.id)))
    assert len(changes_of(bank)) == 1
    assert units_of(bank)[DOG].proof_count == 3


def test_two_of_a_batch_with_the_same_words_are_one_unit(bank: Bank) -> None:
    first, second = store(bank, make_fact(DOG), make_fact(DOG.upper()))
    assert (first.id, first.is_new, second.is_new) == (second.id, True, False)
    assert units_of(bank)[DOG].proof_count == 2


def test_the_same_words_of_two_speakers_are_two_units(bank: Bank) -> None:
    store(bank, make_fact("I agree with that.", speaker="Ana"), make_fact("I agree with that.", speaker="Ben"))
    with tenant_transaction(bank.tenant_id):
        units = MemoryUnit.objects.of_bank(bank).current()
        assert {unit.rendered_text for unit in units} == {"Ana: I agree with that.", "Ben: I agree with that."}


def test_another_network_is_another_unit(bank: Bank) -> None:
    store(bank, make_fact(DOG), make_fact(SAME_DOG, network=Network.EXPERIENCE))
    assert len(units_of(bank)) == 2


def test_the_same_facts_again_add_no_unit(bank: Bank) -> None:
    facts = [make_fact(text) for text in (DOG, ACME, GLOBEX)]
    store(bank, *facts)
    before = set(units_of(bank))
    assert not any(unit.is_new for unit in store(bank, *facts))
    assert set(units_of(bank)) == before
    assert len(before) == 3


def test_a_merged_text_is_searched_by_its_own_vector(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(ACME))
    fact = make_fact("Ana leads a team.")
    text = "Ana works at Acme and leads a team."
    store(bank, fact, plan=make_plan(rule(bank, Action.MERGE, unit.id, text=text)))
    stored = units_of(bank)[text]
    assert stored.id == unit.id
    assert stored.embedding @ embed(text) == pytest.approx(1.0, abs=1e-4)


def test_the_older_is_closed_by_the_newer(bank: Bank) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    (new,) = store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, old.id)))
    assert (new.is_new, new.closed) == (True, (old.id,))
    closed = units_of(bank)[ACME]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (YEAR[2024], "update", new.id)
    assert closed.expired_at is not None
    (change,) = changes_of(bank)
    assert (change.action, change.unit_id, change.actor) == ("superseded", old.id, "judge")


def test_a_backdated_fact_is_closed_at_once(bank: Bank) -> None:
    (now,) = store(bank, make_fact(GLOBEX, said=2024))
    fact = make_fact(ACME, said=2022)
    (past,) = store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, now.id)))
    units = units_of(bank)
    assert units[GLOBEX].expired_at is None
    assert (units[ACME].superseded_by_id, units[ACME].valid_until) == (now.id, YEAR[2024])
    assert past.is_new


def test_a_dated_event_is_not_undone_by_a_later_one(bank: Bank) -> None:
    (event,) = store(bank, make_fact("Ana ran.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2022]))
    fact = make_fact("Ana walked.", said=2024)
    store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, event.id)))
    assert units_of(bank)["Ana ran."].expired_at is None


def test_a_plan_that_is_moved_was_never_true(bank: Bank) -> None:
    plan = make_fact("The wedding is in 2024.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2024])
    (planned,) = store(bank, plan)
    moved = make_fact("The wedding is in 2026.", said=2023, kind=Kind.EVENT, occurred_start=YEAR[2026])
    store(bank, moved, plan=make_plan(rule(bank, Action.INVALIDATE, planned.id)))
    units = units_of(bank)
    former = units["The wedding is in 2024."]
    assert (former.close_reason, former.valid_from, former.valid_until) == ("update", YEAR[2024], YEAR[2024])
    assert units["The wedding is in 2026."].expired_at is None


def test_a_plan_that_is_given_up_ends_although_its_day_is_later(bank: Bank) -> None:
    plan = make_fact("The wedding is in 2024.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2024])
    (planned,) = store(bank, plan)
    store(bank, make_fact("No wedding.", said=2023), plan=make_plan(rule(bank, Action.INVALIDATE, planned.id)))
    units = units_of(bank)
    assert units["No wedding."].expired_at is None
    assert units["The wedding is in 2024."].expired_at is not None


def test_a_change_in_a_year_ends_what_was_told_in_that_year(bank: Bank) -> None:
    """Both are of 2023. The year of the change begins before the day on which the former value was told."""
    (old,) = store(bank, make_fact(ACME, said=2023, mentioned_at=YEAR[2023] + timedelta(days=60)))
    years = {"occurred_start": YEAR[2023], "occurred_end": YEAR[2024]}
    new = make_fact(GLOBEX, said=2023, mentioned_at=YEAR[2023] + timedelta(days=90), kind=Kind.EVENT, **years)
    store(bank, new, plan=make_plan(rule(bank, Action.INVALIDATE, old.id)))
    units = units_of(bank)
    assert (units[ACME].expired_at is not None, units[GLOBEX].expired_at) == (True, None)


def test_a_state_that_began_in_a_year_can_end(bank: Bank) -> None:
    years = {"occurred_start": YEAR[2021], "occurred_end": YEAR[2022]}
    (old,) = store(bank, make_fact(ACME, said=2022, kind=Kind.EVENT, **years))
    store(bank, make_fact(GLOBEX, said=2024), plan=make_plan(rule(bank, Action.INVALIDATE, old.id)))
    assert units_of(bank)[ACME].valid_until == YEAR[2024]


def test_a_correction_closes_without_an_end_of_validity(bank: Bank) -> None:
    (event,) = store(bank, make_fact("Ana ran.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2022]))
    fact = make_fact("Ana never ran.", said=2024)
    ruling = rule(bank, Action.INVALIDATE, event.id, reason="correction")
    store(bank, fact, plan=make_plan(ruling))
    closed = units_of(bank)["Ana ran."]
    assert (closed.close_reason, closed.valid_until) == ("correction", None)


def test_a_closed_fact_that_is_repeated_as_of_its_own_time_adds_proof(bank: Bank) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, old.id)))
    (again,) = store(bank, make_fact(ACME, said=2023))
    assert (again.id, again.is_new) == (old.id, False)
    (back,) = store(bank, make_fact(ACME, said=2026))
    assert back.is_new


@pytest.mark.parametrize("action", [Action.NONE, Action.MERGE, Action.INVALIDATE])
def test_a_ruling_about_a_unit_that_was_closed_meanwhile_adds_the_fact(bank: Bank, action: Action) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    plan = make_plan(rule(bank, action, old.id, text=f"{ACME} {GLOBEX}"))
    with tenant_transaction(bank.tenant_id):
        unit = MemoryUnit.objects.of_bank(bank).filter(id=old.id)
        unit.update(expired_at=YEAR[2024], close_reason="source_removed")
    (new,) = store(bank, fact, plan=plan)
    assert (new.is_new, new.closed) == (True, ())
    assert set(units_of(bank, expired_at=None)) == {GLOBEX}


def test_a_ruling_about_a_text_that_was_edited_meanwhile_adds_the_fact(bank: Bank) -> None:
    (old,) = store(bank, make_fact(DOG))
    fact = make_fact(SAME_DOG)
    plan = make_plan(rule(bank, Action.NONE, old.id))
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).filter(id=old.id).update(text="Ana has a cat.", content_hash=b"other")
    assert store(bank, fact, plan=plan)[0].is_new


def test_two_merges_into_one_unit_lose_neither(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(ACME))
    facts = [make_fact("Ana leads a team."), make_fact("Ana has an office.")]
    rulings = [rule(bank, Action.MERGE, unit.id, text=f"{ACME} {fact.fact.text}") for fact in facts]
    store(bank, *facts, plan=make_plan(*rulings))
    assert set(units_of(bank)) == {f"{ACME} Ana leads a team.", "Ana has an office."}


def test_a_world_fact_that_the_agent_repeats_adds_no_proof(bank: Bank, tenant: Tenant) -> None:
    (unit,) = store(bank, make_fact(DOG))
    source = Source(0, 5, message_id=make_message(tenant, bank=bank).id)
    store(bank, make_fact(DOG, is_agents=True, sources=(source,)))
    assert units_of(bank)[DOG].proof_count == 1
    with tenant_transaction(tenant.id):
        assert not UnitSource.objects.for_tenant(tenant.id).filter(unit_id=unit.id).exists()
    store(bank, make_fact("I fed Rex.", network=Network.EXPERIENCE, is_agents=True))
    store(bank, make_fact("I fed Rex.", network=Network.EXPERIENCE, is_agents=True))
    assert units_of(bank)["I fed Rex."].proof_count == 2


def work_at(firm: str, text: str, *, said: int) -> Any:
    entities = (FoundEntity("Ana", EntityKind.PERSON), FoundEntity(firm, EntityKind.ORGANIZATION))
    found = FoundRelationship("Ana", "works_at", firm, f"Ana works at {firm}.")
    return make_fact(
        text, said=said, entities=entities, relationships=(found,), relationship_vectors=(embed(found.text),)
    )


def test_a_unit_with_only_an_ended_relationship_is_closed_and_one_that_says_more_is_not(bank: Bank) -> None:
    more = "Ana said that Acme pays her well, gave her an office with a view, and that she works there gladly."
    store(bank, work_at("Acme", "Ana works at Acme now.", said=2020))
    store(bank, work_at("Acme", more, said=2021))
    (new,) = store(bank, work_at("Globex", GLOBEX, said=2024))
    units = units_of(bank)
    assert units["Ana works at Acme now."].superseded_by_id == new.id
    assert units[more].expired_at is None
    assert len(new.closed) == 1


def test_relationships_end_with_the_unit_that_states_them(bank: Bank) -> None:
    (old,) = store(bank, work_at("Acme", ACME, said=2022))
    fact = make_fact("Ana is unemployed.", said=2024)
    store(bank, fact, plan=make_plan(rule(bank, Action.INVALIDATE, old.id)))
    with tenant_transaction(bank.tenant_id):
        (row,) = Relationship.objects.for_tenant(bank.tenant_id)
    assert (row.close_reason, row.valid_until) == ("update", YEAR[2024])
    assert row.expired_at is not None


def test_a_relationship_that_is_stated_again_in_the_same_words_is_valid_again(bank: Bank) -> None:
    text = "Ana says that of all the firms in town, and there are many, she works at Acme, which is the largest one."
    store(bank, work_at("Acme", text, said=2020))
    store(bank, work_at("Globex", GLOBEX, said=2022))
    store(bank, work_at("Acme", text, said=2024))
    with tenant_transaction(bank.tenant_id):
        held = Relationship.objects.for_tenant(bank.tenant_id).current().select_related("object")
        assert [row.object.name for row in held if row.object] == ["Acme"]


def test_a_batch_costs_the_same_number_of_statements_whatever_its_size(bank: Bank) -> None:
    def count(size: int) -> int:
        facts = [
            work_at(f"Firm{size}x{number}", f"Ana works at Firm{size}x{number}.", said=2024) for number in range(size)
        ]
        seen: list[str] = []

        def note(execute: Any, sql: str, *rest: Any) -> Any:
            seen.append(sql)
            return execute(sql, *rest)

        with connection.execute_wrapper(note):
            store(bank, *facts)
        return len(seen)

    store(bank, work_at("Acme", ACME, said=2020))
    assert count(3) == count(40) <= 70


def test_relationships_of_one_fact_do_not_close_each_other(bank: Bank) -> None:
    names = ("Ana", "Acme", "Globex")
    both = tuple(FoundRelationship("Ana", "works_at", firm, f"Ana works at {firm}.") for firm in names[1:])
    entities = tuple(FoundEntity(name) for name in names)
    vectors = tuple(embed(one.text) for one in both)
    text = "Ana works at Acme and at Globex."
    store(bank, make_fact(text, entities=entities, relationships=both, relationship_vectors=vectors))
    with tenant_transaction(bank.tenant_id):
        assert Relationship.objects.of_bank(bank).current().count() == 2


def test_a_relation_that_is_not_single_valued_closes_nothing(bank: Bank) -> None:
    for pet in ("a cat", "a dog"):
        found = FoundRelationship("Ben", "has_pet", pet, f"Ben has {pet}.", object_is_value=True)
        entities = (FoundEntity("Ben", EntityKind.PERSON),)
        vectors = (embed(found.text),)
        store(bank, make_fact(found.text, entities=entities, relationships=(found,), relationship_vectors=vectors))
    with tenant_transaction(bank.tenant_id):
        assert Relationship.objects.of_bank(bank).current().count() == 2
    assert len(units_of(bank, expired_at=None)) == 2


def test_a_backdated_value_is_closed_at_once(bank: Bank) -> None:
    store(bank, work_at("Globex", GLOBEX, said=2024))
    (late,) = store(bank, work_at("Acme", ACME, said=2020))
    units = units_of(bank)
    assert (units[ACME].valid_until, units[GLOBEX].expired_at) == (YEAR[2024], None)
    assert late.is_new


def test_a_scheduled_end_keeps_the_unit_current_until_then(bank: Bank) -> None:
    (old,) = store(bank, work_at("Acme", ACME, said=2022))
    future = datetime(2090, 3, 1, tzinfo=UTC)
    found = FoundRelationship("Ana", "works_at", "Globex", GLOBEX, valid_from=future)
    entities = (FoundEntity("Ana", EntityKind.PERSON), FoundEntity("Globex", EntityKind.ORGANIZATION))
    fact = make_fact(
        GLOBEX, entities=entities, relationships=(found,), relationship_vectors=(embed(GLOBEX),), valid_from=future
    )
    (new,) = store(bank, fact)
    older = units_of(bank)[ACME]
    assert (older.valid_until, older.expired_at, older.superseded_by_id) == (future, None, new.id)
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).current().filter(id=old.id).exists()
        delete_units(bank, {new.id})
    assert units_of(bank)[ACME].valid_until is None


def test_words_whose_scheduled_end_has_passed_can_be_stored_again(bank: Bank) -> None:
    store(bank, make_fact(ACME, said=2022, valid_until=YEAR[2023]))
    with tenant_transaction(bank.tenant_id):
        assert not MemoryUnit.objects.of_bank(bank).current().exists()
    (again,) = store(bank, make_fact(ACME, said=2024))
    assert again.is_new
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).current().count() == 1


def test_a_superseded_memory_is_an_event_with_ids(bank: Bank, tenant: Tenant) -> None:
    make_webhook(tenant, events=["memory.superseded"])
    (old,) = store(bank, work_at("Acme", ACME, said=2022))
    (new,) = store(bank, work_at("Globex", GLOBEX, said=2024))
    with tenant_transaction(tenant.id):
        [delivery] = Delivery.objects.for_tenant(tenant.id)
    change = {"memory_id": str(old.id), "superseded_by": str(new.id), "reason": "update"}
    assert (delivery.bank_id, delivery.data) == (bank.bank_id, {"changes": [change]})
