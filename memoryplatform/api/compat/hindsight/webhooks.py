"""`/webhooks` of a bank. What is sent to such a webhook is told and signed in Hindsight's way.

Values of headers and parameters may be credentials: answers hold a mask in their place, and a mask that comes back
stands for what is kept.
"""

import re
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.any_json import check_json
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, cut_page, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_body, read_query
from memoryplatform.api.cursors import CursorField
from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import paginate
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.preconditions import read_expected
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.notify.hindsight_options import HttpConfig, read_config, write_options
from memoryplatform.operations.notify.hindsight_shape import EVENTS, NAME, OURS
from memoryplatform.operations.webhooks import (
    NewWebhook,
    WebhookChange,
    change_webhook,
    create_webhook,
    delete_webhook,
    find_deliveries,
    find_webhooks,
    get_webhook,
    make_secret,
)
from tenants.models import ApiKey, Delivery, Webhook
from tenants.transactions import tenant_transaction

ADMIN = {"GET": "admin", "POST": "admin", "PATCH": "admin", "DELETE": "admin"}
HEADER = re.compile(r"[A-Za-z0-9-]{1,100}")
# Ours to say: where a request goes, how long it is, and who signed it.
TAKEN = re.compile(
    r"host|content-.*|transfer-.*|connection|upgrade|te|trailer|webhook-.*|x-hindsight-.*", re.IGNORECASE
)
MOST_SECONDS = 3_600  # Hindsight sets no upper bound
MASK = "***"
STATUSES = {Delivery.Status.DELIVERED: "completed"}


class HttpConfigInput(Input):
    method = serializers.ChoiceField(choices=["GET", "POST"], default="POST")
    timeout_seconds = serializers.IntegerField(min_value=1, max_value=MOST_SECONDS, default=30)
    headers = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict)
    params = serializers.DictField(child=serializers.CharField(max_length=2_000), default=dict, validators=[check_json])

    def validate_headers(self, value: dict[str, str]) -> dict[str, str]:
        for name, content in value.items():
            if not HEADER.fullmatch(name) or TAKEN.fullmatch(name) or not (content.isascii() and content.isprintable()):
                raise serializers.ValidationError("A header of this name or content can't be sent.")
        return value


class WebhookChangeInput(Input):
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


class DeliveryListInput(Input):
    limit = serializers.IntegerField(min_value=1, max_value=200, default=50)
    cursor = CursorField()


class HindsightWebhooksView(HindsightView):
    quotes_memories = False
    scopes = ADMIN

    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(OffsetInput, request)
        with tenant_transaction(self.tenant_id):
            rows = find_webhooks(self.access, bank_id=get_bank(self.access, bank_id).bank_id).order_by("id")
            items = [describe_webhook(one) for one in cut_page(rows, wanted)]
            return Response(describe_page(items, rows.count(), wanted))

    @idempotent
    def post(self, request: Request, bank_id: str) -> Response:
        given = read_body(WebhookInput, request.data).validated_data
        secret = given.get("secret") or ""
        check_secret(secret)
        config = fill_in(HttpConfig(**given["http_config"]), HttpConfig())
        new = NewWebhook(
            url=given["url"],
            events=translate(given["event_types"]),
            bank_id=bank_id,
            enabled=given["enabled"],
            secret=secret,
            shape=NAME,
            options=write_options(config, has_secret=bool(secret)),
        )
        return Response(describe_webhook(create_webhook(self.access, new)), status=status.HTTP_201_CREATED)


class HindsightWebhookView(HindsightView):
    scopes = ADMIN

    def patch(self, request: Request, bank_id: str, webhook_id: UUID) -> Response:
        given = read_body(WebhookChangeInput, request.data).validated_data
        with tenant_transaction(self.tenant_id):
            change = build_change(given, get_webhook(self.access, webhook_id, bank_id=bank_id, lock=True))
            expected = read_expected(request)
            webhook = change_webhook(self.access, webhook_id, change, bank_id=bank_id, expected=expected)
            return Response(describe_webhook(webhook))

    def delete(self, request: Request, bank_id: str, webhook_id: UUID) -> Response:
        delete_webhook(self.access, webhook_id, bank_id=bank_id, expected=read_expected(request))
        return Response({"success": True, "message": f"Webhook {webhook_id} is deleted.", "deleted_count": 1})


