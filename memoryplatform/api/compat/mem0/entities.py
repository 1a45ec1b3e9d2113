"""`/v1/entities/` and `/v2/entities/{type}/{name}/`: the owners that have memories."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Max, Min, Q
from rest_framework import serializers
from rest_framework.request import Request

from banks.models import UnitTag
from memoryplatform.api.compat.mem0 import mem0_view
from memoryplatform.api.compat.mem0.deletion import IN_PROGRESS, delete_of_owner
from memoryplatform.api.compat.mem0.owners import KINDS, SENT_NAMES, Owner, read_bank_id, read_owner
from memoryplatform.api.compat.mem0.unit_lookup import find_banks
from memoryplatform.api.serializers import prefix_faults
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from tenants.transactions import tenant_transaction

MOST_ENTITIES = 10_000  # in one response: mem0's client deletes all users by this list
KIND_IDS = {kind: id_name for id_name, kind in KINDS.items()}


@dataclass(frozen=True)
class OwnerEntity:
    owner: Owner
    created_at: datetime
    updated_at: datetime

    def joined_with(self, other: "OwnerEntity") -> "OwnerEntity":
        first, last = min(self.created_at, other.created_at), max(self.updated_at, other.updated_at)
        return OwnerEntity(self.owner, first, last)


class EntitiesView(mem0_view.Mem0View):
    def get(self, request: Request) -> object:
        with tenant_transaction(self.tenant_id):
            entities = sorted(list_entities(self.access), key=lambda one: one.updated_at, reverse=True)
        page = (
            mem0_view.read_page(request)
            if mem0_view.asks_for_page(request)
            else mem0_view.PageRequest(1, MOST_ENTITIES)
        )
        shown = [describe_entity(one, self.tenant_id) for one in entities[page.rows]]
        totals = {f"total_{kind}s": sum(one.owner.kind == kind for one in entities) for kind in KIND_IDS}
        return mem0_view.describe_page(request, page, len(entities), shown) | totals


class EntityView(mem0_view.Mem0View):
    def get(self, _request: Request, kind: str, name: str) -> object:
        owner = read_named(kind, name)
        with tenant_transaction(self.tenant_id):
            entity = next((one for one in list_entities(self.access, owner)), None)
        if entity is None:
            raise mem0_view.NotFound("Entity not found")
        return [describe_entity(entity, self.tenant_id)]

    def delete(self, _request: Request, kind: str, name: str) -> object:
        owner = read_named(kind, name)
        return {"message": IN_PROGRESS, "event_id": delete_entity(self.access, owner)}


def read_named(kind: str, name: str) -> Owner:
    if kind not in KIND_IDS:
        raise serializers.ValidationError("Invalid entity type")
    with prefix_faults(KIND_IDS[kind]):
        return read_owner(KIND_IDS[kind], SENT_NAMES.get(name, name))


def list_entities(access: BankAccess, only: Owner | None = None) -> Iterable[OwnerEntity]:
    """Owners of banks, and owners that are tags in other owners' banks. Call inside a tenant transaction."""
    found: dict[Owner, OwnerEntity] = {}
    for entity in [*list_bank_owners(access, only), *list_tagged(access, only)]:
        known = found.get(entity.owner)
        found[entity.owner] = known.joined_with(entity) if known else entity
    return found.values()


def list_bank_owners(access: BankAccess, only: Owner | None) -> list[OwnerEntity]:
    banks = find_banks(access)
    banks = banks if only is None else banks.filter(bank_id=only.bank_id)
    return [OwnerEntity(read_bank_id(bank.bank_id), bank.created_at, bank.updated_at) for bank in banks]


def list_tagged(access: BankAccess, only: Owner | None) -> list[OwnerEntity]:
    rows = UnitTag.objects.for_tenant(access.tenant_id).filter(bank_id__in=find_banks(access).values("id"))
    if only is None:
        matching = Q()
        for kind in KIND_IDS:
            matching |= Q(tag__startswith=f"{kind}:")
        rows = rows.filter(matching)
    else:
        rows = rows.filter(tag=only.tag)
    times = rows.order_by().values_list("tag").annotate(first=Min("unit__recorded_at"), last=Max("unit__updated_at"))
    return [OwnerEntity(Owner(*tag.split(":", 1)), first, last) for tag, first, last in times]


def describe_entity(entity: OwnerEntity, tenant_id: UUID) -> dict[str, Any]:
    return {
        "id": entity.owner.tag,
        "name": entity.owner.name_in_paths,  # mem0's client deletes by this name
        "type": entity.owner.kind,
        "owner": tenant_id,
        "metadata": None,
        "created_at": entity.created_at,
        "updated_at": entity.updated_at,
    }


def delete_entity(access: BankAccess, owner: Owner) -> UUID:
    """Deletes the owner's bank, and the owner's memories in other banks. Returns the id of the event.

    A missing owner counts as deleted: mem0's client deletes every owner of a list, and deleting a user may delete the
    last memories of an agent. A key that is limited to some banks gets a 404 instead, because the owner may exist
    elsewhere.
    """
    with tenant_transaction(access.tenant_id):
        if access.banks is not None and not list_entities(access, owner):
            raise mem0_view.NotFound("Entity not found")
        has_bank = find_banks(access).filter(bank_id=owner.bank_id).exists()
    event = delete_bank_for_good(access, owner.bank_id) if has_bank else None
    elsewhere = delete_of_owner(access, owner)
    return event.id if event else elsewhere.id
