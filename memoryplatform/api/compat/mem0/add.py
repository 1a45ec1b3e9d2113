"""`/v3/memories/add/` and `/v1/memories/`, POST: a retain in the background, reported by an event."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_framework import serializers

from banks.models import MemoryUnit
from banks.rendering import render_text
from banks.retain.input import RetainItem
from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0.messages import read_messages
from memoryplatform.api.compat.mem0.metadata import EXPIRATION, IMMUTABLE, ROLE, USUAL_ROLE, write_metadata
from memoryplatform.api.compat.mem0.owners import KINDS, Owners, read_owners
from memoryplatform.api.compat.mem0.timestamps import read_extent
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.api.v1.banks import ExtractionSettingsInput, check_list
from memoryplatform.api.v1.fact_input import FactInput
from memoryplatform.api.v1.retain_items import read_items
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import BankChange, find_or_create_bank
from memoryplatform.operations.mem0_project import Mem0Project, read_project
from memoryplatform.operations.memories.newest_metadata import MetadataRule
from memoryplatform.operations.models import Operation
from memoryplatform.operations.retain import retain
from tenants.transactions import tenant_transaction

SETTINGS = ExtractionSettingsInput()
FACT_TEXT = FactInput().fields["text"]
DEFAULT_AGENT = "Assistant"
METADATA_RULE = MetadataRule(expiration_key=EXPIRATION, immutable_key=IMMUTABLE)
QUEUED = "Memory processing has been queued for background execution"
STATUS = {
    Operation.Status.PENDING: "PENDING",
    Operation.Status.PROCESSING: "RUNNING",
    Operation.Status.COMPLETED: "SUCCEEDED",
    Operation.Status.FAILED: "FAILED",
    Operation.Status.CANCELLED: "FAILED",
}


class AddInput(serializers.Serializer[Any]):
    messages = serializers.JSONField()
    filters = serializers.DictField(required=False, default=dict)
    metadata = serializers.JSONField(required=False, default=dict)
    infer = serializers.BooleanField(default=True)
    immutable = serializers.BooleanField(default=False)
    expiration_date = serializers.DateField(required=False)
    timestamp = serializers.JSONField(required=False, default=None)
    async_mode = serializers.BooleanField(default=True)
    output_format = serializers.CharField(required=False, default="", allow_blank=True)
    custom_instructions = serializers.CharField(required=False, default="", allow_blank=True)
    custom_categories = serializers.JSONField(required=False, default=None)
    includes = serializers.CharField(required=False, default="", allow_blank=True)
    excludes = serializers.CharField(required=False, default="", allow_blank=True)


@dataclass(frozen=True)
class Addition:
    owners: Owners
    items: tuple[RetainItem, ...]
    waits: bool
    is_wrapped: bool  # the response is an object with `results`, not a list
    settings: Mapping[str, Any]  # of this call alone


def read_addition(given: Any, project: Mem0Project) -> Addition:
    """The ids may be top-level fields or inside `filters`, depending on the client's version."""
    body = read_body(AddInput, given).validated_data
    owners = read_owners(join_ids(given, body["filters"]))
    contents = read_contents(body["messages"], infer=body["infer"], thread=owners.name_of("run"))
    labels: dict[str, Any] = {"tags": list(owners.tags)}
    if body["timestamp"] is not None:
        with prefix_faults("timestamp"):
            labels["timestamp"] = read_extent(body["timestamp"])[0]
    metadata = write_metadata(body["metadata"]) | write_own_metadata(body)
    read = read_items([labels | one | {"metadata": metadata | one.get("metadata", {})} for one in contents])
    if read.faults:
        raise serializers.ValidationError(rename_fact_faults(read.faults[0].faults.detail))
    waits = not (contents and body["infer"] and body["async_mode"])
    is_wrapped = body["output_format"] == "v1.1"
    usual = project.build_settings(is_agents=not owners.name_of("user"))
    return Addition(owners, read.good, waits=waits, is_wrapped=is_wrapped, settings=read_settings(body, usual))


