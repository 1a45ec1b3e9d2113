"""The admin's view of a tenant's memory: read-only, searched by an index, and audited at every access."""

from typing import Any
from uuid import UUID

import pytest
from django.contrib import admin
from django.db import connections
from django.db.models import Model
from django.test import Client
from django.test.utils import CaptureQueriesContext

from banks.admin.memory_admin import MemoryAdmin
from banks.locking import lock_memory
from banks.models import Bank, Corpus, Entity, MemoryUnit, Message, UnitSource
from banks.text_index.write import add_texts
from reflection.models import Opinion
from tenants.models import AuditEvent, Tenant, User
from tenants.platform_admin import ReadOnlyAdmin
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_entity, make_entity_name, make_message, make_row, make_unit
from tests.tenants.walled_models import FACTORIES

admin.autodiscover()  # as the URLs do, which these tests may be the first to need
MEMORY = [model for model, page in admin.site._registry.items() if isinstance(page, MemoryAdmin)]
READ_ONLY = [
    model
    for model, page in admin.site._registry.items()
    if isinstance(page, ReadOnlyAdmin) and hasattr(model, "tenant")
]


@pytest.fixture
def staff(committed_db: None) -> User:
    return User.objects.create_superuser("staff@example.com", "a-long-enough-password")


@pytest.fixture
def client(staff: User) -> Client:
    client = Client()
    client.force_login(staff, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def tenant(committed_db: None) -> Tenant:
    return make_tenant("acme")


def path_of(model: type[Model], pk: UUID | None = None) -> str:
    base = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    return f"{base}{pk}/change/" if pk else base


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200, path
    return response.content.decode()


def count_rows(client: Client, model: type[Model], **query: str) -> int:
    return len(find_rows(client, model, **query))


def find_rows(client: Client, model: type[Model], **query: str) -> list[Any]:
    response: Any = client.get(path_of(model), query)
    assert response.status_code == 200
    return list(response.context_data["cl"].result_list)


def read_events(tenant: Tenant, action: str) -> list[AuditEvent]:
    with tenant_transaction(tenant.id):
        return list(AuditEvent.objects.for_tenant(tenant.id).filter(action=action).order_by("id"))


def test_every_kind_of_row_is_in_the_admin() -> None:
    names = {model._meta.model_name for model in READ_ONLY}
    memory = {"memoryunit", "entity", "relationship", "episode", "message", "bank", "opinion"}
    histories = {"opinionrevision", "backgroundrevision", "retentionrule", "recallrecord", "feedback"}
    assert names >= {*memory, *histories, "operation", "auditevent", "usagerecord"}


def test_a_list_takes_as_many_statements_for_many_rows_as_for_one(client: Client, tenant: Tenant) -> None:
    make_of_each(tenant)
    read(client, path_of(Bank))
    before = {model: count_statements(client, model) for model in MEMORY}
    for slug in ("beta", "gamma", "delta"):
        make_of_each(make_tenant(slug))
    assert {model: count_statements(client, model) for model in MEMORY} == before


def make_of_each(tenant: Tenant) -> None:
    for model in MEMORY:
        FACTORIES[model](tenant)


def count_statements(client: Client, model: type[Model]) -> int:
    with CaptureQueriesContext(connections["platform"]) as every:
        read(client, path_of(model))
    assert not [one for one in every if one["sql"].startswith("SELECT COUNT(*)")], model
    return len(every)


def test_a_look_at_a_list_and_at_a_row_is_audited(client: Client, tenant: Tenant, staff: User) -> None:
    for model in MEMORY:
        row, name = FACTORIES[model](tenant), model._meta.model_name
        read(client, path_of(model))
        read(client, path_of(model, row.pk))
        listed, viewed = read_events(tenant, "admin.listed")[-1], read_events(tenant, "admin.viewed")[-1]
        assert (listed.target, listed.user_id, listed.detail["rows"] > 0) == (name, staff.id, True)
        assert (viewed.target, viewed.user_id) == (f"{name}:{row.pk}", staff.id)


def test_nothing_is_added_changed_or_deleted(client: Client, tenant: Tenant) -> None:
    for model in set(READ_ONLY) - {Opinion}:
        row = FACTORIES[model](tenant)
        assert client.get(f"{path_of(model)}add/").status_code == 403, model
        assert client.post(path_of(model, row.pk), {}).status_code == 403, model
        assert client.post(f"{path_of(model)}{row.pk}/delete/", {"post": "yes"}).status_code == 403, model


def test_a_row_is_found_by_its_id_and_filtered_by_tenant(client: Client, tenant: Tenant) -> None:
    zeta = make_tenant("zeta")
    for model in MEMORY:
        row = FACTORIES[model](tenant)
        FACTORIES[model](zeta)
        assert row.pk in {found.pk for found in find_rows(client, model, q=str(row.pk))}, model
        assert {found.tenant_id for found in find_rows(client, model, tenant="acme")} == {tenant.id}, model


def test_units_are_found_by_words_in_every_bank_or_in_one(client: Client, tenant: Tenant) -> None:
    for bank_id in ("support", "sales"):
        tell(make_bank(tenant, bank_id=bank_id), tenant, "Alice moved to Lisbon.", "Bob likes the trams of Lisbon.")
    assert count_rows(client, MemoryUnit, q="Lisbon") == 4
    assert count_rows(client, MemoryUnit, q="tram Lisbon") == 2
    assert count_rows(client, MemoryUnit, q="moving", bank="sales") == 1
    assert count_rows(client, MemoryUnit, q="Porto") == count_rows(client, MemoryUnit, q="Alice trams") == 0


def tell(bank: Bank, tenant: Tenant, *texts: str) -> None:
    ids = [make_unit(tenant, bank=bank, text=text).id for text in texts]
    with tenant_transaction(tenant.id):
        lock_memory(bank)
        add_texts(bank, Corpus.UNIT, ids)


def test_entities_are_found_by_any_of_their_names_and_messages_by_their_thread(client: Client, tenant: Tenant) -> None:
    make_entity_name(tenant)  # Al
    make_entity(tenant)
    assert count_rows(client, Entity, q=" AL ") == 1
    assert count_rows(client, Entity, q="Albert") == 0
    make_message(tenant, thread="t1")
    make_message(tenant, thread="t2")
    assert count_rows(client, Message, q="t1") == 1


def test_a_unit_links_to_its_sources(client: Client, tenant: Tenant) -> None:
    message = make_message(tenant, content="I moved.", speaker="Alice")
    unit, fact = make_unit(tenant), make_unit(tenant, text="Alice packed.")
    make_row(UnitSource, tenant, unit=unit, message=message)
    make_row(UnitSource, tenant, unit=unit, role="evidence", other_unit=fact)
    page = read(client, path_of(MemoryUnit, unit.id))
    for shown in ("Alice: I moved.", path_of(Message, message.id), "Alice packed.", path_of(MemoryUnit, fact.id)):
        assert shown in page, shown


def test_vectors_are_not_shown(client: Client, tenant: Tenant) -> None:
    unit = make_unit(tenant, embedding=[0.25, 0.5])
    with CaptureQueriesContext(connections["platform"]) as every:
        read(client, path_of(MemoryUnit))
        assert "embedding" not in read(client, path_of(MemoryUnit, unit.id)).lower()
    assert not [one for one in every if '"embedding"' in one["sql"]]
