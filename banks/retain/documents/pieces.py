"""The pieces of a document that was appended to. Each keeps the date, the wish and the labels that it came with:
"yesterday" in the second is not that of the first, and what was only to be stored is not read for the sake of what
follows it.
"""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from banks.models import Document
from banks.retain.input import RetainItem
from banks.retain.labels import Labels


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of the document; `said_at` in the zone where it was written."""

    start: int
    end: int
    said_at: datetime
    infer: bool
    labels: Labels
    version: int = 0  # of the document when it came, by which the call that brought it knows it
    is_ready: bool = False  # facts of the caller's own: their chunks are not cut from the text


def describe_piece(start: int, item: RetainItem, *, version: int) -> dict[str, Any]:
    return {
        "start": start,
        "said_at": item.said_at.isoformat(),
        "infer": item.infer,
        "labels": item.labels.write(),
        "version": version,
        "ready": bool(item.facts),
    }


def describe_first(document: Document) -> dict[str, Any]:
    """For a document that does not say it of itself."""
    labels = read_labels(document).write()
    return {"start": 0, "said_at": document.said_locally.isoformat(), "infer": True, "labels": labels}


def list_pieces(document: Document) -> list[Piece]:
    """One where nothing was appended."""
    written = document.pieces or [describe_first(document)]
    ends = [*(one["start"] for one in written[1:]), len(document.text)]
    return [read_piece(document, one, end) for one, end in zip(written, ends, strict=True)]


def read_piece(document: Document, written: dict[str, Any], end: int) -> Piece:
    return Piece(
        written["start"],
        end,
        datetime.fromisoformat(written["said_at"]),
        written["infer"],
        Labels.read(written["labels"]) if "labels" in written else read_labels(document),
        written.get("version", 0),
        written.get("ready", False),
    )


def read_labels(document: Document) -> Labels:
    return Labels(document.context, tuple(document.tags), document.metadata)


def find_piece(pieces: list[Piece], start: int) -> Piece:
    """The one that the character stands in."""
    return pieces[bisect_right(pieces, start, key=lambda piece: piece.start) - 1]


def read_context(document: Document, start: int) -> str:
    """Of the piece that the character stands in. Needs no text of the document, which may be long."""
    written = find_written(document, start)
    return str(written["labels"]["context"]) if "labels" in written else document.context


def is_of_ready_facts(document: Document, start: int) -> bool:
    """Of the piece that the character stands in, without the document's text."""
    return bool(find_written(document, start).get("ready", False))


def find_written(document: Document, start: int) -> dict[str, Any]:
    begun = [one for one in document.pieces if one["start"] <= start]
    return begun[-1] if begun else describe_first(document)


def list_former_labels(document: Document) -> list[Labels]:
    """Those that units may still have from before the document was replaced."""
    return [Labels.read(one) for one in document.pieces[0].get("former", ())] if document.pieces else []
