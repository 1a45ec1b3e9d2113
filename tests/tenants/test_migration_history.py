"""Databases of earlier versions: the initial migrations replace theirs."""

from collections.abc import Iterable, Iterator
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from pytest_django.plugin import DjangoDbBlocker

from memoryplatform.observability import health
from tenants.migration_history import LAST_UNREPLACED, find_missing

# The rows of django_migrations at the commit LAST_UNREPLACED.
EARLIER = {
    "banks": [
        "0001_initial",
        "0002_memory",
        "0003_text_index_and_history",
        "0004_vectors_in_line",
        "0005_units_in_the_order_of_time",
        "0006_fewer_keys_and_closed_units_by_words",
        "0007_postings_rewritten_in_place",
        "0008_where_it_was_said",
        "0009_pieces_of_a_document",
        "0010_opinions_move_and_memories_fade",
        "0011_names_that_were_chosen",
        "0012_banks_that_learn_who_they_are",
        "0013_answers_that_come_too_late",
        "0014_messages_have_no_document",
        "0015_memories_told_under_tags",
        "0016_passages_of_deleted_memories",
        "0017_told_in_part",
        "0018_changes_that_were_announced",
        "0019_what_was_said_of_a_conversation",
        "0020_speakers_and_search_texts",
        "0021_scheduled_ends",
        "0022_storage_is_counted",
        "0023_legal_hold",
        "0024_protection",
        "0025_two_columns_of_vectors",
        "0026_every_memory_counts",
        "0027_counts_from_an_index",
        "0028_extraction_settings",
    ],
    "operations": [
        "0001_initial",
        "0002_kept_answers_sealed",
        "0003_key_of_an_operation",
        "0004_erasures",
        "0005_llm_requests",
    ],
    "reflection": [
        "0001_beliefs",
        "0002_opinion",
        "0003_directives_and_mental_models",
        "0004_evidence_of_revisions",
        "0005_observations_that_follow_edits",
        "0006_observations_by_tags",
        "0007_evidence_of_imported_revisions",
    ],
    "retrieval": [
        "0001_recall_log",
        "0002_purpose_of_recalls",
        "0003_delete_channel_weights",
    ],
    "tenants": [
        "0001_initial",
        "0002_walls",
        "0003_usage",
        "0004_webhooks",
        "0005_sealed_secrets_and_progress",
        "0006_help_texts",
        "0007_invitations",
        "0008_plans_and_usage",
        "0009_deletion_of_tenants",
        "0010_audit_addresses",
        "0011_connected_apps",
        "0012_own_llm",
        "0013_webhook_failures",
        "0014_every_memory_counts",
        "0015_llm_per_task",
        "0016_llm_log_days",
    ],
}
EARLIER_ROWS = {(app, name) for app, names in EARLIER.items() for name in names}
NEW_ROWS = {("reflection", "0001_initial"), ("retrieval", "0001_initial"), ("tenants", "0002_tenants")}
# An upgraded database applies them like a new one.
LATER_ROWS = {
    ("banks", "0002_turns_before"),
    ("banks", "0003_hindsight_settings"),
    ("banks", "0004_bank_aliases"),
    ("banks", "0005_occurrences_with_their_end"),
    ("operations", "0002_dispatch_turns"),
    ("reflection", "0002_mental_model_schedules"),
    ("reflection", "0003_knowledge_nodes"),
    ("tenants", "0003_mem0_project"),
}


@pytest.fixture
def recorder(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[MigrationRecorder]:
    """The history of migrations as the owner writes it. Changes are rolled back."""
    with django_db_blocker.unblock(), transaction.atomic(using="owner"):
        yield MigrationRecorder(connections["owner"])
        transaction.set_rollback(True, using="owner")


def read_rows(recorder: MigrationRecorder) -> set[tuple[str, str]]:
    return {row for row in recorder.applied_migrations() if row[0] in EARLIER} - LATER_ROWS


def write_rows(recorder: MigrationRecorder, rows: Iterable[tuple[str, str]]) -> None:
    recorder.migration_qs.filter(app__in=EARLIER).delete()
    for app, name in rows:
        recorder.record_applied(app, name)


def list_pending() -> list[str]:
    executor = MigrationExecutor(connections["owner"])
    assert find_missing(executor.loader, executor.recorder.applied_migrations()) == []
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return [str(migration) for migration, _ in plan if (migration.app_label, migration.name) not in LATER_ROWS]


def test_a_database_with_all_earlier_migrations_needs_none(recorder: MigrationRecorder) -> None:
    write_rows(recorder, EARLIER_ROWS | LATER_ROWS)
    assert list_pending() == []

    with mock.patch.object(Migration, "apply", side_effect=AssertionError):
        call_command("migrate", interactive=False, verbosity=0)

    assert read_rows(recorder) == EARLIER_ROWS | NEW_ROWS
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


def test_a_new_database_has_the_rows_of_an_upgraded_one(recorder: MigrationRecorder) -> None:
    assert read_rows(recorder) == EARLIER_ROWS | NEW_ROWS


@pytest.mark.parametrize("last", ["banks.0028_extraction_settings", "retrieval.0003_delete_channel_weights"])
def test_a_database_with_a_part_of_them_is_refused(recorder: MigrationRecorder, last: str) -> None:
    app, _, name = last.partition(".")
    write_rows(recorder, EARLIER_ROWS - {(app, name)} | LATER_ROWS)

    with pytest.raises(CommandError, match=rf"It lacks {last}, .* commit {LAST_UNREPLACED}"):
        call_command("migrate", interactive=False, verbosity=0)

    with (
        mock.patch.object(health, "migrated", new=False),
        mock.patch.object(health, "connection", connections["owner"]),
    ):
        assert health.check_migrations() == "1 not applied"


def test_an_interrupted_first_migration_goes_on(recorder: MigrationRecorder) -> None:
    rows = {row for row in EARLIER_ROWS if row[0] in {"banks", "tenants"}} - {("banks", "0001_initial")}
    write_rows(recorder, rows)

    assert list_pending() == ["operations.0001_initial", "reflection.0001_initial", "retrieval.0001_initial"]
