"""`/api/v1/webhooks/`: webhooks that tell of mem0's memories, in its words."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.compat.mem0.errors import NotFound
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.owners import BANKS
from memoryplatform.api.idempotency import idempotent
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.errors import WebhookNotFound
from memoryplatform.operations.notify import mem0_shape
from memoryplatform.operations.webhooks import (
    NewWebhook,
    WebhookChange,
    change_webhook,
    create_webhook,
    delete_webhook,
    find_webhooks,
)
from tenants.models import Webhook
from tenants.transactions import tenant_transaction

# A webhook carries what happens out of the house, so who may set one up may administer. Its address may be a secret.
ADMIN = {"GET": "admin", "POST": "admin", "PUT": "admin", "DELETE": "admin"}
EVENTS = {
    "memory_add": ("memories.retained",),
    "memory_update": ("memory.edited",),
    "memory_delete": ("memory.deleted", "memories.deleted"),
}
# What mem0 tells of and never happens here.
NEVER = (
    "memory_categorize",
    "ingest_job_completed",
    "ingest_job_partially_completed",
    "ingest_job_failed",
    "ingest_job_cancelled",
)
CHOSEN = "event_types"  # the option that keeps what the caller asked for


class WebhookInput(serializers.Serializer[Any]):
    """Of a change, where nothing is required."""

    url = serializers.CharField(max_length=2_000, required=False)
    name = serializers.CharField(max_length=200, required=False)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[*EVENTS, *NEVER]), required=False, min_length=1, max_length=20
    )
    is_active = serializers.BooleanField(required=False)

    def change(self) -> WebhookChange:
        given = self.validated_data
        chosen = given.get("event_types")
        return WebhookChange(
            url=given.get("url"),
            name=given.get("name"),
            events=translate(chosen) if chosen else None,
            enabled=given.get("is_active"),
            options=build_options(chosen) if chosen else None,
        )


class NewWebhookInput(WebhookInput):
    url = serializers.CharField(max_length=2_000)
    name = serializers.CharField(max_length=200)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(choices=[*EVENTS, *NEVER]), min_length=1, max_length=20
    )

    def new(self) -> NewWebhook:
        given = self.validated_data
        return NewWebhook(
            url=given["url"],
            name=given["name"],
            events=translate(given["event_types"]),
            enabled=given.get("is_active", True),
            shape=mem0_shape.NAME,
            options=build_options(given["event_types"]),
        )


class WebhooksView(Mem0View):
    scopes = ADMIN

    def get(self, _request: Request, project_id: str) -> Response:
        check_project(project_id, self.tenant_id)
        with tenant_transaction(self.tenant_id):
            rows = find_webhooks(self.access).filter(shape=mem0_shape.NAME).order_by("-id")
            return Response([describe_webhook(one) for one in rows])

    @idempotent
    def post(self, request: Request, project_id: str) -> Response:
        check_project(project_id, self.tenant_id)
        webhook = create_webhook(self.access, read_body(NewWebhookInput, request.data).new())
        return Response(describe_webhook(webhook), status=status.HTTP_201_CREATED)


class WebhookView(Mem0View):
    scopes = ADMIN

    def put(self, request: Request, webhook_id: UUID) -> Response:
        check_webhook(self.access, webhook_id)
        change = read_body(WebhookInput, request.data).change()
        return Response(describe_webhook(change_webhook(self.access, webhook_id, change)))

    def delete(self, _request: Request, webhook_id: UUID) -> Response:
        check_webhook(self.access, webhook_id)
        delete_webhook(self.access, webhook_id)
        return Response({"message": "Webhook deleted successfully"})


def check_project(project_id: str, tenant_id: UUID) -> None:
    if project_id != str(tenant_id):
        raise NotFound("Organization or project not found")


def check_webhook(access: BankAccess, webhook_id: UUID) -> None:
    """Webhooks that speak in other words are managed where they were made."""
    with tenant_transaction(access.tenant_id):
        if not find_webhooks(access).filter(shape=mem0_shape.NAME, id=webhook_id).exists():
            raise WebhookNotFound(webhook_id)


def translate(chosen: Sequence[str]) -> tuple[str, ...]:
    events = tuple(event for name in dict.fromkeys(chosen) for event in EVENTS.get(name, ()))
    if not events:
        raise serializers.ValidationError(
            {"event_types": [f"Of these alone nothing is ever told: {', '.join(NEVER)}."]}
        )
    return events


def build_options(chosen: Sequence[str]) -> dict[str, Any]:
    return {CHOSEN: list(dict.fromkeys(chosen)), mem0_shape.BANKS: BANKS}


def describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "webhook_id": webhook.id,
        "name": webhook.name,
        "url": webhook.url,
        "event_types": webhook.options[CHOSEN],
        "owner": webhook.tenant_id,
        "project": webhook.tenant_id,
        "is_active": webhook.enabled,
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }
