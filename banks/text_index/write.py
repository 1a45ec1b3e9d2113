"""Adding texts to the index and removing them. Text and validity are read from the rows.

Call everything here inside a tenant transaction that holds `lock_memory(bank)`. The number of statements does not
depend on the size of the batch.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from uuid import UUID

from banks.models import Bank, Corpus
from banks.text_index.blocks import Block, append_postings, locate_blocks, write_blocks
from banks.text_index.packing import Postings, PostingValues, build_postings
from banks.text_index.statistics import change_statistics, take_numbers
from banks.text_index.texts import StoredText, count_lexemes, read_texts, write_numbers


def add_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> None:
    """Index the rows without a number. An expired row serves searches of the past and does not count in the statistics.

    A text without lexemes (stop words, punctuation) gets no number: no query finds it.
    """
    texts = [text for text in read_texts(bank, corpus, ids) if text.number is None and text.frequencies]
    if not texts:
        return
    live = [text.length for text in texts if not text.is_expired]
    first = take_numbers(bank, corpus, len(texts), texts=len(live), words=sum(live))
    numbered = dict(enumerate(texts, start=first))
    write_numbers(bank, corpus, {text.id: number for number, text in numbered.items()})
    _append(bank, corpus, numbered)


def number_texts(bank: Bank, corpus: Corpus, texts: Sequence[str]) -> list[int | None]:
    """Numbers for rows that will be inserted with these texts; None for a text without lexemes. So no row with its
    vector is written twice.

    Call `add_numbered_texts` before anything else is added to the corpus.
    """
    worded = [bool(count_lexemes(text)) for text in texts]
    if not any(worded):
        return [None for _ in texts]
    fresh = count(take_numbers(bank, corpus, sum(worded)))
    return [next(fresh) if has_words else None for has_words in worded]


def add_numbered_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> None:
    """Index rows that were just inserted with their numbers. Call it only once: it can't see that they are indexed."""
    texts = _read_indexed(bank, corpus, ids)
    if not texts:
        return
    _append(bank, corpus, texts)
    live = [text.length for text in texts.values() if not text.is_expired]
    change_statistics(bank, corpus, texts=len(live), words=sum(live))


def retire_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> None:
    """Call when rows expire, before or after. They no longer count, and only a search of the past finds them.

    Rows that are retired already, or not indexed, stay unchanged.
    """
    _mark(bank, corpus, ids, retired=True)


def revive_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> None:
    """The opposite of `retire_texts`, when rows are restored."""
    _mark(bank, corpus, ids, retired=False)


def remove_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> None:
    """Remove the texts from the index. Call before the rows are deleted. Rows that are not indexed stay unchanged."""
    texts = _read_indexed(bank, corpus, ids)
    if not texts:
        return
    live: dict[int, int] = {}
    edited: list[Block] = []
    for one in locate_blocks(bank, corpus, texts):
        live |= _lengths(one.postings[one.wanted & ~one.postings["retired"]])
        edited.append(replace(one.block, postings=one.postings[~one.wanted]))
    write_blocks(bank, edited)
    change_statistics(bank, corpus, texts=-len(live), words=-sum(live.values()))
    write_numbers(bank, corpus, {text.id: None for text in texts.values()})


@contextmanager
def replacing_texts(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> Iterator[None]:
    """Change the texts of these rows inside the `with`: the old texts are removed before, the new ones added after."""
    remove_texts(bank, corpus, ids)
    yield
    add_texts(bank, corpus, ids)


def _append(bank: Bank, corpus: Corpus, texts: Mapping[int, StoredText]) -> None:
    values: defaultdict[str, list[PostingValues]] = defaultdict(list)
    for number, text in sorted(texts.items()):
        for lexeme, frequency in text.frequencies.items():
            values[lexeme].append((number, frequency, text.is_expired, text.length))
    append_postings(bank, corpus, {lexeme: build_postings(added) for lexeme, added in values.items()})


def _mark(bank: Bank, corpus: Corpus, ids: Sequence[UUID], *, retired: bool) -> None:
    texts = _read_indexed(bank, corpus, ids)
    if not texts:
        return
    changed: dict[int, int] = {}
    edited: list[Block] = []
    for one in locate_blocks(bank, corpus, texts):
        turns = one.wanted & (one.postings["retired"] != retired)
        changed |= _lengths(one.postings[turns])
        postings = one.postings.copy()
        postings["retired"][turns] = retired
        edited.append(replace(one.block, postings=postings))
    write_blocks(bank, edited)
    sign = -1 if retired else 1
    change_statistics(bank, corpus, texts=sign * len(changed), words=sign * sum(changed.values()))


def _read_indexed(bank: Bank, corpus: Corpus, ids: Sequence[UUID]) -> dict[int, StoredText]:
    return {text.number: text for text in read_texts(bank, corpus, ids) if text.number is not None}


def _lengths(postings: Postings) -> dict[int, int]:
    """The lengths of the texts by number."""
    return dict(zip(postings["number"].tolist(), postings["length"].tolist(), strict=True))
