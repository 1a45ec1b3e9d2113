"""The text index against its rows: blocks, statistics, and the postings of every text.

A text is compared by a fingerprint: the sum of `crc32(lexeme) * (frequency, retired, length)` over its postings. The
sums of a corpus are one array with eight bytes for each number, so a bank of any size fits into memory.
"""

from collections.abc import Iterator
from uuid import UUID
from zlib import crc32

import numpy as np
import numpy.typing as npt

from banks.models import Bank, Corpus
from banks.text_index.packing import MOST_FREQUENT, Postings, unpack
from banks.text_index.rebuild import rebuild_corpus
from banks.text_index.texts import TABLES, StoredText, read_ids, read_texts
from memoryplatform.verify.check import BankCheck, Finding, fetch, find_in_bank, list_finding

BATCH = 2_000
BEFORE_ALL = UUID(int=0)
Sums = npt.NDArray[np.uint64]

# A posting has eight bytes: number (4), frequency (1), retired (1), length (2).
COUNTED_BLOCKS = """
SELECT block.corpus || ' ' || block.lexeme || ' ' || block.place FROM banks_postingblock AS block
WHERE block.tenant_id = %(tenant_id)s AND block.bank_id = %(bank_id)s
  AND (octet_length(block.postings) = 0 OR octet_length(block.postings) %% 8 <> 0 OR block.live <> (
    SELECT count(*) FROM generate_series(5, octet_length(block.postings) - 1, 8) AS at
    WHERE get_byte(block.postings, at) = 0
  ))
"""
# Numbers grow within a block and from block to block of a lexeme. Within a block the fingerprints show a fault.
ORDERED_BLOCKS = """
SELECT corpus || ' ' || lexeme || ' ' || place FROM (
    SELECT corpus, lexeme, place, substring(postings FROM 1 FOR 4) AS lowest,
           lag(substring(postings FROM octet_length(postings) - 7 FOR 4))
               OVER (PARTITION BY corpus, lexeme ORDER BY place) AS highest_before
    FROM banks_postingblock WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s
) AS block WHERE lowest <= highest_before
"""
COUNTED_TEXTS = """
WITH posting AS (
    SELECT DISTINCT block.corpus, substring(block.postings FROM at + 1 FOR 4) AS number,
           get_byte(block.postings, at + 6) * 256 + get_byte(block.postings, at + 7) AS length
    FROM banks_postingblock AS block, generate_series(0, octet_length(block.postings) - 8, 8) AS at
    WHERE block.tenant_id = %(tenant_id)s AND block.bank_id = %(bank_id)s AND get_byte(block.postings, at + 5) = 0
), counted AS (
    SELECT corpus, count(*) AS texts, sum(length) AS words FROM posting GROUP BY corpus
)
SELECT coalesce(stated.corpus, counted.corpus) FROM counted FULL JOIN (
    SELECT * FROM banks_corpusstatistics WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s
) AS stated USING (corpus)
WHERE (coalesce(stated.texts, 0), coalesce(stated.words, 0)) <> (coalesce(counted.texts, 0), coalesce(counted.words, 0))
"""
NEXT_NUMBER = """
SELECT coalesce(max(next_number), 0) FROM banks_corpusstatistics
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND corpus = %(corpus)s
"""
EMBEDDED = """
SELECT id FROM {table}
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND id = ANY(%(ids)s)
  AND (embedding IS NOT NULL OR second_embedding IS NOT NULL)
"""
BLOCKS = """
SELECT lexeme, place, postings FROM banks_postingblock
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND corpus = %(corpus)s
  AND (lexeme, place) > (%(lexeme)s, %(place)s)
ORDER BY lexeme, place LIMIT %(most)s
"""


def find_wrong_postings(bank: Bank) -> Finding:
    """Texts whose postings are not those of their present words, and postings without a text."""
    return sum((compare_corpus(bank, corpus) for corpus in Corpus), Finding())


