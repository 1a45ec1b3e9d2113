from typing import Unpack

from memoryplatform_client.calls import Call, fetch, reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.messages import StoredMessage
from memoryplatform_client.options.lists import MessageFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Messages(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[MessageFilter]) -> Listing[StoredMessage]:
        return list_of(path_of("banks", bank_id, "messages"), StoredMessage, wanted)

    @route
    def get(self, bank_id: str, message_id: Id) -> Call[StoredMessage]:
        return fetch(path_of("banks", bank_id, "messages", message_id), reader(StoredMessage))
