from typing import Unpack

from memoryplatform_client.calls import Call, change, fetch, read_nothing, remove, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.directives import Directive
from memoryplatform_client.options.directives import DirectiveEdit, DirectiveFilter, NewDirectiveFields
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class Directives(Resource[S_co]):
    @route
    def create(self, bank_id: str, name: str, content: str, **fields: Unpack[NewDirectiveFields]) -> Call[Directive]:
        """Add a rule that the bank's answers must follow."""
        path = path_of("banks", bank_id, "directives")
        return submit(path, tagged_reader(Directive), {"name": name, "content": content, **fields})

    @listed
    def list(self, bank_id: str, **wanted: Unpack[DirectiveFilter]) -> Listing[Directive]:
        return list_of(path_of("banks", bank_id, "directives"), Directive, wanted)

    @route
    def get(self, bank_id: str, directive_id: Id) -> Call[Directive]:
        return fetch(path_of("banks", bank_id, "directives", directive_id), tagged_reader(Directive))

    @route
    def update(self, bank_id: str, directive_id: Id, **fields: Unpack[DirectiveEdit]) -> Call[Directive]:
        return change(path_of("banks", bank_id, "directives", directive_id), tagged_reader(Directive), fields)

    @route
    def delete(self, bank_id: str, directive_id: Id, *, if_match: str | None = None) -> Call[None]:
        """`if_match` is the `etag` that was read."""
        return remove(path_of("banks", bank_id, "directives", directive_id), read_nothing, if_match=if_match)
