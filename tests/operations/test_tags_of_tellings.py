"""The same fact under other tags is a separate memory, because its readers may differ."""

from datetime import UTC, datetime

import pytest

from banks.errors import MemoryExists
from banks.lifecycle.editing import UnitEdit
from banks.models import MemoryUnit, UnitMetadata, UnitTag
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, create_bank, get_bank
from memoryplatform.operations.memories.single import edit_memory
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

AT = datetime(2026, 1, 2, tzinfo=UTC)
TOLD = "The salary of Ann was raised in the spring."


@pytest.fixture
def access(tenant: Tenant) -> BankAccess:
    access = BankAccess(tenant.id)
    create_bank(access, "team", BankChange())
    return access


def tell(access: BankAccess, text: str, *tags: str, **metadata: str) -> None:
    retain(access, "team", [RetainItem(AT, text=text, tags=tags, metadata=metadata)], wait=True)


def list_worn(access: BankAccess) -> list[tuple[set[str], dict[str, str], int]]:
    with tenant_transaction(access.tenant_id):
        units = list(MemoryUnit.objects.of_bank(get_bank(access, "team")).current().order_by("id"))
        tags = UnitTag.objects.for_tenant(access.tenant_id)
        values = UnitMetadata.objects.for_tenant(access.tenant_id)
        return [
            (
                set(tags.filter(unit=unit).values_list("tag", flat=True)),
                dict(values.filter(unit=unit).values_list("key", "value")),
                unit.proof_count,
            )
            for unit in units
        ]


def test_the_same_words_under_other_tags_are_two_memories_with_labels_of_their_own(access: BankAccess) -> None:
    tell(access, TOLD, "user:ann", salary="120000")
    tell(access, TOLD, "user:bob", team="x")
    tell(access, TOLD)

    assert list_worn(access) == [
        ({"user:ann"}, {"salary": "120000"}, 1),
        ({"user:bob"}, {"team": "x"}, 1),
        (set(), {}, 1),
    ]


def test_the_same_words_under_the_same_tags_are_proof(access: BankAccess) -> None:
    tell(access, TOLD, "a", "b")
    tell(access, TOLD, "b", "a")

    assert list_worn(access) == [({"a", "b"}, {}, 2)]


def test_an_edit_may_not_make_two_of_one(access: BankAccess) -> None:
    tell(access, TOLD, "user:ann")
    tell(access, TOLD, "user:bob")
    with tenant_transaction(access.tenant_id):
        first, second = MemoryUnit.objects.of_bank(get_bank(access, "team")).order_by("id")

    edit_memory(access, "team", second.id, UnitEdit(tags=("user:cleo",)), expected=None)
    with pytest.raises(MemoryExists):
        edit_memory(access, "team", second.id, UnitEdit(tags=("user:ann",)), expected=None)

    tell(access, TOLD, "user:cleo")
    assert [(tags, proof) for tags, _, proof in list_worn(access)] == [({"user:ann"}, 1), ({"user:cleo"}, 2)]
    assert first.id != second.id


def test_a_document_that_comes_again_with_other_tags_is_known_under_them(access: BankAccess) -> None:
    for tag in ("old", "new"):
        item = RetainItem(AT, text=TOLD, tags=(tag,), document_id="notes")
        retain(access, "team", [item], wait=True)

    tell(access, TOLD, "new")

    assert [(tags, proof) for tags, _, proof in list_worn(access)] == [({"new"}, 2)]
