from typing import Unpack

from memoryplatform_client.calls import Call, fetch, reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.recalls import LoggedRecall, LoggedRecallDetail
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Recalls(Resource[S_co]):
    """The log of recalls."""

    @listed
    def list(self, bank_id: str, **wanted: Unpack[ListOptions]) -> Listing[LoggedRecall]:
        return list_of(path_of("banks", bank_id, "recalls"), LoggedRecall, wanted)

    @route
    def get(self, bank_id: str, recall_id: Id) -> Call[LoggedRecallDetail]:
        return fetch(path_of("banks", bank_id, "recalls", recall_id), reader(LoggedRecallDetail))
