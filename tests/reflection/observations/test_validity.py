"""The validity of an observation: that of its source facts, with one version at a time."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from banks.lifecycle.closing_by_hand import Invalidation, invalidate_unit, restore_unit
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitChange, UnitSource
from benchmarks.serial_executor import SerialExecutor
from providers.reranking.none import NoReranker
from reflection.observations.marking_stale import mark_stale
from reflection.observations.refreshing import RefreshTools, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed, Observer
from retrieval.recall import RecallTools, recall
from retrieval.types import PointInTime, RecallQuery
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.memory_factories import make_episode, make_row
from tests.stored_facts import relation, store_fact

JANUARY, MARCH, JUNE, AUGUST = (datetime(2024, month, 5, 12, tzinfo=UTC) for month in (1, 3, 6, 8))
BOSTON, DENVER, CELLO = "Ana lives in Boston.", "Ana lives in Denver.", "Ana plays the cello."


class Saying:
    """Writes the scripted sentences, each with its source facts."""

    name = "saying"
    facts_at_once = 50

    def __init__(self, told: dict[str, Sequence[UUID]]) -> None:
        self.told = told

    def observe(self, _dossier: Dossier) -> Observed:
        return Observed(tuple(Observation(text, tuple(facts)) for text, facts in self.told.items()))


class EachFact:
    """Repeats every fact."""

    name = "each fact"
    facts_at_once = 50

    def observe(self, dossier: Dossier) -> Observed:
        return Observed(tuple(Observation(fact.text, (fact.id,)) for fact in dossier.facts))


class Newest(EachFact):
    """Repeats the three newest facts."""

    def observe(self, dossier: Dossier) -> Observed:
        return super().observe(replace(dossier, facts=dossier.facts[-3:]))


def move_to(bank: Bank, town: str, at: datetime) -> UUID:
    lives = relation("Ana", "lives_in", town, object_is_value=True)
    return store_fact(bank, f"Ana lives in {town}.", "Ana", relations=[lives], mentioned_at=at)


def refresh(bank: Bank, observer: Observer) -> None:
    with tenant_transaction(bank.tenant_id):
        ana = Entity.objects.of_bank(bank).get(name="Ana")
        mark_stale(bank, [ana.id], now=timezone.now(), quiet=timedelta(0), is_altered=True)
    tools = RefreshTools(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    refresh_entity(bank, ana.id, tools)


def close(bank: Bank, unit_id: UUID, reason: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        invalidate_unit(bank, MemoryUnit.objects.of_bank(bank).get(id=unit_id), Invalidation(reason, actor="Bea"))


def restore(bank: Bank, unit_id: UUID) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        restore_unit(bank, MemoryUnit.objects.of_bank(bank).get(id=unit_id), actor="Bea")


def ask(bank: Bank, *, network: str = "observation", **moment: object) -> list[str]:
    """The texts of a network that a recall shows."""
    query = RecallQuery("What of Ana?", asked_at=timezone.now(), moment=PointInTime(**moment))  # type: ignore[arg-type]
    result = recall(bank, query, RecallTools(HashedEmbedder(), NoReranker(), executor=SerialExecutor()))
    return sorted(item.candidate.text for item in result.items if item.candidate.network == network)


def read(bank: Bank, text: str) -> list[MemoryUnit]:
    """All versions, oldest first."""
    with tenant_transaction(bank.tenant_id):
        return list(MemoryUnit.objects.of_bank(bank).filter(network="observation", text=text).order_by("recorded_at"))


@pytest.mark.parametrize("is_seen_before", [True, False])
def test_a_point_in_time_shows_the_observations_valid_then(bank: Bank, *, is_seen_before: bool) -> None:
    move_to(bank, "Boston", JANUARY)
    if is_seen_before:
        refresh(bank, EachFact())
    move_to(bank, "Denver", JUNE)
    refresh(bank, EachFact())

    boston = [BOSTON] if is_seen_before else []
    assert ask(bank, as_of=MARCH) == boston
    assert ask(bank, as_of=MARCH, network="world") == [BOSTON]
    assert ask(bank, as_of=AUGUST) == [DENVER]
    assert ask(bank) == [DENVER]


def test_it_begins_with_the_newest_of_its_facts(bank: Bank) -> None:
    home = store_fact(bank, BOSTON, "Ana", occurred_start=JANUARY, mentioned_at=AUGUST)
    cello = store_fact(bank, CELLO, "Ana", mentioned_at=MARCH)
    refresh(bank, Saying({"Home.": [home], "Cello.": [cello], "Both.": [home, cello]}))

    assert [read(bank, text)[0].valid_from for text in ("Home.", "Cello.", "Both.")] == [JANUARY, MARCH, MARCH]


def test_a_kept_observation_keeps_its_beginning_until_a_fact_begins_later(bank: Bank) -> None:
    cello = store_fact(bank, CELLO, "Ana", mentioned_at=MARCH)
    refresh(bank, Saying({CELLO: [cello]}))
    assert store_fact(bank, CELLO, "Ana", mentioned_at=JUNE) == cello
    refresh(bank, Saying({CELLO: [cello]}))
    assert [unit.valid_from for unit in read(bank, CELLO)] == [MARCH]

    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = MemoryUnit.objects.of_bank(bank).get(id=cello)
        edit_unit(bank, unit, UnitEdit(occurred_start=AUGUST), vector=None, actor="Bea", reason="")
    refresh(bank, Saying({CELLO: [cello]}))
    assert [unit.valid_from for unit in read(bank, CELLO)] == [AUGUST]


def test_superseded_facts_are_observed_until_their_successors_begin(bank: Bank) -> None:
    for turn in range(3):
        for number in range(3):
            said_at = JANUARY + timedelta(days=10 * turn + number)
            store_fact(bank, f"Ana ran {turn} and {number} miles.", "Ana", mentioned_at=said_at)
        refresh(bank, Newest())

    for day, turn in ((5, 0), (15, 1), (400, 2)):
        told = ask(bank, as_of=JANUARY + timedelta(days=day))
        assert told == [f"Ana ran {turn} and {number} miles." for number in range(3)]
    assert ask(bank, as_of=JANUARY - timedelta(days=500)) == []


def test_it_ends_with_the_first_scheduled_end_of_its_facts(bank: Bank) -> None:
    ends = timezone.now() + timedelta(days=30)
    home = store_fact(bank, BOSTON, "Ana", mentioned_at=JANUARY, valid_until=ends)
    cello = store_fact(bank, CELLO, "Ana", mentioned_at=JANUARY)
    both = "Ana, a cellist, is of Boston."
    refresh(bank, Saying({both: [home, cello], CELLO: [cello]}))

    assert [read(bank, text)[0].valid_until for text in (both, CELLO)] == [ends, None]
    assert ask(bank, as_of=ends + timedelta(days=1)) == [CELLO]


def test_other_words_for_the_same_facts_take_the_place_of_the_former_for_all_their_time(bank: Bank) -> None:
    cello = store_fact(bank, CELLO, "Ana", mentioned_at=JANUARY)
    refresh(bank, Saying({CELLO: [cello]}))
    before = timezone.now()
    refresh(bank, Saying({"Ana is a cellist.": [cello]}))

    assert ask(bank, as_of=MARCH) == ["Ana is a cellist."]
    assert ask(bank, as_of=MARCH, known_at=before) == [CELLO]
    assert ask(bank, history=True) == ["Ana is a cellist.", CELLO]


@pytest.mark.parametrize("reason", ["update", "correction"])
def test_an_observation_without_its_only_fact_is_hidden_before_any_refresh(bank: Bank, reason: str) -> None:
    home, cello = (
        store_fact(bank, BOSTON, "Ana", mentioned_at=JANUARY),
        store_fact(bank, CELLO, "Ana", mentioned_at=JANUARY),
    )
    refresh(bank, Saying({BOSTON: [home], "Ana, a cellist, is of Boston.": [home, cello]}))
    before = timezone.now()
    close(bank, home, reason)

    assert ask(bank) == ["Ana, a cellist, is of Boston."]
    assert ask(bank, known_at=before) == ["Ana lives in Boston.", "Ana, a cellist, is of Boston."]
    refresh(bank, Saying({CELLO: [cello]}))
    assert ask(bank) == [CELLO]
    shown = {BOSTON, "Ana, a cellist, is of Boston."} & set(ask(bank, as_of=MARCH))
    assert shown == (set() if reason == "correction" else {BOSTON})
    assert {unit.close_reason for unit in read(bank, BOSTON)} == {reason}
    with tenant_transaction(bank.tenant_id):
        [change] = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=read(bank, BOSTON)[0])
    assert (change.actor, change.after["close_reason"]) == ("Bea", reason)


def test_a_superseded_fact_closes_its_observation_at_once(bank: Bank) -> None:
    boston = move_to(bank, "Boston", JANUARY)
    refresh(bank, Saying({BOSTON: [boston]}))
    move_to(bank, "Denver", JUNE)

    assert ask(bank) == []
    assert [(unit.close_reason, unit.valid_until) for unit in read(bank, BOSTON)] == [("update", JUNE)]


def test_a_correction_takes_former_versions_along(bank: Bank) -> None:
    home, cello = (
        store_fact(bank, BOSTON, "Ana", mentioned_at=JANUARY),
        store_fact(bank, CELLO, "Ana", mentioned_at=JUNE),
    )
    refresh(bank, Saying({BOSTON: [home]}))
    refresh(bank, Saying({"Ana, a cellist, is of Boston.": [home, cello]}))
    assert ask(bank, as_of=MARCH) == [BOSTON]

    close(bank, home, "correction")

    assert ask(bank, as_of=MARCH) == []


def test_a_correction_leaves_the_observations_of_other_facts(bank: Bank) -> None:
    first, second = store_fact(bank, CELLO, "Ana"), store_fact(bank, "Ana practises the cello daily.", "Ana")
    refresh(bank, Saying({"Ana is a cellist.": [first, second]}))
    close(bank, first, "correction")
    refresh(bank, Saying({"Ana is a cellist.": [second]}))

    assert [(unit.close_reason, unit.expired_at) for unit in read(bank, "Ana is a cellist.")] == [("", None)]


@pytest.mark.parametrize("reason", ["update", "correction"])
def test_a_restored_fact_is_in_one_version_only(bank: Bank, reason: str) -> None:
    home = store_fact(bank, BOSTON, "Ana", mentioned_at=JANUARY)
    refresh(bank, Saying({BOSTON: [home]}))
    close(bank, home, reason)
    refresh(bank, Saying({}))
    restore(bank, home)
    refresh(bank, Saying({BOSTON: [home]}))

    assert ask(bank, as_of=MARCH) == ask(bank) == [BOSTON]
    assert len(read(bank, BOSTON)) == 2


def test_an_observation_that_also_rests_on_an_episode_stays(bank: Bank) -> None:
    home = store_fact(bank, BOSTON, "Ana")
    refresh(bank, Saying({BOSTON: [home]}))
    [told] = read(bank, BOSTON)
    make_row(UnitSource, bank.tenant, unit=told, episode=make_episode(bank.tenant, bank=bank), role="summarises")
    close(bank, home, "update")

    assert ask(bank) == [BOSTON]
