"""Which rows with validity a moment shows, as SQL over the alias that is given; the rules of design section 2."""

from psycopg import sql

from retrieval.filters.joining import all_of, any_of
from retrieval.types import PointInTime

BEGUN = sql.SQL("({row}.valid_from IS NULL OR {row}.valid_from <= {then})")
NOT_OVER = sql.SQL("({row}.close_reason <> 'correction' AND ({row}.valid_until IS NULL OR {row}.valid_until > {then}))")
CLOSED_LATER = sql.SQL("{row}.expired_at > {known}")
ANNOUNCED_LATER = sql.SQL("{row}.announced_at > {known}")
END_TOLD_LATER = sql.SQL("coalesce({row}.announced_at, {row}.expired_at) > {known}")
NOT_CORRECTED = sql.SQL("{row}.close_reason <> 'correction'")
NOT_CLOSED = sql.SQL("{row}.expired_at IS NULL")
RECORDED = sql.SQL("{row}.recorded_at <= {known}")


def build_moment_condition(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    """`history` opens what is closed, not what was recorded later or was not true then. So does `as_of`: what is over
    by now was so then, whether we know that now or knew it at `known_at` (docs/adr/0009).
    """
    conditions: list[sql.Composable] = []
    if moment.known_at is not None:
        conditions.append(RECORDED.format(row=row, known=sql.Literal(moment.known_at)))
    if moment.as_of is not None:
        conditions.append(was_true(row, moment))
    if not moment.history and moment.as_of is None:
        conditions.append(any_of([NOT_CLOSED.format(row=row), *closed_later(row, moment)]))
    if not moment.corrected:
        conditions.append(NOT_CORRECTED.format(row=row))
    return all_of(conditions)


def was_true(row: sql.Identifier, moment: PointInTime) -> sql.Composable:
    """In the world, at `as_of`. What was closed after `known_at` is read as open: its end was not known then, unless it
    was announced before.
    """
    then = sql.Literal(moment.as_of)
    not_over = [NOT_OVER.format(row=row, then=then)]
    if moment.known_at is not None:
        not_over.append(END_TOLD_LATER.format(row=row, known=sql.Literal(moment.known_at)))
    return all_of([BEGUN.format(row=row, then=then), any_of(not_over)])


def closed_later(row: sql.Identifier, moment: PointInTime) -> list[sql.Composable]:
    """Or announced to end: nothing of that end was known at `known_at`."""
    if moment.known_at is None:
        return []
    known = sql.Literal(moment.known_at)
    return [CLOSED_LATER.format(row=row, known=known), ANNOUNCED_LATER.format(row=row, known=known)]
