"""Blocks that already stand: found by the numbers in them, and written back with some postings changed or gone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from banks.models import Bank, Corpus, PostingBlock
from banks.text_index.packing import Postings, pack, unpack
from banks.text_index.texts import owner_of

# A block's first and last number stand in its first and last posting; Postgres reads no more of it to compare them.
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
    given: dict[str, Any] = {
        "lexemes": list(spans),
        "lowest": [span.lowest for span in spans.values()],
        "highest": [span.highest for span in spans.values()],
    }
    with connection.cursor() as cursor:
        cursor.execute(FIND, {**owner_of(bank), "corpus": corpus, **given})
        return [Block(block_id, unpack(packed)) for block_id, packed in cursor.fetchall()]


def sweep_blocks(bank: Bank, corpus: Corpus, span: Span) -> list[Block]:
    """The blocks of any lexeme that may hold a number of the span: looks at every block of the corpus."""
    given = {"lowest": span.lowest, "highest": span.highest}
    with connection.cursor() as cursor:
        cursor.execute(SWEEP, {**owner_of(bank), "corpus": corpus, **given})
        return [Block(block_id, unpack(packed)) for block_id, packed in cursor.fetchall()]


def write_blocks(bank: Bank, blocks: Sequence[Block]) -> None:
    """Write them back; those that became empty are deleted."""
    full = [block for block in blocks if block.postings.size]
    given: dict[str, Any] = {
        "ids": [block.id for block in full],
        "postings": [pack(block.postings) for block in full],
        "live": [int(np.count_nonzero(~block.postings["retired"])) for block in full],
    }
    with connection.cursor() as cursor:
        cursor.execute(REWRITE, {"tenant_id": bank.tenant_id, **given})
    empty = [block.id for block in blocks if not block.postings.size]
    PostingBlock.objects.for_tenant(bank.tenant_id).filter(id__in=empty).delete()


def delete_blocks(bank: Bank, corpus: Corpus) -> None:
    PostingBlock.objects.for_tenant(bank.tenant_id).filter(bank=bank, corpus=corpus).delete()
