from typing import Unpack

from memoryplatform_client.calls import Call, change, fetch, read_nothing, remove, submit, tagged_reader
from memoryplatform_client.identifiers import Id
from memoryplatform_client.models.retention import RetentionRule
from memoryplatform_client.options.banks import NewRuleFields, RuleChange
from memoryplatform_client.options.lists import ListOptions
from memoryplatform_client.pages import Listing, list_of
from memoryplatform_client.routes import Resource, S_co, listed, route
from memoryplatform_client.wire import path_of


class RetentionRules(Resource[S_co]):
    @route
    def create(self, bank_id: str, name: str, days: int, **fields: Unpack[NewRuleFields]) -> Call[RetentionRule]:
        """Add a rule that nightly maintenance applies. `matches` counts the memories that it would affect now."""
        path = path_of("banks", bank_id, "retention-rules")
        return submit(path, tagged_reader(RetentionRule), {"name": name, "days": days, **fields})

    @listed
    def list(self, bank_id: str, **wanted: Unpack[ListOptions]) -> Listing[RetentionRule]:
        return list_of(path_of("banks", bank_id, "retention-rules"), RetentionRule, wanted)

    @route
    def get(self, bank_id: str, rule_id: Id) -> Call[RetentionRule]:
        return fetch(path_of("banks", bank_id, "retention-rules", rule_id), tagged_reader(RetentionRule))

    @route
    def update(self, bank_id: str, rule_id: Id, **fields: Unpack[RuleChange]) -> Call[RetentionRule]:
        return change(path_of("banks", bank_id, "retention-rules", rule_id), tagged_reader(RetentionRule), fields)

    @route
    def delete(self, bank_id: str, rule_id: Id, *, if_match: str | None = None) -> Call[None]:
        """Memories that the rule faded come back with the next nightly maintenance; deleted ones do not.

        `if_match` is the `etag` that was read.
        """
        return remove(path_of("banks", bank_id, "retention-rules", rule_id), read_nothing, if_match=if_match)
