"""`/v1/ping/` and the project: a tenant is an organisation with one project."""

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.mem0.errors import NotFound
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.memory_shapes import pick_fields
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

FIXED = "Projects are tenants here: they are made, changed and deleted by whoever runs the service."


class PingView(Mem0View):
    def get(self, _request: Request) -> Response:
        """No e-mail: the client would hand it to its maker's telemetry."""
        ids = {"org_id": str(self.tenant_id), "project_id": str(self.tenant_id)}
        return Response({"status": "ok", **ids, "user_email": None})


class ProjectView(Mem0View):
    def get(self, request: Request, org_id: str, project_id: str) -> Response:
        if {org_id, project_id} != {str(self.tenant_id)}:
            raise NotFound("Organization or project not found")
        with tenant_transaction(self.tenant_id):
            tenant = Tenant.objects.get(id=self.tenant_id)
        return Response(pick_fields(describe_project(tenant), request.query_params.getlist("fields")))

    def patch(self, _request: Request, **_names: Any) -> Response:
        raise NotOffered(FIXED)

    def delete(self, _request: Request, **_names: Any) -> Response:
        raise NotOffered(FIXED)


def describe_project(tenant: Tenant) -> dict[str, Any]:
    """Most of it is there to be read alone: nothing of a project can be set."""
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
