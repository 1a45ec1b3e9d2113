"""Each check finds a corruption that is planted for it, and nothing else is reported wrong without a reason."""

import json
from collections.abc import Sequence
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connections

from banks.models import Bank, EntityName
from memoryplatform.verify.check import Check
from memoryplatform.verify.checks import BANK_CHECKS, DATABASE_CHECKS, TENANT_CHECKS
from memoryplatform.verify.run import verify
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tests.verify.conftest import Plant, list_wrong, look

A_UNIT = "(SELECT min(id::text)::uuid FROM banks_memoryunit WHERE network = 'world' AND expired_at IS NULL)"
NEWEST_UNIT = "(SELECT max(id::text)::uuid FROM banks_memoryunit WHERE network = 'world' AND expired_at IS NULL)"
A_CLOSED = """(
    SELECT min(id::text)::uuid FROM banks_memoryunit
    WHERE superseded_by_id IS NOT NULL AND network = 'world' AND expired_at IS NOT NULL AND close_reason = 'update'
)"""
AN_OPINION = "(SELECT min(id::text)::uuid FROM banks_memoryunit WHERE network = 'opinion')"
AN_ENTITY = "(SELECT min(id::text)::uuid FROM banks_entity WHERE mention_count > 1 AND summary <> '')"
A_SOURCE = "(SELECT min(id::text)::uuid FROM banks_unitsource WHERE message_id IS NOT NULL)"
NOBODY = "'00000000-0000-7000-8000-000000000000'"

WEBHOOK = f"""
INSERT INTO tenants_webhook SELECT * FROM jsonb_populate_record(null::tenants_webhook, jsonb_build_object(
    'id', {NOBODY}, 'tenant_id', (SELECT id FROM tenants_tenant), 'url', 'https://example.com', 'name', '',
    'events', '{{}}', 'bank_id', '', 'enabled', true, 'shape', 'standard', 'options', '{{}}', 'secret', '',
    'created_at', now(), 'updated_at', now()
))
"""
DELIVERY = f"""
INSERT INTO tenants_delivery SELECT * FROM jsonb_populate_record(null::tenants_delivery, jsonb_build_object(
    'id', {NOBODY}, 'tenant_id', (SELECT id FROM tenants_tenant), 'webhook_id', {NOBODY}, 'event_id', {NOBODY},
    'event', 'ping', 'bank_id', '', 'data', '{{}}', 'status', 'pending', 'attempts', 0, 'told', 0, 'error', '',
    'created_at', now(), 'updated_at', now()
))
"""

