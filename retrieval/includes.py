"""Included rows: entities, chunks, source messages and links of the results, each kind within its own tokens."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol, TypeVar
from uuid import UUID

from psycopg import sql

from banks.enums import FACTUAL, Network
from providers.deadline import Deadline
from providers.tokens import TOKEN_COUNTS, TokenCounts
from retrieval.filters.moment import build_moment_condition, was_made, was_recorded, was_said
from retrieval.filters.types import Filters
from retrieval.plan import Plan
from retrieval.statements import read_rows
from retrieval.threads import attempt, explain_failure
from retrieval.types import (
    AT_PRESENT,
    Include,
    Included,
    IncludedChunk,
    IncludedEntity,
    IncludedLink,
    IncludedMessage,
    LeftOut,
    Part,
    PointInTime,
    RecallItem,
)

logger = logging.getLogger(__name__)
T = TypeVar("T")

# Entities of the first results come first.
ENTITIES = sql.SQL("""
SELECT entity.id, entity.name, entity.kind, {summary}, {mention_count} AS mention_count,
    array_agg(mention.unit_id ORDER BY wanted.place)
FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
JOIN banks_mention AS mention ON mention.unit_id = wanted.unit_id
JOIN banks_entity AS entity ON entity.id = mention.entity_id
WHERE mention.tenant_id = {tenant} AND {made}
GROUP BY entity.id, entity.name, entity.kind, entity.summary, entity.mention_count
ORDER BY min(wanted.place), mention_count DESC, entity.id
""")
COUNT_MENTIONS = sql.SQL("""(
    SELECT count(*) FROM banks_mention AS mention
    JOIN banks_memoryunit AS unit ON unit.tenant_id = mention.tenant_id AND unit.id = mention.unit_id
    WHERE mention.tenant_id = {tenant} AND mention.entity_id = entity.id AND {made} AND {seen}
)""")
CHUNKS = sql.SQL("""
WITH resting AS (
    SELECT wanted.unit_id, wanted.place, source.chunk_id
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id AND source.chunk_id IS NOT NULL
    UNION
    SELECT wanted.unit_id, wanted.place, part.chunk_id
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id
    JOIN banks_chunkpart AS part ON part.message_id = source.message_id
     AND source.start < part.message_end AND source."end" > part.message_start
)
SELECT chunk.id, chunk.text, chunk.position, chunk.heading, chunk.said_at, coalesce(document.document_id, ''),
    array_agg(resting.unit_id ORDER BY resting.place)
FROM resting JOIN banks_chunk AS chunk ON chunk.id = resting.chunk_id
LEFT JOIN banks_document AS document ON document.id = chunk.document_id
WHERE chunk.tenant_id = {tenant} AND chunk.stands_alone AND {recorded} AND {said}
GROUP BY chunk.id, chunk.text, chunk.position, chunk.heading, chunk.said_at, document.document_id
ORDER BY min(resting.place), chunk.said_at, chunk.id
""")
# Messages that units quote come first, each at its best place, then their neighbours in the episode. A message in a
# chunk that a deleted memory was taken from shows only the characters that a unit quotes, and no neighbours.
MESSAGES = sql.SQL("""
WITH quoted AS (
    SELECT message.id, message.episode_id, message.said_at, min(wanted.place) AS place,
        array_agg(DISTINCT source.unit_id) AS unit_ids,
        string_agg(DISTINCT substr(message.content, source.start + 1, source."end" - source.start), ' … ') AS words
    FROM unnest({unit_ids}::uuid[]) WITH ORDINALITY AS wanted (unit_id, place)
    JOIN banks_unitsource AS source ON source.unit_id = wanted.unit_id AND source.tenant_id = {tenant}
    JOIN banks_message AS message ON message.id = source.message_id AND message.tenant_id = {tenant}
    WHERE {recorded} AND {said}
    GROUP BY message.id, message.episode_id, message.said_at
), around AS (
    SELECT near.id, min(quoted.place) AS place FROM quoted CROSS JOIN LATERAL (
        (SELECT message.id FROM banks_message AS message
         WHERE message.tenant_id = {tenant} AND message.episode_id = quoted.episode_id
           AND {recorded} AND {said}
           AND (message.said_at, message.id) < (quoted.said_at, quoted.id)
         ORDER BY message.said_at DESC, message.id DESC LIMIT {neighbours})
        UNION ALL
        (SELECT message.id FROM banks_message AS message
         WHERE message.tenant_id = {tenant} AND message.episode_id = quoted.episode_id
           AND {recorded} AND {said}
           AND (message.said_at, message.id) > (quoted.said_at, quoted.id)
         ORDER BY message.said_at, message.id LIMIT {neighbours})
    ) AS near
    WHERE near.id NOT IN (SELECT id FROM quoted)
    GROUP BY near.id
), shown AS (
    SELECT id, place, false AS is_neighbour, unit_ids, words FROM quoted
    UNION ALL
    SELECT id, place, true, '{{}}'::uuid[], NULL FROM around
), silenced AS (
    SELECT part.message_id FROM shown
    JOIN banks_chunkpart AS part ON part.message_id = shown.id AND part.tenant_id = {tenant}
    JOIN banks_chunk AS chunk ON chunk.id = part.chunk_id AND chunk.tenant_id = {tenant} AND NOT chunk.stands_alone
)
SELECT message.id, message.speaker, message.role,
    CASE WHEN shown.id IN (SELECT message_id FROM silenced) THEN shown.words ELSE message.content END AS content,
    message.said_at, shown.unit_ids, shown.is_neighbour
