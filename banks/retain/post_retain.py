"""The changes of a retain, for the work after it: opinions, observations, descriptions of entities."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Mention, UnitSource
from banks.retain.tools import Retained


@dataclass(frozen=True)
class PostRetain:
    """`unit_ids` are new, `proven_ids` got a proof, `closed_ids` were superseded."""

    unit_ids: tuple[UUID, ...] = ()
    proven_ids: tuple[UUID, ...] = ()
    closed_ids: tuple[UUID, ...] = ()
    entity_ids: tuple[UUID, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Retained]) -> Self:
        units = [unit for outcome in outcomes for unit in outcome.units]
        return cls(
            unit_ids=tuple(dict.fromkeys(unit.id for unit in units if unit.is_new)),
            proven_ids=tuple(dict.fromkeys(unit.id for unit in units if not unit.is_new)),
            closed_ids=tuple(dict.fromkeys(unit_id for unit in units for unit_id in unit.closed)),
            entity_ids=tuple(dict.fromkeys(entity_id for unit in units for entity_id in unit.entity_ids)),
        )

    def __bool__(self) -> bool:
        return bool(self.unit_ids or self.proven_ids or self.closed_ids)

    def write(self) -> dict[str, list[str]]:
        return {name: [str(one) for one in ids] for name, ids in vars(self).items()}

    @classmethod
    def read(cls, written: dict[str, Any]) -> Self:
        return cls(**{name: tuple(map(UUID, ids)) for name, ids in written.items()})


def add_earlier_attempts(
    bank: Bank, post: PostRetain, *, message_ids: Sequence[UUID], document_ids: Sequence[UUID]
) -> PostRetain:
    """Adds the units that an attempt stored before it crashed. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        Q(message__in=message_ids) | Q(chunk__document__in=document_ids)
    )
    units = set(sources.values_list("unit_id", flat=True)) - set(post.unit_ids) - set(post.proven_ids)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit__in=units)
    entity_ids = mentions.order_by("entity_id").values_list("entity_id", flat=True).distinct()
    return replace(
        post,
        unit_ids=(*post.unit_ids, *sorted(units)),
        entity_ids=tuple(dict.fromkeys((*post.entity_ids, *entity_ids))),
    )
