"""Speakers are people, whatever kind a recogniser guesses for their names."""

import pytest

from banks.entities.resolution.scoring import resolve
from banks.enums import EntityKind
from banks.models import Bank, Entity
from banks.types import FoundEntity
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.banks.entities.sample import make_candidate, make_mention
from tests.banks.entities.test_record import naming, record
from tests.factories import make_bank, make_tenant


@pytest.fixture
def tenant(db: None) -> Tenant:
    return make_tenant("acme")


@pytest.fixture
def bank(tenant: Tenant) -> Bank:
    return make_bank(tenant)


def guess(bank: Bank, name: str, kind: EntityKind, *, speakers: tuple[str, ...] = ()) -> None:
    found = naming(bank, speakers=frozenset(speakers))
    record(bank, type(found)(found.unit_id, (FoundEntity(name, kind, is_guess=True),), found.seen_at, found.speakers))


def kinds_of(bank: Bank) -> list[str]:
    with tenant_transaction(bank.tenant_id):
        return list(Entity.objects.of_bank(bank).values_list("kind", flat=True))


def test_a_guessed_kind_does_not_split_a_speaker_of_the_passage(bank: Bank) -> None:
    guess(bank, "Caroline", EntityKind.ORGANIZATION, speakers=("Caroline",))
    assert kinds_of(bank) == ["PERSON"]


def test_a_guessed_kind_does_not_split_an_earlier_speaker(bank: Bank) -> None:
    record(bank, naming(bank, "Caroline", speakers=frozenset({"Caroline"})))
    guess(bank, "Caroline", EntityKind.LOCATION)
    assert kinds_of(bank) == ["PERSON"]


def test_a_known_kind_still_separates_a_place_from_a_speaker() -> None:
    jordan = make_candidate("Jordan", is_speaker=True)
    assert resolve(make_mention("Jordan", EntityKind.LOCATION), [jordan]).verdict == "new"
