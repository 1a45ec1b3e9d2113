"""Disk usage: every table of the memory with its indexes and its TOAST table."""

from typing import Any

from django.apps import apps
from django.db import connection, connections

BIGGEST = 25
SIZE = "SELECT pg_table_size(to_regclass(%s)), pg_indexes_size(to_regclass(%s))"
INDEXES = """
SELECT indexrelid::regclass::text, pg_relation_size(indexrelid)
FROM pg_index WHERE indrelid = to_regclass(%s)
"""


def measure_storage(units: int) -> dict[str, Any]:
    """Bytes per unit. Dead rows are vacuumed first, because a running service reuses their space."""
    tables = sorted(model._meta.db_table for label in ("banks", "operations") for model in models_of(label))
    with connections["owner"].cursor() as owner:
        for table in tables:
            owner.execute(f'VACUUM "{table}"')
    parts: list[dict[str, Any]] = []
    with connection.cursor() as cursor:
        for table in tables:
            cursor.execute(SIZE, [table, table])
            parts.append({"part": table, "bytes_a_fact": cursor.fetchone()[0] / units})
            cursor.execute(INDEXES, [table])
            parts += [{"part": f"{table}: {name}", "bytes_a_fact": size / units} for name, size in cursor.fetchall()]
    parts.sort(key=lambda part: -part["bytes_a_fact"])
    return {
        "units": units,
        "kilobytes_a_fact": sum(part["bytes_a_fact"] for part in parts) / 1024,
        "biggest_parts": parts[:BIGGEST],
    }


def models_of(label: str) -> list[Any]:
    return list(apps.get_app_config(label).get_models())
