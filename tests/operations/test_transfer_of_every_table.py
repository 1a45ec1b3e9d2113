"""A transfer preserves the rows of every table. A new table needs rows here."""

from collections import Counter
from datetime import timedelta

import orjson
import pytest
from django.db.models import TextField
from rest_framework.serializers import CharField

from banks.models import Bank, Link, MemoryUnit, UnitMetadata
from memoryplatform.api.v1.background import BackgroundInput
from memoryplatform.api.v1.directives import DirectiveInput
from memoryplatform.api.v1.fact_input import FactInput
from memoryplatform.api.v1.mental_models import MentalModelInput
from memoryplatform.api.v1.retain_items import ItemInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.operations.transfer.tables import (
    MAX_CHARACTERS,
    PROFILE,
    PROFILE_FIELDS,
    SELF_REFERENCES,
    TABLES,
    TABLES_BY_NAME,
)
from retrieval.models import Feedback
from retrieval.types import PointInTime
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import (
    make_directive,
    make_knowledge_node,
    make_mental_model,
    make_mental_model_revision,
    make_mental_model_source,
    make_observed_entity,
    make_observed_scope,
    make_retention_rule,
)
from tests.factories import make_tenant
from tests.memory_factories import make_entity, make_episode, make_row
from tests.operations.transferred import MARCH, ask, fill, load, run_waiting, without_ids, write_out

MOMENTS = (PointInTime(), PointInTime(as_of=MARCH + timedelta(days=30)))


@pytest.fixture
def source(tenant: Tenant) -> BankAccess:
    access = BankAccess(tenant.id)
    fill(access)
    fill_the_rest(tenant, load(access, "source"))
    return access


def fill_the_rest(tenant: Tenant, bank: Bank) -> None:
    """Add rows to the tables that a retain leaves empty."""
    with tenant_transaction(tenant.id):
        first, second = MemoryUnit.objects.of_bank(bank).current().filter(network="world").order_by("id")[:2]
        Link.objects.for_tenant(tenant.id).filter(source=second, target=first).delete()  # retain may have linked them
    make_row(Link, tenant, source=first, target=second, type=Link.Type.CAUSES, weight=0.9)
    make_row(Link, tenant, source=second, target=first, type=Link.Type.SEMANTIC, weight=0.8)
    make_row(UnitMetadata, tenant, unit=first, bank_id=bank.id, key="channel", value="mail")
    marked = {"recall_id": uuid7(), "useful": True, "marked_by": "test", "rank": 1}
    make_row(Feedback, tenant, bank=bank, unit=first, **marked)
    make_directive(tenant, bank=bank)
    nobody = make_entity(tenant, bank=bank, name="Nobody", identity="nobody")
    make_observed_scope(tenant, entity=nobody)
    make_observed_entity(tenant, entity=nobody)
    make_retention_rule(tenant, bank=bank)
    make_episode(tenant, bank=bank, previous=make_episode(tenant, bank=bank))
    model = make_mental_model(tenant, bank=bank)
    make_knowledge_node(tenant, bank=bank, mental_model=model, parent=make_knowledge_node(tenant, bank=bank))
    make_mental_model_source(tenant, revision=make_mental_model_revision(tenant, mental_model=model), unit=first)


def test_every_text_field_has_a_length_and_accepts_the_apis_values() -> None:
    """Text fields without a maximum length are listed explicitly."""
    columns = {(table.name, name): field for table in TABLES for name, field in table.fields(vectors=False).items()}
    columns |= {(PROFILE, name): field for name, field in PROFILE_FIELDS.items()}
    texts = {place for place, field in columns.items() if isinstance(field, TextField) and field.max_length is None}
    assert texts == set(MAX_CHARACTERS)
    assert {place for place in MAX_CHARACTERS if MAX_CHARACTERS[place] is None} == {
        ("document", "text"),
        ("message", "content"),
    }
    taken = {
        ("unit", "text"): FactInput().fields["text"],
        ("unit", "context"): ItemInput().fields["context"],
        ("document", "context"): ItemInput().fields["context"],
        ("background_revision", "snippet"): BackgroundInput().fields["content"],
        ("directive", "content"): DirectiveInput().fields["content"],
        ("mental_model", "source_query"): MentalModelInput().fields["source_query"],
    }
    lengths = {place: one.max_length for place, one in taken.items() if isinstance(one, CharField)}
    assert {place: MAX_CHARACTERS[place] for place in taken} == lengths


def test_every_table_is_transferred_and_recall_answers_the_same(source: BankAccess) -> None:
    elsewhere = BankAccess(make_tenant("elsewhere").id)
    body = write_out(source)
    counted = orjson.loads(body.splitlines()[-1])["rows"]
    assert {*TABLES_BY_NAME, *SELF_REFERENCES} - set(counted) == set()
    before = [ask(source, "source", moment) for moment in MOMENTS]
    assert import_part(elsewhere, "copy", body, first_line=1).next_line is None
    run_waiting(elsewhere)
    here, there = without_ids(body), without_ids(write_out(elsewhere, "copy"))
    assert (here - there, there - here) == (Counter(), Counter())
    assert [ask(elsewhere, "copy", moment) for moment in MOMENTS] == before
    assert all(any(answers) for answers in before)


def test_speaker_role_and_search_text_are_transferred(source: BankAccess) -> None:
    said = {"speaker": "Ana", "role": "user", "search_text": "Ana: on May 1, 2024"}
    with tenant_transaction(source.tenant_id):
        first = MemoryUnit.objects.of_bank(load(source, "source")).filter(network="world")[0]
        MemoryUnit.objects.of_bank(load(source, "source")).filter(id=first.id).update(**said)
    import_part(source, "copy", write_out(source), first_line=1)
    with tenant_transaction(source.tenant_id):
        assert MemoryUnit.objects.of_bank(load(source, "copy")).filter(**said).count() == 1


def test_a_file_of_an_older_version_has_announcements_and_no_speakers(source: BankAccess) -> None:
    """A scheduled end is only a future `valid_until`, so the column `announced_at` of older files is ignored."""
    lines = [orjson.loads(line) for line in write_out(source).splitlines()]
    for line in lines:
        if line["type"] in {"unit", "relationship"}:
            assert "announced_at" not in line["row"]
            line["row"]["announced_at"] = MARCH.isoformat()
        if line["type"] == "unit":
            for name in ("speaker", "role", "search_text"):
                del line["row"][name]
    body = b"\n".join(map(orjson.dumps, lines))
    assert import_part(source, "copy", body, first_line=1).next_line is None
    with tenant_transaction(source.tenant_id):
        units = MemoryUnit.objects.of_bank(load(source, "copy"))
        assert set(units.values_list("speaker", "role", "search_text")) == {("", "", "")}