FROM shown JOIN banks_message AS message ON message.id = shown.id AND message.tenant_id = {tenant}
WHERE shown.words IS NOT NULL OR shown.id NOT IN (SELECT message_id FROM silenced)
ORDER BY shown.is_neighbour, shown.place, message.said_at, message.id
""")
LINKS = sql.SQL("""
SELECT link.source_id, link.target_id, link.type, link.weight FROM banks_link AS link
WHERE link.tenant_id = {tenant} AND {made}
  AND link.source_id = ANY({unit_ids}::uuid[]) AND link.target_id = ANY({unit_ids}::uuid[])
ORDER BY link.weight DESC, link.source_id, link.target_id, link.type
""")


@dataclass(frozen=True)
class Inclusion:
    included: Included
    left_out: tuple[LeftOut, ...] = ()


@dataclass
class Gathering:
    """A part that fails costs neither the results nor another part."""

    deadline: Deadline
    left_out: list[LeftOut] = field(default_factory=list)

    def take(self, part: Part, find: Callable[..., tuple[T, ...]] | None) -> tuple[T, ...]:
        if find is None:
            return ()
        outcome = attempt(lambda: find(within_seconds=self.deadline.next_share()))
        if outcome.error is None:
            return outcome.get()
        logger.warning("The %s were left out.", part.value, exc_info=outcome.error)
        self.left_out.append(LeftOut(part, explain_failure(outcome.error)))
        return ()


def include(tenant_id: UUID, items: Sequence[RecallItem], wanted: Include, plan: Plan, deadline: Deadline) -> Inclusion:
    """For the packed results, in their order."""
    moment, filters = plan.moment, plan.query.filters
    units = {item.candidate.id: item.bank_id for item in items if item.candidate.kind == "unit"}
    if not units:
        return Inclusion(Included())
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
    return Inclusion(included, tuple(gathering.left_out))


def find_quotable(items: Sequence[RecallItem], filters: Filters) -> list[UUID]:
    """An opinion rests on facts under any tags, so a query with tags does not get its sources."""
    units = (item.candidate for item in items if item.candidate.kind == "unit")
    return [unit.id for unit in units if not filters.are_by_tags or unit.network is not Network.OPINION]


def count_neighbours(wanted: Include, filters: Filters) -> int:
    """A filter may hide the neighbours of a quoted message, and a message has no tags to check that by, so a query that
    filters facts gets none.
    """
    return wanted.neighbours if shows_all_facts(filters) else 0


def limit(find: Callable[..., tuple[T, ...]], max_tokens: int | None) -> Callable[..., tuple[T, ...]] | None:
    """None if it is not asked for."""
    return None if max_tokens is None else partial(find, max_tokens=max_tokens)


def include_entities(
    tenant_id: UUID,
    units: Mapping[UUID, str],
    *,
    max_tokens: int,
    filters: Filters,
    moment: PointInTime,
    within_seconds: float | None,
) -> tuple[IncludedEntity, ...]:
    """`units` are ids with the id of their bank."""
    statement = write_entities(tenant_id, list(units), filters, moment)
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    entities = (
        IncludedEntity(row_id, units[own[0]], name, kind, f"{name}: {summary}" if summary else name, count, tuple(own))
        for row_id, name, kind, summary, count, own in rows
    )
    return fit(entities, max_tokens)


def write_entities(tenant_id: UUID, unit_ids: list[UUID], filters: Filters, moment: PointInTime) -> sql.Composable:
    """A summary covers everything that is known of the entity today, so a filter or a point in time hides it."""
    is_complete = shows_all_facts(filters) and moment.as_of is None and moment.known_at is None
    return ENTITIES.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(unit_ids),
        made=was_made("mention", moment),
        summary=sql.SQL("entity.summary" if is_complete else "''"),
        mention_count=sql.SQL("entity.mention_count") if is_complete else count_mentions(tenant_id, filters, moment),
    )


def shows_all_facts(filters: Filters) -> bool:
    """No filter, or only one by networks that includes both networks of facts."""
    return replace(filters, networks=()) == Filters() and (not filters.networks or set(filters.networks) >= FACTUAL)


def count_mentions(tenant_id: UUID, filters: Filters, moment: PointInTime) -> sql.Composable:
    """Under a filter the mentions among the results; otherwise all that the moment shows."""
    if not shows_all_facts(filters):
        return sql.SQL("count(*)")
    return COUNT_MENTIONS.format(
        tenant=sql.Literal(tenant_id),
        made=was_made("mention", moment),
        seen=build_moment_condition(sql.Identifier("unit"), moment),
    )


def include_chunks(
    tenant_id: UUID,
    unit_ids: Sequence[UUID],
    *,
    max_tokens: int,
    moment: PointInTime = AT_PRESENT,
    within_seconds: float | None = None,
) -> tuple[IncludedChunk, ...]:
    """The chunks that the units quote, as far as the moment shows them.

    A chunk that a deleted memory was taken from is left out: it holds the deleted text.
    """
    statement = CHUNKS.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(list(unit_ids)),
        recorded=was_recorded("chunk", "created_at", moment),
        said=was_said("chunk", moment),
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return fit(
        (
            IncludedChunk(row_id, text, position, heading, said_at, document_id, tuple(units))
            for row_id, text, position, heading, said_at, document_id, units in rows
        ),
        max_tokens,
    )


def include_messages(
    tenant_id: UUID,
    unit_ids: Sequence[UUID],
    *,
    max_tokens: int,
    neighbours: int = 0,
    moment: PointInTime = AT_PRESENT,
    within_seconds: float | None = None,
) -> tuple[IncludedMessage, ...]:
    """The whole messages that the units quote; then, if tokens are left, `neighbours` before and after each.

    All were recorded by `known_at` and said by `as_of`.
    """
    statement = MESSAGES.format(
        tenant=sql.Literal(tenant_id),
        unit_ids=sql.Literal(list(unit_ids)),
        neighbours=sql.Literal(neighbours),
        recorded=was_recorded("message", "recorded_at", moment),
        said=was_said("message", moment),
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return fit(
        (
            IncludedMessage(row_id, speaker, role, text, said_at, tuple(units), is_neighbour)
            for row_id, speaker, role, text, said_at, units, is_neighbour in rows
        ),
        max_tokens,
    )


def include_links(
    tenant_id: UUID, unit_ids: Sequence[UUID], *, moment: PointInTime, within_seconds: float | None
) -> tuple[IncludedLink, ...]:
    """The stored edges between results. Both ends are results, so no edge leads to a hidden unit."""
    statement = LINKS.format(
        tenant=sql.Literal(tenant_id), unit_ids=sql.Literal(list(unit_ids)), made=was_made("link", moment)
    )
    rows = read_rows(tenant_id, statement, within_seconds=within_seconds)
    return tuple(IncludedLink(*row) for row in rows)


class WithText(Protocol):
    @property
    def text(self) -> str: ...


Text = TypeVar("Text", bound=WithText)


def fit(rows: Iterable[Text], max_tokens: int, *, counts: TokenCounts = TOKEN_COUNTS) -> tuple[Text, ...]:
    """As many as fit, in order, up to the first that does not, as for the results."""
    kept: list[Text] = []
    spent = 0
    for row in rows:
        spent += counts.count(row.text)
        if spent > max_tokens:
            break
        kept.append(row)
    return tuple(kept)
