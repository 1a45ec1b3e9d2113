"""The facts that recalled observations were made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from rest_framework import serializers

from banks.models import Bank, MemoryUnit
from banks.words import Network
from memoryplatform.api.compat.hindsight.memory_shapes import describe_fact
from memoryplatform.api.compat.hindsight.tolerance import read_body
from memoryplatform.api.serializers import Input
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.memories.described_units import describe_units
from providers import tokens
from reflection.observations.dossiers import read_sources
from retrieval.types import RecallItem
from tenants.transactions import tenant_transaction

USUAL_TOKENS = 4_096  # Hindsight's
MOST_TOKENS = 1_000_000


class SourceFactsOption(Input):
    max_tokens = serializers.IntegerField(min_value=0, max_value=MOST_TOKENS, default=USUAL_TOKENS)
    max_tokens_per_observation = serializers.IntegerField(
        min_value=-1, max_value=MOST_TOKENS, default=-1, help_text="-1: no bound."
    )


@dataclass(frozen=True)
class SourceFacts:
    """`sources` of the observations by their id. `described` is None where they were not asked for."""

    sources: Mapping[UUID, Sequence[UUID]] = field(default_factory=dict)
    described: dict[str, Any] | None = None
    is_truncated: bool | None = None
    replaces_facts: bool = False

    def ids_of(self, item: RecallItem) -> list[str] | None:
        """Null where they were not asked for, as with everything that can come along."""
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
    with tenant_transaction(access.tenant_id):
        bank = get_bank(access, bank_id)
        sources = read_sources(bank, observations)
        if wanted is None:
            return SourceFacts(sources, replaces_facts=prefers)
        option = read_body(SourceFactsOption, wanted).validated_data
        described, is_truncated = pack_facts(bank, sources, option)
    return SourceFacts(sources, described, is_truncated, replaces_facts=prefers)


def pack_facts(
    bank: Bank, sources: Mapping[UUID, Sequence[UUID]], option: Mapping[str, int]
) -> tuple[dict[str, Any], bool]:
    """In the order of the observations, as many as the budgets hold. Call inside a tenant transaction."""
    ids = {source for found in sources.values() for source in found}
    units = MemoryUnit.objects.of_bank(bank).filter(id__in=ids).defer("embedding")
    known = {shown.unit.id: shown for shown in describe_units(bank, list(units))}
    packed: dict[str, Any] = {}
    left, per_observation = option["max_tokens"], option["max_tokens_per_observation"]
    is_truncated = False
    for found in sources.values():
        room = left if per_observation < 0 else min(left, per_observation)
        for source in found:
            if source not in known or str(source) in packed:
                continue
            length = tokens.count(known[source].unit.text)
            if length > room:
                is_truncated = True
                break
            packed[str(source)] = describe_fact(known[source])
            room, left = room - length, left - length
    return packed, is_truncated


def drop_summarised(items: Sequence[RecallItem], facts: SourceFacts) -> list[RecallItem]:
    """With `prefer_observations`, an observation stands for the facts that it was made from."""
    if not facts.replaces_facts:
        return list(items)
    summarised = {source for found in facts.sources.values() for source in found}
    return [item for item in items if item.candidate.id not in summarised]
