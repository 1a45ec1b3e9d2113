"""`/webhooks` of a bank. What is sent to such a webhook is told and signed in the peer's way."""

import re
from typing import Any
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.any_json import check_json
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.peer_view import PeerView
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import paginate
from memoryplatform.operations.bank_profile import get_bank
from memoryplatform.operations.notify.peer_shape import EVENTS, NAME, OURS
from memoryplatform.operations.webhooks import (
    NewWebhook,
    WebhookChange,
    change_webhook,
    create_webhook,
    delete_webhook,
    find_deliveries,
    find_webhooks,
    make_secret,
)
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction

ADMIN = {"POST": "admin", "PATCH": "admin", "DELETE": "admin"}
HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
# Ours to say: where a request goes, how long it is, and who signed it.
TAKEN = re.compile(
    r"host|content-.*|transfer-.*|connection|upgrade|te|trailer|webhook-.*|x-hindsight-.*", re.IGNORECASE
)
MOST_SECONDS = 3_600  # the peer sets no upper bound
STATUSES = {Delivery.Status.DELIVERED: "completed"}


class HttpConfigInput(serializers.Serializer[Any]):
    method = serializers.ChoiceField(choices=["GET", "POST"], default="POST")
    timeout_seconds = serializers.IntegerField(min_value=1, max_value=MOST_SECONDS, default=30)
    headers = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict)
    params = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict, validators=[check_json])

    def validate_headers(self, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if not HEADER.fullmatch(name) or TAKEN.fullmatch(name) or not (content.isascii() and content.isprintable()):
                raise serializers.ValidationError("A header of this name or content can't be sent.")
        return value


class WebhookChangeInput(serializers.Serializer[Any]):
    url = serializers.CharField(max_length=2_000, required=False)
    secret = serializers.CharField(max_length=200, required=False, allow_null=True)
    event_types = serializers.ListField(child=serializers.ChoiceField(choices=sorted(EVENTS)), required=False)
    enabled = serializers.BooleanField(required=False)
    http_config = HttpConfigInput(required=False)


class WebhookInput(WebhookChangeInput):
    url = serializers.CharField(max_length=2_000)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(EVENTS)), default=["consolidation.completed"]
    )
    enabled = serializers.BooleanField(default=True)
    http_config = HttpConfigInput(default=dict)


class DeliveryListInput(serializers.Serializer[Any]):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = serializers.UUIDField(required=False)


class PeerWebhooksView(PeerView):
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(OffsetInput, request)
        with tenant_transaction(self.tenant_id):
            rows = find_webhooks(self.access, bank_id=get_bank(self.access, bank_id).bank_id).order_by("-id")
            items = [describe_webhook(one) for one in cut_page(rows, wanted)]
            return Response(describe_page(items, rows.count(), wanted))

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        given = read_body(WebhookInput, request.data).validated_data
        secret = given.get("secret") or ""
        new = NewWebhook(
            url=given["url"],
            events=translate(given["event_types"]),
            bank_id=bank_id,
            enabled=given["enabled"],
            secret=secret,
            shape=NAME,
            options={"has_secret": bool(secret), "http_config": dict(given["http_config"])},
        )
        return Response(describe_webhook(create_webhook(self.access, new)), status=status.HTTP_201_CREATED)


class PeerWebhookView(PeerView):
    scopes = ADMIN

    def patch(self, request: Request, bank_id: str, webhook_id: UUID) -> Response:
        given = read_body(WebhookChangeInput, request.data).validated_data
        with tenant_transaction(self.tenant_id):
            webhook = find_webhooks(self.access, bank_id=bank_id).filter(id=webhook_id).first()
            options = dict(webhook.options) if webhook else {}
            change = build_change(given, options)
            return Response(describe_webhook(change_webhook(self.access, webhook_id, change, bank_id=bank_id)))

    def delete(self, _request: Request, bank_id: str, webhook_id: UUID) -> Response:
        delete_webhook(self.access, webhook_id, bank_id=bank_id)
        return Response({"success": True, "message": f"Webhook {webhook_id} is deleted.", "deleted_count": 1})


class PeerDeliveriesView(PeerView):
    def get(self, request: Request, bank_id: str, webhook_id: UUID) -> Response:
        wanted = read_query(DeliveryListInput, request)
        with tenant_transaction(self.tenant_id):
            rows = find_deliveries(self.access, webhook_id, bank_id=bank_id).select_related("webhook")
            page = paginate(rows, limit=wanted["limit"], cursor=wanted.get("cursor"))
            items = [describe_delivery(one) for one in page.rows]
        return Response({"items": items, "next_cursor": str(page.next_cursor) if page.next_cursor else None})


def translate(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(EVENTS[name] for name in names))


def build_change(given: dict[str, Any], options: dict[str, Any]) -> WebhookChange:
    """A secret of null takes it away: what is sent then has no signature of the peer's."""
    if "http_config" in given:
        options["http_config"] = dict(given["http_config"])
    if "secret" in given:
        options["has_secret"] = bool(given["secret"])
    return WebhookChange(
        url=given.get("url"),
        events=translate(given["event_types"]) if "event_types" in given else None,
        enabled=given.get("enabled"),
        secret=(given["secret"] or make_secret()) if "secret" in given else None,
        options=options,
    )


def describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": str(webhook.id),
        "bank_id": webhook.bank_id or None,
        "url": webhook.url,
        "secret": "***" if webhook.options.get("has_secret") else None,
        "event_types": [OURS.get(name, name) for name in webhook.events],
        "enabled": webhook.enabled,
        "http_config": describe_config(webhook.options.get("http_config", {})),
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }


def describe_config(stored: dict[str, Any]) -> dict[str, Any]:
    """One that was kept before there was a bound may have a number that no answer can repeat."""
    return stored | {"timeout_seconds": min(stored["timeout_seconds"], MOST_SECONDS)} if stored else {}


def describe_delivery(delivery: Delivery) -> dict[str, Any]:
    return {
        "id": str(delivery.id),
        "event_id": str(delivery.event_id),
        "webhook_id": str(delivery.webhook_id),
        "url": delivery.webhook.url,
        "event_type": OURS.get(delivery.event, delivery.event),
        "status": STATUSES.get(Delivery.Status(delivery.status), delivery.status),
        "attempts": delivery.attempts,
        "next_retry_at": delivery.next_attempt_at,
        "last_error": delivery.error or None,
        "last_response_status": delivery.answer_code,
        "last_response_body": None,
        "last_attempt_at": delivery.attempted_at,
        "created_at": delivery.created_at,
        "updated_at": delivery.updated_at,
    }
