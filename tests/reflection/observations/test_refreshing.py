"""Refreshing an entity on real rows, with an observer that says what it is told to."""

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.delete import delete_units
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitSource
from banks.retain.types import FoundRelationship
from banks.words import Network
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.builtin_observer import BuiltinObserver
from reflection.observations.dossiers import find_observations
from reflection.observations.marking import LONGEST_WAIT, mark_stale
from reflection.observations.refreshing import MOST_CALLS, Refreshing, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed, Observer
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.told_facts import NOON, relation, tell


@dataclass
class Recorder:
    """Makes one observation of all that it sees."""

    name: str = "recorder"
    facts_at_once: int = 3
    seen: list[Dossier] = field(default_factory=list)

    def observe(self, dossier: Dossier) -> Observed:
        self.seen.append(dossier)
        text = " ".join([*(one.text for one in dossier.known), *(fact.text for fact in dossier.facts)])
        sources = [source for one in dossier.known for source in one.source_ids] + [fact.id for fact in dossier.facts]
        return Observed((Observation(text, tuple(sources)),), Usage(calls=1))


def find_ana(bank: Bank) -> Entity:
    with tenant_transaction(bank.tenant_id):
        return Entity.objects.of_bank(bank).get(name="Ana")


def mark(bank: Bank, entity: Entity) -> None:
    with tenant_transaction(bank.tenant_id):
        mark_stale(bank, [entity.id], now=timezone.now(), quiet=timedelta(0))


