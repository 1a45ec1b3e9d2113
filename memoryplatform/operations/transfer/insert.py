"""Inserting the rows of a file, one statement for each batch. After a failure the faulty line is found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.db import DataError, IntegrityError, connection, transaction
from pgvector.django import VectorField
from psycopg import errors, sql

from banks.models import Bank
from memoryplatform.operations.protection import screen_row
from memoryplatform.operations.transfer.errors import ImportInvalid
from memoryplatform.operations.transfer.lines import Line
from memoryplatform.operations.transfer.tables import Table, check_length, name_columns
from memoryplatform.operations.transfer.values import IdRenaming, InvalidValue, read_uuid, read_value, read_vector
from protection.modes import Protection

# Postgres reads the values as those of the table's own columns.
INSERT = sql.SQL(
    "INSERT INTO {table} ({columns}) SELECT {columns} FROM jsonb_populate_recordset(NULL::{table}, %s::jsonb)"
)
SET_REFERENCES = sql.SQL("""
UPDATE {table} SET {column} = given.later FROM jsonb_to_recordset(%s::jsonb) AS given (id uuid, later uuid)
WHERE {table}.tenant_id = %s AND {table}.bank_id = %s AND {table}.id = given.id
""")


@dataclass(frozen=True)
class Target:
    """`vectors`: the file has some. `dimension` is None if they are not of the bank's model; they are dropped then.

    `protection` is None if the texts need no screening.
    """

    bank: Bank
    vectors: bool = False
    dimension: int | None = None
    protection: Protection | None = None


def insert_rows(target: Target, table: Table, lines: Sequence[Line]) -> None:
    """Call inside a tenant transaction."""
    renaming = IdRenaming(target.bank.id)
    rows = [(line.number, read_row(target, table, line, renaming)) for line in lines]
    stored = name_columns(target.bank)
    rows = [(number, {stored.get(name, name): value for name, value in row.items()}) for number, row in rows]
    columns = list(rows[0][1])
    statement = INSERT.format(
        table=sql.Identifier(table.db_table), columns=sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    run_or_find_fault(statement, rows, ())


def read_row(target: Target, table: Table, line: Line, renaming: IdRenaming) -> dict[str, Any]:
    bank, fields = target.bank, table.fields(vectors=target.vectors)
    if unknown := sorted(set(line.row) - set(fields) - table.removed):
        raise ImportInvalid(line.number, f"A {table.name} has no field '{unknown[0]}'.")
    owner = {"tenant_id": str(bank.tenant_id)} | ({"bank_id": str(bank.id)} if table.has_bank_column else {})
    row: dict[str, Any] = dict(owner)
    for name, field in fields.items():
        value = line.row.get(name, table.added.get(name))
        try:
            if isinstance(field, VectorField):
                row[name] = read_own_vector(field, value, target)
            else:
                row[name] = read_value(field, value, renaming)
                check_value(table, name, row[name])
        except InvalidValue as fault:
            raise ImportInvalid(line.number, f"The field '{name}' {fault}.") from None
    try:
        return screen_row(target.protection, row, fields) if target.protection else row
    except InvalidValue as fault:
        raise ImportInvalid(line.number, f"A {table.name} {fault}.") from None


def check_value(table: Table, name: str, value: Any) -> None:
    check_length(table.name, name, value)
    if name in table.checks:
        try:
            table.checks[name](value)
        except ValueError as fault:
            raise InvalidValue(f"can't be read: {fault}") from fault


def read_own_vector(field: VectorField, value: Any, target: Target) -> str | None:
    if value is None or target.dimension is None:
        return None
    if not isinstance(value, list) or len(value) != target.dimension:
        raise InvalidValue(f"must be a list of {target.dimension} numbers")
    return read_vector(field, value)


def set_self_references(bank: Bank, table: Table, lines: Sequence[Line]) -> None:
    """Set the columns that point at rows of the same table. Call inside a tenant transaction."""
    renaming, column = IdRenaming(bank.id), table.self_reference_column
    rows = [(line.number, read_pair(line, column, renaming)) for line in lines]
    statement = SET_REFERENCES.format(table=sql.Identifier(table.db_table), column=sql.Identifier(column))
    run_or_find_fault(statement, rows, (bank.tenant_id, bank.id))


def read_pair(line: Line, column: str, renaming: IdRenaming) -> dict[str, Any]:
    if set(line.row) != {"id", column}:
        raise ImportInvalid(line.number, f"It must have 'id' and '{column}'.")
    try:
        return {name: str(renaming.rename(read_uuid(line.row[key]))) for name, key in (("id", "id"), ("later", column))}
    except InvalidValue as fault:
        raise ImportInvalid(line.number, f"An id {fault}.") from None


def run_or_find_fault(
    statement: sql.Composed, rows: Sequence[tuple[int, dict[str, Any]]], owner: Sequence[Any]
) -> None:
    try:
        run(statement, [row for _, row in rows], owner)
    except (IntegrityError, DataError) as error:
        if len(rows) == 1:
            raise ImportInvalid(rows[0][0], explain(error)) from None
        for row in rows:
            run_or_find_fault(statement, [row], owner)


def run(statement: sql.Composed, rows: Sequence[dict[str, Any]], owner: Sequence[Any]) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement.as_string(), [orjson.dumps(rows).decode(), *owner])


def explain(error: Exception) -> str:
    """Name the violated constraint, never the values."""
    cause = error.__cause__
    if isinstance(cause, errors.ForeignKeyViolation):
        return "It points at a row that does not come before it."
    if isinstance(cause, errors.UniqueViolation):
        return f"It exists already ({cause.diag.constraint_name})."
    if isinstance(cause, errors.CheckViolation):
        return f"It contradicts itself ({cause.diag.constraint_name})."
    return "Its values can't be stored."
