"""`/v1/ping/`, the project and its members: a tenant is an organisation with one project."""

from collections.abc import Mapping
from typing import Any, ClassVar
from uuid import UUID

from django.core.exceptions import ValidationError
from rest_framework import serializers
from rest_framework.request import Request

from banks.extraction_settings import LONGEST_MISSION
from memoryplatform.api.compat.hindsight.hindsight_view import NotOffered, read_body
from memoryplatform.api.compat.mem0.add import read_categories
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound
from memoryplatform.api.compat.mem0.memories import pick_fields
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.account import invitations, members
from memoryplatform.operations.account.access import TenantAccess
from memoryplatform.operations.account.errors import NotPermitted
from memoryplatform.operations.mem0_project import Mem0Project, change_project
from tenants.models import Member, Tenant
from tenants.transactions import tenant_transaction

FIXED = "Projects are tenants here: the operator of the service creates and deletes them."
LIMITED = "An API key that is limited to some banks can't manage the members."
ADMIN = {"GET": "admin", "POST": "admin", "PUT": "admin", "DELETE": "admin"}  # members have e-mail addresses
READER, OWNER = "READER", "OWNER"
ROLES = {READER: Member.Role.VIEWER, OWNER: Member.Role.ADMIN}
NAMES = {Member.Role.OWNER: OWNER, Member.Role.ADMIN: OWNER}


class PingView(Mem0View):
    def get(self, _request: Request) -> object:
        """Returns no e-mail, because the client would send it to its vendor's telemetry."""
        ids = {"org_id": str(self.tenant_id), "project_id": str(self.tenant_id)}
        return {"status": "ok", **ids, "user_email": None}


class ProjectInput(serializers.Serializer[Any]):
    """Null clears a field."""

    custom_instructions = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, max_length=LONGEST_MISSION
    )
    agent_custom_instructions = serializers.CharField(
        required=False, allow_blank=True, allow_null=True, max_length=LONGEST_MISSION
    )
    custom_categories = serializers.JSONField(required=False, allow_null=True)
    multilingual = serializers.BooleanField(required=False)
    decay = serializers.BooleanField(required=False)

    def change(self) -> dict[str, Any]:
        given = dict(self.validated_data)
        if "custom_categories" in given:
            given["categories"] = read_categories(given.pop("custom_categories"))
        return {name: "" if value is None else value for name, value in given.items()}


class ProjectView(Mem0View):
    def get(self, request: Request, org_id: str, project_id: str) -> object:
        check_project(org_id, project_id, self.tenant_id)
        with tenant_transaction(self.tenant_id):
            tenant = Tenant.objects.get(id=self.tenant_id)
        return pick_fields(describe_project(tenant), request.query_params.getlist("fields"))

    def patch(self, request: Request, org_id: str, project_id: str) -> object:
        check_project(org_id, project_id, self.tenant_id)
        given = read_body(ProjectInput, request.data)
        change_project(self.access, given.change())
        names = (name.replace("_", " ") for name in given.validated_data)
        return {"message": f"Updated {', '.join(names) or 'nothing'}"}

    def delete(self, _request: Request, **_names: Any) -> object:
        raise NotOffered(FIXED)


def check_project(org_id: str, project_id: str, tenant_id: UUID) -> None:
    if {org_id, project_id} != {str(tenant_id)}:
        raise NotFound("Organization or project not found")


def describe_project(tenant: Tenant) -> dict[str, Any]:
    """The settings that a project has here; the others are constant."""
    project = Mem0Project.read(tenant.mem0_project)
    return {
        "project_id": tenant.id,
        "name": tenant.name,
        "description": "",
        "created_at": tenant.created_at,
        "updated_at": tenant.created_at,
        "members": [],
        "user_role": READER,
        "usecase": None,
        "memory_depth": "",
        "inclusion_prompt": None,
        "exclusion_prompt": None,
        "custom_categories": [{one["name"]: one["description"]} for one in project.categories],
        "custom_instructions": project.custom_instructions,
        "agent_custom_instructions": project.agent_custom_instructions or None,
        "update_custom_instructions": None,
        "summary_custom_instructions": None,
        "summary_batch_size": 0,
        "summary_max_tokens": None,
        "active_prompt_profile": None,
        "expiration_date": None,
        "decay": project.decay,
        "multilingual": project.multilingual,
        "enable_graph": True,
        "version": "v3",
        "is_default": True,
    }


class MemberInput(serializers.Serializer[Any]):
    email = serializers.EmailField(max_length=254)
    role = serializers.ChoiceField(choices=[READER, OWNER], default=READER)


class MembersView(Mem0View):
    """mem0's OWNER is an admin here, and READER a viewer. A person joins by the invitation that they get."""

    scopes: ClassVar[dict[str, str]] = ADMIN

    def get(self, _request: Request, org_id: str, project_id: str) -> object:
        return {"members": [describe_member(one) for one in members.list_members(self.open(org_id, project_id))]}

    @idempotent
    def post(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        given = read_body(MemberInput, request.data).validated_data
        try:
            invitations.invite(access, given["email"], ROLES[given["role"]])
        except ValidationError as fault:
            raise serializers.ValidationError({"email": fault.messages}) from fault
        return {"message": f"{given['email']} is invited by e-mail and joins with the link in it."}

    def put(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        given = read_body(MemberInput, request.data).validated_data
        member = find_member(access, given["email"])
        members.change_role(access, member.user_id, ROLES[given["role"]])
        return {"message": "User role updated successfully"}

    def delete(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        members.remove_member(access, find_member(access, request.query_params.get("email", "")).user_id)
        return {"message": "User removed from the project successfully"}

    def open(self, org_id: str, project_id: str) -> TenantAccess:
        """A key with the scope admin has the rights of an admin."""
        check_project(org_id, project_id, self.tenant_id)
        if self.identity.banks is not None:
            raise NotPermitted(LIMITED)
        return TenantAccess(self.tenant_id, Member.Role.ADMIN, self.actor)


def find_member(access: TenantAccess, email: str) -> Member:
    found = (one for one in members.list_members(access) if one.user.email.casefold() == email.strip().casefold())
    member = next(found, None)
    if member is None:
        raise NotFound("Member not found")
    return member


def describe_member(member: Member) -> Mapping[str, Any]:
    role = NAMES.get(Member.Role(member.role), READER)
    return {"username": member.user.name or member.user.email, "email": member.user.email, "role": role}
