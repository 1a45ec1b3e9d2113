"""The pieces of a document that was appended to. Each keeps the date and the wish it came with: "yesterday" in the
second is not that of the first, and what was only to be stored is not read for the sake of what follows it.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from banks.models import Document
from banks.retain.input import RetainItem


@dataclass(frozen=True)
class Piece:
    """Characters `start` to `end` of the document; `said_at` in the zone where it was written."""

    start: int
    end: int
    said_at: datetime
    infer: bool


def describe_piece(start: int, item: RetainItem) -> dict[str, Any]:
    return {"start": start, "said_at": item.said_at.isoformat(), "infer": item.infer}


def list_pieces(document: Document) -> list[Piece]:
    """One where nothing was appended."""
    written = document.pieces or [{"start": 0, "said_at": document.said_locally.isoformat(), "infer": True}]
    ends = [*(one["start"] for one in written[1:]), len(document.text)]
    return [
        Piece(one["start"], end, datetime.fromisoformat(one["said_at"]), one["infer"])
        for one, end in zip(written, ends, strict=True)
    ]


def find_piece(document: Document, start: int) -> Piece:
    """The one that the character stands in."""
    return [piece for piece in list_pieces(document) if piece.start <= start][-1]
