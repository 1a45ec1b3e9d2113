"""Which new facts may bear on which opinions (formula 25): a shared entity, or nearness.

A fixed number of statements a batch, each through an index; the pairs are compared here, as one product of matrices.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nsmallest
from uuid import UUID

import numpy as np

from banks.models import Bank
from reflection.opinions.evidence import Pair, find_used
from reflection.opinions.moving import choose_reach
from reflection.opinions.repeating import find_spent
from reflection.opinions.weighing.assessing import NewFact, OpinionQuestion
from reflection.opinions.weighing.bearing_rows import (
    HeldText,
    Vectored,
    find_told_together,
    read_current,
    read_facts,
    read_mentions,
    read_movable,
    read_texts,
)
from reflection.opinions.weighing.named import find_named

A_TURN = 5  # opinions of a fact, the nearest; the rest of a hub's wait until every fact has had its turn
MOST_FACTS = 20  # of one opinion in one question


@dataclass(frozen=True)
class Bearing:
    """A fact that may bear on an opinion, with its cosine and how much they share."""

    opinion_id: UUID
    fact: NewFact


@dataclass(frozen=True)
class Plan:
    """What is to be weighed, in this order, and how many pairs there are beyond it."""

    pairs: tuple[Bearing, ...] = ()
    left_out: int = 0


def plan_weighing(bank: Bank, fact_ids: Collection[UUID], *, most: int, only: UUID | None = None) -> Plan:
    """At most so many pairs, with `only` those of one opinion. Call inside a tenant transaction."""
    facts = read_facts(bank, fact_ids) if fact_ids else []
    opinions = [one for one in read_movable(bank) if only in {None, one.row.id}] if facts else []
    if not opinions:
        return Plan()
    shared = count_shared(bank, facts, opinions)
    spent = find_used(bank, [one.row.id for one in facts]) | find_told_together(bank, facts, opinions)
    ranked = list(rank_pairs(facts, opinions, shared, spent, reach=choose_reach(bank)))
    rows = {one.row.id: one.row for one in facts}
    chosen = (
        Bearing(pair[1], replace(rows[pair[0]], cosine=-distance, shared=shared[pair]))
        for _, distance, pair in nsmallest(most, ranked)
    )
    return Plan(tuple(chosen), max(0, len(ranked) - most))


def count_shared(
    bank: Bank, facts: Sequence[Vectored[NewFact]], opinions: Sequence[Vectored[HeldText]]
) -> Counter[Pair]:
    """How many entities each pair has in common, linked or named."""
    held = read_mentions(bank, [one.row.id for one in opinions])
    linked = read_mentions(bank, [one.row.id for one in facts])
    said = {(entity_id, fact_id) for entity_id in linked.keys() & held.keys() for fact_id in linked[entity_id]}
    said.update(find_named(bank, facts, list(held)))
    return Counter((fact_id, opinion_id) for entity_id, fact_id in said for opinion_id in held[entity_id])


def rank_pairs(
    facts: Sequence[Vectored[NewFact]],
    opinions: Sequence[Vectored[HeldText]],
    shared: Counter[Pair],
    spent: set[Pair],
    *,
    reach: float,
) -> Iterator[tuple[int, float, Pair]]:
    """What sorts them: turn by turn, in each the nearest first, ties by id."""
    cosines = np.stack([one.vector for one in facts]) @ np.stack([one.vector for one in opinions]).T
    ids = [one.row.id for one in opinions]
    for fact, row in zip(facts, cosines.tolist(), strict=True):
        nearest = sorted((-cosine, (fact.row.id, opinion_id)) for cosine, opinion_id in zip(row, ids, strict=True))
        bearing = (one for one in nearest if one[1] not in spent and (-one[0] > reach or shared[one[1]]))
        for place, (distance, pair) in enumerate(bearing):
            yield place // A_TURN, distance, pair


def read_questions(bank: Bank, pairs: Sequence[Bearing]) -> list[OpinionQuestion]:
    """By opinion, the oldest first, as each is worded now, with its facts in the order in which they came.

    Without what was weighed, pinned, closed or deleted meanwhile, and without what only repeats other evidence. Call
    inside a tenant transaction.
    """
    opinions = read_texts(bank, {one.opinion_id for one in pairs})
    fact_ids = list({one.fact.id for one in pairs})
    current = read_current(bank, fact_ids)
    by_age = sorted((one for one in pairs if one.fact.id in current), key=lambda one: by_arrival(one.fact))
    spent = find_spent(bank, [(one.fact.id, one.opinion_id) for one in by_age])
    bearing: defaultdict[UUID, list[NewFact]] = defaultdict(list)
    for one in by_age:
        if (one.fact.id, one.opinion_id) not in spent:
            bearing[one.opinion_id].append(replace(one.fact, text=current[one.fact.id]))
    return [
        OpinionQuestion(one.id, one.text, one.confidence, some) for one in opinions for some in cut(bearing[one.id])
    ]


def cut(facts: Sequence[NewFact]) -> Iterator[tuple[NewFact, ...]]:
    """So many that one call can weigh them. Where the first rewrite the opinion, the others are weighed anew."""
    for start in range(0, len(facts), MOST_FACTS):
        yield tuple(facts[start : start + MOST_FACTS])


def by_arrival(fact: NewFact) -> tuple[datetime, UUID]:
    return fact.recorded_at, fact.id
