"""`/webhooks` of a bank. Deliveries to such a webhook have Hindsight's shape and signature.

Header and parameter values may be credentials, so responses show a mask. A mask that a client sends back keeps the
stored value.
"""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import CursorField, paginate
from memoryplatform.api.serializers import Input, check_json
from memoryplatform.operations import webhooks
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.notify.shapes import (
    HINDSIGHT,
    HINDSIGHT_EVENTS,
    OURS,
    HttpConfig,
    drop_credentials,
    read_config,
    write_options,
)
from tenants.models import ApiKey, Delivery, Webhook
from tenants.transactions import tenant_transaction

ADMIN = {"GET": "admin", "POST": "admin", "PATCH": "admin", "DELETE": "admin"}
HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
# Headers that the service sets itself: host, length, connection and signature.
RESERVED_HEADERS = re.compile(
    r"host|content-.*|transfer-.*|connection|upgrade|te|trailer|webhook-.*|x-hindsight-.*", re.IGNORECASE
)
MOST_SECONDS = 3_600  # Hindsight has no upper bound
MASK = "***"
STATUSES = {Delivery.Status.DELIVERED: "completed"}


class HttpConfigInput(Input):
    method = serializers.ChoiceField(choices=["GET", "POST"], default="POST")
    timeout_seconds = serializers.IntegerField(min_value=1, max_value=MOST_SECONDS, default=30)
    headers = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict)
    params = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict, validators=[check_json])

    def validate_headers(self, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if (
                not HEADER.fullmatch(name)
                or RESERVED_HEADERS.fullmatch(name)
                or not (content.isascii() and content.isprintable())
            ):
                raise serializers.ValidationError("A header of this name or content can't be sent.")
        return value


class WebhookChangeInput(Input):
    url = serializers.CharField(max_length=2_000, required=False)
    secret = serializers.CharField(max_length=200, required=False, allow_null=True)
    event_types = serializers.ListField(child=serializers.ChoiceField(choices=sorted(HINDSIGHT_EVENTS)), required=False)
    enabled = serializers.BooleanField(required=False)
    http_config = HttpConfigInput(required=False)


class WebhookInput(WebhookChangeInput):
    url = serializers.CharField(max_length=2_000)
    event_types = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(HINDSIGHT_EVENTS)), default=["consolidation.completed"]
    )
    enabled = serializers.BooleanField(default=True)
    http_config = HttpConfigInput(default=dict)


class DeliveryListInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = CursorField()


class HindsightWebhooksView(hindsight_view.HindsightView):
    quotes_memories = False
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(hindsight_view.OffsetInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            rows = webhooks.find_webhooks(self.access, bank_id=bank.bank_id).order_by("id")
            items = [describe_webhook(one) for one in hindsight_view.cut_page(rows, wanted)]
            return hindsight_view.describe_page(items, rows.count(), wanted)

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        given = hindsight_view.read_body(WebhookInput, request.data).validated_data
        secret = given.get("secret") or ""
        check_secret(secret)
        config = restore_masked(HttpConfig(**given["http_config"]), HttpConfig())
        new = webhooks.WebhookFields(
            url=given["url"],
            events=translate_events(given["event_types"]),
            bank_id=bank_id,
            enabled=given["enabled"],
            secret=secret,
            shape=HINDSIGHT,
            options=write_options(config, has_secret=bool(secret)),
        )
        return Response(describe_webhook(webhooks.create_webhook(self.access, new)), status=status.HTTP_201_CREATED)


class HindsightWebhookView(hindsight_view.HindsightView):
    scopes = ADMIN

    def patch(self, request: Request, bank_id: str, webhook_id: UUID) -> object:
        given = hindsight_view.read_body(WebhookChangeInput, request.data).validated_data
        with tenant_transaction(self.tenant_id):
            change = build_change(given, webhooks.get_webhook(self.access, webhook_id, bank_id=bank_id, lock=True))
            expected = self.expected
            webhook = webhooks.change_webhook(self.access, webhook_id, change, bank_id=bank_id, expected=expected)
            return describe_webhook(webhook)

    def delete(self, request: Request, bank_id: str, webhook_id: UUID) -> object:
        webhooks.delete_webhook(self.access, webhook_id, bank_id=bank_id, expected=self.expected)
        return {"success": True, "message": f"Webhook {webhook_id} is deleted.", "deleted_count": 1}


class HindsightDeliveriesView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, webhook_id: UUID) -> object:
        wanted = hindsight_view.read_query(DeliveryListInput, request)
        with tenant_transaction(self.tenant_id):
            rows = webhooks.find_deliveries(self.access, webhook_id, bank_id=bank_id).select_related("webhook")
            page = paginate(rows, wanted, of=webhook_id)
            is_admin = self.identity.allows(ApiKey.Scope.ADMIN)
            items = [describe_delivery(one, with_path=is_admin) for one in page.rows]
        return {"items": items, "next_cursor": page.next_cursor}


