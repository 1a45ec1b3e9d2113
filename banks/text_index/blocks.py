"""Blocks of postings: appended to, found by the numbers of their texts, and written back.

Postings of new texts go to the end of each lexeme's last block. A full block is followed by another.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import numpy.typing as npt
from django.db import connection

from banks.models import Bank, Corpus, PostingBlock
from banks.text_index.packing import POSTING, Postings, pack, unpack
from banks.text_index.texts import StoredText, owner_of
from tenants.identifiers import uuid7

# Just under 2 kB: Postgres would store a larger value outside of its row, and every rewrite would leave a dead copy.
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
# Postgres appends the bytes itself, so the existing postings need not be read.
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
# The first and the last posting have the lowest and the highest number of a block. Postgres reads only these two.
FIND = """
SELECT block.id, block.postings
FROM unnest(%(lexemes)s::text[], %(lowest)s::int[], %(highest)s::int[]) AS wanted (lexeme, lowest, highest)
JOIN banks_postingblock AS block ON block.lexeme = wanted.lexeme
WHERE block.tenant_id = %(tenant_id)s AND block.bank_id = %(bank_id)s AND block.corpus = %(corpus)s
  AND substring(block.postings FROM 1 FOR 4) <= int4send(wanted.highest)
  AND substring(block.postings FROM octet_length(block.postings) - 7 FOR 4) >= int4send(wanted.lowest)
"""
SWEEP = """
SELECT block.id, block.postings
FROM banks_postingblock AS block
WHERE block.tenant_id = %(tenant_id)s AND block.bank_id = %(bank_id)s AND block.corpus = %(corpus)s
  AND substring(block.postings FROM 1 FOR 4) <= int4send(%(highest)s)
  AND substring(block.postings FROM octet_length(block.postings) - 7 FOR 4) >= int4send(%(lowest)s)
