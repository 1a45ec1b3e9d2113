"""A bank with rows in every table that a file has is the same bank afterwards. A new table wants rows here."""

from collections import Counter
from datetime import timedelta

import orjson
import pytest
from django.db.models import TextField
from rest_framework.serializers import CharField

from banks.models import Bank, Link, MemoryUnit, UnitMetadata
from memoryplatform.api.v1.background import BackgroundInput
from memoryplatform.api.v1.directives import DirectiveInput
from memoryplatform.api.v1.fact_shapes import FactInput
from memoryplatform.api.v1.mental_model_shapes import MentalModelInput
from memoryplatform.api.v1.retain_shapes import ItemInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.transfer import profile
from memoryplatform.operations.transfer.lengths import LONGEST
from memoryplatform.operations.transfer.receive import import_part
from memoryplatform.operations.transfer.tables import BY_NAME, LATER, TABLES
from retrieval.models import ChannelWeights, Feedback
from retrieval.types import PointInTime
from tenants.identifiers import uuid7
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.belief_factories import (
    make_directive,
    make_mental_model,
    make_mental_model_revision,
    make_mental_model_source,
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
    """What a retain of some sentences does not make."""
    with tenant_transaction(tenant.id):
        first, second = MemoryUnit.objects.of_bank(bank).current().filter(network="world")[:2]

    make_row(Link, tenant, source=first, target=second, type=Link.Type.CAUSES, weight=0.9)
    make_row(Link, tenant, source=second, target=first, type=Link.Type.SEMANTIC, weight=0.8)
    make_row(UnitMetadata, tenant, unit=first, bank_id=bank.id, key="channel", value="mail")
    make_row(ChannelWeights, tenant, bank=bank)
    marked = {"recall_id": uuid7(), "useful": True, "marked_by": "test", "rank": 1}
    make_row(Feedback, tenant, bank=bank, unit=first, **marked)
    make_directive(tenant, bank=bank)
    make_observed_scope(tenant, entity=make_entity(tenant, bank=bank, name="Nobody", identity="nobody"))
    make_retention_rule(tenant, bank=bank)
    make_episode(tenant, bank=bank, previous=make_episode(tenant, bank=bank))
    model = make_mental_model(tenant, bank=bank)
    make_mental_model_source(tenant, revision=make_mental_model_revision(tenant, mental_model=model), unit=first)


def test_every_text_has_a_length_and_takes_what_the_api_takes() -> None:
    """Those without an end are named as such."""
    columns = {(table.name, name): field for table in TABLES for name, field in table.fields(vectors=False).items()}
    columns |= {(profile.NAME, name): field for name, field in profile.FIELDS.items()}
    texts = {place for place, field in columns.items() if isinstance(field, TextField) and field.max_length is None}
    assert texts == set(LONGEST)
    assert {place for place in LONGEST if LONGEST[place] is None} == {("document", "text"), ("message", "content")}
    taken = {
        ("unit", "text"): FactInput().fields["text"],
        ("unit", "context"): ItemInput().fields["context"],
        ("document", "context"): ItemInput().fields["context"],
        ("background_revision", "snippet"): BackgroundInput().fields["content"],
        ("directive", "content"): DirectiveInput().fields["content"],
        ("mental_model", "source_query"): MentalModelInput().fields["source_query"],
    }
    lengths = {place: one.max_length for place, one in taken.items() if isinstance(one, CharField)}
    assert {place: LONGEST[place] for place in taken} == lengths


def test_every_table_comes_along_and_recall_answers_the_same(source: BankAccess) -> None:
    elsewhere = BankAccess(make_tenant("elsewhere").id)
    body = write_out(source)
    counted = orjson.loads(body.splitlines()[-1])["rows"]
    assert {*BY_NAME, *LATER} - set(counted) == set()
    before = [ask(source, "source", moment) for moment in MOMENTS]
    assert import_part(elsewhere, "copy", body, first_line=1).next_line is None
    run_waiting(elsewhere)
    here, there = without_ids(body), without_ids(write_out(elsewhere, "copy"))
    assert (here - there, there - here) == (Counter(), Counter())
    assert [ask(elsewhere, "copy", moment) for moment in MOMENTS] == before
    assert all(any(answers) for answers in before)
