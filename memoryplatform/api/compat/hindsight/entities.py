"""`/entities`: the people and things that memories mention, and their co-occurrence."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request

from banks.models import Entity
from memoryplatform.api.compat.hindsight import hindsight_view
from memoryplatform.api.v1.fields import TagFilterInput
from memoryplatform.api.v1.graphs import describe_entities, read_choice
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.entities import list_mentioned, narrow_to_tags, show_entity
from memoryplatform.operations.graphs import MOST_NODES, draw_entities
from providers.llm.protocol import Task


class EntityInput(TagFilterInput):
    tag_groups = serializers.CharField(required=False, default="")

    def validate_tag_groups(self, value: str) -> str:
        """Refuses the parameter, because ignoring it would show rows that the caller excluded."""
        if value:
            raise hindsight_view.NotOffered("Entities can be filtered by tags, not by tag_groups.")
        return value


class EntityListInput(EntityInput, hindsight_view.OffsetInput):
    pass


class EntityGraphInput(EntityListInput):
    limit = serializers.IntegerField(min_value=0, default=MOST_NODES)
    min_count = serializers.IntegerField(min_value=0, default=1)


class HindsightEntitiesView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(EntityListInput, request)
        with bank_transaction(self.access, bank_id) as bank:
            entities, total = list_mentioned(bank, read_choice(wanted), limit=wanted["limit"], offset=wanted["offset"])
        return hindsight_view.describe_page([describe_entity(one) for one in entities], total, wanted)


class HindsightEntityView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str, entity_id: UUID) -> object:
        choice = read_choice(hindsight_view.read_query(EntityInput, request))
        shown = show_entity(self.access, bank_id, entity_id)
        nobody_observes = find_llm(self.tenant_id, Task.OBSERVE) is None
        if not shown.observations and nobody_observes:  # the facts stand in
            shown = replace(shown, observations=shown.memories)
        entity, observations = shown.entity, shown.observations
        if choice.is_by_tags:
            with bank_transaction(self.access, bank_id) as bank:
                entity, observations = narrow_to_tags(bank, shown, choice)
        facts = [{"text": unit.rendered_text, "mentioned_at": unit.mentioned_at} for unit in observations]
        return describe_entity(entity) | {"observations": facts}


class HindsightEntityGraphView(hindsight_view.HindsightView):
    def get(self, request: Request, bank_id: str) -> object:
        wanted = hindsight_view.read_query(EntityGraphInput, request)
        place = {"limit": wanted["limit"], "offset": wanted["offset"]}
        with bank_transaction(self.access, bank_id) as bank:
            graph = draw_entities(bank, read_choice(wanted), **place, least=wanted["min_count"])
        return describe_entities(graph, limit=wanted["limit"])


def describe_entity(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "canonical_name": entity.name,
        "mention_count": entity.mention_count,
        "first_seen": entity.first_seen_at,
        "last_seen": entity.last_seen_at,
        "metadata": {"kind": entity.kind},
    }
