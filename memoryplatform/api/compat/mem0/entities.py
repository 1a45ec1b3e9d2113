"""`/v1/entities/` and `/v2/entities/{type}/{name}/`: whom there are memories of."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, Min, Q
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from banks.models import UnitTag
from memoryplatform.api.compat.hindsight.errors import NotOffered
from memoryplatform.api.compat.mem0.deleting import IN_PROGRESS, delete_of_owner
from memoryplatform.api.compat.mem0.errors import NotFound, naming
from memoryplatform.api.compat.mem0.mem0_view import Mem0View
from memoryplatform.api.compat.mem0.owners import KINDS, MEANT, Owner, read_bank_id, read_owner
from memoryplatform.api.compat.mem0.pages import PageWanted, asks_for_page, describe_page, read_page
from memoryplatform.api.compat.mem0.reach import find_banks
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from tenants.transactions import tenant_transaction

MOST_ENTITIES = 10_000  # in one answer: its client deletes everybody by what this tells
KIND_IDS = {kind: id_name for id_name, kind in KINDS.items()}


@dataclass(frozen=True)
class Entity:
    owner: Owner
    created_at: datetime
    updated_at: datetime

    def joined_with(self, other: "Entity") -> "Entity":
        first, last = min(self.created_at, other.created_at), max(self.updated_at, other.updated_at)
        return Entity(self.owner, first, last)


class EntitiesView(Mem0View):
    def get(self, request: Request) -> Response:
        with tenant_transaction(self.tenant_id):
            entities = sorted(list_entities(self.access), key=lambda one: one.updated_at, reverse=True)
        page = read_page(request) if asks_for_page(request) else PageWanted(1, MOST_ENTITIES)
        shown = [describe_entity(one, self.tenant_id) for one in entities[page.rows]]
        totals = {f"total_{kind}s": sum(one.owner.kind == kind for one in entities) for kind in KIND_IDS}
        return Response(describe_page(request, page, len(entities), shown) | totals)


class EntityView(Mem0View):
    def get(self, _request: Request, kind: str, name: str) -> Response:
        if name.endswith("/profile"):
            raise NotOffered("Profiles are not generated here.")
        owner = read_named(kind, name)
        with tenant_transaction(self.tenant_id):
            entity = next((one for one in list_entities(self.access, owner)), None)
        if entity is None:
            raise NotFound("Entity not found")
        return Response([describe_entity(entity, self.tenant_id)])

    def delete(self, _request: Request, kind: str, name: str) -> Response:
        owner = read_named(kind, name)
        return Response({"message": IN_PROGRESS, "event_id": delete_entity(self.access, owner)})


def read_named(kind: str, name: str) -> Owner:
    if kind not in KIND_IDS:
        raise serializers.ValidationError("Invalid entity type")
    with naming(KIND_IDS[kind]):
        return read_owner(KIND_IDS[kind], MEANT.get(name, name))


def list_entities(access: BankAccess, only: Owner | None = None) -> Iterable[Entity]:
    """Owners of banks, and those whose tags stand in banks of others. Call inside a tenant transaction."""
    found: dict[Owner, Entity] = {}
    for entity in [*list_bank_owners(access, only), *list_tagged(access, only)]:
        known = found.get(entity.owner)
        found[entity.owner] = known.joined_with(entity) if known else entity
    return found.values()


def list_bank_owners(access: BankAccess, only: Owner | None) -> list[Entity]:
    banks = find_banks(access)
    banks = banks if only is None else banks.filter(bank_id=only.bank_id)
    return [Entity(read_bank_id(bank.bank_id), bank.created_at, bank.updated_at) for bank in banks]


def list_tagged(access: BankAccess, only: Owner | None) -> list[Entity]:
    rows = UnitTag.objects.for_tenant(access.tenant_id).filter(bank_id__in=find_banks(access).values("id"))
    if only is None:
        meant = Q()
        for kind in KIND_IDS:
            meant |= Q(tag__startswith=f"{kind}:")
        rows = rows.filter(meant)
    else:
        rows = rows.filter(tag=only.tag)
    times = rows.order_by().values_list("tag").annotate(first=Min("unit__recorded_at"), last=Max("unit__updated_at"))
    return [Entity(Owner(*tag.split(":", 1)), first, last) for tag, first, last in times]


def describe_entity(entity: Entity, tenant_id: UUID) -> dict[str, Any]:
    return {
        "id": entity.owner.tag,
        "name": entity.owner.name_in_paths,  # by which its client deletes it
        "type": entity.owner.kind,
        "owner": tenant_id,
        "metadata": None,
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
    }


def delete_entity(access: BankAccess, owner: Owner) -> UUID:
    """With the bank goes all that was said; in the banks of others, the memories that also belong to the entity.

    One that is gone already is deleted: its client deletes all whom a list told, and with a user goes the agent who
    spoke to nobody else. Who may reach some banks only is told that there is nobody, for there may be.
    """
    with tenant_transaction(access.tenant_id):
        if access.banks is not None and not list_entities(access, owner):
            raise NotFound("Entity not found")
        has_bank = find_banks(access).filter(bank_id=owner.bank_id).exists()
    event = delete_bank_for_good(access, owner.bank_id) if has_bank else None
    elsewhere = delete_of_owner(access, owner)
    return event.id if event else elsewhere.id