def translate_events(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(HINDSIGHT_EVENTS[name] for name in names))


def build_change(given: dict[str, Any], webhook: Webhook) -> webhooks.WebhookFields:
    """A null secret removes Hindsight's signature. A mask stands for no value if the URL goes to another host.

    Call while holding the row lock, because the stored options are merged with the new ones.
    """
    is_moved = webhooks.is_other_host(webhook.url, given.get("url"))
    options = drop_credentials(webhook.options) if is_moved else webhook.options
    if given.get("secret") == MASK and options.get("has_secret"):
        del given["secret"]
    check_secret(given.get("secret"))
    if "http_config" in given:
        config = restore_masked(HttpConfig(**given["http_config"]), read_config(options) or HttpConfig())
        options = write_options(config, has_secret=bool(options.get("has_secret")))
    if "secret" in given:
        options = options | {"has_secret": bool(given["secret"])}
    return webhooks.WebhookFields(
        url=given.get("url"),
        events=translate_events(given["event_types"]) if "event_types" in given else None,
        enabled=given.get("enabled"),
        secret=(given["secret"] or webhooks.make_secret()) if "secret" in given else None,
        options=None if options is webhook.options else options,
    )


def check_secret(secret: str | None) -> None:
    if secret == MASK:
        raise serializers.ValidationError({"secret": [f"{MASK} stands for the stored secret, and there is none."]})


def restore_masked(given: HttpConfig, kept: HttpConfig) -> HttpConfig:
    """Replaces every mask by the stored value."""
    return replace(
        given,
        headers=unmask("headers", given.headers, kept.headers),
        params=unmask("params", given.params, kept.params),
    )


def unmask(field: str, given: dict[str, str], kept: dict[str, str]) -> dict[str, str]:
    missing = [name for name, value in given.items() if value == MASK and name not in kept]
    if missing:
        fault = f"{MASK} stands for a stored value, and there is none for {', '.join(missing)}."
        raise serializers.ValidationError({"http_config": {field: [fault]}})
    return {name: kept[name] if value == MASK else value for name, value in given.items()}


def describe_webhook(webhook: Webhook) -> dict[str, Any]:
    """Cuts a timeout that was stored before there was a bound."""
    config = read_config(webhook.options) or HttpConfig()
    masked = {"headers": dict.fromkeys(config.headers, MASK), "params": dict.fromkeys(config.params, MASK)}
    timeout = min(config.timeout_seconds, MOST_SECONDS)
    return {
        "id": str(webhook.id),
        "bank_id": webhook.bank_id or None,
        "url": webhook.url,
        "secret": MASK if webhook.options.get("has_secret") else None,
        "event_types": [OURS.get(name, name) for name in webhook.events],
        "enabled": webhook.enabled,
        "http_config": {"method": config.method, "timeout_seconds": timeout, **masked},
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }


def describe_delivery(delivery: Delivery, *, with_path: bool) -> dict[str, Any]:
    """The path of an address may be a secret, so only admins see it."""
    address = urlsplit(delivery.webhook.url)
    return {
        "id": str(delivery.id),
        "event_id": str(delivery.event_id),
        "webhook_id": str(delivery.webhook_id),
        "url": delivery.webhook.url if with_path else f"{address.scheme}://{address.hostname}/{MASK}",
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