def read_settings(body: Mapping[str, Any], usual: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that instruct the extraction, as our settings of one call. `usual` are those of the project."""
    sought = f"Look for this: {body['includes']}" if body["includes"] else ""
    mission = body["custom_instructions"] or usual.get("retain_mission", "")
    given = {
        "retain_mission": "\n".join(part for part in (mission, sought) if part),
        "leave_out": body["excludes"],
        "categories": read_categories(body["custom_categories"]),
    }
    checked = SETTINGS.run_validation({name: value for name, value in given.items() if value})
    return {**usual, **checked}


def read_categories(given: Any) -> list[dict[str, Any]]:
    """mem0 writes a category as an object with its name and its description: {"food": "What they eat."}.

    A name alone is a category without a description.
    """
    listed = [given] if isinstance(given, Mapping) else given or []
    if not isinstance(listed, list) or not all(isinstance(one, Mapping | str) for one in listed):
        raise serializers.ValidationError({"custom_categories": ["Must be a list of objects: name and description."]})
    groups = [{one: ""} if isinstance(one, str) else one for one in listed]
    with prefix_faults("custom_categories"):
        return check_list(
            "categories", [{"name": name, "description": words} for one in groups for name, words in one.items()]
        )


def join_ids(beside: Mapping[str, Any], filters: Mapping[str, Any]) -> dict[str, Any]:
    """Refuses two different values of the same id, because the owner would be ambiguous."""
    for name in KINDS:
        both = [place[name] for place in (beside, filters) if place.get(name) is not None]
        if len(both) > 1 and both[0] != both[1]:
            raise serializers.ValidationError({name: ["Differs from the same id in filters."]})
    return {name: filters.get(name) if beside.get(name) is None else beside[name] for name in KINDS}


def write_own_metadata(body: Mapping[str, Any]) -> dict[str, str]:
    own = {EXPIRATION: body["expiration_date"].isoformat()} if "expiration_date" in body else {}
    return own | ({IMMUTABLE: "true"} if body["immutable"] else {})


def read_contents(given: Any, *, infer: bool, thread: str) -> list[dict[str, Any]]:
    """With `infer` one conversation; without it each message is a fact as it is, except system messages.

    Empty if no message has text.
    """
    messages = read_messages(given)
    if infer:
        return [{"messages": [message for _, message in messages], "thread": thread}] if messages else []
    by_role: dict[str, list[dict[str, str]]] = {}
    for place, said in messages:
        if said["role"] != "system":
            by_role.setdefault(said["role"], []).append(read_fact(said, place))
    if messages and not by_role:
        raise serializers.ValidationError({"messages": ["Must have a message whose role is not system."]})
    return [{"facts": facts, "metadata": write_role(role)} for role, facts in by_role.items()]


def write_role(role: str) -> dict[str, str]:
    """The role of facts, which have no message: the facts of one role share a source that stores it."""
    return {} if role == USUAL_ROLE else {ROLE: role}


def rename_fact_faults(faults: Any) -> Any:
    """Names faults after `messages`, which the caller sent, instead of `facts`."""
    if not isinstance(faults, Mapping):
        return faults
    return {"messages" if name == "facts" else name: fault for name, fault in faults.items()}


def read_fact(said: Mapping[str, Any], place: int) -> dict[str, str]:
    with prefix_faults(f"messages.{place}.content"):
        return {"text": FACT_TEXT.run_validation(said["content"])}


def add_memories(access: BankAccess, given: Any, *, key: str | None) -> dict[str, Any]:
    return add_items(access, read_addition(as_object(given), read_project(access.tenant_id)), key=key)


def add_memories_as_before(access: BankAccess, given: Any, *, key: str | None) -> Any:
    """Version 1 returns a list: of the results if the caller waited, else of the pending event."""
    addition = read_addition(as_object(given), read_project(access.tenant_id))
    answer = add_items(access, addition, key=key)
    results = answer["results"] if answer["status"] == "SUCCEEDED" else [answer]
    return {"results": results, "relations": []} if addition.is_wrapped else results


def as_object(given: Any) -> Mapping[str, Any]:
    return given if isinstance(given, Mapping) else {}


def add_items(access: BankAccess, addition: Addition, *, key: str | None) -> dict[str, Any]:
    new = BankChange(name=addition.owners.name_of("agent") or DEFAULT_AGENT)  # never the user's name
    bank, _ = find_or_create_bank(access, addition.owners.bank_id, new)
    operation = retain(
        access,
        bank.bank_id,
        addition.items,
        wait=addition.waits,
        idempotency_key=key,
        metadata_rule=METADATA_RULE,
        settings=addition.settings,
    )
    status = STATUS[Operation.Status(operation.status)]
    answer = {"message": operation.error_detail or QUEUED, "status": status, "event_id": operation.id}
    if status == "SUCCEEDED":
        results = list_added(access.tenant_id, [operation])[operation.id]
        answer |= {"message": "Memories added successfully", "results": results}
    return answer


def list_added(tenant_id: UUID, operations: Iterable[Operation]) -> dict[UUID, list[dict[str, Any]]]:
    """The new memories of each operation that still exist, in one query. A repeated fact is no new memory."""
    added: dict[UUID, list[str]] = {one.id: sorted((one.result or {}).get("unit_ids", [])) for one in operations}
    wanted = [memory_id for ids in added.values() for memory_id in ids]
    with tenant_transaction(tenant_id):
        rows = MemoryUnit.objects.for_tenant(tenant_id).filter(id__in=wanted).values_list("id", "speaker", "text")
        texts = {str(memory_id): render_text(speaker, text) for memory_id, speaker, text in rows}
    events = {one: {"id": one, "memory": text, "data": {"memory": text}, "event": "ADD"} for one, text in texts.items()}
    return {operation: [events[one] for one in ids if one in events] for operation, ids in added.items()}
