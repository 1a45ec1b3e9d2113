"""What a recall may look at, for each corpus, as SQL over an alias of the corpus's name."""

from dataclasses import dataclass, replace

from psycopg import sql

from banks.models import Bank, Corpus
from retrieval.filters.chunks import build_chunk_condition, can_stand_alone
from retrieval.filters.joining import all_of
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.types import Filters
from retrieval.filters.units import build_unit_condition
from retrieval.types import PointInTime

OWN = sql.SQL("{row}.tenant_id = {tenant} AND {row}.bank_id = {bank}")


@dataclass(frozen=True)
class Scope:
    """`is_selective`: the filters may leave few of a bank's units."""

    unit: sql.Composable
    chunk: sql.Composable
    episode: sql.Composable
    relationship: sql.Composable
    chunks_stand_alone: bool
    is_selective: bool

    def of(self, corpus: Corpus) -> sql.Composable:
        conditions = {
            Corpus.UNIT: self.unit,
            Corpus.CHUNK: self.chunk,
            Corpus.EPISODE: self.episode,
            Corpus.RELATIONSHIP: self.relationship,
        }
        return conditions[corpus]


def build_scope(bank: Bank, filters: Filters, moment: PointInTime) -> Scope:
    relationship = sql.Identifier("relationship")
    return Scope(
        unit=write_out(build_unit_condition(bank, filters, moment)),
        chunk=write_out(build_chunk_condition(bank, filters, moment)),
        episode=write_out(build_episode_condition(bank, moment)),
        relationship=write_out(all_of([is_own(bank, relationship), build_moment_condition(relationship, moment)])),
        chunks_stand_alone=can_stand_alone(filters),
        is_selective=replace(filters, networks=()) != Filters(),
    )


def build_episode_condition(bank: Bank, moment: PointInTime) -> sql.Composable:
    conditions: list[sql.Composable] = [is_own(bank, sql.Identifier("episode"))]
    if moment.known_at is not None:
        conditions.append(sql.SQL("episode.created_at <= {}").format(sql.Literal(moment.known_at)))
    if moment.as_of is not None:
        conditions.append(sql.SQL("episode.started_at <= {}").format(sql.Literal(moment.as_of)))
    return all_of(conditions)


def is_own(bank: Bank, row: sql.Identifier) -> sql.Composable:
    return OWN.format(row=row, tenant=sql.Literal(bank.tenant_id), bank=sql.Literal(bank.id))


def write_out(condition: sql.Composable) -> sql.Composable:
    """With its values quoted, once: it stands many times in the statements of a recall."""
    return sql.SQL(condition.as_string())
