from typing import Unpack

from memoryplatform_client.models.tags import Tag
from memoryplatform_client.options.lists import TagFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed
from memoryplatform_client.wire import path_of


class Tags(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[TagFilter]) -> Listing[Tag]:
        """Most used first."""
        return list_of(path_of("banks", bank_id, "tags"), Tag, wanted)
