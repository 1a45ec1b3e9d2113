"""Which blocks hold the postings of some texts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from banks.models import Bank, Corpus
from banks.text_index.blocks import Block, Span, find_blocks, sweep_blocks
from banks.text_index.packing import Postings
from banks.text_index.texts import StoredText


@dataclass(frozen=True)
class LocatedBlock:
    """A block, and which of its postings are meant."""

    block: Block
    meant: npt.NDArray[np.bool_]

    @property
    def postings(self) -> Postings:
        return self.block.postings


def locate_blocks(bank: Bank, corpus: Corpus, texts: Mapping[int, StoredText]) -> list[LocatedBlock]:
    """Those of the texts with these numbers, by their lexemes.

    Where a row has changed since it was indexed, or the rules for lexemes have, that misses some: then every block of
    the corpus is looked at, so that a removed text leaves nothing behind.
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
    """One comparison for all blocks together: they are many and mostly short."""
    if not blocks:
        return []
    joined = np.concatenate([block.postings["number"] for block in blocks]).astype(np.int64)
    ends = np.cumsum([block.postings.size for block in blocks])
    meant = np.split(np.isin(joined, np.array([*numbers], dtype=np.int64)), ends[:-1])
    return [LocatedBlock(block, mask) for block, mask in zip(blocks, meant, strict=True) if mask.any()]


def are_all_found(located: Sequence[LocatedBlock], texts: Mapping[int, StoredText]) -> bool:
    """A text's frequencies add up to its length: a posting that is elsewhere is missing in the sum."""
    frequencies: Counter[int] = Counter()
    lengths: dict[int, int] = {}
    for one in located:
        for number, frequency, _, length in one.postings[one.meant].tolist():
            frequencies[number] += frequency
            lengths[number] = length
    return all(
        (frequencies[number], lengths.get(number)) == (text.capped_frequencies, text.length)
        for number, text in texts.items()
    )
