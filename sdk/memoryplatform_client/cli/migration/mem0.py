"""Memories in mem0's export format: a list, or an object with a list under `results` or `memories`.

Without `--bank`, each memory goes where mem0's own client finds it on this service: into the bank of its first id, with
all its ids as tags and with its metadata.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from memoryplatform_client.cli.batches import Entry
from memoryplatform_client.cli.migration.source import (
    Found,
    NotThisFormat,
    Wanted,
    check_kind,
    find_moment,
    read_json,
    spare_others,
    take,
)
from memoryplatform_client.options.retain import FactFields, Item

HOLDERS = ("results", "memories")
OWNERS = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "run"}
MARK = "json:"


def read(wanted: Wanted) -> Iterator[Found]:
    for place, row in enumerate(find_rows(read_json(wanted.path)), 1):
        where = f"Memory {place}"
        name = str(row.get("id") or where) if isinstance(row, Mapping) else where
        yield from spare_others(name, read_memory(wanted, row, name, where))


def read_memory(wanted: Wanted, row: Any, name: str, where: str) -> Iterator[Entry]:
    take(row, "memory", where)
    owners = [(kind, str(row[name])) for name, kind in OWNERS.items() if row.get(name)]
    yield Entry(wanted.bank or home_of(owners, where), name, build_item(row, owners, where))


def find_rows(data: Any) -> list[Any]:
    if isinstance(data, Mapping):
        data = next((data[name] for name in HOLDERS if isinstance(data.get(name), list)), None)
    if not isinstance(data, list):
        raise NotThisFormat("The file holds no list of memories. Exports in a schema of your own can't be read.")
    return data


def home_of(owners: list[tuple[str, str]], where: str) -> str:
    if not owners:
        raise NotThisFormat(f"{where} has none of {', '.join(OWNERS)}: say --bank.")
    kind, name = owners[0]
    return f"mem0:{kind}:{name.replace('%', '%25').replace('/', '%2F')}"


def build_item(row: Mapping[str, Any], owners: list[tuple[str, str]], where: str) -> Item:
    categories = check_kind(list, row.get("categories") or [], "categories")
    said_at = find_moment(row.get("created_at"))
    fact = FactFields(text=check_kind(str, take(row, "memory", where), "memory"), mentioned_at=said_at)
    return Item(
        facts=[fact],
        timestamp=said_at,
        tags=[*(f"{kind}:{name}" for kind, name in owners), *(f"category:{one}" for one in categories)],
        metadata=build_metadata(row),
    )


def build_metadata(row: Mapping[str, Any]) -> dict[str, str]:
    """In the form of the service's mem0 routes, so that these routes can read it back."""
    given = check_kind(dict, row.get("metadata") or {}, "metadata")
    values = {str(name): write_value(value) for name, value in given.items()}
    if row.get("expiration_date"):
        values["mem0.expiration_date"] = str(row["expiration_date"])
    return values


def write_value(value: Any) -> str:
    if isinstance(value, str) and not value.startswith(MARK):
        return value
    return f"{MARK}{json.dumps(value, separators=(',', ':'), sort_keys=True)}"