# By check: the statements that break one thing.
CORRUPTIONS: dict[str, tuple[str, ...]] = {
    "operations: every dispatch has a tenant": (
        (
            "INSERT INTO operations_dispatch (operation_id, tenant_id, queue, due_at, wakes, created_at)"
            f" VALUES ({NOBODY}, {NOBODY}, 'ingest', now(), 0, now())"
        ),
    ),
    "references: each leads to a row": (f"DELETE FROM banks_entity WHERE id = {AN_ENTITY}",),
    "references: none leads into another bank": (
        f"UPDATE banks_entityname SET bank_id = {NOBODY} WHERE entity_id = {AN_ENTITY}",
    ),
    "ledgers: storage counts the stored rows": ("UPDATE tenants_storagechange SET memories = memories + 3",),
    "ledgers: days are the sums of the usage ledger": (
        "UPDATE tenants_usageday SET requests = requests + 1 WHERE day = (SELECT max(day) FROM tenants_usageday)",
    ),
    "operations: no lease is long over": (
        (
            "UPDATE operations_operation SET status = 'processing', lease_until = now() - interval '1 hour'"
            " WHERE id = (SELECT min(id::text)::uuid FROM operations_operation WHERE status = 'pending')"
        ),
    ),
    "operations: every unfinished one has a dispatch": ("DELETE FROM operations_dispatch",),
    "operations: every dispatch has an unfinished one": (
        (
            "INSERT INTO operations_dispatch (operation_id, tenant_id, queue, due_at, wakes, created_at)"
            f" SELECT {NOBODY}, id, 'ingest', now(), 0, now() FROM tenants_tenant"
        ),
    ),
    "operations: every pending delivery has one": (WEBHOOK, DELIVERY),
    "operations: a bank under deletion has one": ("UPDATE banks_bank SET deleted_at = now()",),
    "provenance: every fact has a source": (f"DELETE FROM banks_unitsource WHERE unit_id = {A_UNIT}",),
    "provenance: a source names one origin": (f"UPDATE banks_unitsource SET message_id = NULL WHERE id = {A_SOURCE}",),
    "provenance: a quoted span is inside its text": (
        f'UPDATE banks_unitsource SET "end" = 100000 WHERE id = {A_SOURCE}',
    ),
    "provenance: a passage quotes its messages": (
        "UPDATE banks_chunkpart SET start = start + 1 WHERE id = (SELECT min(id::text)::uuid FROM banks_chunkpart)",
    ),
    "provenance: a document has the text that was hashed": ("UPDATE banks_document SET text = text || ' Signed.'",),
    "provenance: a passage quotes its document": (
        (
            "UPDATE banks_document SET text = 'Nobody said this.',"
            " content_hash = sha256(convert_to('Nobody said this.', 'UTF8'))"
        ),
    ),
    "provenance: a passage is of a document or an episode": (
        (
            "UPDATE banks_chunk SET episode_id = NULL, document_id = NULL"
            " WHERE id = (SELECT min(id::text)::uuid FROM banks_chunk)"
        ),
    ),
    "provenance: every relationship has a source": (
        (
            "DELETE FROM banks_relationshipsource"
            " WHERE relationship_id = (SELECT min(relationship_id::text)::uuid FROM banks_relationshipsource)"
        ),
    ),
    "provenance: every entity has a name": (f"DELETE FROM banks_entityname WHERE entity_id = {AN_ENTITY}",),
    "provenance: no entity is without a mention": (
        f"UPDATE banks_entity SET id = {NOBODY}, identity = 'nobody', mention_count = 0 WHERE id = {AN_ENTITY}",
    ),
    "validity: no circle of successors": (
        (
            f"UPDATE banks_memoryunit SET superseded_by_id = {A_CLOSED}, valid_until = now() WHERE id ="
            f" (SELECT superseded_by_id FROM banks_memoryunit WHERE id = {A_CLOSED})"
        ),
    ),
    "validity: a superseded row is closed or has an end": (
        f"UPDATE banks_memoryunit SET superseded_by_id = {NEWEST_UNIT}, valid_until = NULL WHERE id = {A_UNIT}",
    ),
    "validity: a successor is known before its predecessor closes": (
        f"UPDATE banks_memoryunit SET expired_at = '2001-01-01' WHERE id = {A_CLOSED}",
    ),
    "validity: an update ends what it supersedes": (
        f"UPDATE banks_memoryunit SET valid_until = NULL WHERE id = {A_CLOSED}",
    ),
    "validity: an opinion supersedes opinions": (
        f"UPDATE banks_memoryunit SET superseded_by_id = {AN_OPINION} WHERE id = {A_CLOSED}",
    ),
    "validity: every closing is in the history": (f"DELETE FROM banks_unitchange WHERE unit_id = {A_CLOSED}",),
    "revisions: every opinion begins with its formation": (
        f"DELETE FROM reflection_opinionrevision WHERE opinion_id = {AN_OPINION}",
    ),
    "revisions: those of an opinion have no gap": (
        f"UPDATE reflection_opinionrevision SET number = 50 WHERE opinion_id = {AN_OPINION} AND number = 2",
    ),
    "revisions: those of an opinion replay to it": (
        f"UPDATE banks_memoryunit SET confidence = confidence / 2 WHERE id = {AN_OPINION}",
    ),
    "revisions: a verdict rests on evidence": (
        (
            "DELETE FROM reflection_revisionevidence WHERE revision_id ="
            " (SELECT min(id::text)::uuid FROM reflection_opinionrevision WHERE cause = 'reinforce')"
        ),
    ),
    "revisions: evidence is of the same opinion": (
        f"UPDATE reflection_revisionevidence SET opinion_id = {A_UNIT} WHERE opinion_id = {AN_OPINION}",
    ),
    "revisions: those of the background replay to it": ("UPDATE banks_bank SET background = 'I am somebody else.'",),
    "revisions: those of a mental model have no gap": (
        "UPDATE reflection_mentalmodel SET revision = revision + 1",
        "DELETE FROM reflection_mentalmodelrevision",
    ),
    "revisions: a mental model has the content of its newest": (
        "UPDATE reflection_mentalmodel SET content = 'Nobody said this.'",
    ),
    "names: the canonical name is one of the names": (
        f"UPDATE banks_entity SET name = 'Zebedee Quux' WHERE id = {AN_ENTITY}",
    ),
    "names: a name is stored under its form": (
        f"UPDATE banks_entityname SET name = 'Zebedee Quux' WHERE entity_id = {AN_ENTITY}",
    ),
    "names: every name has its index keys": (f"DELETE FROM banks_entitykey WHERE entity_id = {AN_ENTITY}",),
    "counts: mentions of an entity": (
        f"UPDATE banks_entity SET mention_count = mention_count + 1 WHERE id = {AN_ENTITY}",
    ),
    "counts: memories that two entities share": ("UPDATE banks_cooccurrence SET count = count + 1",),
    "counts: messages of an episode": ("UPDATE banks_episode SET message_count = message_count + 1",),
    "vectors: the deployment has the bank's model": ("UPDATE banks_bank SET embedding_model = 'gone'",),
    "vectors: every row has one": (
        f"UPDATE banks_memoryunit SET embedding = NULL WHERE id = {A_UNIT}",
        f"UPDATE banks_entity SET embedding = NULL WHERE id = {AN_ENTITY}",
    ),
    "vectors: dimension and length are the model's": (
        f"UPDATE banks_memoryunit SET embedding = '[1,0,0]' WHERE id = {A_UNIT}",
        f"UPDATE banks_memoryunit SET embedding = embedding + embedding WHERE id = {NEWEST_UNIT}",
    ),
    "vectors: the column that is not in use is empty": (
        f"UPDATE banks_memoryunit SET second_embedding = embedding WHERE id = {A_UNIT}",
    ),
    "vectors: a sample is of the bank's model": (
        "UPDATE banks_memoryunit SET embedding = array_fill(1 / sqrt(384)::real, ARRAY[384])::vector",
    ),
    "text index: a block counts its live postings": (
        "UPDATE banks_postingblock SET live = live + 1 WHERE id = (SELECT min(id::text)::uuid FROM banks_postingblock)",
    ),
    "text index: blocks of a word are in order": (
        (
            "INSERT INTO banks_postingblock (id, tenant_id, bank_id, corpus, lexeme, place, postings, live)"
            " SELECT gen_random_uuid(), tenant_id, bank_id, corpus, lexeme, place + 1, postings, live"
            " FROM banks_postingblock WHERE id = (SELECT min(id::text)::uuid FROM banks_postingblock)"
        ),
    ),
    "text index: statistics count the postings": (
        "UPDATE banks_corpusstatistics SET texts = texts + 1, words = words + 9 WHERE corpus = 'unit'",
    ),
    "text index: postings are the words of the rows": (
        f"UPDATE banks_memoryunit SET text = 'Zebras graze.', search_text = '' WHERE id = {A_UNIT}",
        (
            "DELETE FROM banks_postingblock WHERE id ="
            " (SELECT max(id::text)::uuid FROM banks_postingblock WHERE corpus = 'chunk')"
        ),
    ),
}
WALLS = {
    "isolation: row-level security is forced on every tenant table": (
        "ALTER TABLE banks_document NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE banks_document FORCE ROW LEVEL SECURITY",
    ),
    "isolation: foreign keys hold the tenant": (
        "ALTER TABLE banks_unittag DROP CONSTRAINT banks_unittag_unit_id_tenant_fk",
        (
            "ALTER TABLE banks_unittag ADD CONSTRAINT banks_unittag_unit_id_tenant_fk FOREIGN KEY (tenant_id, unit_id)"
            " REFERENCES banks_memoryunit (tenant_id, id) ON DELETE CASCADE"
        ),
    ),
    "database: triggers are enabled": (
        "ALTER TABLE banks_message DISABLE TRIGGER storage_insert",
        "ALTER TABLE banks_message ENABLE TRIGGER storage_insert",
    ),
}
BY_SUPERUSER = {
    "isolation: the service's role can't bypass it": (
        "ALTER ROLE service BYPASSRLS",
        "ALTER ROLE service NOBYPASSRLS",
    ),
    "database: indexes are valid": (
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'unit_by_occurrence_and_end'::regclass",
        "UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'unit_by_occurrence_and_end'::regclass",
    ),
}
EVERY: Sequence[Check[Any]] = [*DATABASE_CHECKS, *TENANT_CHECKS, *BANK_CHECKS]
REPAIRABLE = {one.name for one in EVERY if one.repair is not None}


