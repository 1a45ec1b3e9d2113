"""`/v1/ping/`, the project and its members: a tenant is an organisation with one project."""

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
from tenants.models import ApiKey, Invitation, Member, Tenant
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
        project = describe_project(tenant) | self.describe_members()
        return pick_fields(project, request.query_params.getlist("fields"))

    def describe_members(self) -> dict[str, Any]:
        """Members have e-mail addresses, so only a key that may manage them sees them."""
        if not self.identity.allows(ApiKey.Scope.ADMIN) or self.identity.banks is not None:
            return {"members": [], "user_role": READER}
        return {"members": list_everyone(build_access(self)), "user_role": OWNER}

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
        return {"members": list_everyone(self.open(org_id, project_id))}

    @idempotent
    def post(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        given = read_body(MemberInput, request.data).validated_data
        invite(access, given["email"], ROLES[given["role"]])
        return {"message": f"{given['email']} is invited by e-mail and joins with the link in it."}

    def put(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        given = read_body(MemberInput, request.data).validated_data
        role, found = ROLES[given["role"]], find_person(access, given["email"])
        if isinstance(found, Member):
            members.change_role(access, found.user_id, role)
        elif found.role != role:  # the link names its role, so a new one is sent
            invitations.revoke_invitation(access, found.id)
            invite(access, found.email, role)
        return {"message": "User role updated successfully"}

    def delete(self, request: Request, org_id: str, project_id: str) -> object:
        access = self.open(org_id, project_id)
        found = find_person(access, request.query_params.get("email", ""))
        if isinstance(found, Member):
            members.remove_member(access, found.user_id)
        else:
            invitations.revoke_invitation(access, found.id)
        return {"message": "User removed from the project successfully"}

    def open(self, org_id: str, project_id: str) -> TenantAccess:
        """A key with the scope admin has the rights of an admin."""
        check_project(org_id, project_id, self.tenant_id)
        if self.identity.banks is not None:
            raise NotPermitted(LIMITED)
        return build_access(self)


def build_access(view: Mem0View) -> TenantAccess:
    return TenantAccess(view.tenant_id, Member.Role.ADMIN, view.actor)


def invite(access: TenantAccess, email: str, role: Member.Role) -> None:
    try:
        invitations.invite(access, email, role)
    except ValidationError as fault:
        raise serializers.ValidationError({"email": fault.messages}) from fault


def find_person(access: TenantAccess, email: str) -> Member | Invitation:
    """A member, or an invitation that is still open."""
    wanted = email.strip().casefold()
    for member in members.list_members(access):
        if member.user.email.casefold() == wanted:
            return member
    for invitation in invitations.list_invitations(access):
        if invitation.email.casefold() == wanted:
            return invitation
    raise NotFound("Member not found")


def list_everyone(access: TenantAccess) -> list[dict[str, Any]]:
    """Members, then those who are invited, the latest first."""
    joined = [describe_member(one.user.name, one.user.email, one.role) for one in members.list_members(access)]
    invited = [describe_member("", one.email, one.role) for one in invitations.list_invitations(access)]
    return [*(one | {"status": "member"} for one in joined), *(one | {"status": "invited"} for one in invited)]


def describe_member(name: str, email: str, role: str) -> dict[str, Any]:
    return {"username": name or email, "email": email, "role": NAMES.get(Member.Role(role), READER)}
