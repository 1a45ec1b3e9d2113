"""The needs of Citus: the tenant in every key, foreign key and statement. Citus itself can't be had for the tests."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection, connections, transaction
from psycopg import sql

from benchmarks.serial_executor import SerialExecutor
from memoryplatform.embedded.redis import EmbeddedRedis
from providers.once import Once
from retrieval import threads
from tenants.distribution import build_plan, has_citus
from tests.api.conftest import Caller
from tests.factories import make_key_with_text, make_tenant
from tests.live_server import use_small_models

TABLE = re.compile(r'\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?"?(\w+)"?', re.IGNORECASE)
# An upsert names the columns of its key. With the tenant in the key, the statement must name it too.
UPSERTED_WITHOUT_TENANT = {
    "banks_cooccurrence", "banks_corpusstatistics", "banks_document", "banks_entity", "banks_entitykey",
    "banks_entityname", "banks_memoryunit", "banks_mention", "banks_postingblock", "banks_relationship",
}  # fmt: skip
# `save()` of Django names a row by its id alone. Citus would ask every server for it.
SAVE = re.compile(r'UPDATE "(\w+)" SET .* WHERE "\1"\."id" = %s')
SAVED_BY_ID = {"banks_bank", "banks_chunk", "banks_document", "banks_memoryunit", "operations_operation"}
CONFLICT = re.compile(r"ON CONFLICT\s*\(([^)]*)\)", re.IGNORECASE)


def test_every_foreign_key_between_tenants_tables_has_the_tenant(db: None) -> None:
    assert build_plan("default").faults == []


def test_the_keys_can_be_replaced_by_keys_with_the_tenant(committed_db: None) -> None:
    """On real Postgres, and undone."""
    plan = build_plan()
    assert len(plan.keys) > len(plan.distributed)
    with transaction.atomic(using="owner"), connections["owner"].cursor() as cursor:
        for statement in plan.list_key_changes():
            cursor.execute(statement)
        assert build_plan().keys == []
        transaction.set_rollback(True, using="owner")
    assert build_plan().keys == plan.keys


def test_the_command_explains_a_missing_extension(committed_db: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert not has_citus()
    with pytest.raises(CommandError, match="extension citus is not in this database"):
        call_command("distribute")
    call_command("distribute", "--sql")
    shown = capsys.readouterr().out
    assert "create_distributed_table('banks_memoryunit', 'tenant_id'" in shown
    assert "create_reference_table('tenants_apikey')" in shown


@contextmanager
def recorded() -> Iterator[list[str]]:
    statements: list[str] = []

    def record(execute: Callable[..., Any], text: Any, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        statements.append(text.as_string() if isinstance(text, sql.Composable) else str(text))
        return execute(text, params, many, context)

    with connection.execute_wrapper(record):
        yield statements


@pytest.fixture
def statements(db: None, redis_server: EmbeddedRedis, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """All statements of a tour through the API, on one connection."""
    use_small_models(monkeypatch)
    monkeypatch.setattr(threads, "EXECUTOR", Once(SerialExecutor))
    call = Caller(make_key_with_text(make_tenant("alice"), scopes=["admin"])[1])
    with recorded() as found:
        tour(call)
    return found


def tour(call: Caller) -> None:
    def ask(method: str, path: str, body: Any = None) -> Any:
        answer = call(method, path, body)
        assert answer.status_code < 300, (path, answer.content)
        return answer.json() if answer.content else None

    facts = [{"text": "Ana Lopez bought a red bicycle in Paris."}, {"text": "Ana Lopez likes tea."}]
    ids = ask("POST", "/v1/banks/home/memories", {"items": [{"facts": facts, "tags": ["trip"]}]})["unit_ids"]
    messages = [{"role": "user", "content": "I moved to Lisbon in May.", "name": "Ana"}]
    ask("POST", "/v1/banks/home/memories", {"items": [{"thread": "t", "messages": messages}]})
    ask("POST", "/v1/banks/home/memories", {"items": [{"content": "The boat is blue.", "document_id": "d"}]})
    recall = {"query": "What did Ana buy in Paris?", "include": {"entities": {}, "chunks": {}, "links": True}}
    ask("POST", "/v1/banks/home/memories/recall", recall)
    ask("POST", "/v1/banks/home/memories/recall", {"query": "tea", "tags": ["trip"], "tags_match": "any_strict"})
    ask("POST", "/v1/banks/home/reflect", {"query": "What does Ana like?"})
    for path in ("memories", "entities", "documents", "stats", "opinions", "mental-models", "directives", ""):
        ask("GET", f"/v1/banks/home/{path}".rstrip("/"))
    ask("GET", f"/v1/banks/home/memories/{ids[0]}")
    ask("PATCH", f"/v1/banks/home/memories/{ids[0]}", {"text": "Ana Lopez bought a green bicycle in Paris."})
    ask("DELETE", f"/v1/banks/home/memories/{ids[1]}")
    ask("GET", "/v1/operations")
    ask("GET", "/v1/banks")
    ask("DELETE", "/v1/banks/home")


def test_every_statement_on_a_tenants_table_names_the_tenant(statements: list[str]) -> None:
    distributed = set(build_plan("default").distributed)
    touched = [one for one in statements if distributed & set(TABLE.findall(one))]
    assert len(touched) > 100
    without = {one for one in touched if "tenant_id" not in one}
    assert {found[1] for one in without if (found := SAVE.fullmatch(one))} == SAVED_BY_ID
    assert [one[:300] for one in without if not SAVE.fullmatch(one)] == []


def test_the_upserts_that_distribution_must_change_are_known(statements: list[str]) -> None:
    """Their conflict targets are keys without the tenant, so they need it before a table can be distributed."""
    distributed = set(build_plan("default").distributed)
    found = {
        next(iter(TABLE.findall(one)))
        for one in statements
        for target in CONFLICT.findall(one)
        if "tenant_id" not in target and distributed & set(TABLE.findall(one))
    }
    assert found == UPSERTED_WITHOUT_TENANT