@pytest.mark.parametrize(
    ("check", "statement"),
    [
        (
            "revisions: those of a mental model have no gap",
            "DELETE FROM reflection_mentalmodelrevision WHERE number = 1",
        ),
        (
            "revisions: a mental model has the content of its newest",
            "UPDATE reflection_mentalmodelrevision SET content = 'Nobody said this.'",
        ),
        ("names: every name has its index keys", "DELETE FROM banks_entitykey"),
        ("names: a name is stored under its form", "UPDATE banks_entityname SET normalised_name = 'quux ' || id"),
    ],
)
def test_another_form_of_the_same_damage_is_found(acme: Tenant, plant: Plant, check: str, statement: str) -> None:
    plant(statement)
    (result,) = [one for one in verify([acme], with_repair=True).results if one.check == check]
    assert (result.found > 0, result.is_repaired) == (True, check in REPAIRABLE)


def test_a_forged_name_becomes_again_what_was_said(acme: Tenant, plant: Plant) -> None:
    def read_names() -> list[tuple[str, str]]:
        with tenant_transaction(acme.id):
            return sorted(EntityName.objects.for_tenant(acme.id).values_list("normalised_name", "name"))

    said = read_names()
    plant(*CORRUPTIONS["names: a name is stored under its form"])
    assert read_names() != said
    verify([acme], with_repair=True)
    assert [form for form, _ in read_names()] == [form for form, _ in said]
    assert "Zebedee Quux" not in {name for _, name in read_names()}


