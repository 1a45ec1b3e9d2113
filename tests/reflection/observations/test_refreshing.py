"""A refresh of an entity on real rows, with a scripted observer."""

from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from banks.enums import Network
from banks.lifecycle.deleting import delete_units
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitChange, UnitSource
from providers.usage import Usage
from reflection.models import ObservedEntity
from reflection.observations.dossiers import find_observations
from reflection.observations.marking_stale import LONGEST_WAIT, mark_stale
from reflection.observations.refreshing import MOST_CALLS, RefreshTools, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed, Observer
from tenants.models import Delivery, Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_webhook
from tests.hashed_embedder import HashedEmbedder
from tests.retrieval.memory import Memory
from tests.stored_facts import store_fact


@dataclass
class Recorder:
    """Writes one observation from all facts."""

    name: str = "recorder"
    facts_at_once: int = 3
    seen: list[Dossier] = field(default_factory=list)

    def observe(self, dossier: Dossier) -> Observed:
        self.seen.append(dossier)
        texts = dict.fromkeys([*(one.text for one in dossier.known), *(fact.text for fact in dossier.facts)])
        sources = [source for one in dossier.known for source in one.source_ids] + [fact.id for fact in dossier.facts]
        return Observed((Observation(" ".join(texts), tuple(dict.fromkeys(sources))),), Usage(calls=1))


def find_ana(bank: Bank) -> Entity:
    with tenant_transaction(bank.tenant_id):
        return Entity.objects.of_bank(bank).get(name="Ana")


def mark(bank: Bank, entity: Entity) -> None:
    with tenant_transaction(bank.tenant_id):
        mark_stale(bank, [entity.id], now=timezone.now(), quiet=timedelta(0))


def refresh(bank: Bank, observer: Observer) -> None:
    ana = find_ana(bank)
    mark(bank, ana)
    tools = RefreshTools(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    refresh_entity(bank, ana.id, tools)


def read_observations(bank: Bank) -> list[MemoryUnit]:
    with tenant_transaction(bank.tenant_id):
        return list(find_observations(bank, find_ana(bank).id).order_by("id"))


def read_sources(bank: Bank, unit: MemoryUnit) -> set[UUID]:
    with tenant_transaction(bank.tenant_id):
        rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=unit, role="summarises")
        return {row.other_unit_id for row in rows if row.other_unit_id}


