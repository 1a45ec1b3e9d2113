"""Finds texts by their words through the text index, so that no list reads every text."""

from collections import defaultdict
from collections.abc import Iterable
from functools import reduce
from operator import or_
from uuid import UUID

from django.db.models import Q, QuerySet

from banks.models import Bank, Corpus, PostingBlock
from banks.text_index.lexemes import EXACT, extract_lexemes
from banks.text_index.packing import unpack
from tenants.platform_admin import PLATFORM

MOST_BLOCKS = 5_000  # of the index that one search reads
MOST_FOUND = 1_000  # texts, the newest of each bank first
MOST_BANKS = 100

Blocks = dict[UUID, dict[str, set[int]]]


def match_words(corpus: Corpus, banks: QuerySet[Bank], words: str) -> Q:
    """A condition for texts with all of the words. Common words in many banks find only a part of the texts."""
    lexemes = {lexeme for lexeme in extract_lexemes(words.casefold()) if not lexeme.startswith(EXACT)}
    if not lexemes:
        return Q(pk__in=[])
    conditions: list[Q] = []
    left = MOST_FOUND
    for bank_id, held in list(read_blocks(corpus, banks, lexemes).items())[:MOST_BANKS]:
        numbers = find_shared(held, lexemes)[:left]
        left -= len(numbers)
        conditions += [Q(bank_id=bank_id, number__in=numbers)] if numbers else []
    return reduce(or_, conditions, Q(pk__in=[]))


def read_blocks(corpus: Corpus, banks: QuerySet[Bank], lexemes: Iterable[str]) -> Blocks:
    """The numbers of the texts with each lexeme, by bank."""
    rows = PostingBlock.objects.using(PLATFORM).filter(bank__in=banks, corpus=corpus, lexeme__in=sorted(lexemes))
    found: Blocks = defaultdict(lambda: defaultdict(set))
    for bank_id, lexeme, postings in rows.values_list("bank_id", "lexeme", "postings")[:MOST_BLOCKS]:
        found[bank_id][lexeme].update(unpack(bytes(postings))["number"].tolist())
    return found


def find_shared(held: dict[str, set[int]], lexemes: Iterable[str]) -> list[int]:
    return sorted(set.intersection(*(held.get(lexeme, set()) for lexeme in lexemes)), reverse=True)
