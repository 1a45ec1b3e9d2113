"""`/entities`: whom and what the memories are about, and who stands with whom."""

from typing import Any
from uuid import UUID

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import Entity
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.hindsight.hindsight_view import HindsightView
from memoryplatform.api.compat.hindsight.pages import OffsetInput, describe_page
from memoryplatform.api.compat.hindsight.tolerance import read_query
from memoryplatform.api.serializers import Input
from memoryplatform.api.v1.graphs import describe_entities, read_choice
from memoryplatform.api.v1.tag_conditions import MATCHES
from memoryplatform.operations.banks.graphs import MOST_NODES, draw_entities
from memoryplatform.operations.banks.profile import get_bank
from memoryplatform.operations.entities.curating import show_entity
from memoryplatform.operations.entities.mentioned import list_mentioned, see_tagged
from tenants.transactions import tenant_transaction


class EntityInput(Input):
    tags = serializers.ListField(child=serializers.CharField(max_length=200), required=False, max_length=100)
    tags_match = serializers.ChoiceField(choices=MATCHES, default="any")
    tag_groups = serializers.CharField(required=False, default="")

    def validate_tag_groups(self, value: str) -> str:
        """Passing it over would show what the caller wanted left out."""
        if value:
            raise NotOffered("Entities can be chosen by tags, not by tag_groups.")
        return value


class EntityListInput(EntityInput, OffsetInput):
    pass


class EntityGraphInput(EntityListInput):
    limit = serializers.IntegerField(min_value=0, default=MOST_NODES)
    min_count = serializers.IntegerField(min_value=0, default=1)


class HindsightEntitiesView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityListInput, request)
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            page = list_mentioned(bank, read_choice(wanted), limit=wanted["limit"], offset=wanted["offset"])
        return Response(describe_page([describe_entity(entity) for entity in page.entities], page.total, wanted))


class HindsightEntityView(HindsightView):
    def get(self, request: Request, bank_id: str, entity_id: UUID) -> Response:
        choice = read_choice(read_query(EntityInput, request))
        shown = show_entity(self.access, bank_id, entity_id)
        entity, observations = shown.entity, shown.observations
        if choice.is_by_tags:
            with tenant_transaction(self.tenant_id):
                entity, observations = see_tagged(get_bank(self.access, bank_id), shown, choice)
        told = [{"text": unit.text, "mentioned_at": unit.mentioned_at} for unit in observations]
        return Response(describe_entity(entity) | {"observations": told})


class HindsightEntityGraphView(HindsightView):
    def get(self, request: Request, bank_id: str) -> Response:
        wanted = read_query(EntityGraphInput, request)
        place = {"limit": wanted["limit"], "offset": wanted["offset"]}
        with tenant_transaction(self.tenant_id):
            bank = get_bank(self.access, bank_id)
            graph = draw_entities(bank, read_choice(wanted), **place, least=wanted["min_count"])
        return Response(describe_entities(graph, limit=wanted["limit"]))


def describe_entity(entity: Entity) -> dict[str, Any]:
    return {
        "id": entity.id,
        "canonical_name": entity.name,
        "mention_count": entity.mention_count,
        "first_seen": entity.first_seen_at,
        "last_seen": entity.last_seen_at,
        "metadata": {"kind": entity.kind},
    }
