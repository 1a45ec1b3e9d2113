"""`/v1/ping/` and the project: a tenant is an organisation with one project."""

from typing import Any

from rest_framework.request import Request

from memoryplatform.api.compat.hindsight.hindsight_view import NotOffered
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound
from memoryplatform.api.compat.mem0.memories import pick_fields
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

FIXED = "Projects are tenants here: the operator of the service creates, changes and deletes them."


class PingView(Mem0View):
    def get(self, _request: Request) -> object:
        """Returns no e-mail, because the client would send it to its vendor's telemetry."""
        ids = {"org_id": str(self.tenant_id), "project_id": str(self.tenant_id)}
        return {"status": "ok", **ids, "user_email": None}


class ProjectView(Mem0View):
    def get(self, request: Request, org_id: str, project_id: str) -> object:
        if {org_id, project_id} != {str(self.tenant_id)}:
            raise NotFound("Organization or project not found")
        with tenant_transaction(self.tenant_id):
            tenant = Tenant.objects.get(id=self.tenant_id)
        return pick_fields(describe_project(tenant), request.query_params.getlist("fields"))

    def patch(self, _request: Request, **_names: Any) -> object:
        raise NotOffered(FIXED)

    def delete(self, _request: Request, **_names: Any) -> object:
        raise NotOffered(FIXED)


def describe_project(tenant: Tenant) -> dict[str, Any]:
    """Constant values: a project has no settings here."""
    return {
        "project_id": tenant.id,
        "name": tenant.name,
        "description": "",
        "created_at": tenant.created_at,
        "updated_at": tenant.created_at,
        "members": [],
        "user_role": "READER",
        "usecase": None,
        "memory_depth": "",
        "inclusion_prompt": None,
        "exclusion_prompt": None,
        "custom_categories": [],
        "custom_instructions": "",
        "agent_custom_instructions": None,
        "update_custom_instructions": None,
        "summary_custom_instructions": None,
        "summary_batch_size": 0,
        "summary_max_tokens": None,
        "active_prompt_profile": None,
        "expiration_date": None,
        "decay": False,
        "multilingual": True,
        "enable_graph": True,
        "version": "v3",
        "is_default": True,
    }
