"""`/v1/webhooks`: addresses that receive events, and the deliveries to them."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, page_of, paginate
from memoryplatform.api.routes import route
from memoryplatform.api.serializers import Input, Output
from memoryplatform.api.views import TenantView
from memoryplatform.operations import webhooks
from tenants.models import Delivery
from tenants.transactions import tenant_transaction
from tenants.webhook_outbox import EVENTS

# A webhook sends data to outside addresses, and its address may be a secret, so all methods need the scope admin.
ADMIN = {"GET": "admin", "POST": "admin", "PATCH": "admin", "DELETE": "admin"}


class WebhookChangeInput(Input):
    url = serializers.CharField(max_length=2_000, required=False, help_text="http:// or https://, a public address.")
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(EVENTS)), min_length=1, max_length=100, required=False
    )
    name = serializers.CharField(max_length=200, allow_blank=True, required=False)
    enabled = serializers.BooleanField(required=False)

    def change(self) -> webhooks.WebhookFields:
        given = dict(self.validated_data)
        if "events" in given:
            given["events"] = tuple(dict.fromkeys(given["events"]))
        return webhooks.WebhookFields(**given)


class WebhookInput(WebhookChangeInput):
    url = serializers.CharField(max_length=2_000, help_text="http:// or https://, a public address.")
    events = serializers.ListField(child=serializers.ChoiceField(choices=sorted(EVENTS)), min_length=1, max_length=100)
    bank_id = serializers.CharField(
        max_length=200, required=False, help_text="Only events of this bank. Default: all banks."
    )


class WebhookListInput(PageInput):
    bank_id = serializers.CharField(required=False, max_length=200, help_text="Only webhooks of this bank.")


class WebhookOutput(Output):
    etag = staticmethod(webhooks.read_version)

    webhook_id = serializers.UUIDField(source="id")
    name = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    bank_id = serializers.SerializerMethodField(help_text="Null: all banks.")
    enabled = serializers.BooleanField()
    failing_since = serializers.DateTimeField(
        allow_null=True, help_text="The first failed attempt after the newest success. Null: no attempt fails."
    )
    disabled_at = serializers.DateTimeField(
        allow_null=True, help_text="When the service disabled it after 3 days of failures. To enable it again: PATCH."
    )
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_bank_id(self, webhook: Any) -> str | None:
        return webhook.bank_id or None


class WebhookWithSecretOutput(WebhookOutput):
    secret = serializers.CharField(help_text="Signs the deliveries. It is shown only once.")


class DeliveryOutput(Output):
    delivery_id = serializers.UUIDField(source="id")
    event_id = serializers.UUIDField(help_text="The same for all webhooks that receive the event.")
    event = serializers.CharField()
    bank_id = serializers.SerializerMethodField()
    data = serializers.JSONField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        help_text="The event's data, without the envelope."
    )
    status = serializers.ChoiceField(choices=Delivery.Status.choices)
    attempts = serializers.IntegerField()
    answer_code = serializers.IntegerField(allow_null=True, help_text="HTTP status of the newest attempt.")
    error = serializers.CharField(help_text="The error of the newest attempt; empty without one.")
    created_at = serializers.DateTimeField()
    attempted_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.DateTimeField(allow_null=True)

    def get_bank_id(self, delivery: Any) -> str | None:
        return delivery.bank_id or None


class DeliveryListInput(PageInput):
    status = serializers.ChoiceField(choices=Delivery.Status.choices, required=False)


class WebhooksView(TenantView):
    quotes_memories = False
    scopes = ADMIN

    @route("list_webhooks", "List webhooks, newest first", page_of("webhooks", WebhookOutput), query=WebhookListInput)
    def get(self, wanted: dict[str, Any]) -> object:
        with tenant_transaction(self.tenant_id):
            rows = webhooks.find_webhooks(self.access, bank_id=wanted.get("bank_id"))
            return paginate(rows, wanted, of=self.tenant_id)

    @idempotent
    @route("create_webhook", "Create a webhook", WebhookWithSecretOutput, 201, body=WebhookInput)
    def post(self, body: WebhookInput) -> object:
        return webhooks.create_webhook(self.access, body.change())


class WebhookView(TenantView):
    scopes = ADMIN

    @route("get_webhook", "Get a webhook", WebhookOutput)
    def get(self, webhook_id: UUID) -> object:
        with tenant_transaction(self.tenant_id):
            return webhooks.get_webhook(self.access, webhook_id)

    @route(
        "change_webhook", "Change the given fields of a webhook", WebhookOutput, body=WebhookChangeInput, if_match=True
    )
    def patch(self, webhook_id: UUID, body: WebhookChangeInput) -> object:
        return webhooks.change_webhook(self.access, webhook_id, body.change(), expected=self.expected)

    @route("delete_webhook", "Delete a webhook", None, 204, if_match=True)
    def delete(self, webhook_id: UUID) -> None:
        """Also deletes its deliveries, including pending ones."""
        webhooks.delete_webhook(self.access, webhook_id, expected=self.expected)


class WebhookSecretView(TenantView):
    quotes_memories = False
    scopes = ADMIN

    @idempotent
    @route("renew_webhook_secret", "Renew a webhook's secret", WebhookWithSecretOutput)
    def post(self, webhook_id: UUID) -> object:
        """The new secret signs all further deliveries. It is shown only once."""
        return webhooks.renew_secret(self.access, webhook_id)


class WebhookPingView(TenantView):
    scopes = ADMIN

    @idempotent
    @route("ping_webhook", "Send a ping to a webhook", DeliveryOutput, 202)
    def post(self, webhook_id: UUID) -> object:
        """Also for a disabled webhook. The delivery shows the outcome."""
        return webhooks.ping_webhook(self.access, webhook_id)


class DeliveriesView(TenantView):
    @route(
        "list_webhook_deliveries",
        "List the deliveries of a webhook, newest first",
        page_of("deliveries", DeliveryOutput),
        query=DeliveryListInput,
    )
    def get(self, webhook_id: UUID, wanted: dict[str, Any]) -> object:
        """Finished deliveries are kept for 30 days."""
        with tenant_transaction(self.tenant_id):
            rows = webhooks.find_deliveries(self.access, webhook_id)
            if "status" in wanted:
                rows = rows.filter(status=wanted["status"])
            return paginate(rows, wanted, of=webhook_id)


class RedeliverView(TenantView):
    scopes = ADMIN

    @idempotent
    @route("redeliver", "Send a delivery once more", DeliveryOutput, 202)
    def post(self, webhook_id: UUID, delivery_id: UUID) -> object:
        """Uses the same id, with all attempts again. A waiting delivery starts at once; a running one is left alone."""
        return webhooks.redeliver(self.access, webhook_id, delivery_id)
