"""Readers of memories that another product has extracted: mem0 and Hindsight. They are stored as they are."""

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from banks.enums import Kind, Network
from banks.retain.input import RetainItem
from banks.types import ExtractedFact, FoundEntity
from memoryplatform.operations.imports.conversations import warn_of
from memoryplatform.operations.imports.upload import (
    UnreadableUpload,
    Upload,
    clean,
    cut,
    find_members,
    read_json,
    read_member,
    read_metadata,
    read_moment,
    read_tags,
)

MOST_FACTS = 500  # of one item
LONGEST_FACT = 100_000
LONGEST_ENTITY = 300
MOST_ENTITIES = 200
OWNERS = {"user_id": "user", "agent_id": "agent", "app_id": "app", "run_id": "run"}  # as the mem0 routes tag them
FACT_TYPES = {"world": Network.WORLD, "experience": Network.EXPERIENCE, "bank": Network.EXPERIENCE}
DERIVED = "observation"


def read_mem0(data: list[Mapping[str, Any]]) -> Upload:
    """A list of memories, as `get_all` and the export return it. Owners and categories become tags."""
    now, empty = timezone.now(), 0
    labelled: defaultdict[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], list[ExtractedFact]] = defaultdict(list)
    for row in data:
        text = cut(row.get("memory"), LONGEST_FACT)
        if not text:
            empty += 1
            continue
        owners = [f"{kind}:{row[name]}" for name, kind in OWNERS.items() if row.get(name)]
        categories = row.get("categories") if isinstance(row.get("categories"), list) else []
        tags = read_tags([*owners, *(f"category:{one}" for one in categories or [])])
        said_at = read_moment(row.get("created_at")) or read_moment(row.get("updated_at")) or now
        fact = ExtractedFact(text, Network.WORLD, said_at)
        labelled[tags, tuple(read_metadata(row.get("metadata")).items())].append(fact)
    items = [
        RetainItem(facts[0].mentioned_at, facts=facts, tags=tags, metadata=dict(metadata))
        for (tags, metadata), some in labelled.items()
        for facts in split(some)
    ]
    warnings = warn_of(empty, "1 memory without text is left out.", "{} memories without text are left out.")
    return Upload("mem0", tuple(items), tuple(warnings))


def read_hindsight_list(data: list[Mapping[str, Any]]) -> Upload:
    """The answer of Hindsight's list of memories. Each document's memories stay together."""
    by_document: defaultdict[tuple[str, tuple[str, ...], str], list[Mapping[str, Any]]] = defaultdict(list)
    retired = sum(row.get("state") == "invalidated" for row in data)
    for row in data:
        if row.get("state") != "invalidated":
            tags, context = read_tags(row.get("tags")), cut(row.get("context"), 500)
            by_document[cut(row.get("document_id"), 150), tags, context].append(row)
    warnings = Warnings(retired=retired)
    items = [
        item
        for (_, tags, context), rows in by_document.items()
        for item in build_items(rows, tags=tags, context=context, warnings=warnings)
    ]
    return Upload("hindsight", tuple(items), warnings.write())


def read_hindsight_archive(archive: zipfile.ZipFile, *, keeps_ids: bool = False) -> Upload:
    """The zip file of an exported bank: a file per document, with its text and the memories from it.

    A document whose memories are there is imported as these memories, any other as its text. With `keeps_ids` these
    memories make a document with its id.
    """
    warnings, items = Warnings(), []
    for path in find_members(archive, folder="documents"):
        document = read_json(read_member(archive, path))
        if not isinstance(document, Mapping):
            raise UnreadableUpload(f"The file {path} of this archive is no document.")
        tags, at = read_tags(document.get("tags")), read_moment(document.get("created_at"))
        rows = [row for row in document.get("facts") or [] if isinstance(row, Mapping)]
        found = build_items(rows, tags=tags, usual=at, warnings=warnings)
        name = cut(document.get("id"), 150)
        items += [replace(item, document_id=name) for item in found] if keeps_ids and name else found
        text = clean(document.get("original_text"))
        if not found and text.strip():
            items.append(RetainItem(at or timezone.now(), text=text, document_id=name, tags=tags, is_dated=bool(at)))
    names = set(archive.namelist())
    lost = [name.removesuffix(".json").replace("_", " ") for name in ("mental_models.json",) if name in names]
    more = tuple(f"The {one} of the bank are not imported." for one in lost)
    return Upload("hindsight", tuple(items), (*warnings.write(), *more))


class Warnings:
    """Counts what a Hindsight file has and an import leaves out."""

    def __init__(self, *, retired: int = 0) -> None:
        self.retired = retired
        self.derived = self.unknown = 0

    def write(self) -> tuple[str, ...]:
        return (
            *warn_of(self.retired, "1 invalidated memory is left out.", "{} invalidated memories are left out."),
            *warn_of(
                self.derived,
                "1 observation is left out: the bank writes its own.",
                "{} observations are left out: the bank writes its own.",
            ),
            *warn_of(
                self.unknown,
                "1 memory without text, or of an unknown type, is left out.",
                "{} memories without text, or of an unknown type, are left out.",
            ),
        )


def build_items(
    rows: Iterable[Mapping[str, Any]],
    *,
    tags: tuple[str, ...],
    warnings: Warnings,
    context: str = "",
    usual: datetime | None = None,
) -> list[RetainItem]:
    facts = [fact for row in rows if (fact := build_fact(row, warnings, usual or timezone.now()))]
    return [RetainItem(some[0].mentioned_at, facts=some, tags=tags, context=context) for some in split(facts)]


def split(facts: Sequence[ExtractedFact]) -> Iterator[tuple[ExtractedFact, ...]]:
    for start in range(0, len(facts), MOST_FACTS):
        yield tuple(facts[start : start + MOST_FACTS])


def build_fact(row: Mapping[str, Any], warnings: Warnings, usual: datetime) -> ExtractedFact | None:
    kind = str(row.get("fact_type") or row.get("type") or "world")
    text, confidence = cut(row.get("text"), LONGEST_FACT), row.get("confidence_score", row.get("confidence"))
    is_opinion = kind == Network.OPINION and isinstance(confidence, int | float) and 0 <= confidence <= 1
    if kind == DERIVED:
        warnings.derived += 1
        return None
    if not text or not (kind in FACT_TYPES or is_opinion):
        warnings.unknown += 1
        return None
    start, end = read_moment(row.get("occurred_start")), read_moment(row.get("occurred_end"))
    end = end if start and end and end >= start else None
    return ExtractedFact(
        text,
        Network.OPINION if is_opinion else FACT_TYPES[kind],
        read_moment(row.get("mentioned_at")) or read_moment(row.get("event_date") or row.get("date")) or usual,
        kind=Kind.EVENT if start else Kind.CONVERSATION,
        occurred_start=start,
        occurred_end=end,
        entities=tuple(FoundEntity(name) for name in list_entities(row.get("entities"))),
        confidence=float(confidence) if is_opinion and confidence is not None else None,
    )


def list_entities(written: object) -> list[str]:
    """A list of names or of objects with a name, or names with commas between them."""
    given = written.split(",") if isinstance(written, str) else written if isinstance(written, list) else []
    names = [one.get("name") or one.get("text") if isinstance(one, Mapping) else one for one in given]
    found = dict.fromkeys(cut(name, LONGEST_ENTITY) for name in names if name)
    return [name for name in found if name][:MOST_ENTITIES]
