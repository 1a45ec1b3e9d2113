"""The known facts that a model sees beside a passage."""

import pytest

from banks.facts import hash_tags
from banks.models import Bank
from banks.retain.extraction import KnownFacts
from tenants.models import Tenant
from tests.factories import make_bank, make_tenant
from tests.retrieval.fakes import WordEmbedder
from tests.retrieval.memory import Memory


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def list_known(bank: Bank, *texts: str, tags: tuple[str, ...] = ()) -> list[str]:
    return [one.text for one in KnownFacts(bank, WordEmbedder(), tags).find(texts)]


def test_the_nearest_to_any_turn_come_first_and_ended_ones_do_not_come(bank: Bank) -> None:
    memory = Memory(bank)
    memory.unit("Ana plays the cello")
    memory.unit("Ben grows tomatoes")
    memory.unit("Ben grew tomatoes once", expired_at=memory.unit("x").recorded_at, close_reason="update")
    found = list_known(bank, "Ana plays the cello", "tomatoes")
    assert found[0] == "Ana plays the cello"
    assert "Ben grows tomatoes" in found
    assert "Ben grew tomatoes once" not in found


def test_opinions_and_observations_are_no_known_facts(bank: Bank) -> None:
    memory = Memory(bank)
    memory.unit("Ana plays well", network="opinion", confidence=0.5)
    memory.unit("Ana is a musician", network="observation")
    assert list_known(bank, "Ana plays") == []


@pytest.mark.parametrize(("tags", "seen"), [((), {"open"}), (("ana",), {"open", "ana"}), (("ben",), {"open"})])
def test_a_passage_shows_only_what_the_readers_of_its_facts_may_see(
    bank: Bank, tags: tuple[str, ...], seen: set[str]
) -> None:
    memory = Memory(bank)
    memory.unit("open")
    memory.unit("ana", tags=["ana"], tags_hash=hash_tags(["ana"]))
    memory.unit("both", tags=["ana", "ben"], tags_hash=hash_tags(["ana", "ben"]))
    assert set(list_known(bank, "open ana both", tags=tags)) == seen
