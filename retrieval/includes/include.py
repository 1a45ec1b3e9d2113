import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar
from uuid import UUID

from banks.words import Network
from retrieval.deadline import Deadline
from retrieval.filters.types import Filters
from retrieval.includes.chunks import include_chunks
from retrieval.includes.entities import include_entities, shows_all_facts
from retrieval.includes.links import include_links
from retrieval.includes.messages import include_messages
from retrieval.includes.types import Included
from retrieval.outcome import attempt, describe_failure
from retrieval.plan import Plan
from retrieval.types import Include, LeftOut, Part, RecallItem

logger = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True)
class Along:
    """What comes along, and what should have."""

    included: Included
    left_out: tuple[LeftOut, ...] = ()


@dataclass
class Gathering:
    """A part that fails takes neither the results nor another part with it."""

    deadline: Deadline
    left_out: list[LeftOut] = field(default_factory=list)

    def take(self, part: Part, find: Callable[..., tuple[T, ...]] | None) -> tuple[T, ...]:
        if find is None:
            return ()
        outcome = attempt(lambda: find(within_seconds=self.deadline.next_share()))
        if outcome.error is None:
            return outcome.get()
        logger.warning("The %s were left out.", part.value, exc_info=outcome.error)
        self.left_out.append(LeftOut(part, describe_failure(outcome.error)))
        return ()


def include(tenant_id: UUID, items: Sequence[RecallItem], wanted: Include, plan: Plan, deadline: Deadline) -> Along:
    """For the results that are returned, in their order."""
    moment, filters = plan.moment, plan.query.filters
    units = {item.candidate.id: item.bank_id for item in items if item.candidate.kind == "unit"}
    if not units:
        return Along(Included())
    ids = list(units)
    quoted = find_quotable(items, filters)
    entities = partial(include_entities, tenant_id, units, filters=filters, moment=moment)
    chunks = partial(include_chunks, tenant_id, quoted, moment=moment)
    messages = partial(include_messages, tenant_id, quoted, moment=moment, neighbours=count_neighbours(wanted, filters))
    links = partial(include_links, tenant_id, ids, moment=moment)
    gathering = Gathering(deadline)
    included = Included(
        entities=gathering.take(Part.ENTITIES, limit(entities, wanted.entities)),
        chunks=gathering.take(Part.CHUNKS, limit(chunks, wanted.chunks)),
        messages=gathering.take(Part.SOURCE_MESSAGES, limit(messages, wanted.source_messages)),
        links=gathering.take(Part.LINKS, links if wanted.links else None),
    )
    return Along(included, tuple(gathering.left_out))


def find_quotable(items: Sequence[RecallItem], filters: Filters) -> list[UUID]:
    """An opinion rests on all who said the same, under whichever tags: who asks by tags does not get their words."""
    units = (item.candidate for item in items if item.candidate.kind == "unit")
    return [unit.id for unit in units if filters.tags is None or unit.network is not Network.OPINION]


def count_neighbours(wanted: Include, filters: Filters) -> int:
    """What was said around a quoted turn may be what a filter hides, and a turn by itself has nothing to tell that by:
    who asks for a part of the facts gets only what is quoted.
    """
    return wanted.neighbours if shows_all_facts(filters) else 0


def limit(find: Callable[..., tuple[T, ...]], max_tokens: int | None) -> Callable[..., tuple[T, ...]] | None:
    """None where it is not asked for."""
    return None if max_tokens is None else partial(find, max_tokens=max_tokens)
