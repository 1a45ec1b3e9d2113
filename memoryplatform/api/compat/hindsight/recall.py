"""`/memories/recall`: Hindsight's three networks. Opinions and raw chunks, which it has not, are left out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from memoryplatform.api.compat.hindsight.fact_types import read_types
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.source_facts import SourceFacts, drop_summarised, read_source_facts
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.v1.recall_included import describe_chunks, describe_entities
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform.api.v1.recall_output import describe_item
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.recall import Recalled, recall
from retrieval.types import RecallQuery
from tenants.transactions import tenant_transaction

USUAL_TOKENS = 4_096  # of memories, where a caller says nothing
OF_ITS_OWN = ("source_facts", "prefer_observations")  # what our recall does not do and this module does


class HindsightRecallView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request, bank_id: str) -> Response:
        given = request.data if isinstance(request.data, dict) else {}
        types = read_types(given.get("types"))
        if not types:
            with tenant_transaction(self.tenant_id):
                get_bank(self.access, bank_id)
            return Response(NOTHING)
        query = read_body(RecallInput, translate(given, types)).recall_query()
        recalled = find_memories(self.access, bank_id, query)
        facts = read_source_facts(self.access, bank_id, recalled.result.items, given)
        return Response(describe(recalled, query, facts))


NOTHING: dict[str, Any] = {
    "results": [],
    "trace": None,
    "entities": None,
    "chunks": None,
    "source_facts": None,
    "source_facts_truncated": None,
}


def translate(given: dict[str, Any], types: Sequence[str]) -> dict[str, Any]:
    ours = {name: value for name, value in given.items() if name not in OF_ITS_OWN} | {"types": list(types)}
    if isinstance(given.get("include"), dict):
        ours["include"] = {name: value for name, value in given["include"].items() if name not in OF_ITS_OWN}
    return ours


def find_memories(access: BankAccess, bank_id: str, query: RecallQuery) -> Recalled:
    """Hindsight gathers chunks before it counts tokens of memories: where it has none for those, chunks come alone."""
    if query.max_tokens > 0 or query.include.chunks is None:
        return recall(access, [bank_id], query)
    wider = replace(query, max_tokens=USUAL_TOKENS, include=replace(query.include, entities=None))
    recalled = recall(access, [bank_id], wider)
    return replace(recalled, result=replace(recalled.result, items=()))


def describe(recalled: Recalled, query: RecallQuery, facts: SourceFacts) -> dict[str, Any]:
    result, included = recalled.result, recalled.result.included
    shown = drop_summarised(result.items, facts)
    return {
        "results": [describe_item(item) | {"source_fact_ids": facts.ids_of(item)} for item in shown],
        "trace": result.trace,
        "entities": None if query.include.entities is None else describe_entities(included),
        "chunks": None if query.include.chunks is None else describe_chunks(included),
        "source_facts": facts.described,
        "source_facts_truncated": facts.is_truncated,
        "recall_id": recalled.id,
    }
