"""Which new facts may bear on which opinions (formula 25): a shared entity, or nearness.

A fixed number of statements a batch, each through an index; the pairs are compared here, as one product of matrices.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from uuid import UUID

import numpy as np

from banks.models import Bank
from reflection.opinions.assessing import NewFact, OpinionQuestion
from reflection.opinions.bearing_rows import (
    HeldText,
    Pair,
    Vectored,
    find_told_together,
    find_used,
    read_facts,
    read_mentions,
    read_movable,
)
from reflection.opinions.moving import choose_reach

MOST_OPINIONS = 5  # of a fact, the nearest: the rest of a hub's are about something else
MOST_FACTS = 20  # of one opinion in one question
MOST_PAIRS = 200  # of a batch, the nearest: ten calls of an LLM


def find_questions(bank: Bank, fact_ids: Collection[UUID]) -> list[OpinionQuestion]:
    """By opinion, the oldest first, each with its facts in the order in which they came.

    Call inside a tenant transaction.
    """
    facts = read_facts(bank, fact_ids) if fact_ids else []
    opinions = read_movable(bank) if facts else []
    if not opinions:
        return []
    shared = count_shared(bank, facts, opinions)
    spent = find_used(bank, facts) | find_told_together(bank, facts, opinions)
    return build_questions(opinions, choose_pairs(facts, opinions, shared, spent, reach=choose_reach(bank)))


def count_shared(
    bank: Bank, facts: Sequence[Vectored[NewFact]], opinions: Sequence[Vectored[HeldText]]
) -> Counter[Pair]:
    """How many entities each pair has in common."""
    said = read_mentions(bank, [one.row.id for one in facts])
    held = read_mentions(bank, [one.row.id for one in opinions])
    return Counter(
        (fact_id, opinion_id)
        for entity_id in said.keys() & held.keys()
        for fact_id in said[entity_id]
        for opinion_id in held[entity_id]
    )


def choose_pairs(
    facts: Sequence[Vectored[NewFact]],
    opinions: Sequence[Vectored[HeldText]],
    shared: Counter[Pair],
    spent: set[Pair],
    *,
    reach: float,
) -> dict[Pair, NewFact]:
    """The nearest first, ties by id; each fact with its cosine and what it shares."""
    cosines = np.stack([one.vector for one in facts]) @ np.stack([one.vector for one in opinions]).T
    chosen: list[tuple[Pair, NewFact]] = []
    for fact, row in zip(facts, cosines, strict=True):
        nearest = (int(place) for place in np.argsort(-row, kind="stable"))  # opinions are in the order of their ids
        pairs = ((row[place], (fact.row.id, opinions[place].row.id)) for place in nearest)
        bearing = (one for one in pairs if one[1] not in spent and (one[0] > reach or shared[one[1]]))
        chosen += [
            (pair, replace(fact.row, cosine=float(cosine), shared=shared[pair]))
            for cosine, pair in islice(bearing, MOST_OPINIONS)
        ]
    return dict(sorted(chosen, key=by_nearness)[:MOST_PAIRS])


def by_nearness(chosen: tuple[Pair, NewFact]) -> tuple[float, Pair]:
    pair, fact = chosen
    return -fact.cosine, pair


def build_questions(opinions: Sequence[Vectored[HeldText]], pairs: dict[Pair, NewFact]) -> list[OpinionQuestion]:
    bearing: defaultdict[UUID, list[NewFact]] = defaultdict(list)
    for (_, opinion_id), fact in pairs.items():
        bearing[opinion_id].append(fact)
    return [
        OpinionQuestion(one.row.id, one.row.text, one.row.confidence, some)
        for one in opinions
        for some in cut(sorted(bearing[one.row.id], key=by_arrival))
    ]


def cut(facts: Sequence[NewFact]) -> Iterator[tuple[NewFact, ...]]:
    """So many that one call can weigh them. Where the first rewrite the opinion, the others are weighed anew."""
    for start in range(0, len(facts), MOST_FACTS):
        yield tuple(facts[start : start + MOST_FACTS])


def by_arrival(fact: NewFact) -> tuple[datetime, UUID]:
    return fact.recorded_at, fact.id