def compare_corpus(bank: Bank, corpus: Corpus) -> Finding:
    sums, beyond = add_up_postings(bank, corpus)
    wrong = [f"{corpus.value} {number}" for number in sorted(beyond)]
    ids_by_number: dict[int, UUID] = {}
    unnumbered: list[UUID] = []
    for text in read_all_texts(bank, corpus):
        if text.number is None:
            unnumbered += [text.id] if text.frequencies else []
        elif text.number >= len(sums):
            wrong.append(str(text.id))
        else:
            np.subtract.at(sums, [text.number], fingerprint(text))  # without a warning where it wraps around
            if sums[text.number]:
                ids_by_number[text.number] = text.id
    differing = np.flatnonzero(sums).tolist()
    wrong += [str(ids_by_number.get(number, f"{corpus.value} {number}")) for number in differing]
    return list_finding([*wrong, *find_embedded(bank, corpus, unnumbered)])


def find_embedded(bank: Bank, corpus: Corpus, ids: list[UUID]) -> list[UUID]:
    """Those with a vector. A row without one need not be in the index: a chunk that waits for its retain, or whose
    text is that of ready facts.
    """
    table = TABLES[corpus][0]
    return [row_id for (row_id,) in fetch(EMBEDDED.format(table=table), select(bank, corpus) | {"ids": ids})]


def add_up_postings(bank: Bank, corpus: Corpus) -> tuple[Sums, set[int]]:
    """The fingerprints by number, and the numbers that were never given."""
    ((size,),) = fetch(NEXT_NUMBER, select(bank, corpus))
    sums, beyond = np.zeros(size, dtype=np.uint64), set[int]()
    for lexeme, postings in read_blocks(bank, corpus):
        given = postings["number"] < size
        beyond |= set(postings["number"][~given].tolist())
        known = postings[given]
        weights = weigh(known["frequency"], known["retired"], known["length"])
        np.add.at(sums, known["number"].astype(np.int64), weights * np.uint64(crc32(lexeme.encode())))
    return sums, beyond


def weigh(frequency: npt.ArrayLike, retired: npt.ArrayLike, length: npt.ArrayLike) -> Sums:
    """The three numbers of a posting in one: 8 bits, 1 bit, 16 bits."""
    low, middle, high = (np.asarray(part, dtype=np.uint64) for part in (frequency, retired, length))
    weights: Sums = low | (middle << np.uint64(8)) | (high << np.uint64(9))
    return weights


def fingerprint(text: StoredText) -> np.uint64:
    frequencies = [min(one, MOST_FREQUENT) for one in text.frequencies.values()]
    hashes = np.array([crc32(lexeme.encode()) for lexeme in text.frequencies], dtype=np.uint64)
    return np.uint64((weigh(frequencies, text.is_expired, text.length) * hashes).sum(dtype=np.uint64))


def read_blocks(bank: Bank, corpus: Corpus) -> Iterator[tuple[str, Postings]]:
    """Blocks of a broken size are left out: their count is wrong already."""
    lexeme, place = "", -1
    while rows := fetch(BLOCKS, select(bank, corpus) | {"lexeme": lexeme, "place": place, "most": BATCH}):
        for lexeme, place, packed in rows:  # noqa: B007  # the last ones are the start of the next batch
            if len(packed) % 8 == 0:
                yield lexeme, unpack(bytes(packed))


def read_all_texts(bank: Bank, corpus: Corpus) -> Iterator[StoredText]:
    after = BEFORE_ALL
    while ids := read_ids(bank, corpus, after=after, most=BATCH):
        yield from read_texts(bank, corpus, ids)
        after = ids[-1]


def select(bank: Bank, corpus: Corpus) -> dict[str, object]:
    return {"tenant_id": bank.tenant_id, "bank_id": bank.id, "corpus": corpus.value}


def rebuild_index(bank: Bank) -> None:
    for corpus in Corpus:
        rebuild_corpus(bank, corpus)


CHECKS = [
    BankCheck("text index: a block counts its live postings", find_in_bank(COUNTED_BLOCKS), rebuild_index),
    BankCheck("text index: blocks of a word are in order", find_in_bank(ORDERED_BLOCKS), rebuild_index),
    BankCheck("text index: statistics count the postings", find_in_bank(COUNTED_TEXTS), rebuild_index),
    BankCheck("text index: postings are the words of the rows", find_wrong_postings, rebuild_index),
]
