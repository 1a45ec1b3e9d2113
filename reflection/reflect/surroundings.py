from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from banks.models import Bank
from reflection.reflect.places import Places, find_places
from reflection.reflect.relationships import Tie, find_ties
from reflection.reflect.types import Labelled
from retrieval.types import Analysis, PointInTime
from tenants.transactions import tenant_transaction


@dataclass(frozen=True)
class Surroundings:
    """What stands around some memories: where each was told, and how the entities in question are tied."""

    places: Places = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()


def read_surroundings(
    bank: Bank, memories: Sequence[Labelled], entity_ids: Sequence[UUID], moment: PointInTime
) -> Surroundings:
    with tenant_transaction(bank.tenant_id):
        return Surroundings(find_places(bank, memories), find_ties(bank, entity_ids, moment))


def find_shown_moment(asked: PointInTime, analysis: Analysis) -> PointInTime:
    """A question about the past shows what was superseded, as its recall does."""
    return replace(asked, history=True) if analysis.wants_history and asked == PointInTime() else asked
