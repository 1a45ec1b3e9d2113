from typing import Unpack

from memoryplatform_client.calls import Call, reader, submit
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.observations import Observation, ObservationsRefreshed
from memoryplatform_client.options.lists import ObservationFilter
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Observations(Resource[S_co]):
    @listed
    def list(self, bank_id: str, **wanted: Unpack[ObservationFilter]) -> Listing[Observation]:
        return list_of(path_of("banks", bank_id, "observations"), Observation, wanted)

    @route
    def refresh(
        self, bank_id: str, entity_id: Id | None = None, *, idempotency_key: str | None = None
    ) -> Call[ObservationsRefreshed]:
        """Rewrite the observations about one entity, or all stale ones."""
        fields = {"entity_id": entity_id, "idempotency_key": idempotency_key}
        return submit(path_of("banks", bank_id, "observations", "refresh"), reader(ObservationsRefreshed), fields)
