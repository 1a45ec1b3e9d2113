from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from banks.models import Bank
from banks.words import Network
from reflection.observations.staleness import find_stale
from reflection.reflect.lookups.places import Places, find_places
from reflection.reflect.lookups.relationships import Tie, find_ties
from reflection.reflect.types import Labelled
from retrieval.filters.types import Filters
from retrieval.types import Analysis, PointInTime
from tenants.transactions import let_go_of_connection, tenant_transaction


@dataclass(frozen=True)
class Surroundings:
    """What stands around some memories: where each was told, and how the entities in question are tied.

    `stale` says of observations since when they may be out of date.
    """

    places: Places = field(default_factory=dict)
    ties: tuple[Tie, ...] = ()
    stale: Mapping[UUID, datetime] = field(default_factory=dict)


def read_surroundings(
    bank: Bank, memories: Sequence[Labelled], entity_ids: Sequence[UUID], moment: PointInTime, filters: Filters
) -> Surroundings:
    """The ties are those that whoever asked with these filters may see. Call outside of transactions: no connection is
    held afterwards, while a model works.
    """
    observed = [memory.id for memory in memories if memory.item.candidate.network is Network.OBSERVATION]
    places, ties = find_places(bank, memories), find_ties(bank, entity_ids, moment, filters)
    stale = read_stale(bank, observed) if observed else {}
    let_go_of_connection()
    return Surroundings(places, ties, stale)


def read_stale(bank: Bank, observed: Sequence[UUID]) -> Mapping[UUID, datetime]:
    with tenant_transaction(bank.tenant_id):
        return find_stale(bank, observed)


def find_shown_moment(asked: PointInTime, analysis: Analysis) -> PointInTime:
    """A question about the past shows what was superseded, as its recall does."""
    return replace(asked, history=True) if analysis.wants_history and asked == PointInTime() else asked
