"""What a recall may look at, for each corpus, as SQL over an alias of the corpus's name (see `own` for whose it is)."""

from dataclasses import dataclass, replace
from functools import lru_cache

from psycopg import sql

from banks.models import Corpus
from retrieval.filters.chunks import build_chunk_condition, can_stand_alone
from retrieval.filters.joining import all_of
from retrieval.filters.moment import build_moment_condition
from retrieval.filters.own import is_own
from retrieval.filters.types import Filters
from retrieval.filters.units import build_unit_condition
from retrieval.types import PointInTime


@dataclass(frozen=True)
class Scope:
    """`is_selective`: the filters may leave few of a bank's units."""

    unit: str
    chunk: str
    episode: str
    relationship: str
    chunks_stand_alone: bool
    is_selective: bool

    def of(self, corpus: Corpus) -> str:
        conditions = {
            Corpus.UNIT: self.unit,
            Corpus.CHUNK: self.chunk,
            Corpus.EPISODE: self.episode,
            Corpus.RELATIONSHIP: self.relationship,
        }
        return conditions[corpus]


def build_scope(filters: Filters, moment: PointInTime) -> Scope:
    plain = build_plain_scope(moment)
    if filters == Filters():
        return plain
    return replace(
        plain,
        unit=build_unit_condition(filters, moment).as_string(),
        chunk=build_chunk_condition(filters, moment).as_string(),
        chunks_stand_alone=can_stand_alone(filters),
        is_selective=replace(filters, networks=()) != Filters(),
    )


@lru_cache(maxsize=128)
def build_plain_scope(moment: PointInTime) -> Scope:
    """Without filters it is the same for every bank."""
    relationship = sql.Identifier("relationship")
    no_filters = Filters()
    return Scope(
        unit=build_unit_condition(no_filters, moment).as_string(),
        chunk=build_chunk_condition(no_filters, moment).as_string(),
        episode=build_episode_condition(moment).as_string(),
        relationship=all_of([is_own(relationship), build_moment_condition(relationship, moment)]).as_string(),
        chunks_stand_alone=True,
        is_selective=False,
    )


def build_episode_condition(moment: PointInTime) -> sql.Composable:
    conditions: list[sql.Composable] = [is_own(sql.Identifier("episode"))]
    if moment.known_at is not None:
        conditions.append(sql.SQL("episode.created_at <= {}").format(sql.Literal(moment.known_at)))
    if moment.as_of is not None:
        conditions.append(sql.SQL("episode.started_at <= {}").format(sql.Literal(moment.as_of)))
    return all_of(conditions)
