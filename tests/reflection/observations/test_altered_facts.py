"""A refresh that reads only new facts also reads altered facts again."""

from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit
from banks.lifecycle.deleting import delete_units
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit
from providers.usage import Usage
from reflection.models import ObservedEntity, ObservedScope
from reflection.observations.dossiers import read_known
from reflection.observations.marking_stale import mark_stale
from reflection.observations.refreshing import MOST_CALLS, RefreshTools, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.stored_facts import store_fact, vector_of

AT_ONCE = 2
MOST = AT_ONCE * MOST_CALLS


@dataclass
class Listing:
    """Writes one observation from the facts of a call, and records the facts."""

    name: str = "listing"
    facts_at_once: int = AT_ONCE
    seen: list[Dossier] = field(default_factory=list)

    def observe(self, dossier: Dossier) -> Observed:
        self.seen.append(dossier)
        told = Observation(" ".join(fact.text for fact in dossier.facts), tuple(fact.id for fact in dossier.facts))
        return Observed((*dossier.known, told), Usage(calls=1))

    def list_read(self) -> set[str]:
        return {fact.text for dossier in self.seen for fact in dossier.facts}

    def list_known(self) -> set[str]:
        return {one.text for one in self.seen[0].known}


def fill(bank: Bank) -> list[UUID]:
    """Store twice as many facts as are read at once. Returns the ids of the observed facts, which are the newest."""
    ids = [store_fact(bank, f"Ana likes the number {number}.", "Ana") for number in range(2 * MOST)]
    with tenant_transaction(bank.tenant_id):
        for unit_id in ids[MOST:]:
            MemoryUnit.objects.of_bank(bank).filter(id=unit_id).update(proof_count=2)
    refresh(bank, is_altered=False)
    return ids[MOST:]


def find_ana(bank: Bank) -> UUID:
    return Entity.objects.of_bank(bank).get(name="Ana").id


def refresh(bank: Bank, *, is_altered: bool) -> Listing:
    observer = Listing()
    with tenant_transaction(bank.tenant_id):
        ana = find_ana(bank)
        mark_stale(bank, [ana], now=timezone.now(), quiet=timedelta(0), is_altered=is_altered)
    refresh_entity(bank, ana, RefreshTools(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id)))
    return observer


def edit(bank: Bank, unit_id: UUID, text: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = MemoryUnit.objects.of_bank(bank).get(id=unit_id)
        edit_unit(bank, unit, UnitEdit(text=text), vector=vector_of(text), actor="test", reason="")


def let_time_pass(bank: Bank) -> None:
    """Move the last refresh and all facts an hour into the past."""
    an_hour_ago = timezone.now() - timedelta(hours=1)
    with tenant_transaction(bank.tenant_id):
        earlier = an_hour_ago - timedelta(minutes=1)
        MemoryUnit.objects.of_bank(bank).update(recorded_at=earlier, updated_at=earlier)
        ObservedScope.objects.of_bank(bank).update(seen_until=an_hour_ago)


def test_an_edited_fact_is_read_again_and_its_observation_rewritten(bank: Bank) -> None:
    observed = fill(bank)
    let_time_pass(bank)
    edit(bank, observed[0], "Ana loathes numbers.")

    observer = refresh(bank, is_altered=True)

    assert "Ana loathes numbers." in observer.list_read()
    assert len(observer.list_known()) == MOST_CALLS - 1
    assert sum(len(dossier.facts) for dossier in observer.seen) == MOST


def test_with_a_closed_fact_the_others_of_its_observation_are_read_again(bank: Bank) -> None:
    fill(bank)
    let_time_pass(bank)
    with tenant_transaction(bank.tenant_id):
        [observation, *_] = read_known(bank, find_ana(bank))
        first, second = observation.source_ids
        lock_memory(bank)
        invalidate_unit(bank, MemoryUnit.objects.of_bank(bank).get(id=first), Invalidation("update"))

    observer = refresh(bank, is_altered=False)

    assert observation.text not in observer.list_known()
    assert [fact.id for dossier in observer.seen for fact in dossier.facts] == [second]


def test_after_a_deletion_as_much_is_read_as_there_is_room_for(bank: Bank) -> None:
    observed = fill(bank)
    let_time_pass(bank)
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, {observed[0]})

    observer = refresh(bank, is_altered=True)

    assert len(observer.list_known()) == MOST_CALLS - 1
    assert sum(len(dossier.facts) for dossier in observer.seen) == MOST


def test_a_fact_that_is_altered_during_the_call_is_read_by_the_next_refresh(bank: Bank) -> None:
    observed = fill(bank)

    class Interrupted(Listing):
        def observe(self, dossier: Dossier) -> Observed:
            edit(bank, observed[0], "Ana loathes numbers.")
            with tenant_transaction(bank.tenant_id):
                mark_stale(bank, [find_ana(bank)], now=timezone.now(), is_altered=True)
            return super().observe(dossier)

    store_fact(bank, "Ana owns a boat.", "Ana")
    with tenant_transaction(bank.tenant_id):
        ana = find_ana(bank)
        mark_stale(bank, [ana], now=timezone.now(), quiet=timedelta(0))
    tools = RefreshTools(Interrupted(), HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    refresh_entity(bank, ana, tools)

    with tenant_transaction(bank.tenant_id):
        assert ObservedEntity.objects.of_bank(bank).stale().filter(altered_at__isnull=False).exists()
    assert "Ana loathes numbers." in refresh(bank, is_altered=False).list_read()
    with tenant_transaction(bank.tenant_id):
        assert not ObservedEntity.objects.of_bank(bank).filter(altered_at__isnull=False).exists()
