"""The client against the API's own description: every route has a method with all its fields."""

import inspect
import json
import re
from collections.abc import Generator, Mapping
from operator import attrgetter
from typing import Any, get_args
from uuid import uuid4

import httpx
import pytest
from drf_spectacular.generators import SchemaGenerator
from pydantic import BaseModel

from memoryplatform_client import Page, Pages
from memoryplatform_client.options import banks, erasures, mental_models, recall, retain
from tests.sdk.scripted import make_client

METHODS = {
    "get_account": "account.get",
    "rename_account": "account.rename",
    "preview_account_deletion": "account.preview_deletion",
    "delete_account": "account.delete",
    "cancel_account_deletion": "account.cancel_deletion",
    "export_account": "transfer.export_account",
    "list_members": "account.members",
    "change_member_role": "account.change_role",
    "remove_member": "account.remove_member",
    "list_invitations": "account.invitations",
    "invite_member": "account.invite",
    "revoke_invitation": "account.revoke_invitation",
    "list_api_keys": "account.keys",
    "create_api_key": "account.create_key",
    "rotate_api_key": "account.rotate_key",
    "revoke_api_key": "account.revoke_key",
    "get_usage": "account.usage",
    "get_plan": "account.plan",
    "list_connected_apps": "account.apps",
    "disconnect_app": "account.disconnect_app",
    "get_own_llm": "account.llm",
    "list_own_llms": "account.llms",
    "save_own_llm": "account.save_llm",
    "delete_own_llm": "account.delete_llm",
    "get_llm_log": "account.llm_log",
    "change_llm_log": "account.change_llm_log",
    "list_llm_requests": "account.llm_requests",
    "get_llm_request": "account.llm_request",
    "list_banks": "banks.list",
    "create_bank": "banks.create",
    "get_bank": "banks.get",
    "change_bank": "banks.update",
    "delete_bank": "banks.delete",
    "get_embedding_model": "banks.embedding_model",
    "change_embedding_model": "banks.change_embedding_model",
    "abandon_embedding_model": "banks.abandon_embedding_model",
    "switch_embedding_model": "banks.switch_embedding_model",
    "roll_back_embedding_model": "banks.roll_back_embedding_model",
    "finish_embedding_model": "banks.finish_embedding_model",
    "hold_bank": "erasures.hold_bank",
    "release_bank": "erasures.release_bank",
    "list_erasures": "erasures.list",
    "request_erasure": "erasures.request",
    "get_erasure": "erasures.get",
    "tend_bank": "banks.run_maintenance",
    "get_bank_stats": "banks.stats",
    "get_memories_timeseries": "banks.timeseries",
    "get_bank_config": "banks.config",
    "change_bank_config": "banks.update_config",
    "reset_bank_config": "banks.reset_config",
    "list_tags": "tags.list",
    "get_graph": "memories.graph",
    "get_entity_graph": "entities.graph",
    "get_background": "background.get",
    "merge_background": "background.merge",
    "list_background_revisions": "background.revisions",
    "retain": "retain_batch",
    "recall": "recall",
    "recall_across": "recall_across",
    "reflect": "reflect",
    "list_memories": "memories.list",
    "clear_memories": "memories.clear",
    "get_memory": "memories.get",
    "edit_memory": "memories.edit",
    "delete_memory": "memories.delete",
    "get_memory_history": "memories.history",
    "invalidate_memory": "memories.invalidate",
    "restore_memory": "memories.restore",
    "list_messages": "messages.list",
    "get_message": "messages.get",
    "list_episodes": "episodes.list",
    "get_episode": "episodes.get",
    "list_documents": "documents.list",
    "get_document": "documents.get",
    "delete_document": "documents.delete",
    "list_chunks": "documents.chunks",
    "get_chunk": "documents.chunk",
    "list_entities": "entities.list",
    "get_entity": "entities.get",
    "change_entity": "entities.update",
    "merge_entities": "entities.merge",
    "split_entity": "entities.split",
    "list_relationships": "relationships.list",
    "list_opinions": "opinions.list",
    "get_opinion": "opinions.get",
    "list_opinion_revisions": "opinions.revisions",
    "review_opinion": "opinions.review",
    "list_observations": "observations.list",
    "refresh_observations": "observations.refresh",
    "list_retention_rules": "retention_rules.list",
    "create_retention_rule": "retention_rules.create",
    "get_retention_rule": "retention_rules.get",
    "change_retention_rule": "retention_rules.update",
    "delete_retention_rule": "retention_rules.delete",
    "list_quarantine": "quarantine.list",
    "release_quarantined_item": "quarantine.release",
    "delete_quarantined_item": "quarantine.delete",
    "list_directives": "directives.list",
    "create_directive": "directives.create",
    "get_directive": "directives.get",
    "change_directive": "directives.update",
    "delete_directive": "directives.delete",
    "list_mental_models": "mental_models.list",
    "create_mental_model": "mental_models.create",
    "get_mental_model": "mental_models.get",
    "change_mental_model": "mental_models.update",
    "delete_mental_model": "mental_models.delete",
    "refresh_mental_model": "mental_models.refresh",
    "clear_mental_model": "mental_models.clear",
    "list_mental_model_revisions": "mental_models.revisions",
    "list_recalls": "recalls.list",
    "get_recall": "recalls.get",
    "list_feedback": "feedback.list",
    "give_feedback": "feedback.give",
    "list_operations": "operations.list",
    "get_operation": "operations.get",
    "cancel_operation": "operations.cancel",
    "retry_operation": "operations.retry",
    "export_bank": "transfer.export",
    "import_bank": "transfer.import_part",
    "list_audit_events": "audit_events.list",
    "export_audit_events": "audit_events.export",
    "list_audit_events_of_bank": "audit_events.of_bank",
    "list_webhooks": "webhooks.list",
    "create_webhook": "webhooks.create",
    "get_webhook": "webhooks.get",
    "change_webhook": "webhooks.update",
    "delete_webhook": "webhooks.delete",
    "renew_webhook_secret": "webhooks.renew_secret",
    "ping_webhook": "webhooks.ping",
    "list_webhook_deliveries": "webhooks.deliveries",
    "redeliver": "webhooks.redeliver",
}
WITHOUT_A_METHOD = {"list_memories_of_bank"}  # list_memories at Hindsight's address
# Parameters that the API names differently, or that the client expresses in another way.
OTHER_NAMES = {"async": "wait", "ids": "others", "banks": "bank_ids", "If-Match": "if_match"} | {
    "Idempotency-Key": "idempotency_key"
}
NOT_TAKEN = {
    "recall": {"prefer_observations"},
    "recall_across": {"prefer_observations"},
    "reflect": {"stream", "format", "fact_types"},
    "edit_memory": {"state"},
    "get_usage": {"format"},  # account.usage_csv
    "request_erasure": {"dry_run"},  # erasures.preview sends it
    "retain": {"dry_run", "settings"},  # dry_run sends them
}
NESTED = {
    "DispositionInput": banks.DispositionFields,
    "ExtractionSettingsInput": banks.ExtractionFields,
    "TermInput": banks.TermFields,
    "SettingsChangeInput": banks.SettingFields,
    "TargetInput": erasures.Target,
    "ItemInput": retain.Item,
    "MessageInput": retain.MessageFields,
    "FactInput": retain.FactFields,
    "RelationInput": retain.RelationFields,
    "CauseInput": retain.CauseFields,
    "IncludeInput": recall.Include,
    "MessagesOption": recall.MessageTokens,
    "ChunksOption": recall.Tokens,
    "EntitiesOption": recall.Tokens,
    "RangeInput": recall.TimeRange,
    "WindowInput": recall.TimeWindow,
    "ScoresInput": recall.LeastScores,
    "ReflectIncludeInput": recall.ReflectInclude,
    "LookUpsOption": recall.LookUps,
    "TriggerInput": mental_models.TriggerFields,
}
IN_THE_BODY = {"import_bank": {"lines"}}  # the body is not JSON
OF_THE_CLIENT = {"retain": {"timeout"}}  # the client waits for operations that the service does not wait for
NOT_NESTED = {"IncludeInput": {"source_facts"}}
NOT_DESCRIBED = {"ReflectIncludeInput": {"facts"}}  # an object without fields of its own
SAMPLES: dict[str, Any] = {
    "content": "text",
    "document_id": "may.md",
    "query": "who?",
    "items": [{"content": "text"}],
    "others": [uuid4()],
    "bank_ids": ["b"],
    "name": "n",
    "email": "a@example.com",
    "role": "viewer",
    "scopes": ["read"],
    "source_query": "who?",
    "model_id": "mm-1",
    "days": 3,
    "action": "pin",
    "reason": "why",
    "useful": True,
    "url": "https://example.com/",
    "events": ["bank.deleted"],
    "lines": b"{}",
    "base_url": "https://llm.example.com/v1",
    "model": "m",
    "updates": {"disposition_empathy": 4},
    "target": {"kind": "bank"},
}

