"""The names of an erased person in what callers wrote beside the texts: contexts and metadata."""

import re
from collections import Counter
from collections.abc import Collection
from typing import Any
from uuid import UUID

from banks.models import Bank, Chunk, Document, Entity, MemoryUnit, UnitMetadata
from banks.models.bank import VECTOR_COLUMNS
from memoryplatform.operations.erasures.targets import (
    SENTENCE,
    build_contains,
    build_pattern,
    find_own_names,
    select_telling,
)


def read_names(bank: Bank, entity_ids: Collection[UUID]) -> list[str]:
    """Call before the entities are erased."""
    entities = Entity.objects.of_bank(bank).filter(id__in=entity_ids)
    return select_telling(name for entity in entities for name in find_own_names(bank, entity))


def erase_labels(bank: Bank, names: Collection[str]) -> Counter[str]:
    """A context loses the sentences with a name, metadata the values with one. Counts the rewritten rows by table."""
    named = build_pattern(names)
    if named is None:
        return Counter()
    values = UnitMetadata.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    telling = values.filter(build_contains("value", names)).values_list("id", "value")
    values.filter(id__in=[one for one, value in telling if named.search(value)]).delete()
    return Counter(
        {
            "unit": rewrite(MemoryUnit.objects.of_bank(bank), named, names),
            "chunk": rewrite(Chunk.objects.of_bank(bank), named, names),
            "document": rewrite_documents(bank, named),
        }
    )


def rewrite(rows: Any, named: re.Pattern[str], names: Collection[str]) -> int:
    """The vector of a chunk rests on its context, so it is emptied, and computed again after the transaction."""
    columns = ["context", *VECTOR_COLUMNS] if rows.model is Chunk else ["context"]
    found = [row for row in rows.filter(build_contains("context", names)) if named.search(row.context)]
    for row in found:
        row.context = drop_sentences(row.context, named)
        if rows.model is Chunk:
            row.embedding = row.second_embedding = None
    rows.bulk_update(found, columns)
    return len(found)


def rewrite_documents(bank: Bank, named: re.Pattern[str]) -> int:
    rows = Document.objects.of_bank(bank).only("tenant_id", "context", "metadata", "pieces")
    found = [row for row in rows if named.search(f"{row.context}\n{list_strings(row.metadata, row.pieces)}")]
    for row in found:
        row.context = drop_sentences(row.context, named)
        row.metadata, row.pieces = drop_values(row.metadata, named), drop_values(row.pieces, named)
    Document.objects.of_bank(bank).bulk_update(found, ["context", "metadata", "pieces"])
    return len(found)


def drop_sentences(text: str, named: re.Pattern[str]) -> str:
    return "".join(one.group() for one in SENTENCE.finditer(text) if not named.search(one.group())).strip()


def list_strings(*values: Any) -> str:
    """Every string inside, one a line."""
    lines = []
    for value in values:
        if isinstance(value, str):
            lines.append(value)
        elif isinstance(value, dict | list):
            lines.append(list_strings(*(value.values() if isinstance(value, dict) else value)))
    return "\n".join(lines)


def drop_values(value: Any, named: re.Pattern[str]) -> Any:
    """Without the values that have a name; a context loses sentences. Keys and other values stay."""
    if isinstance(value, list):
        return [drop_values(one, named) for one in value if not (isinstance(one, str) and named.search(one))]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, one in value.items():
        if isinstance(one, str) and named.search(one):
            if key == "context":
                kept[key] = drop_sentences(one, named)
            continue
        kept[key] = drop_values(one, named)
    return kept
