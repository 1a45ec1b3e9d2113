from typing import Literal, Unpack

from memoryplatform_client.calls import (
    Call,
    change,
    fetch,
    read_nothing,
    reader,
    remove,
    submit,
    tagged_reader,
    without_none,
)
from memoryplatform_client.models.mental_models import (
    MentalModel,
    MentalModelRefresh,
    MentalModelRevision,
    NewMentalModel,
)
from memoryplatform_client.options.directives import ScopeFilter
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.options.mental_models import MentalModelEdit, NewMentalModelFields
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class MentalModels(Resource[S_co]):
    @route
    def create(
        self, bank_id: str, name: str, source_query: str, **fields: Unpack[NewMentalModelFields]
    ) -> Call[NewMentalModel]:
        """The returned operation writes the content."""
        path = path_of("banks", bank_id, "mental-models")
        body = {"name": name, "source_query": source_query, **fields}
        return submit(path, tagged_reader(NewMentalModel), body)

    @listed
    def list(self, bank_id: str, **wanted: Unpack[ScopeFilter]) -> Listing[MentalModel]:
        return list_of(path_of("banks", bank_id, "mental-models"), MentalModel, wanted)

    @route
    def get(self, bank_id: str, model_id: str) -> Call[MentalModel]:
        return fetch(path_of("banks", bank_id, "mental-models", model_id), tagged_reader(MentalModel))

    @route
    def update(self, bank_id: str, model_id: str, **fields: Unpack[MentalModelEdit]) -> Call[MentalModel]:
        """The content stays until the next refresh."""
        return change(path_of("banks", bank_id, "mental-models", model_id), tagged_reader(MentalModel), fields)

    @route
    def delete(self, bank_id: str, model_id: str, *, if_match: str | None = None) -> Call[None]:
        """Delete the mental model with its history. `if_match` is the `etag` that was read."""
        return remove(path_of("banks", bank_id, "mental-models", model_id), read_nothing, if_match=if_match)

    @route
    def refresh(
        self,
        bank_id: str,
        model_id: str,
        *,
        mode: Literal["full"] | None = None,
        idempotency_key: str | None = None,
    ) -> Call[MentalModelRefresh]:
        path = path_of("banks", bank_id, "mental-models", model_id, "refresh")
        fields = without_none(mode=mode, idempotency_key=idempotency_key)
        return submit(path, reader(MentalModelRefresh), fields)

    @route
    def clear(self, bank_id: str, model_id: str, *, idempotency_key: str | None = None) -> Call[MentalModel]:
        """Empty the content. Earlier contents stay in the history."""
        path = path_of("banks", bank_id, "mental-models", model_id, "clear")
        return submit(path, tagged_reader(MentalModel), {"idempotency_key": idempotency_key})

    @listed
    def revisions(self, bank_id: str, model_id: str, **wanted: Unpack[ListOptions]) -> Listing[MentalModelRevision]:
        path = path_of("banks", bank_id, "mental-models", model_id, "revisions")
        return list_of(path, MentalModelRevision, wanted)
