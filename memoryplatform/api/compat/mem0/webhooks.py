"""`/api/v1/webhooks/`: webhooks that report changes of mem0's memories in its shape."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.hindsight_view import read_body
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, NotFound
from memoryplatform.api.compat.mem0.owners import BANKS
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations import webhooks
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import WebhookNotFound
from memoryplatform.operations.notify.shapes import BANK_PREFIX, MEM0
from tenants.models import Webhook
from tenants.transactions import tenant_transaction

# A webhook sends data to outside addresses, and its address may be a secret, so all methods need the scope admin.
ADMIN = {"GET": "admin", "POST": "admin", "PUT": "admin", "DELETE": "admin"}
EVENTS = {
    "memory_add": ("memories.retained",),
    "memory_update": ("memory.edited",),
    "memory_delete": ("memory.deleted", "memories.deleted"),
}
# Events of mem0's that never occur here.
UNUSED_EVENTS = (
    "memory_categorize",
    "ingest_job_completed",
    "ingest_job_partially_completed",
    "ingest_job_failed",
    "ingest_job_cancelled",
)
EVENT_TYPES = "event_types"  # the option that stores the caller's choice


class WebhookInput(serializers.Serializer[Any]):
    """A change is partial: it needs no field."""

    url = serializers.CharField(max_length=2_000)
    name = serializers.CharField(max_length=200)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[*EVENTS, *UNUSED_EVENTS]), min_length=1, max_length=20
    )
    is_active = serializers.BooleanField(required=False)

    def change(self) -> webhooks.WebhookFields:
        given = self.validated_data
        chosen = given.get("event_types")
        return webhooks.WebhookFields(
            url=given.get("url"),
            name=given.get("name"),
            events=translate_events(chosen) if chosen else None,
            enabled=given.get("is_active"),
            options=build_options(chosen) if chosen else None,
        )


class WebhooksView(Mem0View):
    scopes = ADMIN

    def get(self, _request: Request, project_id: str) -> object:
        check_project(project_id, self.tenant_id)
        with tenant_transaction(self.tenant_id):
            rows = webhooks.find_webhooks(self.access).filter(shape=MEM0).order_by("-id")
            return [describe_webhook(one) for one in rows]

    @idempotent
    def post(self, request: Request, project_id: str) -> Response:
        check_project(project_id, self.tenant_id)
        new = replace(read_body(WebhookInput, request.data).change(), shape=MEM0)
        webhook = webhooks.create_webhook(self.access, new)
        return Response(describe_webhook(webhook), status=status.HTTP_201_CREATED)


class WebhookView(Mem0View):
    scopes = ADMIN

    def put(self, request: Request, webhook_id: UUID) -> object:
        check_webhook(self.access, webhook_id)
        change = read_body(WebhookInput, request.data, partial=True).change()
        changed = webhooks.change_webhook(self.access, webhook_id, change)
        return {"message": "Webhook updated successfully"} | describe_webhook(changed)

    def delete(self, _request: Request, webhook_id: UUID) -> object:
        check_webhook(self.access, webhook_id)
        webhooks.delete_webhook(self.access, webhook_id)
        return {"message": "Webhook deleted successfully"}


def check_project(project_id: str, tenant_id: UUID) -> None:
    if project_id != str(tenant_id):
        raise NotFound("Organization or project not found")


def check_webhook(access: BankAccess, webhook_id: UUID) -> None:
    """Only webhooks with mem0's shape: others are managed by the interface that created them."""
    with tenant_transaction(access.tenant_id):
        if not webhooks.find_webhooks(access).filter(shape=MEM0, id=webhook_id).exists():
            raise WebhookNotFound(webhook_id)


def translate_events(chosen: Sequence[str]) -> tuple[str, ...]:
    events = tuple(event for name in dict.fromkeys(chosen) for event in EVENTS.get(name, ()))
    if not events:
        raise serializers.ValidationError({"event_types": [f"These events never occur: {', '.join(UNUSED_EVENTS)}."]})
    return events


def build_options(chosen: Sequence[str]) -> dict[str, Any]:
    return {EVENT_TYPES: list(dict.fromkeys(chosen)), BANK_PREFIX: BANKS}


def describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "webhook_id": webhook.id,
        "name": webhook.name,
        "url": webhook.url,
        "event_types": webhook.options[EVENT_TYPES],
        "owner": webhook.tenant_id,
        "project": webhook.tenant_id,
        "is_active": webhook.enabled,
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }
