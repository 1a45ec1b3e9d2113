"""`/memories/recall` over Hindsight's three networks. It leaves out opinions and raw chunks.

As in Hindsight, the results fill `max_tokens`, have all their fields, and come with their entities.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from banks.enums import Network
from banks.errors import BankNotFound
from banks.models import Bank, MemoryUnit
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView, Unprocessable, read_body
from memoryplatform.api.compat.hindsight.memory import describe_fact
from memoryplatform.api.compat.hindsight.recall_settings import add_defaults, switch_channels
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.recall import describe_chunks, describe_entities, describe_whole_item
from memoryplatform.api.v1.recall_input import RecallInput
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.banks.profile import bank_transaction, find_banks, get_bank
from memoryplatform.operations.banks.stats import KNOWN
from memoryplatform.operations.memories.described_units import describe_units
from memoryplatform.operations.recall import Recalled, recall
from providers import tokens
from providers.llm.protocol import Task
from reflection.observations.dossiers import read_sources
from retrieval.types import RecallItem, RecallQuery
from tenants.transactions import tenant_transaction

LEGACY_TYPE = Network.OPINION.value  # accepted, and finds nothing
SOURCE_FACT_TOKENS = 4_096  # Hindsight's
MOST_SOURCE_TOKENS = 1_000_000
DEFAULT_TOKENS = 4_096  # of memories, by default
HINDSIGHT_ONLY = ("source_facts", "prefer_observations")  # handled here, not by our recall
EMPTY_RECALL: dict[str, Any] = {
    "results": [],
    "trace": None,
    "entities": None,
    "chunks": None,
    "source_facts": None,
    "source_facts_truncated": None,
}


def read_types(given: Any, access: BankAccess, bank_id: str) -> list[str]:
    """A request for observations alone also searches the facts where no observation can be found.

    Hindsight's plugins ask for observations only.
    """
    names = read_type_names(given)
    if names == [Network.OBSERVATION.value] and not has_observations(access, bank_id):
        return [*names, Network.WORLD.value, Network.EXPERIENCE.value]
    return names


def has_observations(access: BankAccess, bank_id: str) -> bool:
    """False without a language model, and in a bank whose facts have not been consolidated yet."""
    if find_llm(access.tenant_id, Task.OBSERVE) is None:
        return False
    with tenant_transaction(access.tenant_id):
        bank = find_banks(access).filter(bank_id=bank_id).first()
        current = MemoryUnit.objects.of_bank(bank).current() if bank else MemoryUnit.objects.none()
        return current.filter(network=Network.OBSERVATION).exists()


def read_type_names(given: Any) -> list[str]:
    if not given:
        return list(KNOWN)
    names = [str(name) for name in given] if isinstance(given, list) else [str(given)]
    unknown = sorted(set(names) - {*KNOWN, LEGACY_TYPE})
    if unknown:
        raise Unprocessable(f"Invalid fact type(s): {', '.join(unknown)}. Must be one of: {', '.join(KNOWN)}")
    return [name for name in dict.fromkeys(names) if name != LEGACY_TYPE]


class SourceFactsOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_SOURCE_TOKENS, default=SOURCE_FACT_TOKENS)
    max_tokens_per_observation = serializers.IntegerField(
        min_value=-1, max_value=MOST_SOURCE_TOKENS, default=-1, help_text="-1: no bound."
    )


@dataclass(frozen=True)
class SourceFacts:
    """`sources` maps an observation's id to its facts. `described` is None if the caller did not ask for them."""

    sources: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)
    described: dict[str, Any] | None = None
    is_truncated: bool | None = None
    replaces_facts: bool = False

    def ids_of(self, item: RecallItem) -> list[str] | None:
        """None if the caller did not ask for source facts."""
        found = self.sources.get(item.candidate.id)
        return [str(one) for one in found] if found and self.described is not None else None


def read_source_facts(
    access: BankAccess, bank_id: str, items: Sequence[RecallItem], given: Mapping[str, Any]
) -> SourceFacts:
    include = given.get("include")
    wanted = include.get("source_facts") if isinstance(include, Mapping) else None
    prefers = given.get("prefer_observations") is True
    observations = [item.candidate.id for item in items if item.candidate.network == Network.OBSERVATION]
    if wanted is None and not prefers:
        return SourceFacts()
    with bank_transaction(access, bank_id) as bank:
        sources = read_sources(bank, observations)
        if wanted is None:
            return SourceFacts(sources, replaces_facts=prefers)
        option = read_body(SourceFactsOption, wanted).validated_data
        described, is_truncated = pack_facts(bank, sources, option)
    return SourceFacts(sources, described, is_truncated, replaces_facts=prefers)


def pack_facts(
    bank: Bank, sources: Mapping[UUID, Sequence[UUID]], option: Mapping[str, int]
) -> tuple[dict[str, Any], bool]:
    """Packs the facts in the order of the observations until a budget is full. Call inside a tenant transaction."""
    ids = {source for found in sources.values() for source in found}
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).defer("embedding", "second_embedding")
    known = {shown.unit.id: shown for shown in describe_units(bank, list(units))}
    packed: dict[str, Any] = {}
    left, per_observation = option["max_tokens"], option["max_tokens_per_observation"]
    is_truncated = False
    for found in sources.values():
        room = left if per_observation < 0 else min(left, per_observation)
        for source in found:
            if source not in known or str(source) in packed:
                continue
            length = tokens.count(known[source].unit.rendered_text)
            if length > room:
                is_truncated = True
                break
            packed[str(source)] = describe_fact(known[source])
            room, left = room - length, left - length
    return packed, is_truncated


def drop_summarised_facts(items: Sequence[RecallItem], facts: SourceFacts) -> list[RecallItem]:
    """With `prefer_observations`, an observation replaces the facts that it rests on."""
    if not facts.replaces_facts:
        return list(items)
    summarised = {source for found in facts.sources.values() for source in found}
    return [item for item in items if item.candidate.id not in summarised]


class HindsightRecallView(HindsightView):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request, bank_id: str) -> object:
        given = request.data if isinstance(request.data, dict) else {}
        return recall_memories(self.access, bank_id, given)


def recall_memories(access: BankAccess, bank_id: str, given: dict[str, Any]) -> dict[str, Any]:
    types = read_types(given.get("types"), access, bank_id)
    if not types:
        with tenant_transaction(access.tenant_id):
            get_bank(access, bank_id)
        return EMPTY_RECALL
    stored = read_settings(access, bank_id)
    merged = add_defaults(given, stored) if stored else given
    query = switch_channels(read_body(RecallInput, translate_recall(merged, types)).recall_query(), stored)
    recalled = find_memories(access, bank_id, query)
    facts = read_source_facts(access, bank_id, recalled.result.items, merged)
    return describe_recalled(recalled, query, facts)


def read_settings(access: BankAccess, bank_id: str) -> dict[str, Any]:
    """Empty for a missing bank: recall reports it, after the request is validated."""
    try:
        with bank_transaction(access, bank_id) as bank:
            return dict(bank.hindsight_settings)
    except BankNotFound:
        return {}


def translate_recall(given: dict[str, Any], types: Sequence[str]) -> dict[str, Any]:
    """Of our own fields, `fill` and `include.entities` have other defaults here."""
    ours = {"fill": True} | {name: value for name, value in given.items() if name not in HINDSIGHT_ONLY}
    include = {} if given.get("include") is None else given["include"]
    if isinstance(include, dict):
        include = {"entities": {}} | {name: value for name, value in include.items() if name not in HINDSIGHT_ONLY}
    return ours | {"types": list(types), "include": include}


def find_memories(access: BankAccess, bank_id: str, query: RecallQuery) -> Recalled:
    """With `max_tokens: 0` Hindsight returns chunks without memories, so the recall runs with the default budget."""
    if query.max_tokens > 0 or query.include.chunks is None:
        return recall(access, [bank_id], query)
    wider = replace(query, max_tokens=DEFAULT_TOKENS, include=replace(query.include, entities=None))
    recalled = recall(access, [bank_id], wider)
    return replace(recalled, result=replace(recalled.result, items=()))


def describe_recalled(recalled: Recalled, query: RecallQuery, facts: SourceFacts) -> dict[str, Any]:
    result, included = recalled.result, recalled.result.included
    shown = drop_summarised_facts(result.items, facts)
    return {
        "results": [describe_whole_item(item) | {"source_fact_ids": facts.ids_of(item)} for item in shown],
        "trace": result.trace,
        "entities": None if query.include.entities is None else describe_entities(included),
        "chunks": None if query.include.chunks is None else describe_chunks(included),
        "source_facts": facts.described,
        "source_facts_truncated": facts.is_truncated,
        "recall_id": recalled.id,
    }
