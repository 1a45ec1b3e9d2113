from typing import Unpack

from memoryplatform_client.calls import Call, read_nothing, reader, remove, submit
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.quarantine import QuarantinedItem, Released
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Quarantine(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[ListOptions]) -> Listing[QuarantinedItem]:
        """Items that wait for a review, newest first."""
        return list_of(path_of("banks", bank_id, "quarantine"), QuarantinedItem, wanted)

    @route
    def release(self, bank_id: str, item_id: Id, *, idempotency_key: str | None = None) -> Call[Released]:
        """Retain the item as it is, in the background."""
        path = path_of("banks", bank_id, "quarantine", item_id, "release")
        return submit(path, reader(Released), {"idempotency_key": idempotency_key})

    @route
    def delete(self, bank_id: str, item_id: Id) -> Call[None]:
        return remove(path_of("banks", bank_id, "quarantine", item_id), read_nothing)
