"""Facts under different tags get separate observations, because their readers may differ."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from banks.facts import hash_tags
from banks.lifecycle.deleting import delete_units
from banks.lifecycle.editing import UnitEdit, edit_unit
from banks.locking import lock_memory
from banks.models import Bank, Entity, MemoryUnit, UnitTag
from providers.llm.errors import MalformedAnswer
from providers.usage import Usage
from reflection.models import ObservedEntity, ObservedScope
from reflection.observations import refreshing, scopes
from reflection.observations.dossiers import find_observations
from reflection.observations.marking_stale import ask_again, mark_stale
from reflection.observations.refreshing import Refreshed, RefreshTools, refresh_entity
from reflection.observations.types import Dossier, Observation, Observed, Observer
from tenants.transactions import tenant_transaction
from tests.hashed_embedder import HashedEmbedder
from tests.stored_facts import NOON, store_fact

ANN, BOB = "user:ann", "user:bob"


@dataclass
class Repeating:
    """Keeps the observations, and writes one from the facts of a call. Refuses one word, and raises at another."""

    refuses: str = ""
    breaks_at: str = ""
    name: str = "repeating"
    facts_at_once: int = 50
    seen: list[list[str]] = field(default_factory=list)

    def observe(self, dossier: Dossier) -> Observed:
        texts = [fact.text for fact in dossier.facts]
        self.seen.append(texts)
        if self.refuses and self.refuses in " ".join(texts):
            raise MalformedAnswer("scripted", raw="", usage=Usage())
        if self.breaks_at and self.breaks_at in " ".join(texts):
            raise ConnectionError
        sources = tuple(fact.id for fact in dossier.facts)
        return Observed((*dossier.known, Observation(" ".join(texts), sources)), Usage(calls=1))


def find_ana(bank: Bank) -> UUID:
    with tenant_transaction(bank.tenant_id):
        return Entity.objects.of_bank(bank).get(name="Ana").id


def mark(bank: Bank, *, is_altered: bool = False) -> None:
    ana = find_ana(bank)
    with tenant_transaction(bank.tenant_id):
        mark_stale(bank, [ana], now=timezone.now(), quiet=timedelta(0), is_altered=is_altered)


def go_on(bank: Bank, observer: Observer) -> Refreshed:
    tools = RefreshTools(observer, HashedEmbedder(), lambda: tenant_transaction(bank.tenant_id))
    return refresh_entity(bank, find_ana(bank), tools)


def refresh(bank: Bank, observer: Observer, *, is_altered: bool = False) -> Refreshed:
    mark(bank, is_altered=is_altered)
    return go_on(bank, observer)


def list_observed(bank: Bank) -> dict[tuple[str, ...], list[str]]:
    """The texts by their tags, which must match the hash of the tags."""
    found: dict[tuple[str, ...], list[str]] = {}
    ana = find_ana(bank)
    with tenant_transaction(bank.tenant_id):
        for unit in find_observations(bank, ana).order_by("text"):
            rows = UnitTag.objects.for_tenant(bank.tenant_id).filter(unit=unit)
            tags = tuple(sorted(rows.values_list("tag", flat=True)))
            assert bytes(unit.tags_hash) == hash_tags(tags)
            found.setdefault(tags, []).append(unit.text)
    return found


def is_stale(bank: Bank) -> bool:
    with tenant_transaction(bank.tenant_id):
        return ObservedEntity.objects.of_bank(bank).stale().exists()


def retag(bank: Bank, unit_id: UUID, *tags: str) -> None:
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        unit = MemoryUnit.objects.of_bank(bank).get(id=unit_id)
        edit_unit(bank, unit, UnitEdit(tags=tags), vector=None, actor="test", reason="")


def tell_under(bank: Bank, tags: Sequence[str]) -> list[UUID]:
    return [store_fact(bank, f"Ana knows {tag}.", "Ana", tags=(tag,)) for tag in tags]


def test_each_set_of_tags_has_observations_of_its_own_facts_alone(bank: Bank) -> None:
    store_fact(bank, "Ana earns 120,000.", "Ana", tags=(ANN,))
    store_fact(bank, "Ana has a dog.", "Ana", tags=(BOB,))
    store_fact(bank, "Ana has a cat.", "Ana", tags=(BOB, "vip"))
    store_fact(bank, "Ana is a baker.", "Ana")

    refresh(bank, Repeating())

    assert list_observed(bank) == {
        (ANN,): ["Ana earns 120,000."],
        (BOB,): ["Ana has a dog."],
        (BOB, "vip"): ["Ana has a cat."],
        (): ["Ana is a baker."],
    }


def test_the_same_words_are_observed_under_both(bank: Bank) -> None:
    for tag in (ANN, BOB):
        store_fact(bank, "Ana is a baker.", "Ana", tags=(tag,))
    refresh(bank, Repeating())
    assert list_observed(bank) == {(ANN,): ["Ana is a baker."], (BOB,): ["Ana is a baker."]}


def test_only_changed_scopes_cost_a_call(bank: Bank) -> None:
    tell_under(bank, [ANN, BOB])
    refresh(bank, Repeating())
    store_fact(bank, "Ana has a dog.", "Ana", tags=(BOB,))

    observer = Repeating()
    refresh(bank, observer)

    assert observer.seen == [["Ana has a dog."]]
    assert sorted(list_observed(bank)) == [(ANN,), (BOB,)]
    assert not is_stale(bank)


def test_a_deleted_fact_has_its_scope_read_again_and_no_other(bank: Bank) -> None:
    tell_under(bank, [ANN, BOB])
    gone = store_fact(bank, "Ana has a dog.", "Ana", tags=(BOB,))
    refresh(bank, Repeating())
    with tenant_transaction(bank.tenant_id):
        lock_memory(bank)
        delete_units(bank, {gone})

    observer = Repeating()
    refresh(bank, observer, is_altered=True)

    assert observer.seen == [["Ana knows user:bob."]]


def test_a_scope_without_facts_loses_its_observations_without_a_call(bank: Bank) -> None:
    first, _ = tell_under(bank, [ANN, BOB])
    refresh(bank, Repeating())
    with tenant_transaction(bank.tenant_id):
        MemoryUnit.objects.of_bank(bank).filter(id=first).update(expired_at=timezone.now(), close_reason="update")

    observer = Repeating()
    refresh(bank, observer)

    assert list_observed(bank) == {(BOB,): ["Ana knows user:bob."]}
    assert observer.seen == []
    with tenant_transaction(bank.tenant_id):
        assert ObservedScope.objects.of_bank(bank).count() == 1


def test_a_fact_that_gets_other_tags_is_observed_under_them_alone(bank: Bank) -> None:
    first, _ = tell_under(bank, [ANN, BOB])
    refresh(bank, Repeating())
    retag(bank, first, BOB)

    refresh(bank, Repeating(), is_altered=True)

    assert list_observed(bank) == {(BOB,): ["Ana knows user:ann. Ana knows user:bob."]}


def test_a_fact_that_gets_other_tags_during_the_call_is_not_observed(bank: Bank) -> None:
    first, _ = tell_under(bank, [ANN, BOB])

    class Slow(Repeating):
        def observe(self, dossier: Dossier) -> Observed:
            if dossier.facts[0].id == first:
                retag(bank, first, BOB)
            return super().observe(dossier)

    refresh(bank, Slow())

    assert (ANN,) not in list_observed(bank)


def test_a_fact_with_the_hash_of_other_tags_is_not_observed_under_them(bank: Bank) -> None:
    """It happens if a document is replaced under other tags, and the same fact already existed under these."""
    _, stray = (store_fact(bank, text, "Ana", tags=(BOB,)) for text in ("Ana has a dog.", "Ana earns 120,000."))
    with tenant_transaction(bank.tenant_id):
        UnitTag.objects.for_tenant(bank.tenant_id).filter(unit_id=stray).update(tag=ANN)

    refresh(bank, Repeating())

    assert list_observed(bank) == {(BOB,): ["Ana has a dog."]}


def test_many_scopes_continue_over_several_refreshes_and_none_is_asked_twice(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scopes, "MOST_AT_ONCE", 3)
    tell_under(bank, [f"user:{number}" for number in range(7)])

    observer = Repeating()
    assert refresh(bank, observer).is_unfinished
    assert (len(observer.seen), is_stale(bank)) == (3, True)
    assert go_on(bank, observer).is_unfinished
    assert not go_on(bank, observer).is_unfinished

    assert len(observer.seen) == len({text for [text] in observer.seen}) == 7
    assert (len(list_observed(bank)), is_stale(bank)) == (7, False)


def test_after_a_crash_only_unwritten_scopes_are_asked_again(bank: Bank) -> None:
    tell_under(bank, ["a", "b", "c", "d"])
    hashes = sorted((hash_tags([tag]), tag) for tag in ("a", "b", "c", "d"))
    with pytest.raises(ConnectionError):
        refresh(bank, Repeating(breaks_at=f"knows {hashes[2][1]}."))

    observer = Repeating()
    go_on(bank, observer)

    assert observer.seen == [[f"Ana knows {tag}."] for _, tag in hashes[2:]]
    assert len(list_observed(bank)) == 4


def test_a_refusal_under_some_tags_delays_no_other_scope(bank: Bank) -> None:
    tell_under(bank, [ANN, BOB])
    observer = Repeating(refuses=ANN)
    assert refresh(bank, observer).is_put_off
    assert (list(list_observed(bank)), is_stale(bank)) == ([(BOB,)], True)
    with tenant_transaction(bank.tenant_id):
        row = ObservedEntity.objects.of_bank(bank).get()
    assert row.refused_since is not None
    assert row.due_at is not None
    assert row.due_at > timezone.now() + timedelta(minutes=5)

    store_fact(bank, "Ana has a dog.", "Ana", tags=(BOB,))
    mark(bank)
    with tenant_transaction(bank.tenant_id):
        assert (ObservedEntity.objects.of_bank(bank).get().due_at or NOON) <= timezone.now()
    again = Repeating(refuses=ANN)
    assert not go_on(bank, again).is_put_off

    assert again.seen == [["Ana has a dog."]]
    assert is_stale(bank)


def test_a_refused_scope_is_asked_again_after_an_alteration_or_by_a_person(bank: Bank) -> None:
    tell_under(bank, [ANN, BOB])
    refresh(bank, Repeating(refuses=ANN))

    altered = Repeating(refuses=ANN)
    refresh(bank, altered, is_altered=True)
    assert altered.seen == [["Ana knows user:ann."]]

    with tenant_transaction(bank.tenant_id):
        ask_again(bank, None, now=timezone.now())
    asked = Repeating()
    go_on(bank, asked)
    assert asked.seen == [["Ana knows user:ann."]]
    assert not is_stale(bank)


def test_a_person_can_refresh_all_scopes_of_an_entity(bank: Bank) -> None:
    tell_under(bank, [ANN, BOB])
    refresh(bank, Repeating())
    with tenant_transaction(bank.tenant_id):
        ask_again(bank, Entity.objects.of_bank(bank).get(name="Ana").id, now=timezone.now())
    observer = Repeating()
    refresh(bank, observer)
    assert len(observer.seen) == 2


def test_observations_under_other_tags_than_any_fact_has_are_closed(bank: Bank) -> None:
    """For example the observations of an earlier version, which had no tags."""
    store_fact(bank, "Ana earns 120,000.", "Ana")
    refresh(bank, Repeating())
    with tenant_transaction(bank.tenant_id):
        fact = MemoryUnit.objects.of_bank(bank).get(network="world")
    retag(bank, fact.id, ANN)

    refresh(bank, Repeating(), is_altered=True)

    assert list_observed(bank) == {(ANN,): ["Ana earns 120,000."]}


def test_a_large_scope_shows_nothing_known_under_other_tags(bank: Bank) -> None:
    tell_under(bank, [ANN])
    for number in range(refreshing.MOST_CALLS + 2):
        store_fact(bank, f"Ana has dog {number}.", "Ana", tags=(BOB,))
    known: list[str] = []

    class Keeping(Repeating):
        def observe(self, dossier: Dossier) -> Observed:
            known.extend(one.text for one in dossier.known)
            return super().observe(dossier)

    refresh(bank, Keeping(facts_at_once=1))
    store_fact(bank, "Ana has a cat.", "Ana", tags=(BOB,))
    known.clear()
    observer = Keeping(facts_at_once=1)
    refresh(bank, observer)

    assert observer.seen == [["Ana has a cat."]]
    assert known
    assert all("dog" in text for text in known)
