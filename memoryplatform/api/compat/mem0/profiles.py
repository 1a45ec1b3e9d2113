"""`/v2/profiles/` and `/v2/entities/user/{id}/profile/`: profiles of users.

A profile is read from the memories when a caller fetches it, as an export is: no model writes it, nothing is stored,
and a deleted memory never appears. So a job is done as soon as it is requested.
"""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0.entities import OwnerEntity, list_entities, read_named
from memoryplatform.api.compat.mem0.exports import SchemaReader, fill_shape, parse_schema
from memoryplatform.api.compat.mem0.filter_grammar import read_request_filters, without_expired
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound, PageRequest
from memoryplatform.api.compat.mem0.memories import list_memories
from memoryplatform.api.compat.mem0.owners import Owner
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.export_requests import find_export_request, keep_export_request
from memoryplatform.operations.mem0_project import Mem0Project, change_project, read_project
from tenants.transactions import tenant_transaction

USER = "user"
MOST_READ = 200  # memories, newest first
MOST_SAMPLED = 10
DONE = "succeeded"
# Without a schema of the project: all memories, and those of each category.
USUAL_SCHEMA = {"type": "object", "properties": {"memories": {"type": "array"}}}
LONGEST_INSTRUCTIONS = 4_000


class ProfileView(Mem0View):
    def get(self, _request: Request, kind: str, name: str) -> object:
        owner = read_named(kind, name)
        entity = find_entity(self.access, owner)
        return describe_profile(self.access, entity, read_project(self.tenant_id))


def find_entity(access: BankAccess, owner: Owner) -> OwnerEntity:
    with tenant_transaction(access.tenant_id):
        entity = next(iter(list_entities(access, owner)), None)
    if owner.kind != USER or entity is None:
        raise NotFound("Entity not found")
    return entity


def describe_profile(access: BankAccess, entity: OwnerEntity, project: Mem0Project) -> dict[str, Any]:
    about = {"entity_type": USER, "entity_id": entity.owner.name, "updated_at": entity.updated_at}
    if not project.profiles_enabled:
        return about | {"profile": {}, "status": "not_enabled", "generation_count": 0}
    condition = without_expired(read_request_filters({"filters": {"user_id": entity.owner.name}}))
    _, memories = list_memories(access, condition, PageRequest(1, MOST_READ))
    if not memories:
        return about | {"profile": {}, "status": "insufficient_data", "generation_count": 0}
    profile = read_profile(memories, project.profile_schema)
    return about | {"profile": profile, "status": DONE, "generation_count": 1}


def read_profile(memories: list[dict[str, Any]], schema: dict[str, Any] | None) -> Any:
    """A property takes the metadata or the field of its name, or the memories of the category of its name."""
    wanted = schema or USUAL_SCHEMA
    profile = fill_shape(SchemaReader(wanted).read(wanted), memories)
    if not isinstance(profile, dict):
        return profile
    by_category: dict[str, list[str]] = {}
    for memory in memories:
        for category in memory["categories"]:
            by_category.setdefault(category, []).append(memory["memory"])
    if schema is None:
        return profile | by_category
    properties = schema.get("properties", {})
    for name in [one for one, value in profile.items() if value in (None, []) and one in by_category]:
        is_list = isinstance(properties.get(name), Mapping) and properties[name].get("type") == "array"
        profile[name] = by_category[name] if is_list else "\n".join(by_category[name])
    return profile


class JobInput(serializers.Serializer[Any]):
    operation = serializers.ChoiceField(choices=["trigger", "sample"])
    entity_type = serializers.ChoiceField(choices=[USER], default=USER)
    entity_id = serializers.CharField(required=False, default="")
    limit = serializers.IntegerField(min_value=1, max_value=MOST_SAMPLED, default=3)


class JobsView(Mem0View):
    @idempotent
    def post(self, request: Request) -> Response:
        given = read_body(JobInput, request.data).validated_data
        if given["operation"] == "trigger":
            names = [find_entity(self.access, read_named(USER, given["entity_id"])).owner.name]
        else:
            with tenant_transaction(self.tenant_id):
                found = sorted(list_entities(self.access), key=lambda one: one.updated_at, reverse=True)
            names = [one.owner.name for one in found if one.owner.kind == USER][: given["limit"]]
        kept = keep_export_request(self.access, {"profiles": names})
        answer = {
            "job_id": kept.id,
            "event_id": kept.id,
            "status": DONE,
            "status_url": f"/v2/profiles/jobs/{kept.id}/",
            "operation": given["operation"],
            "entity_type": USER,
            "entity_count_reserved": len(names),
            "entity_ids": names,
            "sampled": len(names),
            "replayed": False,
        }
        return Response(answer, status=status.HTTP_202_ACCEPTED)


class JobView(Mem0View):
    def get(self, _request: Request, job_id: UUID) -> object:
        kept = find_export_request(self.access, job_id)
        names = kept.payload["request"].get("profiles") if kept else None
        if kept is None or names is None:
            raise NotFound("Job not found")
        counts = {"total": len(names), "completed": len(names), "succeeded": len(names), "failed": 0, "skipped": 0}
        return {"job": {"job_id": kept.id, "status": DONE, "enumeration_complete": True, **counts}}


class EntitySettingsInput(serializers.Serializer[Any]):
    schema = serializers.JSONField(required=False, allow_null=True)
    custom_instructions = serializers.CharField(
        required=False, allow_null=True, allow_blank=True, max_length=LONGEST_INSTRUCTIONS
    )


class UserSettingsInput(serializers.Serializer[Any]):
    user = EntitySettingsInput(required=False)


class SettingsInput(serializers.Serializer[Any]):
    enabled = serializers.BooleanField(required=False)
    entities = UserSettingsInput(required=False)

    def change(self) -> dict[str, Any]:
        given = self.validated_data
        change = {"profiles_enabled": given["enabled"]} if "enabled" in given else {}
        of_users = given.get("entities", {}).get(USER, {})
        if "custom_instructions" in of_users:
            change["profile_instructions"] = of_users["custom_instructions"]
        if "schema" in of_users:
            change["profile_schema"] = of_users["schema"] and check_schema(of_users["schema"])
        return change


def check_schema(given: Any) -> dict[str, Any]:
    with prefix_faults("entities.user.schema"):
        schema = parse_schema(given)
        SchemaReader(schema).read(schema)
    return schema


class SettingsView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"GET": "read", "POST": "write"}

    def get(self, _request: Request) -> object:
        return describe_settings(read_project(self.tenant_id))

    @idempotent
    def post(self, request: Request) -> object:
        return describe_settings(change_project(self.access, read_body(SettingsInput, request.data).change()))


def describe_settings(project: Mem0Project) -> dict[str, Any]:
    of_users = {"schema": project.profile_schema, "custom_instructions": project.profile_instructions}
    return {"enabled": project.profiles_enabled, "capabilities": {USER: True}, "entities": {USER: of_users}}
