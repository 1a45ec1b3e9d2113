"""A transfer includes directives and mental models, and refuses values that the API could not read back."""

from typing import Any
from uuid import UUID

import orjson
import pytest

from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.export import export_bank
from memoryplatform.operations.transfer.receive import import_part
from reflection.mental_models import DEFAULTS
from reflection.models import Directive, MentalModel, MentalModelSource
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import (
    make_directive,
    make_mental_model,
    make_mental_model_revision,
    make_mental_model_source,
)
from tests.factories import make_bank
from tests.memory_factories import make_unit

HEADER = {"type": "header", "format": "memoryplatform-bank", "version": 1}
AT = "2025-01-01T00:00:00+00:00"


def test_they_are_transferred_with_their_bank(tenant: Tenant) -> None:
    bank, access = make_bank(tenant, bank_id="source"), BankAccess(tenant.id)
    fact = make_unit(tenant, bank=bank, text="Ana cycles.")
    make_directive(tenant, bank=bank, content="Be brief.", priority=-3, tags=["a", "b"])
    model = make_mental_model(tenant, bank=bank, key="habits", content="Ana cycles.", revision=1, tags=["a"])
    revision = make_mental_model_revision(tenant, mental_model=model)
    make_mental_model_source(tenant, revision=revision, unit=fact, is_cited=True)
    import_part(access, "copy", b"".join(export_bank(access, "source", vectors=False).chunks), first_line=1)
    with tenant_transaction(tenant.id):
        directive = Directive.objects.for_tenant(tenant.id).get(bank__bank_id="copy")
        assert (directive.content, directive.priority, directive.tags) == ("Be brief.", -3, ["a", "b"])
        copied = MentalModel.objects.for_tenant(tenant.id).get(bank__bank_id="copy")
        assert (copied.key, copied.content, copied.trigger, copied.tags) == ("habits", "Ana cycles.", DEFAULTS, ["a"])
        source = (
            MentalModelSource.objects.for_tenant(tenant.id).select_related("unit", "revision").get(bank=copied.bank_id)
        )
        assert source.unit is not None
        assert (source.unit.text, source.unit_id == fact.id) == ("Ana cycles.", False)
        assert (source.revision.mental_model_id, source.revision.number) == (copied.id, 1)


def model(**fields: Any) -> dict[str, Any]:
    usual = {"key": "k", "name": "n", "source_query": "Who?", "tags": [], "max_tokens": 512, "trigger": DEFAULTS}
    usual |= {"content": "", "revision": 0, "created_at": AT, "updated_at": AT}
    return {"type": "mental_model", "id": str(UUID(int=1)), **usual, **fields}


FAULTS = {
    "no list": (model(tags="a"), "The field 'tags' must be a list of texts"),
    "no texts": (model(tags=[1]), "The field 'tags' must be a text"),
    "too long": (model(max_tokens=100_000), "mental_model_has_a_length"),
    "no trigger": (model(trigger=[]), "The field 'trigger' can't be read"),
    "half a trigger": (model(trigger={}), "The field 'trigger' can't be read"),
    "a wrong setting": (model(trigger={**DEFAULTS, "budget": "huge"}), "The field 'trigger' can't be read"),
    "no condition": (model(trigger={**DEFAULTS, "tag_groups": [{}]}), "The field 'trigger' can't be read"),
    "a nested fault": (model(trigger={**DEFAULTS, "tag_groups": [{"and": 3}]}), "The field 'trigger' can't be read"),
    "no schema": (model(trigger={**DEFAULTS, "response_schema": {"type": 3}}), "The field 'trigger' can't be read"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_values_that_could_not_be_read_back_are_refused(tenant: Tenant, name: str) -> None:
    row, fault = FAULTS[name]
    body = b"\n".join(orjson.dumps(one) for one in (HEADER, row))
    with pytest.raises(ImportInvalid, match=fault):
        import_part(BankAccess(tenant.id), "copy", body, first_line=1)
