"""The transfer archive of a Hindsight bank: a ZIP with a manifest and one file per document.

The text of a document is stored without extracting facts from it again. Its facts are imported with their entities,
dates and causes. Observations and mental models are left out: the service writes observations of its own.
"""

import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from memoryplatform_client.cli.batches import Entry
from memoryplatform_client.cli.failures import BadUsage
from memoryplatform_client.cli.migration.limits import find_fact_faults, find_half_characters
from memoryplatform_client.cli.migration.source import (
    Found,
    NotThisFormat,
    Wanted,
    check_kind,
    check_texts,
    find_moment,
    spare_others,
    take,
)
from memoryplatform_client.cli.reading import NotRead
from memoryplatform_client.options.retain import CauseFields, CauseRelation, FactFields, Item

MANIFEST, DOCUMENTS = "manifest.json", "documents/"
KNOWN_VERSIONS = {1}
LARGEST_MEMBER = 256 * 1024 * 1024  # bytes, unpacked
MOST_FACTS = 1_000  # per item
CAUSES: tuple[CauseRelation, ...] = ("causes", "caused_by", "enables", "prevents")
TYPES = {"world": "world", "experience": "experience", "bank": "experience"}


@dataclass(frozen=True)
class Labelled:
    """A fact, its place in the document, and the labels that all facts of an item share."""

    place: int
    row: Mapping[str, Any]

    @property
    def labels(self) -> tuple[str, str, str]:
        tags, metadata = sorted(self.row.get("tags") or []), self.row.get("metadata") or {}
        return self.row.get("context") or "", json.dumps(tags), json.dumps(metadata, sort_keys=True)


def read(wanted: Wanted) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(wanted.path) as archive:
            manifest = read_member(archive, MANIFEST)
            check_version(manifest)
            bank = wanted.bank or str(take(manifest, "source_bank_id", MANIFEST))
            for name in sorted(name for name in archive.namelist() if is_document(name)):
                yield from spare_others(name, read_document(bank, name, archive))
    except zipfile.BadZipFile as fault:
        raise NotThisFormat(f"{wanted.path} is no transfer archive: {fault}") from fault


def is_document(name: str) -> bool:
    return name.startswith(DOCUMENTS) and name.endswith(".json")


def check_version(manifest: Any) -> None:
    version = take(manifest, "schema_version", MANIFEST)
    if version not in KNOWN_VERSIONS:
        raise BadUsage(f"The archive has version {version}, which this client does not know.")


def read_member(archive: zipfile.ZipFile, name: str) -> Any:
    try:
        member = archive.getinfo(name)
    except KeyError as fault:
        raise NotThisFormat(f"The archive has no {name}.") from fault
    if member.file_size > LARGEST_MEMBER:
        raise NotThisFormat(f"{name} is larger than {LARGEST_MEMBER // 1024 // 1024} MB.")
    try:
        return json.loads(archive.read(member))
    except (zipfile.BadZipFile, zlib.error) as fault:
        raise NotThisFormat(f"{name} can't be unpacked: {fault}") from fault
    except ValueError as fault:
        raise NotThisFormat(f"{name} is no JSON: {fault}") from fault


def read_document(bank: str, name: str, archive: zipfile.ZipFile) -> Iterator[Found]:
    document = read_member(archive, name)
    id_ = document_id(str(take(document, "id", name)))
    said_at = find_moment(document.get("created_at"))
    tags = check_texts(document.get("tags") or [], "tags")
    rows = check_kind(list, document.get("facts") or [], "facts")
    text = read_text(document, name)
    if text.strip():
        yield Entry(bank, id_, Item(content=text, document_id=id_, timestamp=said_at, tags=tags, infer=False))
    facts: list[Labelled] = []
    for place, row in enumerate(rows):
        fault = find_fault(row, name)
        if fault is None:
            facts.append(Labelled(place, row))
        else:
            yield NotRead(f"{id_} fact {place + 1}", fault)
    for number, group in enumerate(cut_alike(facts)):
        item = build_facts(group, name)
        yield Entry(bank, f"{id_} facts", Item(**item, document_id=f"{id_[:480]}/facts-{number}", timestamp=said_at))


def read_text(document: Mapping[str, Any], where: str) -> str:
    if document.get("original_text"):
        return check_kind(str, document["original_text"], "original_text")
    chunks = check_kind(list, document.get("chunks") or [], "chunks")
    return "\n\n".join(check_kind(str, take(one, "chunk_text", where), "chunk_text") for one in chunks)


def find_fault(row: Any, where: str) -> str | None:
    """The fault of a fact, found before it is sent: an invalid fact would make the service refuse its whole item."""
    try:
        fact = build_fact(row, {}, where)
        check_labels(row)
        faults = [*find_half_characters(fact), *find_fact_faults(fact)]
    except NotThisFormat as fault:
        return str(fault)
    return "; ".join(faults) or None


def check_labels(row: Mapping[str, Any]) -> None:
    check_texts(row.get("tags") or [], "tags")
    check_kind(dict, row.get("metadata") or {}, "metadata")
    check_kind(str, row.get("context") or "", "context")


def document_id(given: str) -> str:
    """Replace path segments and characters that a document id may not hold, such as `..`."""
    parts = ["_" if part in {".", ".."} else part for part in given.strip().split("/")]
    return "".join(one if one.isprintable() else "_" for one in "/".join(parts))[:490]


def cut_alike(facts: Sequence[Labelled]) -> Iterator[Sequence[Labelled]]:
    """Tags, metadata and context belong to an item, so facts with different ones are sent in different items."""
    for _labels, group in groupby(sorted(facts, key=lambda one: one.labels), key=lambda one: one.labels):
        alike = list(group)
        for start in range(0, len(alike), MOST_FACTS):
            yield alike[start : start + MOST_FACTS]


def build_facts(group: Sequence[Labelled], where: str) -> Item:
    places = {one.place: index for index, one in enumerate(group)}
    first = group[0].row
    return Item(
        facts=[build_fact(one.row, places, where) for one in group],
        context=first.get("context") or "",
        tags=list(first.get("tags") or []),
        metadata={str(name): str(value) for name, value in (first.get("metadata") or {}).items()},
    )


def build_fact(row: Mapping[str, Any], places: Mapping[int, int], where: str) -> FactFields:
    fact = FactFields(
        text=str(take(row, "text", where)),
        type="experience" if TYPES.get(str(row.get("fact_type"))) == "experience" else "world",
        entities=[str(name) for name in check_kind(list, row.get("entities") or [], "entities")],
        causes=list(build_causes(row, places)),
    )
    start, end = find_moment(row.get("occurred_start")), find_moment(row.get("occurred_end"))
    mentioned = find_moment(row.get("mentioned_at")) or find_moment(row.get("event_date"))
    if start is not None:
        fact["occurred_start"] = start
        fact["occurred_end"] = end if end is not None and end > start else None
    if mentioned is not None:
        fact["mentioned_at"] = mentioned
    return fact


def build_causes(row: Mapping[str, Any], places: Mapping[int, int]) -> Iterator[CauseFields]:
    """Only causes between facts of the same item."""
    for given in check_kind(list, row.get("causal_relations") or [], "causal_relations"):
        one = check_kind(dict, given, "causal_relations")
        place, relation = one.get("target_fact_index"), find_relation(one.get("relation_type"))
        if isinstance(place, int) and place in places and relation is not None:
            yield CauseFields(target=places[place], relation_type=relation)


def find_relation(given: Any) -> CauseRelation | None:
    return next((known for known in CAUSES if known == given), None)