class HindsightDeliveriesView(HindsightView):
    def get(self, request: Request, bank_id: str, webhook_id: UUID) -> Response:
        wanted = read_query(DeliveryListInput, request)
        with tenant_transaction(self.tenant_id):
            rows = find_deliveries(self.access, webhook_id, bank_id=bank_id).select_related("webhook")
            page = paginate(rows, wanted, of=webhook_id)
            is_admin = self.identity.allows(ApiKey.Scope.ADMIN)
            items = [describe_delivery(one, with_path=is_admin) for one in page.rows]
        return Response({"items": items, "next_cursor": page.next_cursor})


def translate(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(EVENTS[name] for name in names))


def build_change(given: dict[str, Any], webhook: Webhook) -> WebhookChange:
    """A secret of null takes it away: what is sent then has no signature of Hindsight's.

    Call while holding the row lock: what is kept of the options must not be older than what is written.
    """
    options = webhook.options
    if given.get("secret") == MASK and options.get("has_secret"):
        del given["secret"]
    check_secret(given.get("secret"))
    if "http_config" in given:
        config = fill_in(HttpConfig(**given["http_config"]), read_config(options) or HttpConfig())
        options = write_options(config, has_secret=bool(options.get("has_secret")))
    if "secret" in given:
        options = options | {"has_secret": bool(given["secret"])}
    return WebhookChange(
        url=given.get("url"),
        events=translate(given["event_types"]) if "event_types" in given else None,
        enabled=given.get("enabled"),
        secret=(given["secret"] or make_secret()) if "secret" in given else None,
        options=None if options is webhook.options else options,
    )


def check_secret(secret: str | None) -> None:
    if secret == MASK:
        raise serializers.ValidationError({"secret": [f"{MASK} stands for a secret that is kept, and there is none."]})


def fill_in(given: HttpConfig, kept: HttpConfig) -> HttpConfig:
    """With what is kept in the place of every mask."""
    return replace(
        given,
        headers=unmask("headers", given.headers, kept.headers),
        params=unmask("params", given.params, kept.params),
    )


def unmask(field: str, given: dict[str, str], kept: dict[str, str]) -> dict[str, str]:
    missing = [name for name, value in given.items() if value == MASK and name not in kept]
    if missing:
        fault = f"{MASK} stands for a value that is kept, and there is none for {', '.join(missing)}."
        raise serializers.ValidationError({"http_config": {field: [fault]}})
    return {name: kept[name] if value == MASK else value for name, value in given.items()}


def describe_webhook(webhook: Webhook) -> dict[str, Any]:
    return {
        "id": str(webhook.id),
        "bank_id": webhook.bank_id or None,
        "url": webhook.url,
        "secret": MASK if webhook.options.get("has_secret") else None,
        "event_types": [OURS.get(name, name) for name in webhook.events],
        "enabled": webhook.enabled,
        "http_config": describe_config(read_config(webhook.options) or HttpConfig()),
        "created_at": webhook.created_at,
        "updated_at": webhook.updated_at,
    }


def describe_config(config: HttpConfig) -> dict[str, Any]:
    """One that was kept before there was a bound may have a number that no answer can repeat."""
    return {
        "method": config.method,
        "timeout_seconds": min(config.timeout_seconds, MOST_SECONDS),
        "headers": dict.fromkeys(config.headers, MASK),
        "params": dict.fromkeys(config.params, MASK),
    }


def describe_delivery(delivery: Delivery, *, with_path: bool) -> dict[str, Any]:
    """The path of an address may be a secret, which is not for everybody who may see what became of a delivery."""
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
