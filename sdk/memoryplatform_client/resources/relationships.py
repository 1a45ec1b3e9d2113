from typing import Unpack

from memoryplatform_client.models.relationships import FoundRelationship
from memoryplatform_client.options.lists import RelationshipFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed
from memoryplatform_client.wire import path_of


class Relationships(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[RelationshipFilter]) -> Listing[FoundRelationship]:
        return list_of(path_of("banks", bank_id, "relationships"), FoundRelationship, wanted)
