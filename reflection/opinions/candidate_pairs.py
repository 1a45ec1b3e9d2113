"""Candidate pairs: new facts and the opinions that they may bear on (formula 25), by a shared entity or similarity.

A batch takes a fixed number of statements, each through an index. The pairs are compared as one matrix product.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from heapq import nsmallest
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection
from psycopg import Cursor

from banks.enums import Network
from banks.models import Bank, MemoryUnit, UnitSource
from banks.rendering import RENDERED_TEXT
from banks.vectors import use_slot
from providers.embedding.vector import Vector
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.claims import Pair
from reflection.opinions.confidence import choose_reach
from reflection.opinions.entities import read_entities
from reflection.opinions.evidence import find_spent, find_used
from reflection.opinions.tags import UNTAGGED, may_read, read_tags
from reflection.opinions.verdicts import NewFact, OpinionQuestion

Cause = OpinionRevision.Cause

A_TURN = 5  # the nearest opinions of a fact; further ones wait until every fact has had its turn
MOST_FACTS = 20  # of one opinion in one question
MOST_BY_ENTITY = 5  # of one opinion, the nearest: an agent's user is an entity of almost every fact
VECTOR_HEAD = 4  # bytes before the big-endian floats of `vector_send`
TINY = np.finfo(np.float32).tiny

# A world fact that only the agent stated is no evidence: the agent may have read it in this memory.
FACTS = f"""
SELECT unit.id, {RENDERED_TEXT.format(unit="unit")}, unit.mentioned_at, unit.recorded_at, vector_send(unit.{{vector}})
FROM banks_memoryunit AS unit
WHERE unit.tenant_id = %(tenant_id)s AND unit.bank_id = %(bank_id)s AND unit.id = ANY(%(ids)s)
  AND unit.network IN ('world', 'experience') AND unit.expired_at IS NULL AND unit.{{vector}} IS NOT NULL
  AND (unit.network = 'experience' OR NOT EXISTS (
    SELECT FROM banks_unitsource AS source
    JOIN banks_message AS message ON message.tenant_id = source.tenant_id AND message.id = source.message_id
    WHERE source.tenant_id = unit.tenant_id AND source.unit_id = unit.id
    HAVING bool_and(message.role = 'assistant')
  ))
ORDER BY unit.id
"""  # noqa: S608  # the fragment is a constant of ours
MOVABLE = """
SELECT id, vector_send({vector}) FROM banks_memoryunit
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND network = 'opinion' AND expired_at IS NULL
  AND review <> 'pinned' AND {vector} IS NOT NULL
