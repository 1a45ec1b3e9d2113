"""The migration step that adds evidence to revisions of an older version."""

from collections import defaultdict
from importlib import import_module
from uuid import UUID

import pytest
from django.db import connections, transaction

from banks.models import Bank
from reflection.models import OpinionRevision
from tenants.transactions import tenant_transaction
from tests.factories import make_bank, make_tenant
from tests.reflection.opinions.believing import Said, believe, learn, see

MIGRATION = import_module("reflection.migrations.0004_evidence_of_revisions")
OPEN_NEW = 'ALTER TABLE "reflection_revisionevidence" NO FORCE ROW LEVEL SECURITY'


@pytest.fixture
def bank(committed_db: None) -> Bank:
    return make_bank(make_tenant())


def fill_anew() -> dict[UUID, set[UUID]]:
    """Run the step as the owner, without row-level security, and roll back."""
    found: defaultdict[UUID, set[UUID]] = defaultdict(set)
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        for statement in (OPEN_NEW, *MIGRATION.OPEN, "DELETE FROM reflection_revisionevidence", MIGRATION.FILL):
            cursor.execute(statement)
        cursor.execute("SELECT revision_id, fact_id FROM reflection_revisionevidence")
        for revision_id, fact_id in cursor.fetchall():
            found[revision_id].add(fact_id)
        transaction.set_rollback(True, using="owner")
    return dict(found)


def test_verdicts_keep_their_fact_and_the_other_facts_belong_to_the_first_revision(bank: Bank) -> None:
    first, second = (
        see(bank, "Most notebooks are written in Python.", "Python"),
        see(bank, "Python won a prize.", "Python"),
    )
    opinion = believe(bank, "I think Python is the best language.", first, second)
    late = see(bank, "Python is slow.", "Python")
    learn(bank, Said({"Python is slow.": "weaken"}), late)
    with tenant_transaction(bank.tenant_id):
        OpinionRevision.objects.of_bank(bank).filter(number=1).update(evidence=None)  # the state before the migration
        formed, weakened = OpinionRevision.objects.of_bank(bank).filter(opinion_id=opinion.id).order_by("number")
    assert fill_anew() == {formed.id: {first, second}, weakened.id: {late}}
