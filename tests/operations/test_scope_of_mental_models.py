"""The memories in the scope of a mental model's tags."""

from typing import Any

import pytest

from memoryplatform.operations.mental_models import find_scope
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import make_mental_model
from tests.factories import make_bank
from tests.stored_facts import store_fact

GROUPS = [{"tags": ["sea"], "match": "any_strict"}]


@pytest.mark.parametrize(
    ("tags", "trigger", "expected"),
    [
        (["sea"], {"tags_match": "exact"}, {"boat"}),
        ([], {"tags_match": "exact"}, {"boat", "lake"}),  # the memories that a refresh reads
        (["sea"], {"tags_match": "exact", "tag_groups": GROUPS}, {"boat", "lake"}),
    ],
)
def test_exact_means_these_tags_and_no_others_where_tags_alone_choose(
    tenant: Tenant, tags: list[str], trigger: dict[str, Any], expected: set[str]
) -> None:
    bank = make_bank(tenant)
    store_fact(bank, "boat", tags=("sea",))
    store_fact(bank, "lake")
    model = make_mental_model(tenant, bank=bank, tags=tags, trigger=trigger)
    with tenant_transaction(tenant.id):
        assert {unit.text for unit in find_scope(bank, model)} == expected
