"""Postings of new texts go to the end of each lexeme's last block; a full block is followed by another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from banks.models import Bank, Corpus
from banks.text_index.packing import POSTING, Postings, pack
from banks.text_index.texts import owner_of
from tenants.identifiers import uuid7

# Just under 2 kB: a larger value would move out of its row, and every rewrite would leave a dead copy of it behind.
BLOCK_POSTINGS = 224

FIND_LAST = """
SELECT wanted.lexeme, last.place, last.bytes
FROM unnest(%(lexemes)s::text[]) AS wanted (lexeme)
CROSS JOIN LATERAL (
    SELECT block.place, octet_length(block.postings) AS bytes
    FROM banks_postingblock AS block
    WHERE block.tenant_id = %(tenant_id)s AND block.bank_id = %(bank_id)s
      AND block.corpus = %(corpus)s AND block.lexeme = wanted.lexeme
    ORDER BY block.place DESC LIMIT 1
) AS last
"""
# Postgres joins the bytes itself, so that what is there need not be read first.
APPEND = """
INSERT INTO banks_postingblock AS block (tenant_id, bank_id, corpus, id, lexeme, place, postings, live)
SELECT %(tenant_id)s, %(bank_id)s, %(corpus)s, given.id, given.lexeme, given.place, given.postings, given.live
FROM unnest(%(id)s::uuid[], %(lexeme)s::text[], %(place)s::int[], %(postings)s::bytea[], %(live)s::int[])
    AS given (id, lexeme, place, postings, live)
ORDER BY given.lexeme, given.place
ON CONFLICT (bank_id, corpus, lexeme, place) DO UPDATE SET
    postings = block.postings || excluded.postings,
    live = block.live + excluded.live
"""


@dataclass(frozen=True)
class End:
    """Where the last block of a lexeme is and how many postings it has."""

    place: int
    postings: int


@dataclass(frozen=True)
class Piece:
    lexeme: str
    place: int
    postings: Postings


def append_postings(bank: Bank, corpus: Corpus, postings: Mapping[str, Postings]) -> None:
    """The numbers must be above all that the corpus had before."""
    ends = find_ends(bank, corpus, list(postings))
    pieces = [
        piece
        for lexeme, added in sorted(postings.items())
        for piece in split(lexeme, added, ends.get(lexeme, End(0, 0)))
    ]
    columns: dict[str, Any] = {
        "id": [uuid7() for _ in pieces],
        "lexeme": [piece.lexeme for piece in pieces],
        "place": [piece.place for piece in pieces],
        "postings": [pack(piece.postings) for piece in pieces],
        "live": [int(np.count_nonzero(~piece.postings["retired"])) for piece in pieces],
    }
    with connection.cursor() as cursor:
        cursor.execute(APPEND, {**owner_of(bank), "corpus": corpus, **columns})


def find_ends(bank: Bank, corpus: Corpus, lexemes: Sequence[str]) -> dict[str, End]:
    with connection.cursor() as cursor:
        cursor.execute(FIND_LAST, {**owner_of(bank), "corpus": corpus, "lexemes": list(lexemes)})
        return {lexeme: End(place, size // POSTING.itemsize) for lexeme, place, size in cursor.fetchall()}


def split(lexeme: str, postings: Postings, end: End) -> Iterator[Piece]:
    """What fits into the block at the end, and then new blocks."""
    room = max(BLOCK_POSTINGS - end.postings, 0)
    if room:
        yield Piece(lexeme, end.place, postings[:room])
    for number, start in enumerate(range(room, len(postings), BLOCK_POSTINGS), start=1):
        yield Piece(lexeme, end.place + number, postings[start : start + BLOCK_POSTINGS])
