"""Conditions as SQL. Values stand in it as quoted literals, so a condition can be put anywhere in a statement."""

from collections.abc import Iterable

from psycopg import sql


def all_of(conditions: Iterable[sql.Composable]) -> sql.Composable:
    parts = list(conditions)
    return sql.SQL("({})").format(sql.SQL(" AND ").join(parts)) if parts else sql.SQL("TRUE")


def any_of(conditions: Iterable[sql.Composable]) -> sql.Composable:
    parts = list(conditions)
    return sql.SQL("({})").format(sql.SQL(" OR ").join(parts)) if parts else sql.SQL("FALSE")
