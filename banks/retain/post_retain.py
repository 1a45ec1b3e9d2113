"""What a retain changed, for those who go on from there: opinions, observations, descriptions of entities."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Mention, UnitSource
from banks.retain.tools import Retained


@dataclass(frozen=True)
class PostRetain:
    """`unit_ids` are new, `proven_ids` were heard again, `closed_ids` were superseded."""

    unit_ids: tuple[UUID, ...] = ()
    proven_ids: tuple[UUID, ...] = ()
    closed_ids: tuple[UUID, ...] = ()
    entity_ids: tuple[UUID, ...] = ()

    @classmethod
    def of(cls, outcomes: Iterable[Retained]) -> Self:
        every = list(outcomes)
        return cls(
            unit_ids=tuple(dict.fromkeys(one for outcome in every for one in outcome.new_ids)),
            proven_ids=tuple(dict.fromkeys(one for outcome in every for one in outcome.proven_ids)),
            closed_ids=tuple(dict.fromkeys(one for outcome in every for one in outcome.closed_ids)),
            entity_ids=tuple(dict.fromkeys(one for outcome in every for one in outcome.entity_ids)),
        )

    def __bool__(self) -> bool:
        return bool(self.unit_ids or self.proven_ids or self.closed_ids)

    def with_units(self, unit_ids: Iterable[UUID], entity_ids: Iterable[UUID]) -> "PostRetain":
        return PostRetain(
            unit_ids=tuple(dict.fromkeys((*self.unit_ids, *unit_ids))),
            proven_ids=self.proven_ids,
            closed_ids=self.closed_ids,
            entity_ids=tuple(dict.fromkeys((*self.entity_ids, *entity_ids))),
        )

    def write(self) -> dict[str, list[str]]:
        return {name: [str(one) for one in ids] for name, ids in vars(self).items()}

    @classmethod
    def read(cls, written: dict[str, Any]) -> Self:
        return cls(**{name: tuple(map(UUID, ids)) for name, ids in written.items()})


def add_earlier_attempts(
    bank: Bank, post: PostRetain, *, message_ids: Sequence[UUID], document_ids: Sequence[UUID]
) -> PostRetain:
    """With what an attempt stored before it crashed: this one passed it over. Call inside a tenant transaction."""
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(
        Q(message__in=message_ids) | Q(chunk__document__in=document_ids)
    )
    units = set(sources.values_list("unit_id", flat=True)) - set(post.unit_ids) - set(post.proven_ids)
    mentions = Mention.objects.for_tenant(bank.tenant_id).filter(unit__in=units)
    return post.with_units(sorted(units), mentions.order_by("entity_id").values_list("entity_id", flat=True).distinct())
