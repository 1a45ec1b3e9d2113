"""Hydration: from ids to candidates with every field that ranking and answering need, in one statement."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

import orjson
from psycopg import sql

from banks.enums import Network
from banks.models import Bank
from retrieval.filters.conditions import list_owners
from retrieval.filters.moment import build_historical_columns, build_moment_condition, expired_later
from retrieval.fusion import Key
from retrieval.statements import Row, read_rows, write_ids
from retrieval.types import Candidate, PointInTime, SourceSpan, Voice

NETWORKS = {network.value: network for network in Network}  # a look-up here is five times as fast as Network(value)
# The columns of a Candidate, in its order. A unit that expired after `known_at` reads as open. Lists are JSON
# as text, for orjson.
HYDRATE = """
SELECT 'unit', unit.id, {then.rendered}, {was[context]}, {was[network]}, {was[occurred_start]}, {was[occurred_end]},
    {was[mentioned_at]}, unit.valid_from,
    CASE WHEN {expired_later} THEN NULL ELSE unit.valid_until END,
    unit.recorded_at,
    CASE WHEN {expired_later} THEN NULL ELSE unit.expired_at END,
    CASE WHEN {expired_later} THEN '' ELSE unit.close_reason END,
    CASE WHEN {expired_later} THEN NULL ELSE unit.superseded_by_id END,
    {was[confidence]}, {was[importance]}, {was[proof_count]}, unit.access_count, unit.faded_at IS NOT NULL,
    (SELECT json_agg(entity.name ORDER BY entity.name) FROM banks_mention AS mention
        JOIN banks_entity AS entity ON entity.id = mention.entity_id AND entity.tenant_id = $1
        WHERE mention.unit_id = unit.id AND mention.tenant_id = $1 AND {then.mention})::text,
    (SELECT json_agg(tag.tag ORDER BY tag.tag) FROM banks_unittag AS tag
        WHERE tag.unit_id = unit.id AND tag.tenant_id = $1)::text,
    (SELECT json_object_agg(entry.key, entry.value) FROM banks_unitmetadata AS entry
        WHERE entry.unit_id = unit.id AND entry.tenant_id = $1)::text,
    (SELECT {sources}
        FROM banks_unitsource AS source
        LEFT JOIN banks_message AS message ON message.id = source.message_id AND message.tenant_id = $1
        LEFT JOIN banks_chunk AS chunk ON chunk.id = source.chunk_id AND chunk.tenant_id = $1
        LEFT JOIN banks_document AS document ON document.id = chunk.document_id AND document.tenant_id = $1
        WHERE source.unit_id = unit.id AND source.tenant_id = $1 AND {then.source}
          AND (source.message_id IS NOT NULL OR source.chunk_id IS NOT NULL))::text,
    {then.search_text}, {was[speaker]}, {was[role]}, unit.flags
FROM banks_memoryunit AS unit {then.joined}
WHERE unit.tenant_id = $1 AND unit.bank_id = $2 AND unit.id = ANY($3::uuid[]) AND {moment}
UNION ALL
SELECT 'chunk', chunk.id, chunk.text, chunk.heading, NULL, NULL, NULL,
    chunk.said_at, NULL, NULL, chunk.created_at, NULL, '', NULL,
    NULL, 0.5, 1, 0, false,
    NULL, NULL, NULL,
    coalesce(
        (SELECT json_agg(json_build_array(part.message_id, chunk.id, NULL,
                part.message_start, part.message_end, 'said', NULL, message.speaker, message.role, false)
                ORDER BY part.start)
            FROM banks_chunkpart AS part JOIN banks_message AS message ON message.id = part.message_id
            WHERE part.chunk_id = chunk.id),
        (SELECT json_build_array(json_build_array(
                NULL, chunk.id, document.document_id, 0, length(chunk.text), 'said', NULL, NULL, NULL, false))
            FROM banks_document AS document WHERE document.id = chunk.document_id))::text,
    '', '', '', chunk.flags
