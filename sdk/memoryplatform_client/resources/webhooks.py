from collections.abc import Sequence
from typing import Unpack

from memoryplatform_client.calls import Call, change, fetch, read_nothing, reader, remove, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.webhooks import Delivery, Webhook, WebhookWithSecret
from memoryplatform_client.options.lists import DeliveryFilter, WebhookFilter
from memoryplatform_client.options.webhooks import NewWebhookFields, WebhookEdit
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Webhooks(Resource[S_co]):
    @route
    def create(self, url: str, events: Sequence[str], **fields: Unpack[NewWebhookFields]) -> Call[WebhookWithSecret]:
        """The response holds the secret that signs the deliveries. It is shown only this once."""
        return submit("/webhooks", tagged_reader(WebhookWithSecret), {"url": url, "events": events, **fields})

    @listed
    def list(self, **wanted: Unpack[WebhookFilter]) -> Listing[Webhook]:
        return list_of("/webhooks", Webhook, wanted, rows="webhooks")

    @route
    def get(self, webhook_id: Id) -> Call[Webhook]:
        return fetch(path_of("webhooks", webhook_id), tagged_reader(Webhook))

    @route
    def update(self, webhook_id: Id, **fields: Unpack[WebhookEdit]) -> Call[Webhook]:
        return change(path_of("webhooks", webhook_id), tagged_reader(Webhook), fields)

    @route
    def delete(self, webhook_id: Id, *, if_match: str | None = None) -> Call[None]:
        """Delete the webhook and its deliveries, also pending ones. `if_match` is the `etag` that was read."""
        return remove(path_of("webhooks", webhook_id), read_nothing, if_match=if_match)

    @route
    def renew_secret(self, webhook_id: Id, *, idempotency_key: str | None = None) -> Call[WebhookWithSecret]:
        path = path_of("webhooks", webhook_id, "secret")
        return submit(path, tagged_reader(WebhookWithSecret), {"idempotency_key": idempotency_key})

    @route
    def ping(self, webhook_id: Id, *, idempotency_key: str | None = None) -> Call[Delivery]:
        path = path_of("webhooks", webhook_id, "ping")
        return submit(path, reader(Delivery), {"idempotency_key": idempotency_key})

    @listed
    def deliveries(self, webhook_id: Id, **wanted: Unpack[DeliveryFilter]) -> Listing[Delivery]:
        return list_of(path_of("webhooks", webhook_id, "deliveries"), Delivery, wanted, rows="deliveries")

    @route
    def redeliver(self, webhook_id: Id, delivery_id: Id, *, idempotency_key: str | None = None) -> Call[Delivery]:
        """Send the delivery again under the same id, with a new series of attempts."""
        path = path_of("webhooks", webhook_id, "deliveries", delivery_id, "redeliver")
        return submit(path, reader(Delivery), {"idempotency_key": idempotency_key})
