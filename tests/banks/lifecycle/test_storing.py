"""What becomes of facts that repeat, lengthen or refute what is there."""

from typing import Any

import pytest
from django.db import connection

from banks.lifecycle.deciding.judge import Action
from banks.models import Bank, MemoryUnit, Relationship, UnitChange, UnitSource
from banks.retain.prepared import Source
from banks.retain.types import FoundEntity, FoundRelationship
from banks.words import EntityKind, Kind, Network
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.lifecycle.tellings import YEAR, make_fact, make_plan, rule, store, units_of
from tests.banks.lifecycle.worded_embedder import embed
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_message

DOG, SAME_DOG = "Ana has a dog named Rex.", "Ana owns a dog called Rex."
ROME, ROME_AND_WHY = "Ana moved to Rome.", "Ana moved to Rome, where she works."
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


def test_a_fact_in_other_words_is_a_proof_with_its_source_and_its_wording(bank: Bank, tenant: Tenant) -> None:
    messages = [make_message(tenant, bank=bank) for _ in range(2)]
    first, again = (Source(0, 5, message_id=message.id) for message in messages)
    (unit,) = store(bank, make_fact(DOG, said=2023, sources=(first,)))
    (same,) = store(bank, make_fact(SAME_DOG, said=2024, sources=(again,)))
    assert (same.id, same.is_new) == (unit.id, False)
    stored = units_of(bank)[DOG]
    assert (stored.proof_count, stored.mentioned_at) == (2, YEAR[2024])
    with tenant_transaction(tenant.id):
        assert UnitSource.objects.for_tenant(tenant.id).filter(unit_id=unit.id).count() == 2
    (change,) = changes_of(bank)
    assert (change.action, change.after) == ("merged", {"also_told": SAME_DOG})


def test_other_words_under_other_tags_are_no_proof(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(DOG, tags=("user:ann",)))
    same, under_others, *_ = store(
        bank, make_fact(SAME_DOG, tags=("user:ann",)), make_fact(SAME_DOG, tags=("user:bob",)), make_fact(SAME_DOG)
    )
    assert (same.id, under_others.is_new) == (unit.id, True)
    assert len(store(bank, make_fact(SAME_DOG))) == 1
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).current().count() == 3


def test_a_wording_is_noted_once_however_often_it_is_heard(bank: Bank) -> None:
    for text in (DOG, SAME_DOG, SAME_DOG):
        store(bank, make_fact(text))
    assert len(changes_of(bank)) == 1
    assert units_of(bank)[DOG].proof_count == 3


def test_two_of_a_batch_that_say_the_same_are_one_unit(bank: Bank) -> None:
    first, second = store(bank, make_fact(DOG), make_fact(SAME_DOG))
    assert (first.id, first.is_new, second.is_new) == (second.id, True, False)
    assert units_of(bank)[DOG].proof_count == 2


def test_another_network_is_another_unit(bank: Bank) -> None:
    store(bank, make_fact(DOG), make_fact(SAME_DOG, network=Network.EXPERIENCE))
    assert len(units_of(bank)) == 2


def test_what_tells_more_lengthens_the_unit_that_is_there(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(ROME))
    (same,) = store(bank, make_fact(ROME_AND_WHY))
    assert same.id == unit.id
    (stored,) = units_of(bank).values()
    assert (stored.text, stored.proof_count) == (ROME_AND_WHY, 2)
    (change,) = changes_of(bank)
    assert (change.before, change.after) == ({"text": ROME}, {"text": ROME_AND_WHY})


@pytest.mark.parametrize("texts", [(DOG, SAME_DOG, ROME, ROME_AND_WHY), (ROME_AND_WHY, SAME_DOG, ROME, DOG)])
def test_the_same_facts_again_add_no_unit(bank: Bank, texts: tuple[str, ...]) -> None:
    facts = [make_fact(text) for text in texts]
    store(bank, *facts)
    before = set(units_of(bank))
    assert not any(unit.is_new for unit in store(bank, *facts))
    assert set(units_of(bank)) == before
    assert len(before) == 2


def test_a_merged_text_is_searched_by_its_own_vector(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(ACME))
    fact = make_fact("Ana leads a team.")
    text = "Ana works at Acme and leads a team."
    store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.MERGE, unit.id, text=text)))
    stored = units_of(bank)[text]
    assert stored.id == unit.id
    assert stored.embedding @ embed(text) == pytest.approx(1.0, abs=1e-4)


def test_the_older_is_closed_by_the_newer(bank: Bank) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    (new,) = store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.INVALIDATE, old.id)))
    assert (new.is_new, new.closed) == (True, (old.id,))
    closed = units_of(bank)[ACME]
    assert (closed.valid_until, closed.close_reason, closed.superseded_by_id) == (YEAR[2024], "update", new.id)
    assert closed.expired_at is not None
    (change,) = changes_of(bank)
    assert (change.action, change.unit_id, change.actor) == ("superseded", old.id, "judge")


def test_a_thing_of_the_past_that_is_told_late_is_itself_over(bank: Bank) -> None:
    (now,) = store(bank, make_fact(GLOBEX, said=2024))
    fact = make_fact(ACME, said=2022)
    (past,) = store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.INVALIDATE, now.id)))
    units = units_of(bank)
    assert units[GLOBEX].expired_at is None
    assert (units[ACME].superseded_by_id, units[ACME].valid_until) == (now.id, YEAR[2024])
    assert past.is_new


