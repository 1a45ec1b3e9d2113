from typing import Unpack

from memoryplatform_client.calls import Call, reader, submit
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.feedback import Feedback
from memoryplatform_client.options.edits import Mark
from memoryplatform_client.options.lists import FeedbackFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Feedbacks(Resource[S_co]):
    """Marks of a recall's results as useful or not."""

    @route
    def give(
        self, bank_id: str, recall_id: Id, memory_id: Id, *, useful: bool, **fields: Unpack[Mark]
    ) -> Call[Feedback]:
        given = {"recall_id": recall_id, "memory_id": memory_id, "useful": useful, **fields}
        return submit(path_of("banks", bank_id, "feedback"), reader(Feedback), given)

    @listed
    def list(self, bank_id: str, **wanted: Unpack[FeedbackFilter]) -> Listing[Feedback]:
        return list_of(path_of("banks", bank_id, "feedback"), Feedback, wanted)
