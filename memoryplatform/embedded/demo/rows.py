"""The rows of the demo bank, as retain and reflect would have left them, and the file that an import reads.

The rows are never saved from here. An import stores them, and then builds the text index, the vectors and the links
between similar memories, as it does for every file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from banks.facts import hash_tags, hash_words
from banks.models import Bank, MemoryUnit, UnitSource, UnitTag
from memoryplatform.embedded.demo.story import find_day, find_moment
from memoryplatform.operations.transfer.export import FORMAT, VERSION
from memoryplatform.operations.transfer.lines import END, HEADER, write_line, write_row
from memoryplatform.operations.transfer.tables import PROFILE, SELF_REFERENCES, TABLES, write_profile
from memoryplatform.operations.transfer.values import write_value
from tenants.identifiers import uuid7_at
from tenants.scoping import TenantOwned

ENGINE = "consolidate"
Row = TypeVar("Row", bound=TenantOwned)


@dataclass
class Rows:
    """Rows by model in the order of time, and the units of facts by key."""

    today: date
    by_model: dict[type[TenantOwned], list[Any]] = field(default_factory=lambda: defaultdict(list))
    units: dict[str, MemoryUnit] = field(default_factory=dict)
    _ids: Counter[datetime] = field(default_factory=Counter)

    def add(self, row: Row, at: datetime) -> Row:
        """`at` is the time of the row's creation."""
        row.id = self.make_id(at)
        for column in row._meta.concrete_fields:
            if getattr(column, "auto_now", False) or getattr(column, "auto_now_add", False):
                setattr(row, column.attname, at)
        self.by_model[type(row)].append(row)
        return row

    def make_id(self, at: datetime) -> UUID:
        """Ids are in the order of time."""
        self._ids[at] += 1
        return uuid7_at(at + timedelta(milliseconds=self._ids[at]))

    def day(self, offset: int | None) -> datetime | None:
        return None if offset is None else find_day(self.today, offset)

    def moment(self, written: str) -> datetime:
        return find_moment(self.today, written)

    def find(self, keys: Iterable[str]) -> list[MemoryUnit]:
        return [self.units[key] for key in keys]


def add_unit(rows: Rows, unit: MemoryUnit, at: datetime, tags: Sequence[str] = ()) -> MemoryUnit:
    unit.recorded_at = at
    unit.mentioned_at = unit.mentioned_at or at
    unit.content_hash, unit.tags_hash = hash_words(unit.text, unit.occurred_start), hash_tags(tags)
    rows.add(unit, at)
    for tag in tags:
        rows.add(UnitTag(unit_id=unit.id, tag=tag), at)
    return unit


def add_source(rows: Rows, unit: MemoryUnit, **place: Any) -> None:
    rows.add(UnitSource(unit_id=unit.id, **place), unit.recorded_at)


def write_file(rows: Rows, bank: Bank) -> bytes:
    """The lines of an export without vectors."""
    written_at = find_day(rows.today, 0).isoformat()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "bank_id": bank.bank_id,
        "vectors": False,
        "exported_at": written_at,
    }
    lines = [write_line(HEADER, header), write_row(PROFILE, write_profile(bank))]
    counts: Counter[str] = Counter()
    for table in TABLES:
        columns = table.fields(vectors=False).items()
        for row in rows.by_model[table.model]:
            lines.append(write_row(table.name, {name: write_value(one, getattr(row, name)) for name, one in columns}))
            counts[table.name] += 1
    for name, table in SELF_REFERENCES.items():
        column = table.self_reference_column
        for row in rows.by_model[table.model]:
            if later := getattr(row, column):
                lines.append(write_row(name, {"id": str(row.id), column: str(later)}))
                counts[name] += 1
    return b"".join([*lines, write_line(END, {"rows": counts})])