def test_a_dated_event_is_not_undone_by_a_later_one(bank: Bank) -> None:
    (event,) = store(bank, make_fact("Ana ran.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2022]))
    fact = make_fact("Ana walked.", said=2024)
    store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.INVALIDATE, event.id)))
    assert units_of(bank)["Ana ran."].expired_at is None


def test_what_never_was_so_is_closed_without_an_end(bank: Bank) -> None:
    (event,) = store(bank, make_fact("Ana ran.", said=2022, kind=Kind.EVENT, occurred_start=YEAR[2022]))
    fact = make_fact("Ana never ran.", said=2024)
    ruling = rule(bank, Action.INVALIDATE, event.id, reason="correction")
    store(bank, fact, plan=make_plan(bank, [fact], ruling))
    closed = units_of(bank)["Ana ran."]
    assert (closed.close_reason, closed.valid_until) == ("correction", None)


def test_a_closed_fact_that_is_heard_again_as_it_was_is_no_news(bank: Bank) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.INVALIDATE, old.id)))
    (again,) = store(bank, make_fact(ACME, said=2023))
    assert (again.id, again.is_new) == (old.id, False)
    (back,) = store(bank, make_fact(ACME, said=2026))
    assert back.is_new


@pytest.mark.parametrize("action", [Action.NONE, Action.MERGE, Action.INVALIDATE])
def test_a_ruling_about_a_unit_that_was_closed_meanwhile_adds_the_fact(bank: Bank, action: Action) -> None:
    (old,) = store(bank, make_fact(ACME, said=2022))
    fact = make_fact(GLOBEX, said=2024)
    plan = make_plan(bank, [fact], rule(bank, action, old.id, text=f"{ACME} {GLOBEX}"))
    with tenant_transaction(bank.tenant_id):
        unit = MemoryUnit.objects.of_bank(bank).filter(id=old.id)
        unit.update(expired_at=YEAR[2024], close_reason="source_removed")
    (new,) = store(bank, fact, plan=plan)
    assert (new.is_new, new.closed) == (True, ())
    assert set(units_of(bank, expired_at=None)) == {GLOBEX}


def test_a_ruling_about_a_text_that_was_edited_meanwhile_adds_the_fact(bank: Bank) -> None:
    (old,) = store(bank, make_fact(DOG))
    fact = make_fact(SAME_DOG)
    plan = make_plan(bank, [fact], rule(bank, Action.NONE, old.id))
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).filter(id=old.id).update(text="Ana has a cat.", content_hash=b"other")
    assert store(bank, fact, plan=plan)[0].is_new


def test_what_another_worker_wrote_since_the_plan_is_not_written_twice(bank: Bank) -> None:
    fact = make_fact(SAME_DOG)
    plan = make_plan(bank, [fact], rule(bank, Action.ADD))
    (theirs,) = store(bank, make_fact(DOG))
    (mine,) = store(bank, fact, plan=plan)
    assert (mine.id, mine.is_new) == (theirs.id, False)


def test_two_merges_into_one_unit_lose_neither(bank: Bank) -> None:
    (unit,) = store(bank, make_fact(ACME))
    facts = [make_fact("Ana leads a team."), make_fact("Ana has an office.")]
    rulings = [rule(bank, Action.MERGE, unit.id, text=f"{ACME} {fact.fact.text}") for fact in facts]
    store(bank, *facts, plan=make_plan(bank, facts, *rulings))
    assert set(units_of(bank)) == {f"{ACME} Ana leads a team.", "Ana has an office."}


def test_what_the_agent_repeats_of_the_world_proves_nothing(bank: Bank, tenant: Tenant) -> None:
    (unit,) = store(bank, make_fact(DOG))
    source = Source(0, 5, message_id=make_message(tenant, bank=bank).id)
    for text in (DOG, SAME_DOG):
        store(bank, make_fact(text, is_agents=True, sources=(source,)))
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


def test_a_unit_that_told_only_what_is_over_is_closed_and_one_that_told_more_is_not(bank: Bank) -> None:
    more = "Ana said that Acme pays her well, gave her an office with a view, and that she works there gladly."
    store(bank, work_at("Acme", "Ana: Ana works at Acme now.", said=2020))
    store(bank, work_at("Acme", more, said=2021))
    (new,) = store(bank, work_at("Globex", GLOBEX, said=2024))
    units = units_of(bank)
    assert units["Ana: Ana works at Acme now."].superseded_by_id == new.id
    assert units[more].expired_at is None
    assert len(new.closed) == 1


def test_relationships_end_with_the_unit_that_told_them(bank: Bank) -> None:
    (old,) = store(bank, work_at("Acme", ACME, said=2022))
    fact = make_fact("Ana is unemployed.", said=2024)
    store(bank, fact, plan=make_plan(bank, [fact], rule(bank, Action.INVALIDATE, old.id)))
    with tenant_transaction(bank.tenant_id):
        (row,) = Relationship.objects.for_tenant(bank.tenant_id)
    assert (row.close_reason, row.valid_until) == ("update", YEAR[2024])
    assert row.expired_at is not None


def test_a_relationship_that_is_told_again_in_the_same_words_holds_again(bank: Bank) -> None:
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