def refresh(bank: Bank, observer: Observer) -> None:
    ana = find_ana(bank)
    mark(bank, ana)
    tools = Refreshing(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    refresh_entity(bank, ana.id, tools)


def read_observations(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(find_observations(bank, find_ana(bank).id).order_by("id"))


def read_sources(bank: Bank, unit: MemoryUnit) -> set[UUID]:
    with tenant_transaction(bank.tenant_id):
        rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=unit, role="summarises")
        return {row.other_unit_id for row in rows if row.other_unit_id}


def test_an_observation_names_its_facts_and_is_closed_when_they_say_something_else(bank: Bank) -> None:
    cello = tell(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [first] = read_observations(bank)
    assert (first.text, first.network, first.confidence) == ("Ana plays the cello.", "observation", None)
    assert read_sources(bank, first) == {cello}

    porto = tell(bank, "Ana lives in Porto.", "Ana")
    refresh(bank, Recorder())

    [second] = read_observations(bank)
    assert read_sources(bank, second) == {cello, porto}
    with tenant_transaction(bank.tenant_id):
        first.refresh_from_db()
    assert (first.close_reason, first.expired_at is not None) == ("update", True)


def test_an_observation_that_still_stands_stays_the_same_unit(bank: Bank) -> None:
    tell(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [before] = read_observations(bank)

    refresh(bank, Recorder())

    assert [unit.id for unit in read_observations(bank)] == [before.id]


def test_a_large_entity_is_read_in_bounded_parts_and_then_only_what_is_new(bank: Bank) -> None:
    for number in range(30):
        tell(bank, f"Ana likes the number {number}.", "Ana")
    first = Recorder()
    refresh(bank, first)
    assert [len(dossier.facts) for dossier in first.seen] == [3] * MOST_CALLS
    assert all(dossier.known for dossier in first.seen[1:])

    tell(bank, "Ana lives in Porto.", "Ana")
    second = Recorder()
    refresh(bank, second)

    [dossier] = second.seen
    assert [fact.text for fact in dossier.facts] == ["Ana lives in Porto."]
    assert dossier.known


def test_deleting_all_facts_deletes_the_observation(bank: Bank) -> None:
    unit_id = tell(bank, "Ana plays the cello.", "Ana")
    tell(bank, "Ana lives in Porto.", "Ana", network=Network.EXPERIENCE)
    refresh(bank, Recorder())
    ana = find_ana(bank)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role="summarises")
        delete_units(bank, {unit_id, *sources.values_list("other_unit_id", flat=True)})
        assert not find_observations(bank, ana.id).exists()


def test_a_fact_that_goes_while_the_observer_thinks_is_not_told(bank: Bank) -> None:
    unit_id = tell(bank, "Ana plays the cello.", "Ana")
    tell(bank, "Ana lives in Porto.", "Ana")

    class Slow(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                delete_units(bank, {unit_id})
            return Observed(tuple(Observation(fact.text, (fact.id,)) for fact in dossier.facts))

    refresh(bank, Slow())

    assert [unit.text for unit in read_observations(bank)] == ["Ana lives in Porto."]


def test_what_unites_a_fact_that_goes_while_the_observer_thinks_is_not_said(bank: Bank) -> None:
    unit_id = tell(bank, "Ana has leukemia.", "Ana")
    tell(bank, "Ana lives in Porto.", "Ana")

    class Slow(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                delete_units(bank, {unit_id})
            return super().observe(dossier)

    refresh(bank, Slow())

    assert read_observations(bank) == []


def test_a_change_while_the_observer_thinks_keeps_it_stale(bank: Bank) -> None:
    tell(bank, "Ana plays the cello.", "Ana")

    class Interrupted(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            mark(bank, find_ana(bank))
            return super().observe(dossier)

    refresh(bank, Interrupted())
    with tenant_transaction(bank.tenant_id):
        assert ObservedEntity.objects.of_bank(bank).stale().exists()

    refresh(bank, Recorder())
    with tenant_transaction(bank.tenant_id):
        assert not ObservedEntity.objects.of_bank(bank).stale().exists()


def test_many_changes_wait_for_quiet_but_not_for_ever(bank: Bank) -> None:
    tell(bank, "Ana plays the cello.", "Ana")
    ana, start = find_ana(bank), timezone.now()
    with tenant_transaction(bank.tenant_id):
        for minute in range(4):
            mark_stale(bank, [ana.id], now=start + timedelta(minutes=minute))
        [row] = ObservedEntity.objects.of_bank(bank)

    assert (row.stale_since, row.due_at, row.changes) == (start, start + LONGEST_WAIT, 4)


def test_without_a_model_what_holds_is_observed_and_what_was_superseded_is_not(bank: Bank) -> None:
    for day, town in enumerate(["Lisbon", "Porto"]):
        lives = relation("Ana", "lives_in", town, object_is_value=True)
        tell(bank, f"Ana lives in {town}.", "Ana", relations=[lives], mentioned_at=NOON + timedelta(days=day))

    refresh(bank, BuiltinObserver())

    texts = [unit.text for unit in read_observations(bank)]
    assert "Ana lives_in Porto." in texts
    assert "Ana lives_in Lisbon." not in texts


def test_without_a_model_and_without_relationships_the_best_facts_stand_in(bank: Bank) -> None:
    for day in range(4):
        tell(bank, f"Ana ran {day} miles.", "Ana", mentioned_at=NOON + timedelta(days=day))
    tell(bank, "Ana ran 0 miles.", "Ana", mentioned_at=NOON + timedelta(days=9))  # told twice: better supported

    refresh(bank, BuiltinObserver())

    assert {unit.text for unit in read_observations(bank)} == {f"Ana ran {day} miles." for day in (0, 2, 3)}


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (("Ana is afraid of dogs.", "Ana is not afraid of dogs any more.", "Ana sings."), {1, 2}),
        (("Ana eats meat.", "Ana doesn't eat meat.", "Ana eats meat."), {0}),
        (("Ana is reliable.", "Ana is unreliable."), {1}),
        (("Ana is not afraid of dogs.", "Ana was afraid of dogs."), {0, 1}),
        (("Ana is afraid of dogs.", "Ana may not be afraid of dogs."), {0, 1}),
        (("Ana is afraid of dogs.", "Ana is not afraid of cats."), {0, 1}),
        (("Ana told Bea.", "Bea told not Ana."), {0, 1}),
    ],
)
def test_without_a_model_of_facts_that_deny_each_other_the_newest_counts(
    bank: Bank, texts: tuple[str, ...], told: set[int]
) -> None:
    for day, text in enumerate(texts):
        tell(bank, text, "Ana", mentioned_at=NOON + timedelta(days=day))

    refresh(bank, BuiltinObserver())

    assert {unit.text for unit in read_observations(bank)} == {texts[place] for place in told}


@pytest.mark.parametrize(
    ("first", "then", "told"),
    [
        ("Ana is a nurse.", "Bea: Ana is not a nurse.", ["Bea: Ana is not a nurse."]),
        ("Bea: Ana is not a nurse.", "Ana is a nurse.", ["Ana is a nurse."]),
    ],
)
def test_without_a_model_what_was_denied_last_is_no_relationship_that_holds(
    bank: Bank, first: str, then: str, told: list[str]
) -> None:
    nurse = FoundRelationship("Ana", "profession", "nurse", "Ana is a nurse.", object_is_value=True)
    for day, text in enumerate((first, then)):
        at = NOON + timedelta(days=day)
        tell(bank, text, "Ana", relations=[] if "not" in text else [nurse], mentioned_at=at)

    refresh(bank, BuiltinObserver())

    assert [unit.text for unit in read_observations(bank)] == told


def test_what_happened_on_two_days_does_not_deny_each_other(bank: Bank) -> None:
    for day, text in enumerate(("Ana won.", "Ana didn't win.", "Ana did win.")):
        at = NOON + timedelta(days=day)
        tell(bank, text, "Ana", mentioned_at=at, occurred_start=at)

    refresh(bank, BuiltinObserver())

    assert len(read_observations(bank)) == 3


def test_without_a_model_a_fact_that_tells_what_ended_does_not_stand_in(bank: Bank) -> None:
    """Beside it there may be more in it that holds; which of its words, nobody can say."""
    long = "Ana works at Siemens as an engineer in Munich, mostly on trains and on their brakes."
    for day, (text, firm) in enumerate({long: "Siemens", "Ana works at Bosch.": "Bosch"}.items()):
        works = relation("Ana", "works_at", firm, object_is_value=True)
        tell(bank, text, "Ana", relations=[works], mentioned_at=NOON + timedelta(days=day))
    tell(bank, "Ana sings.", "Ana")

    refresh(bank, BuiltinObserver())

    assert {unit.text for unit in read_observations(bank)} == {"Ana works_at Bosch.", "Ana sings."}


def test_what_is_so_only_from_a_day_to_come_is_told_last_and_with_that_day(bank: Bank) -> None:
    begins = (timezone.now() + timedelta(days=400)).replace(month=6, day=1)
    for town, since in (("Rome", begins), ("Oslo", None)):
        lives = relation("Ana", "lives_in", town, object_is_value=True, valid_from=since)
        tell(bank, f"Ana lives in {town}.", "Ana", relations=[lives], mentioned_at=NOON, valid_from=since)
    observer = Recorder()

    refresh(bank, observer)
    refresh(bank, BuiltinObserver())

    texts = [unit.text for unit in read_observations(bank)]
    assert texts == ["Ana lives_in Oslo.", f"Ana lives_in Rome (from 1 June {begins.year})."]
    assert {fact.text: fact.begins for fact in observer.seen[0].facts} == {
        "Ana lives in Rome.": begins,
        "Ana lives in Oslo.": None,
    }


def test_one_fact_is_not_observed_in_its_own_words(bank: Bank) -> None:
    tell(bank, "Ana ran.", "Ana")
    refresh(bank, BuiltinObserver())
    assert list(read_observations(bank)) == []


def test_what_two_entities_are_observed_by_stays_with_the_other_when_one_lets_it_go(bank: Bank) -> None:
    fact = tell(bank, "Ana knows Bea.", "Ana", "Bea")

    class Saying(Recorder):
        def __init__(self, *texts: str) -> None:
            super().__init__()
            self.texts = texts

        def observe(self, _dossier: Dossier) -> Observed:
            return Observed(tuple(Observation(text, (fact,)) for text in self.texts))

    def refresh_one(name: str, *texts: str) -> None:
        with tenant_transaction(bank.tenant_id):
            entity = Entity.objects.of_bank(bank).get(name=name)
        mark(bank, entity)
        tools = Refreshing(Saying(*texts), HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
        refresh_entity(bank, entity.id, tools)

    refresh_one("Ana", "Ana knows Bea.")
    refresh_one("Bea", "Ana knows Bea.")
    [shared] = read_observations(bank)
    refresh_one("Ana", "Ana is sociable.")

    with tenant_transaction(bank.tenant_id):
        bea = Entity.objects.of_bank(bank).get(name="Bea")
        assert [unit.id for unit in find_observations(bank, bea.id)] == [shared.id]
    assert [unit.text for unit in read_observations(bank)] == ["Ana is sociable."]