FROM banks_chunk AS chunk
WHERE chunk.tenant_id = $1 AND chunk.bank_id = $2 AND chunk.id = ANY($4::uuid[])
"""
SOURCES = """json_agg(json_build_array(source.message_id, source.chunk_id, document.document_id,
    source.start, source."end", source.role,
    CASE WHEN source.message_id IS NOT NULL THEN
        (SELECT later.id FROM banks_message AS later
            WHERE later.tenant_id = $1 AND later.episode_id = message.episode_id
              AND (later.said_at, later.id) > (message.said_at, message.id)
            ORDER BY later.said_at, later.id LIMIT 1)
    WHEN {speaker} <> '' AND source."end" = length(chunk.text) THEN
        (SELECT later.id FROM banks_chunk AS later
            WHERE later.tenant_id = $1 AND later.bank_id = $2 AND later.document_id IS NOT NULL
              AND later.said_at BETWEEN chunk.said_at AND chunk.said_at + interval '30 minutes'
              AND (later.said_at, later.id) > (chunk.said_at, chunk.id)
            ORDER BY later.said_at, later.id LIMIT 1)
    END,
    coalesce(message.speaker, nullif({speaker}, '')), coalesce(message.role, {role}),
    chunk.id IS NOT NULL AND chunk.number IS NULL) ORDER BY source.id)"""
# A fact that was said only after `as_of` keeps its sources.
SOURCES_SAID = "coalesce({sources} FILTER (WHERE {said}), {sources})"


def hydrate(
    bank: Bank, keys: Sequence[Key], moment: PointInTime, *, within_seconds: float | None = None
) -> list[Candidate]:
    """In the order of the keys. A row that was deleted or superseded since it was found is left out."""
    if not keys:
        return []
    units = write_ids([row_id for kind, row_id in keys if kind == "unit"])
    chunks = write_ids([row_id for kind, row_id in keys if kind == "chunk"])
    values = (*list_owners(bank), units, chunks)
    rows = read_rows(bank.tenant_id, write_hydrate(moment), values, within_seconds=within_seconds, keeps_plan=True)
    found: dict[Key, Candidate] = {(one.kind, one.id): one for one in map(build_candidate, rows)}
    return [found[key] for key in keys if key in found]


@lru_cache(maxsize=64)
def write_hydrate(moment: PointInTime) -> str:
    unit = sql.Identifier("unit")
    then = build_historical_columns(moment)
    sources = SOURCES.format(speaker=then.columns["speaker"], role=then.columns["role"])
    return HYDRATE.format(
        then=then,
        was=then.columns,
        sources=sources if moment.as_of is None else SOURCES_SAID.format(sources=sources, said=then.said),
        moment=build_moment_condition(unit, moment).as_string(),
        expired_later=expired_later(unit, moment).as_string(),
    )


def build_candidate(row: Row) -> Candidate:
    kind, row_id, text, context, network, *plain, entities, tags, metadata, sources = row[:-4]
    search_text, speaker, role, flags = row[-4:]
    quoted = orjson.loads(sources) if sources else ()
    return Candidate._make(
        (
            kind,
            row_id,
            text,
            context,
            NETWORKS[network] if network else None,
            *plain,
            tuple(orjson.loads(entities)) if entities else (),
            tuple(orjson.loads(tags)) if tags else (),
            orjson.loads(metadata) if metadata else {},
            tuple([build_span(source) for *source, _, _, _ in quoted]),
            tuple(dict.fromkeys([Voice(name, role) for *_, name, role, _ in quoted if name])),
            any(is_ready_made for *_, is_ready_made in quoted),
            search_text,
            speaker,
            role,
            tuple(flags),
        )
    )


def build_span(source: Sequence[Any]) -> SourceSpan:
    """From the first columns of SOURCES."""
    message_id, chunk_id, document_id, start, end, role, next_id = source
    message, chunk, following = (UUID(one) if one else None for one in (message_id, chunk_id, next_id))
    return SourceSpan(message, chunk, document_id or "", start, end, role, following)