"""
REWRITE = """
UPDATE banks_postingblock AS block SET postings = given.postings, live = given.live
FROM unnest(%(ids)s::uuid[], %(postings)s::bytea[], %(live)s::int[]) AS given (id, postings, live)
WHERE block.tenant_id = %(tenant_id)s AND block.id = given.id
"""


@dataclass(frozen=True)
class End:
    """The place of the last block of a lexeme, and the number of its postings."""

    place: int
    postings: int


@dataclass(frozen=True)
class AddedBlock:
    lexeme: str
    place: int
    postings: Postings


def append_postings(bank: Bank, corpus: Corpus, postings: Mapping[str, Postings]) -> None:
    """The numbers must be greater than all former numbers of the corpus."""
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
        "live": [count_live(piece.postings) for piece in pieces],
    }
    with connection.cursor() as cursor:
        cursor.execute(APPEND, {**owner_of(bank), "corpus": corpus, **columns})


def find_ends(bank: Bank, corpus: Corpus, lexemes: Sequence[str]) -> dict[str, End]:
    with connection.cursor() as cursor:
        cursor.execute(FIND_LAST, {**owner_of(bank), "corpus": corpus, "lexemes": list(lexemes)})
        return {lexeme: End(place, size // POSTING.itemsize) for lexeme, place, size in cursor.fetchall()}


def split(lexeme: str, postings: Postings, end: End) -> Iterator[AddedBlock]:
    """Fill the last block, then add new blocks."""
    room = max(BLOCK_POSTINGS - end.postings, 0)
    if room:
        yield AddedBlock(lexeme, end.place, postings[:room])
    for number, start in enumerate(range(room, len(postings), BLOCK_POSTINGS), start=1):
        yield AddedBlock(lexeme, end.place + number, postings[start : start + BLOCK_POSTINGS])


@dataclass(frozen=True)
class Block:
    id: UUID
    postings: Postings


@dataclass(frozen=True)
class Span:
    """From the lowest to the highest number, both included."""

    lowest: int
    highest: int


def find_blocks(bank: Bank, corpus: Corpus, spans: Mapping[str, Span]) -> list[Block]:
    """The blocks of each lexeme that may hold a number of its span."""
    lowest, highest = [one.lowest for one in spans.values()], [one.highest for one in spans.values()]
    return read_blocks(FIND, bank, corpus, lexemes=list(spans), lowest=lowest, highest=highest)


def sweep_blocks(bank: Bank, corpus: Corpus, span: Span) -> list[Block]:
    """The blocks of any lexeme that may hold a number of the span. Reads every block of the corpus."""
    return read_blocks(SWEEP, bank, corpus, lowest=span.lowest, highest=span.highest)


def read_blocks(statement: str, bank: Bank, corpus: Corpus, **given: Any) -> list[Block]:
    with connection.cursor() as cursor:
        cursor.execute(statement, {**owner_of(bank), "corpus": corpus, **given})
        return [Block(block_id, unpack(packed)) for block_id, packed in cursor.fetchall()]


def count_live(postings: Postings) -> int:
    return int(np.count_nonzero(~postings["retired"]))


def write_blocks(bank: Bank, blocks: Sequence[Block]) -> None:
    """Write the blocks back. Empty blocks are deleted."""
    full = [block for block in blocks if block.postings.size]
    given: dict[str, Any] = {
        "ids": [block.id for block in full],
        "postings": [pack(block.postings) for block in full],
        "live": [count_live(block.postings) for block in full],
    }
    with connection.cursor() as cursor:
        cursor.execute(REWRITE, {"tenant_id": bank.tenant_id, **given})
    empty = [block.id for block in blocks if not block.postings.size]
    PostingBlock.objects.for_tenant(bank.tenant_id).filter(id__in=empty).delete()


def delete_blocks(bank: Bank, corpus: Corpus) -> None:
    PostingBlock.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus).delete()


@dataclass(frozen=True)
class LocatedBlock:
    """A block, and a mask of its wanted postings."""

    block: Block
    wanted: npt.NDArray[np.bool_]

    @property
    def postings(self) -> Postings:
        return self.block.postings


def locate_blocks(bank: Bank, corpus: Corpus, texts: Mapping[int, StoredText]) -> list[LocatedBlock]:
    """The blocks with postings of these texts, found by their lexemes.

    If a row, or the rules for lexemes, changed since the indexing, this misses some blocks. Then every block of the
    corpus is read, so that a removed text leaves nothing behind.
    """
    located = mark(find_blocks(bank, corpus, build_spans(texts)), texts)
    if are_all_found(located, texts):
        return located
    return mark(sweep_blocks(bank, corpus, Span(min(texts), max(texts))), texts)


def build_spans(texts: Mapping[int, StoredText]) -> dict[str, Span]:
    spans: dict[str, Span] = {}
    for number in sorted(texts):
        for lexeme in texts[number].frequencies:
            known = spans.get(lexeme)
            spans[lexeme] = Span(known.lowest if known else number, number)
    return spans


def mark(blocks: Sequence[Block], numbers: Iterable[int]) -> list[LocatedBlock]:
    """One comparison for all blocks together: there are many, and most are short."""
    if not blocks:
        return []
    joined = np.concatenate([block.postings["number"] for block in blocks]).astype(np.int64)
    ends = np.cumsum([block.postings.size for block in blocks])
    wanted = np.split(np.isin(joined, np.array([*numbers], dtype=np.int64)), ends[:-1])
    return [LocatedBlock(block, mask) for block, mask in zip(blocks, wanted, strict=True) if mask.any()]


def are_all_found(located: Sequence[LocatedBlock], texts: Mapping[int, StoredText]) -> bool:
    """The frequencies of a text add up to its length, so a missing posting shows in the sum."""
    frequencies: Counter[int] = Counter()
    lengths: dict[int, int] = {}
    for one in located:
        for number, frequency, _, length in one.postings[one.wanted].tolist():
            frequencies[number] += frequency
            lengths[number] = length
    return all(
        (frequencies[number], lengths.get(number)) == (text.capped_frequencies, text.length)
        for number, text in texts.items()
    )
