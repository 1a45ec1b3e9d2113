from typing import Unpack

from memoryplatform_client.calls import Call, fetch, reader, submit
from memoryplatform_client.models.background import Background, BackgroundMerged, BackgroundRevision
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Backgrounds(Resource[S_co]):
    """The bank's background: who the agent is, in the first person. To replace it, update the bank."""

    @route
    def get(self, bank_id: str) -> Call[Background]:
        return fetch(path_of("banks", bank_id, "background"), reader(Background))

    @route
    def merge(
        self, bank_id: str, content: str, *, if_match: str | None = None, idempotency_key: str | None = None
    ) -> Call[BackgroundMerged]:
        """Merge `content` into the background. It wins over contradicting statements. `if_match`: the bank's `etag`."""
        fields = {"content": content, "if_match": if_match, "idempotency_key": idempotency_key}
        return submit(path_of("banks", bank_id, "background"), reader(BackgroundMerged), fields)

    @listed
    def revisions(self, bank_id: str, **wanted: Unpack[ListOptions]) -> Listing[BackgroundRevision]:
        return list_of(path_of("banks", bank_id, "background", "revisions"), BackgroundRevision, wanted)
