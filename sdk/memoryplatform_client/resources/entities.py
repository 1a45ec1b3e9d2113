from collections.abc import Sequence
from typing import Unpack

from memoryplatform_client.calls import Call, change, fetch, reader, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.entities import Entity, EntityDetail
from memoryplatform_client.models.graphs import EntityGraph
from memoryplatform_client.options.edits import EntityEdit, EntitySplit
from memoryplatform_client.options.lists import EntityFilter, EntityGraphFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Entities(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[EntityFilter]) -> Listing[Entity]:
        return list_of(path_of("banks", bank_id, "entities"), Entity, wanted)

    @route
    def graph(self, bank_id: str, **wanted: Unpack[EntityGraphFilter]) -> Call[EntityGraph]:
        """Entities and the edges between those that share memories, for drawing."""
        return fetch(path_of("banks", bank_id, "entities", "graph"), reader(EntityGraph), wanted)

    @route
    def get(self, bank_id: str, entity_id: Id) -> Call[EntityDetail]:
        return fetch(path_of("banks", bank_id, "entities", entity_id), tagged_reader(EntityDetail))

    @route
    def update(self, bank_id: str, entity_id: Id, **fields: Unpack[EntityEdit]) -> Call[EntityDetail]:
        """A former canonical name stays as an alias."""
        return change(path_of("banks", bank_id, "entities", entity_id), tagged_reader(EntityDetail), fields)

    @route
    def merge(
        self, bank_id: str, entity_id: Id, others: Sequence[Id], *, idempotency_key: str | None = None
    ) -> Call[EntityDetail]:
        """Move the mentions, names and relationships of the `others` to this entity, and delete the `others`."""
        path = path_of("banks", bank_id, "entities", entity_id, "merge")
        return submit(path, reader(EntityDetail), {"ids": others, "idempotency_key": idempotency_key})

    @route
    def split(self, bank_id: str, entity_id: Id, **fields: Unpack[EntitySplit]) -> Call[EntityDetail]:
        """Returns the new entity."""
        return submit(path_of("banks", bank_id, "entities", entity_id, "split"), reader(EntityDetail), fields)