Schema = dict[str, Any]
JSON_LINES = "application/x-ndjson"


@pytest.fixture(scope="module")
def schema() -> Schema:
    described: Schema = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return described


def operations_of(schema: Schema) -> dict[str, tuple[str, str, Schema]]:
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    }


def resolve(schema: Schema, part: Schema) -> Schema:
    found: Schema = schema["components"]["schemas"][part["$ref"].rpartition("/")[2]] if "$ref" in part else part
    return found


def list_parameters(schema: Mapping[str, Any], operation: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Parameters that many operations share are references to the components."""
    shared = schema["components"]["parameters"]
    given = operation.get("parameters", [])
    return [shared[one["$ref"].rsplit("/", 1)[-1]] if "$ref" in one else one for one in given]


def taken_by(schema: Schema, operation: Schema) -> set[str]:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    parameters = [one["name"] for one in list_parameters(schema, operation) if one["in"] != "path"]
    return {*parameters, *resolve(schema, body).get("properties", {})}


def arguments_of(method: Any) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(method).parameters)


def options_of(parameter: inspect.Parameter) -> set[str]:
    """The names behind `**options: Unpack[Options]`."""
    return set(get_args(parameter.annotation)[0].__annotations__)


def names_of(method: Any) -> set[str]:
    parameters = list(arguments_of(method).values())[1:]  # without self
    named = {one.name for one in parameters if one.kind is not one.VAR_KEYWORD}
    return named.union(*(options_of(one) for one in parameters if one.kind is one.VAR_KEYWORD))


def sample(schema: Schema, part: Schema) -> Any:
    """A value with every property that the schema names."""
    part = resolve(schema, part)
    for choice in ("allOf", "oneOf", "anyOf"):
        if choice in part:
            return sample(schema, part[choice][0])
    if "enum" in part:
        return part["enum"][0]
    kind = part.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        values = part.get("additionalProperties")
        named = {name: sample(schema, inner) for name, inner in part.get("properties", {}).items()}
        return named or ({"name": sample(schema, values)} if isinstance(values, dict) else {})
    if kind == "array":
        return [sample(schema, part.get("items", {}))]
    formats = {"uuid": str(uuid4()), "date-time": "2024-05-01T00:00:00Z", "date": "2024-05-01", "decimal": "1.5"}
    plain = {"string": formats.get(part.get("format", ""), "text"), "integer": 1, "number": 0.5, "boolean": True}
    return plain[kind]


def answer_to(schema: Schema, operation: Schema) -> httpx.Response:
    status, described = next((code, one) for code, one in operation["responses"].items() if code.startswith("2"))
    if "content" not in described:
        return httpx.Response(int(status))
    if JSON_LINES in described["content"]:
        return httpx.Response(int(status), content=b'{"type":"end"}\n')
    if list(described["content"]) == ["text/csv"]:
        return httpx.Response(int(status), content=b"event_id,at\n")
    body = sample(schema, described["content"]["application/json"]["schema"])
    if "next_cursor" in body:
        body["next_cursor"] = None
    if "status" in body and "unit_ids" in body:
        body["status"] = "completed"  # an unfinished operation would be polled
    return httpx.Response(int(status), json=body)


def call(method: Any) -> Any:
    wanted = [one for one in arguments_of(method).values() if one.default is one.empty and one.kind != one.VAR_KEYWORD]
    given = {one.name: SAMPLES.get(one.name, uuid4()) for one in wanted if one.name != "self"}
    result = method(**given)
    if isinstance(result, Generator):
        return list(result)
    return result.first() if isinstance(result, Pages) else result


def unknown_fields(value: Any, path: str = "") -> list[str]:
    if isinstance(value, BaseModel):
        extra = [f"{path}.{name}" for name in value.model_extra or {}]
        return extra + [fault for name, inner in value for fault in unknown_fields(inner, f"{path}.{name}")]
    if isinstance(value, Page):
        return unknown_fields(value.items, path)
    if isinstance(value, Mapping):
        return [fault for inner in value.values() for fault in unknown_fields(inner, path)]
    return [fault for inner in value for fault in unknown_fields(inner, path)] if isinstance(value, list) else []


def test_every_route_has_a_method(schema: Schema) -> None:
    assert set(operations_of(schema)) - WITHOUT_A_METHOD == set(METHODS)


@pytest.mark.parametrize("operation_id", METHODS)
def test_a_method_sends_to_its_route_and_knows_every_field_of_the_answer(schema: Schema, operation_id: str) -> None:
    verb, path, operation = operations_of(schema)[operation_id]
    sent: list[httpx.Request] = []

    def serve(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return answer_to(schema, operation)

    answer = call(attrgetter(METHODS[operation_id])(make_client(httpx.MockTransport(serve))))
    assert sent[0].method == verb
    assert re.fullmatch(re.sub(r"{\w+}", "[^/]+", path), sent[0].url.path)
    assert set(json.loads(sent[0].content or b"{}")) <= taken_by(schema, operation)
    assert unknown_fields(answer) == []


@pytest.mark.parametrize("operation_id", METHODS)
def test_a_method_takes_all_that_its_route_takes(schema: Schema, operation_id: str) -> None:
    _, path, operation = operations_of(schema)[operation_id]
    taken = {OTHER_NAMES.get(name, name) for name in taken_by(schema, operation)}
    method = attrgetter(METHODS[operation_id])(make_client(httpx.MockTransport(lambda _: httpx.Response(200))))
    of_the_path = set(re.findall(r"{(\w+)}", path))
    not_of_the_api = IN_THE_BODY.get(operation_id, set()) | OF_THE_CLIENT.get(operation_id, set())
    assert names_of(method) - of_the_path - not_of_the_api == taken - NOT_TAKEN.get(operation_id, set())


@pytest.mark.parametrize("name", NESTED)
def test_nested_objects_have_the_same_fields(schema: Schema, name: str) -> None:
    described = set(schema["components"]["schemas"][name]["properties"])
    taken = described - NOT_NESTED.get(name, set()) | NOT_DESCRIBED.get(name, set())
    assert set(NESTED[name].__annotations__) == taken


def test_the_short_way_to_retain_takes_all_that_an_item_takes() -> None:
    options = set(retain.RetainOptions.__annotations__) | {"content"}
    assert options == set(retain.Item.__annotations__) | {"wait", "timeout", "idempotency_key"}