def test_every_check_has_a_corruption() -> None:
    names = {one.name for one in EVERY}
    assert CORRUPTIONS.keys() | WALLS.keys() | BY_SUPERUSER.keys() == names


def test_the_demo_bank_has_no_finding(acme: Tenant, juno: Bank) -> None:
    assert look(acme) == {}


def test_the_command_prints_a_line_for_each_check_and_its_status_tells(acme: Tenant, plant: Plant) -> None:
    assert run_command().splitlines()[-1] == "1 tenants, 1 banks: nothing is wrong."
    check = "counts: mentions of an entity"
    plant(*CORRUPTIONS[check])
    with pytest.raises(SystemExit) as ended:
        run_command("--bank", "juno")
    assert ended.value.code == 1
    (line,) = [one for one in run_command("--repair").splitlines() if not one.startswith("ok ")][:-1]
    assert line.startswith(f"repaired  {check}: 1 (acme/juno ")
    assert json.loads(run_command("--tenant", "acme", "--json"))["sound"]
    with pytest.raises(CommandError, match="no such bank"):
        run_command("--bank", "nobody")


def run_command(*arguments: str) -> str:
    output = StringIO()
    call_command("verify", *arguments, stdout=output)
    return output.getvalue()


def test_a_bank_that_is_being_filled_is_left_out(acme: Tenant, plant: Plant) -> None:
    plant("UPDATE operations_operation SET status = 'pending' WHERE kind = 'import_bank'")
    report = verify([acme])
    assert (report.banks, report.skipped) == (0, ["acme/juno"])


@pytest.mark.parametrize("check", CORRUPTIONS)
def test_a_planted_corruption_is_found_and_what_is_derived_is_repaired(acme: Tenant, plant: Plant, check: str) -> None:
    plant(*CORRUPTIONS[check])
    (result,) = [one for one in verify([acme], with_repair=True).results if one.check == check]
    assert result.found
    assert result.is_repaired == (check in REPAIRABLE)
    assert (check in look(acme)) == (check not in REPAIRABLE)


@pytest.mark.parametrize("check", WALLS)
def test_an_open_wall_is_found(acme: Tenant, juno: Bank, check: str) -> None:
    broken, mended = WALLS[check]
    with connections["owner"].cursor() as cursor:
        cursor.execute(broken)
        try:
            assert list(list_wrong(verify([]))) == [check]
        finally:
            cursor.execute(mended)
    assert list_wrong(verify([])) == {}


@pytest.mark.parametrize("check", BY_SUPERUSER)
def test_a_fault_that_only_a_superuser_can_make_is_found(acme: Tenant, plant: Plant, check: str) -> None:
    broken, mended = BY_SUPERUSER[check]
    plant(broken)
    try:
        assert list(list_wrong(verify([]))) == [check]
    finally:
        plant(mended)


def test_another_policy_is_a_hole_in_the_wall(acme: Tenant, juno: Bank) -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("CREATE POLICY hole ON banks_document FOR SELECT USING (true)")
        try:
            assert list_wrong(verify([])) == {
                "isolation: row-level security is forced on every tenant table": ["banks_document"]
            }
        finally:
            cursor.execute("DROP POLICY hole ON banks_document")
