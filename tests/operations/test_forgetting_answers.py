"""A stored model answer may hold deleted content, so a deletion removes it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import sleep

import pytest
from django.db import connection
from django.utils import timezone

from banks.lifecycle.deleting import Removed
from banks.models import CachedAnswer
from banks.retain.answers import forget_answers, open_answers
from banks.retain.input import RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.memories.after_deletion import follow_deletion
from memoryplatform.operations.memories.single import delete_memory
from memoryplatform.operations.retain import retain
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.memory_factories import make_unit

KEY = "ab" * 32


@pytest.fixture
def tenant(committed_db: None, redis_server: object) -> Tenant:
    return make_tenant("acme")


def test_with_a_deleted_memory_the_answers_of_models_go(tenant: Tenant) -> None:
    other = make_tenant("other")
    bank = make_bank(tenant, bank_id="support")
    unit = make_unit(tenant, bank=bank, text="Lea was diagnosed with leukemia.")
    for one in (tenant, other):
        open_answers(one.id).put(KEY, '{"facts": ["Lea was diagnosed with leukemia."]}')
    delete_memory(BankAccess(tenant.id), "support", unit.id)
    assert open_answers(tenant.id).get(KEY) is None
    assert open_answers(other.id).get(KEY) is not None


def test_answers_of_an_earlier_time_can_be_forgotten_alone(tenant: Tenant) -> None:
    open_answers(tenant.id).put(KEY, "old")
    with tenant_transaction(tenant.id):
        CachedAnswer.objects.for_tenant(tenant.id).update(created_at=timezone.now() - timedelta(days=8))
    open_answers(tenant.id).put("cd" * 32, "new")
    with tenant_transaction(tenant.id):
        forget_answers(tenant.id, before=timezone.now() - timedelta(days=7))
    assert open_answers(tenant.id).get(KEY) is None
    assert open_answers(tenant.id).get("cd" * 32) == "new"


def test_an_answer_to_a_prompt_from_before_a_deletion_is_not_cached(tenant: Tenant) -> None:
    unit = make_unit(tenant, bank=make_bank(tenant, bank_id="support"), text="Lea was diagnosed with leukemia.")
    answers = open_answers(tenant.id)
    delete_memory(BankAccess(tenant.id), "support", unit.id)
    answers.put(KEY, "Lea has leukemia.")
    assert open_answers(tenant.id).get(KEY) is None
    open_answers(tenant.id).put(KEY, "Lea lives in Oslo.")
    assert open_answers(tenant.id).get(KEY) == "Lea lives in Oslo."


def test_an_answer_that_comes_amid_a_deletion_waits_for_its_end(tenant: Tenant) -> None:
    answers = open_answers(tenant.id)

    def put() -> None:
        answers.put(KEY, "Lea has leukemia.")
        connection.close()

    with ThreadPoolExecutor(1) as threads:
        with tenant_transaction(tenant.id):
            forget_answers(tenant.id)
            late = threads.submit(put)
            sleep(0.3)
            assert not late.done()
        late.result(timeout=20)
    assert open_answers(tenant.id).get(KEY) is None


def test_cached_answers_are_deleted_with_their_passage_even_if_its_facts_stay(tenant: Tenant) -> None:
    bank = make_bank(tenant, bank_id="support")
    open_answers(tenant.id).put(KEY, "Lea has leukemia.")
    with tenant_transaction(tenant.id):
        follow_deletion(bank, Removed(chunks=1))
    assert open_answers(tenant.id).get(KEY) is None


def test_answers_go_with_the_earlier_text_of_a_document(tenant: Tenant) -> None:
    for text in ("Lea was diagnosed with leukemia.", "Lea lives in Oslo."):
        open_answers(tenant.id).put(KEY, "Lea has leukemia.")
        retain(BankAccess(tenant.id), "support", [RetainItem(timezone.now(), text=text, document_id="lea")], wait=True)
    assert open_answers(tenant.id).get(KEY) is None
