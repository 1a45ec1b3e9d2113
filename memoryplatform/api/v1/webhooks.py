"""`/v1/webhooks`: addresses that are told what happens, and what became of the telling."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.idempotency import idempotent
from memoryplatform.api.pagination import PageInput, paginate
from memoryplatform.api.schema import ERRORS, IDEMPOTENCY_KEY
from memoryplatform.api.serializers import ErrorOutput, Input, Output
from memoryplatform.api.v1.lists import read_query
from memoryplatform.api.v1.preconditions import IF_MATCH, read_expected, write_etag
from memoryplatform.api.views import TenantView
from memoryplatform.operations.webhooks import (
    NewWebhook,
    WebhookChange,
    change_webhook,
    create_webhook,
    delete_webhook,
    find_deliveries,
    find_webhooks,
    get_webhook,
    ping_webhook,
    read_version,
    redeliver,
    renew_secret,
)
from tenants.models import Delivery, Webhook
from tenants.transactions import tenant_transaction
from tenants.webhooks.events import EVENTS

# A webhook carries what happens out of the house, so who may set one up may administer. Its address may be a secret.
ADMIN = {"GET": "admin", "POST": "admin", "PATCH": "admin", "DELETE": "admin"}


class WebhookChangeInput(Input):
    url = serializers.CharField(max_length=2_000, required=False, help_text="http:// or https://, a public address.")
    events = serializers.ListField(
        child=serializers.ChoiceField(choices=sorted(EVENTS)), min_length=1, max_length=100, required=False
    )
    name = serializers.CharField(max_length=200, allow_blank=True, required=False)
    enabled = serializers.BooleanField(required=False)

    def change(self) -> WebhookChange:
        given = dict(self.validated_data)
        if "events" in given:
            given["events"] = unique(given["events"])
        return WebhookChange(**given)


class WebhookInput(WebhookChangeInput):
    url = serializers.CharField(max_length=2_000, help_text="http:// or https://, a public address.")
    events = serializers.ListField(child=serializers.ChoiceField(choices=sorted(EVENTS)), min_length=1, max_length=100)
    bank_id = serializers.CharField(
        max_length=200, required=False, help_text="Only what happens to this bank; every bank where left out."
    )

    def new(self) -> NewWebhook:
        given = dict(self.validated_data)
        return NewWebhook(events=unique(given.pop("events")), **given)


class WebhookListInput(PageInput):
    bank_id = serializers.CharField(required=False, max_length=200, help_text="Only those of this bank.")


class WebhookOutput(Output):
    webhook_id = serializers.UUIDField(source="id")
    name = serializers.CharField()
    url = serializers.CharField()
    events = serializers.ListField(child=serializers.CharField())
    bank_id = serializers.SerializerMethodField(help_text="Null: every bank.")
    enabled = serializers.BooleanField()
    created_at = serializers.DateTimeField()
    updated_at = serializers.DateTimeField()

    def get_bank_id(self, webhook: Any) -> str | None:
        return webhook.bank_id or None


class WebhookWithSecretOutput(WebhookOutput):
    secret = serializers.CharField(help_text="Signs what is sent. It is shown this once.")


class WebhookListOutput(Output):
    webhooks = WebhookOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


class DeliveryOutput(Output):
    delivery_id = serializers.UUIDField(source="id")
    event_id = serializers.UUIDField(help_text="The same for every address that is told.")
    event = serializers.CharField()
    bank_id = serializers.SerializerMethodField()
    data = serializers.JSONField(  # type: ignore[assignment]  # the wire's name, not DRF's attribute
        help_text="What is told, without the envelope."
    )
    status = serializers.ChoiceField(choices=Delivery.Status.choices)
    attempts = serializers.IntegerField()
    answer_code = serializers.IntegerField(allow_null=True, help_text="HTTP status of the newest attempt.")
    error = serializers.CharField(help_text="Why the newest attempt failed; empty where it did not.")
    created_at = serializers.DateTimeField()
    attempted_at = serializers.DateTimeField(allow_null=True)
    next_attempt_at = serializers.DateTimeField(allow_null=True)

    def get_bank_id(self, delivery: Any) -> str | None:
        return delivery.bank_id or None


class DeliveryListInput(PageInput):
    status = serializers.ChoiceField(choices=Delivery.Status.choices, required=False)


class DeliveryListOutput(Output):
    deliveries = DeliveryOutput(many=True)
    next_cursor = serializers.CharField(allow_null=True)


def unique(names: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def render(
    webhook: Webhook, output: type[WebhookOutput] = WebhookOutput, status_code: int = status.HTTP_200_OK
) -> Response:
    return Response(output(webhook).data, status=status_code, headers=write_etag(read_version(webhook)))


class WebhooksView(TenantView):
    quotes_memories = False
    scopes = ADMIN

    @extend_schema(
        operation_id="list_webhooks",
        summary="List webhooks, newest first",
        parameters=[WebhookListInput],
        responses={200: WebhookListOutput, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        wanted = read_query(request, WebhookListInput)
        with tenant_transaction(self.tenant_id):
            rows = find_webhooks(self.access, bank_id=wanted.get("bank_id"))
            page = paginate(rows, wanted, of=self.tenant_id)
            return Response(WebhookListOutput({"webhooks": page.rows, "next_cursor": page.next_cursor}).data)

    @extend_schema(
        operation_id="create_webhook",
        summary="Create a webhook",
        parameters=[IDEMPOTENCY_KEY],
        request=WebhookInput,
        responses={201: WebhookWithSecretOutput, **ERRORS},
    )
    @idempotent
    def post(self, request: Request) -> Response:
        body = WebhookInput(data=request.data)
        body.is_valid(raise_exception=True)
        webhook = create_webhook(self.access, body.new())
        return render(webhook, WebhookWithSecretOutput, status.HTTP_201_CREATED)


class WebhookView(TenantView):
    scopes = ADMIN

    @extend_schema(operation_id="get_webhook", summary="Get a webhook", responses={200: WebhookOutput, **ERRORS})
    def get(self, _request: Request, webhook_id: UUID) -> Response:
        with tenant_transaction(self.tenant_id):
            return render(get_webhook(self.access, webhook_id))

    @extend_schema(
        operation_id="change_webhook",
        summary="Change the given fields of a webhook",
        parameters=[IF_MATCH],
        request=WebhookChangeInput,
        responses={200: WebhookOutput, **ERRORS, 412: ErrorOutput},
    )
    def patch(self, request: Request, webhook_id: UUID) -> Response:
        body = WebhookChangeInput(data=request.data)
        body.is_valid(raise_exception=True)
        return render(change_webhook(self.access, webhook_id, body.change(), expected=read_expected(request)))

    @extend_schema(
        operation_id="delete_webhook",
        summary="Delete a webhook",
        description="Its deliveries go with it, also those on their way.",
        parameters=[IF_MATCH],
        responses={204: None, **ERRORS, 412: ErrorOutput},
    )
    def delete(self, request: Request, webhook_id: UUID) -> Response:
        delete_webhook(self.access, webhook_id, expected=read_expected(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class WebhookSecretView(TenantView):
    quotes_memories = False
    scopes = ADMIN

    @extend_schema(
        operation_id="renew_webhook_secret",
        summary="Renew a webhook's secret",
        description="What is sent from now on is signed with the new one, which is shown this once.",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={200: WebhookWithSecretOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, webhook_id: UUID) -> Response:
        return render(renew_secret(self.access, webhook_id), WebhookWithSecretOutput)


class WebhookPingView(TenantView):
    scopes = ADMIN

    @extend_schema(
        operation_id="ping_webhook",
        summary="Send a ping to a webhook",
        description="Also to one that is not enabled. Its delivery says what became of it.",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: DeliveryOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, webhook_id: UUID) -> Response:
        delivery = ping_webhook(self.access, webhook_id)
        return Response(DeliveryOutput(delivery).data, status=status.HTTP_202_ACCEPTED)


class DeliveriesView(TenantView):
    @extend_schema(
        operation_id="list_webhook_deliveries",
        summary="List what was sent to a webhook, newest first",
        description="Deliveries that are over are kept for 30 days.",
        parameters=[DeliveryListInput],
        responses={200: DeliveryListOutput, **ERRORS},
    )
    def get(self, request: Request, webhook_id: UUID) -> Response:
        wanted = read_query(request, DeliveryListInput)
        with tenant_transaction(self.tenant_id):
            rows = find_deliveries(self.access, webhook_id)
            if "status" in wanted:
                rows = rows.filter(status=wanted["status"])
            page = paginate(rows, wanted, of=webhook_id)
            return Response(DeliveryListOutput({"deliveries": page.rows, "next_cursor": page.next_cursor}).data)


class RedeliverView(TenantView):
    scopes = ADMIN

    @extend_schema(
        operation_id="redeliver",
        summary="Send a delivery once more",
        description="Under the same id, with all its attempts again. One that waits for its next attempt "
        "begins anew at once; one that is being sent is left alone.",
        parameters=[IDEMPOTENCY_KEY],
        request=None,
        responses={202: DeliveryOutput, **ERRORS},
    )
    @idempotent
    def post(self, _request: Request, webhook_id: UUID, delivery_id: UUID) -> Response:
        delivery = redeliver(self.access, webhook_id, delivery_id)
        return Response(DeliveryOutput(delivery).data, status=status.HTTP_202_ACCEPTED)