def test_an_observation_names_its_facts_and_is_closed_when_they_say_something_else(bank: Bank) -> None:
    cello = store_fact(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [first] = read_observations(bank)
    assert (first.text, first.network, first.confidence) == ("Ana plays the cello.", "observation", None)
    assert read_sources(bank, first) == {cello}

    porto = store_fact(bank, "Ana lives in Porto.", "Ana")
    refresh(bank, Recorder())

    [second] = read_observations(bank)
    assert read_sources(bank, second) == {cello, porto}
    with tenant_transaction(bank.tenant_id):
        first.refresh_from_db()
    assert (first.close_reason, first.expired_at is not None) == ("update", True)


def test_an_observation_counts_the_sources_of_its_facts_and_not_the_facts(bank: Bank) -> None:
    facts = [store_fact(bank, f"Ana plays the {thing}.", "Ana") for thing in ("cello", "flute", "harp")]
    memory = Memory(bank)
    first, second = memory.message("I play the cello and the flute."), memory.message("I play the harp.")
    with tenant_transaction(bank.tenant_id):
        told = UnitSource.objects.for_tenant(bank.tenant_id)
        told.filter(unit__in=facts).delete()
        for fact, message in zip(facts, (first, first, second), strict=True):
            told.create(unit_id=fact, message=message)
    refresh(bank, Recorder())
    [observation] = read_observations(bank)
    assert (len(read_sources(bank, observation)), observation.proof_count) == (3, 2)


def test_a_kept_observation_stays_the_same_unit(bank: Bank) -> None:
    store_fact(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [before] = read_observations(bank)

    refresh(bank, Recorder())

    assert [unit.id for unit in read_observations(bank)] == [before.id]


def test_a_large_entity_is_read_in_bounded_parts_and_then_only_its_new_facts(bank: Bank) -> None:
    for number in range(30):
        store_fact(bank, f"Ana likes the number {number}.", "Ana")
    first = Recorder()
    refresh(bank, first)
    assert [len(dossier.facts) for dossier in first.seen] == [3] * MOST_CALLS
    assert all(dossier.known for dossier in first.seen[1:])

    store_fact(bank, "Ana lives in Porto.", "Ana")
    second = Recorder()
    refresh(bank, second)

    [dossier] = second.seen
    assert [fact.text for fact in dossier.facts] == ["Ana lives in Porto."]
    assert dossier.known


def test_deleting_all_facts_deletes_the_observation(bank: Bank) -> None:
    unit_id = store_fact(bank, "Ana plays the cello.", "Ana")
    store_fact(bank, "Ana lives in Porto.", "Ana", network=Network.EXPERIENCE)
    refresh(bank, Recorder())
    ana = find_ana(bank)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(role="summarises")
        delete_units(bank, {unit_id, *sources.values_list("other_unit_id", flat=True)})
        assert not find_observations(bank, ana.id).exists()


def test_a_fact_that_is_deleted_during_the_call_is_not_observed(bank: Bank) -> None:
    unit_id = store_fact(bank, "Ana plays the cello.", "Ana")
    store_fact(bank, "Ana lives in Porto.", "Ana")

    class Slow(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                delete_units(bank, {unit_id})
            return Observed(tuple(Observation(fact.text, (fact.id,)) for fact in dossier.facts))

    refresh(bank, Slow())

    assert [unit.text for unit in read_observations(bank)] == ["Ana lives in Porto."]


def test_an_observation_on_a_fact_that_is_deleted_during_the_call_is_not_stored(bank: Bank) -> None:
    unit_id = store_fact(bank, "Ana has leukemia.", "Ana")
    store_fact(bank, "Ana lives in Porto.", "Ana")

    class Slow(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            with tenant_transaction(bank.tenant_id):
                lock_memory(bank)
                delete_units(bank, {unit_id})
            return super().observe(dossier)

    refresh(bank, Slow())

    assert read_observations(bank) == []


def test_a_change_while_the_observer_thinks_keeps_it_stale(bank: Bank) -> None:
    store_fact(bank, "Ana plays the cello.", "Ana")

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
    store_fact(bank, "Ana plays the cello.", "Ana")
    ana, start = find_ana(bank), timezone.now()
    with tenant_transaction(bank.tenant_id):
        for minute in range(20):
            mark_stale(bank, [ana.id], now=start + timedelta(minutes=minute))
        [row] = ObservedEntity.objects.of_bank(bank)

    longest = LONGEST_WAIT * timedelta(seconds=settings.OBSERVATION_QUIET_SECONDS)
    assert (row.stale_since, row.due_at, row.changes) == (start, start + longest, 20)


def test_an_entity_with_few_facts_costs_no_call(bank: Bank, settings: Any) -> None:
    settings.OBSERVATION_LEAST_FACTS = 3
    observer = Recorder()
    for number in range(1, 3):
        store_fact(bank, f"Ana has {number} dogs.", "Ana")
        refresh(bank, observer)
    assert observer.seen == []
    store_fact(bank, "Ana has 3 dogs.", "Ana")
    refresh(bank, observer)
    assert [len(dossier.facts) for dossier in observer.seen] == [3]


def test_a_later_refresh_reads_new_facts_only(bank: Bank) -> None:
    observer = Recorder()
    for number in range(3):
        store_fact(bank, f"Ana has {number} dogs.", "Ana")
    refresh(bank, observer)
    store_fact(bank, "Ana has 3 dogs.", "Ana")
    refresh(bank, observer)
    assert [fact.text for fact in observer.seen[-1].facts] == ["Ana has 3 dogs."]
    assert observer.seen[-1].known
    refresh(bank, observer)
    assert len(observer.seen) == 2


def test_a_fact_that_becomes_true_later_is_shown_with_its_date(bank: Bank) -> None:
    begins = timezone.now() + timedelta(days=400)
    for town, since in (("Rome", begins), ("Oslo", None)):
        store_fact(bank, f"Ana lives in {town}.", "Ana", valid_from=since)
    observer = Recorder()

    refresh(bank, observer)

    assert {fact.text: fact.begins for fact in observer.seen[0].facts} == {
        "Ana lives in Rome.": begins,
        "Ana lives in Oslo.": None,
    }


def test_a_fact_whose_scheduled_end_has_passed_is_not_observed(bank: Bank) -> None:
    store_fact(bank, "Ana lives in Rome.", "Ana", valid_until=timezone.now() - timedelta(days=1))
    store_fact(bank, "Ana sings.", "Ana")
    observer = Recorder()

    refresh(bank, observer)

    assert [fact.text for fact in observer.seen[0].facts] == ["Ana sings."]


class Rewording(Recorder):
    """Gives every present observation another text."""

    def observe(self, dossier: Dossier) -> Observed:
        self.seen.append(dossier)
        return Observed(tuple(replace(one, text=f"{one.text} Truly.") for one in dossier.known))


def test_a_reworded_observation_stays_the_same_memory(bank: Bank) -> None:
    store_fact(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [before] = read_observations(bank)

    store_fact(bank, "Ana plays it well.", "Ana")
    refresh(bank, Rewording())

    [after] = read_observations(bank)
    assert (after.id, after.text) == (before.id, "Ana plays the cello. Truly.")
    assert (after.valid_from, after.valid_until) == (before.valid_from, None)
    with tenant_transaction(bank.tenant_id):
        assert MemoryUnit.objects.of_bank(bank).filter(network="observation").count() == 1
        [change] = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=after)
    assert (change.action, change.actor, change.before["text"]) == ("edited", "recorder", "Ana plays the cello.")


def test_an_observation_that_is_reworded_like_another_one_is_closed(bank: Bank) -> None:
    cello, home = store_fact(bank, "Ana plays the cello.", "Ana"), store_fact(bank, "Ana lives in Porto.", "Ana")

    class First(Recorder):
        def observe(self, _dossier: Dossier) -> Observed:
            return Observed((Observation("Ana plays.", (cello,)), Observation("Ana lives in Porto.", (home,))))

    class Same(Recorder):
        def observe(self, dossier: Dossier) -> Observed:
            return Observed(tuple(replace(one, text="Ana lives in Porto.") for one in dossier.known[:1]))

    refresh(bank, First())
    store_fact(bank, "Ana has a dog.", "Ana")
    refresh(bank, Same())

    assert [unit.text for unit in read_observations(bank)] == ["Ana lives in Porto."]


def test_an_observation_of_two_entities_stays_with_one_when_the_other_drops_it(bank: Bank) -> None:
    fact = store_fact(bank, "Ana knows Bea.", "Ana", "Bea")

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
        tools = RefreshTools(Saying(*texts), HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
        refresh_entity(bank, entity.id, tools)

    refresh_one("Ana", "Ana knows Bea.")
    refresh_one("Bea", "Ana knows Bea.")
    [shared] = read_observations(bank)
    store_fact(bank, "Ana has a dog.", "Ana")
    refresh_one("Ana", "Ana is sociable.")

    with tenant_transaction(bank.tenant_id):
        bea = Entity.objects.of_bank(bank).get(name="Bea")
        assert [unit.id for unit in find_observations(bank, bea.id)] == [shared.id]
    assert [unit.text for unit in read_observations(bank)] == ["Ana is sociable."]


def test_a_refresh_is_an_event_with_ids(bank: Bank) -> None:
    with tenant_transaction(bank.tenant_id):
        tenant = Tenant.objects.get(id=bank.tenant_id)
    make_webhook(tenant, events=["observation.refreshed"])
    store_fact(bank, "Ana plays the cello.", "Ana")
    refresh(bank, Recorder())
    [observation] = read_observations(bank)
    with tenant_transaction(bank.tenant_id):
        [delivery] = Delivery.objects.for_tenant(bank.tenant_id)
    assert (delivery.event, delivery.bank_id) == ("observation.refreshed", bank.bank_id)
    assert delivery.data == {"entity_id": str(find_ana(bank).id), "observation_ids": [str(observation.id)]}


def test_an_entity_is_read_again_when_it_has_doubled_or_a_fact_has_ended(bank: Bank, settings: Any) -> None:
    settings.OBSERVATION_LEAST_FACTS, settings.OBSERVATION_LEAST_SHARE = 2, 1.0
    observer = Recorder()
    facts = [store_fact(bank, f"Ana likes the number {number}.", "Ana") for number in range(3)]
    refresh(bank, observer)
    for number in range(3, 5):
        store_fact(bank, f"Ana likes the number {number}.", "Ana")
        refresh(bank, observer)
    assert len(observer.seen) == 1
    store_fact(bank, "Ana likes the number 5.", "Ana")
    refresh(bank, observer)
    assert [len(dossier.facts) for dossier in observer.seen] == [3, 3]
    assert observer.seen[1].fact_count == 6
    store_fact(bank, "Ana likes the number 6.", "Ana")
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).filter(id=facts[0]).update(expired_at=timezone.now(), close_reason="update")
    refresh(bank, observer)
    assert len(observer.seen) > 2