ORDER BY id
"""


Vectors = dict[UUID, Vector]  # normalised to length 1, by unit


@dataclass(frozen=True)
class CandidatePair:
    opinion_id: UUID
    fact: NewFact


@dataclass(frozen=True)
class Plan:
    """The pairs to be weighed, in this order, and the number of pairs beyond the bound."""

    pairs: tuple[CandidatePair, ...] = ()
    left_out: int = 0


def plan_weighing(bank: Bank, fact_ids: Collection[UUID], *, most: int, only: UUID | None = None) -> Plan:
    """At most so many pairs; with `only` those of one opinion."""
    facts = read_facts(bank, fact_ids) if fact_ids else {}
    opinions = {one: vector for one, vector in read_movable(bank).items() if only in {None, one}} if facts else {}
    if not opinions:
        return Plan()
    shared = count_shared(bank, facts, opinions)
    used = find_used(bank, facts) | find_known_before(bank, facts, opinions)
    vectors = {fact.id: vector for fact, vector in facts.values()}
    ranked = list(rank_pairs(vectors, opinions, shared, used, reach=choose_reach(bank)))
    chosen = (CandidatePair(opinion_id, facts[fact_id][0]) for _, _, (fact_id, opinion_id) in nsmallest(most, ranked))
    return Plan(tuple(chosen), max(0, len(ranked) - most))


def count_shared(bank: Bank, fact_ids: Collection[UUID], opinion_ids: Collection[UUID]) -> Counter[Pair]:
    """The number of entities that the two of each pair both mention."""
    mentioned = read_entities(bank, [*fact_ids, *opinion_ids])
    held: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for opinion_id in opinion_ids:
        for entity_id in mentioned.get(opinion_id, ()):
            held[entity_id].append(opinion_id)
    return Counter(
        (fact_id, opinion_id)
        for fact_id in fact_ids
        for entity_id in mentioned.get(fact_id, ())
        for opinion_id in held.get(entity_id, ())
    )


def rank_pairs(
    facts: Vectors, opinions: Vectors, shared: Counter[Pair], used: set[Pair], *, reach: float
) -> Iterator[tuple[int, float, Pair]]:
    """Sort keys: turn by turn, within a turn the nearest first, ties by id."""
    cosines = np.stack(list(facts.values())) @ np.stack(list(opinions.values())).T
    by_entity = {
        (fact_id, opinion_id)
        for opinion_id, column in zip(opinions, cosines.T.tolist(), strict=True)
        for _, fact_id in nsmallest(
            MOST_BY_ENTITY,
            (
                (-cosine, fact_id)
                for fact_id, cosine in zip(facts, column, strict=True)
                if cosine <= reach and shared[fact_id, opinion_id] and (fact_id, opinion_id) not in used
            ),
        )
    }
    for fact_id, row in zip(facts, cosines.tolist(), strict=True):
        nearest = sorted((-cosine, (fact_id, opinion_id)) for cosine, opinion_id in zip(row, opinions, strict=True))
        candidates = (one for one in nearest if one[1] not in used and (-one[0] > reach or one[1] in by_entity))
        for place, (distance, pair) in enumerate(candidates):
            yield place // A_TURN, distance, pair


def read_questions(bank: Bank, pairs: Sequence[CandidatePair]) -> list[OpinionQuestion]:
    """By opinion, the oldest first, with the present texts and the facts in the order of their arrival.

    Pairs that were weighed, pinned, closed or deleted in the meantime are left out, and facts that repeat other
    evidence.
    """
    held = MemoryUnit.objects.of_bank(bank).current().filter(network=Network.OPINION)
    movable = held.exclude(review=MemoryUnit.Review.PINNED).filter(id__in={one.opinion_id for one in pairs})
    current = read_current(bank, list({one.fact.id for one in pairs}))
    by_age = sorted((one for one in pairs if one.fact.id in current), key=lambda one: by_arrival(one.fact))
    spent = find_spent(bank, [(one.fact.id, one.opinion_id) for one in by_age])
    facts_by_opinion: defaultdict[UUID, list[NewFact]] = defaultdict(list)
    for one in by_age:
        if (one.fact.id, one.opinion_id) not in spent:
            facts_by_opinion[one.opinion_id].append(replace(one.fact, text=current[one.fact.id]))
    reasons = read_reasons(bank, list(facts_by_opinion))
    return [
        OpinionQuestion(
            opinion_id,
            text,
            tuple(facts_by_opinion[opinion_id][start : start + MOST_FACTS]),
            confidence,
            reasons[opinion_id],
        )
        for opinion_id, text, confidence in movable.order_by("id").values_list("id", "text", "confidence")
        for start in range(0, len(facts_by_opinion[opinion_id]), MOST_FACTS)
    ]


def read_reasons(bank: Bank, opinion_ids: Collection[UUID]) -> dict[UUID, str]:
    """Why each opinion is held: the reasoning of its formation, or of the last change of mind.

    It is empty where the reasoning may quote facts under tags that readers of the opinion may not see.
    """
    rows = OpinionRevision.objects.of_bank(bank).filter(
        opinion_id__in=opinion_ids, cause__in=(Cause.FORMED, Cause.REVISED), withdrawn=False
    )
    latest = {row.opinion_id: row for row in rows.order_by("number")}
    grounds = RevisionEvidence.objects.of_bank(bank).standing().filter(revision__in=[row.id for row in latest.values()])
    seen: defaultdict[UUID, list[UUID]] = defaultdict(list)
    for revision_id, fact_id in grounds.values_list("revision_id", "fact_id"):
        seen[revision_id].append(fact_id)
    tags = read_tags(bank, [*opinion_ids, *(fact_id for facts in seen.values() for fact_id in facts)])
    found = dict.fromkeys(opinion_ids, "")
    for opinion_id, row in latest.items():
        own = tags.get(opinion_id, UNTAGGED)
        if all(may_read(own, tags.get(fact_id, UNTAGGED)) for fact_id in seen[row.id]):
            found[opinion_id] = row.reasoning
    return found


def by_arrival(fact: NewFact) -> tuple[datetime, UUID]:
    return fact.recorded_at, fact.id


def read_facts(bank: Bank, ids: Collection[UUID]) -> dict[UUID, tuple[NewFact, Vector]]:
    rows = fetch(use_slot(bank, FACTS), bank, ids=list(ids))
    return {row[0]: (NewFact(*row), read_vector(vector)) for *row, vector in rows}


def read_movable(bank: Bank) -> Vectors:
    """The opinions that evidence may move."""
    return {unit_id: read_vector(vector) for unit_id, vector in fetch(use_slot(bank, MOVABLE), bank)}


def read_current(bank: Bank, fact_ids: Collection[UUID]) -> dict[UUID, str]:
    """The texts of the facts that are current."""
    facts = MemoryUnit.objects.of_bank(bank).current().filter(id__in=fact_ids)
    return facts.read_rendered_texts()


def fetch(statement: str, bank: Bank, **given: Any) -> list[tuple[Any, ...]]:
    with Cursor(connection.connection) as cursor:  # Django's own cursor has no binary results
        cursor.execute(statement, {"tenant_id": bank.tenant_id, "bank_id": bank.id, **given}, binary=True)
        return cursor.fetchall()


def read_vector(sent: bytes) -> Vector:
    vector = np.frombuffer(sent, dtype=">f4", offset=VECTOR_HEAD).astype(np.float32)
    return vector / max(float(np.linalg.norm(vector)), float(TINY))


def find_known_before(bank: Bank, fact_ids: Collection[UUID], opinion_ids: Collection[UUID]) -> set[Pair]:
    """A fact from the message that an opinion was said in, or from earlier ones, is no new evidence for it.

    The ids of messages have the order of their arrival.
    """
    held = read_messages(bank, opinion_ids)
    said = read_messages(bank, fact_ids) if held else {}
    return {
        (fact_id, opinion_id)
        for opinion_id, own in held.items()
        for fact_id, messages in said.items()
        if max(messages) <= max(own)
    }


def read_messages(bank: Bank, unit_ids: Collection[UUID]) -> dict[UUID, list[UUID]]:
    """The messages that each unit rests on."""
    found: defaultdict[UUID, list[UUID]] = defaultdict(list)
    rows = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=unit_ids, message__isnull=False)
    for unit_id, message_id in rows.values_list("unit_id", "message_id"):
        if message_id is not None:
            found[unit_id].append(message_id)
    return found
