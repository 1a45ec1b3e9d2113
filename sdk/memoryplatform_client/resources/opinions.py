from typing import Literal, TypeAlias, Unpack

from memoryplatform_client.calls import Call, fetch, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.opinions import Opinion, OpinionDetail, OpinionRevision
from memoryplatform_client.options.edits import OpinionReview
from memoryplatform_client.options.lists import OpinionFilter, OpinionView, RevisionOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of

Act: TypeAlias = Literal["approve", "edit", "retire", "pin", "unpin", "restore"]


class Opinions(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[OpinionFilter]) -> Listing[Opinion]:
        return list_of(path_of("banks", bank_id, "opinions"), Opinion, wanted)

    @route
    def get(self, bank_id: str, opinion_id: Id, **wanted: Unpack[OpinionView]) -> Call[OpinionDetail]:
        """With tags given, evidence outside their scope is left out and only counted."""
        return fetch(path_of("banks", bank_id, "opinions", opinion_id), tagged_reader(OpinionDetail), wanted)

    @listed
    def revisions(self, bank_id: str, opinion_id: Id, **wanted: Unpack[RevisionOptions]) -> Listing[OpinionRevision]:
        """Oldest first."""
        return list_of(path_of("banks", bank_id, "opinions", opinion_id, "revisions"), OpinionRevision, wanted)

    @route
    def review(
        self, bank_id: str, opinion_id: Id, action: Act, *, reason: str, **fields: Unpack[OpinionReview]
    ) -> Call[OpinionDetail]:
        path = path_of("banks", bank_id, "opinions", opinion_id, "review")
        return submit(path, tagged_reader(OpinionDetail), {"action": action, "reason": reason, **fields})
