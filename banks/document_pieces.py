"""The pieces of a document: each append adds one. Each has its own date, labels and `infer`: "yesterday" in the second
piece is another day than in the first.
"""

import hashlib
from bisect import bisect_right
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from banks.models import Document
from banks.types import Labels


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of the document. `said_at` is in the author's time zone."""

    start: int
    end: int
    said_at: datetime
    infer: bool
    labels: Labels
    version: int = 0  # of the document after the call that added the piece
    is_ready: bool = False  # ready facts, whose chunks are not cut from the text
    is_transcript: bool = False


def write_piece(  # noqa: PLR0913  # the fields of a piece
    start: int,
    said_at: datetime,
    labels: Labels,
    *,
    version: int,
    infer: bool,
    is_ready: bool,
    is_transcript: bool = False,
) -> dict[str, Any]:
    written = {
        "start": start,
        "said_at": said_at.isoformat(),
        "infer": infer,
        "labels": labels.write(),
        "version": version,
        "ready": is_ready,
    }
    return written | ({"transcript": True} if is_transcript else {})


def write_first_piece(document: Document) -> dict[str, Any]:
    """The piece of a document that was stored without pieces."""
    labels = read_labels(document).write()
    return {"start": 0, "said_at": document.said_locally.isoformat(), "infer": True, "labels": labels}


def hash_text(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def list_pieces(document: Document) -> list[Piece]:
    """One piece, and one more for each append."""
    written = document.pieces or [write_first_piece(document)]
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
        written.get("transcript", False),
    )


def read_labels(document: Document) -> Labels:
    return Labels(document.context, tuple(document.tags), document.metadata)


def find_piece(pieces: list[Piece], start: int) -> Piece:
    """The piece with the character at `start`."""
    return pieces[bisect_right(pieces, start, key=lambda piece: piece.start) - 1]


def read_context(document: Document, start: int) -> str:
    """The context of the piece at `start`. It does not read the document's text, which may be long."""
    written = find_written(document, start)
    return str(written["labels"]["context"]) if "labels" in written else document.context


def is_of_ready_facts(document: Document, start: int) -> bool:
    """Whether the piece at `start` consists of ready facts."""
    return bool(find_written(document, start).get("ready", False))


def find_written(document: Document, start: int) -> dict[str, Any]:
    begun = [one for one in document.pieces if one["start"] <= start]
    return begun[-1] if begun else write_first_piece(document)


def list_former_labels(document: Document) -> list[Labels]:
    """Labels that units may still have from an earlier version of the document."""
    return [Labels.read(one) for one in document.pieces[0].get("former", ())] if document.pieces else []
