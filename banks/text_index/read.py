"""The best texts of a bank for the lexemes of a query, in several corpora with one statement."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt
from django.db import connection

from banks.models import Bank, Corpus
from banks.text_index.bm25 import RankedText, Term, rank, weigh
from banks.text_index.packing import Postings, unpack
from banks.text_index.texts import owner_of

Numbers = npt.NDArray[np.int64]
EVERYWHERE: Mapping[Corpus, Numbers] = MappingProxyType({})
MOST_LEXEMES = 256  # of a query. A question has ten; a pasted book must not read the whole index

# One statement sees one state of the bank, so the counts match the blocks.
READ = """
SELECT corpus, NULL AS lexeme, 0 AS place, texts AS live, words, NULL AS postings
FROM banks_corpusstatistics
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND corpus = ANY(%(corpora)s)
UNION ALL
SELECT corpus, lexeme, place, live, 0, postings
FROM banks_postingblock
WHERE tenant_id = %(tenant_id)s AND bank_id = %(bank_id)s AND corpus = ANY(%(corpora)s) AND lexeme = ANY(%(lexemes)s)
ORDER BY place
"""


@dataclass
class Holders:
    """The blocks of a lexeme, in order, and the number of their live texts."""

    live: int = 0
    blocks: list[bytes] = field(default_factory=list)


@dataclass
class CorpusView:
    """The statistics of a corpus, and the blocks of the query's lexemes."""

    texts: int = 0
    words: int = 0
    holders: defaultdict[str, Holders] = field(default_factory=lambda: defaultdict(Holders))


@dataclass(frozen=True)
class QueryView:
    """The index as far as it holds the lexemes of a query, which count as often as the query repeats them."""

    repeats: Mapping[str, int]
    corpora: Mapping[Corpus, CorpusView]

    def rank(
        self, limits: Mapping[Corpus, int], *, with_retired: bool = False, within: Mapping[Corpus, Numbers] = EVERYWHERE
    ) -> dict[Corpus, list[RankedText]]:
        """The best texts of each corpus, ties by number. `within` restricts a corpus to the texts of these numbers.

        Retired texts are found only on request. The counts are those of the live texts of the whole corpus.
        """
        return {
            corpus: rank_view(
                self.corpora[corpus], self.repeats, limit, with_retired=with_retired, within=within.get(corpus)
            )
            if corpus in self.corpora
            else []
            for corpus, limit in limits.items()
        }


def read_query(bank: Bank, corpora: Iterable[Corpus], lexemes: Sequence[str]) -> QueryView:
    """Only the first lexemes of a very long query count. Call inside a tenant transaction."""
    repeats = dict(islice(Counter(lexemes).items(), MOST_LEXEMES))
    return QueryView(repeats, read_views(bank, list(corpora), list(repeats)) if repeats else {})


def rank_texts(
    bank: Bank, limits: Mapping[Corpus, int], lexemes: Sequence[str], *, with_retired: bool = False
) -> dict[Corpus, list[RankedText]]:
    """The best texts of each corpus, see `QueryView.rank`. Call inside a tenant transaction."""
    return read_query(bank, limits, lexemes).rank(limits, with_retired=with_retired)


def read_views(bank: Bank, corpora: Sequence[Corpus], lexemes: Sequence[str]) -> dict[Corpus, CorpusView]:
    views: defaultdict[Corpus, CorpusView] = defaultdict(CorpusView)
    given: dict[str, Any] = {"corpora": list(corpora), "lexemes": list(lexemes)}
    with connection.cursor() as cursor:
        cursor.execute(READ, {**owner_of(bank), **given})
        for corpus, lexeme, _, live, words, postings in cursor.fetchall():
            view = views[Corpus(corpus)]
            if lexeme is None:
                view.texts, view.words = live, words
            else:
                view.holders[lexeme].live += live
                view.holders[lexeme].blocks.append(postings)
    return views


def rank_view(
    view: CorpusView, repeats: Mapping[str, int], limit: int, *, with_retired: bool, within: Numbers | None = None
) -> list[RankedText]:
    terms = [
        Term(
            weigh(repeats[lexeme], texts=view.texts, holders=holders.live),
            keep_numbers(choose_postings(holders, with_retired=with_retired), within),
        )
        for lexeme, holders in sorted(view.holders.items())
    ]
    average_length = view.words / view.texts if view.words else 1.0  # all may be retired
    return rank(terms, average_length=average_length, limit=limit)


def choose_postings(holders: Holders, *, with_retired: bool) -> Postings:
    postings = unpack(b"".join(holders.blocks))
    if with_retired or holders.live == postings.size:
        return postings
    live: Postings = postings[np.logical_not(postings["retired"])]
    return live


def keep_numbers(postings: Postings, within: Numbers | None) -> Postings:
    if within is None:
        return postings
    kept: Postings = postings[np.isin(postings["number"].astype(np.int64), within)]
    return kept
