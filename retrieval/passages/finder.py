"""Of a long text the contiguous passage that matters for a query.

Places of the query's words are found with str.find: the text is never split into words, its sentences are only looked
for at the ends of the passage, and only the passage's tokens are counted. So 2,000 tokens take half a millisecond.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

from banks.retain.chunking.graphemes import find_grapheme_cut
from banks.retain.chunking.sentences import find_sentence_starts
from banks.retain.chunking.spans import ChunkSpan, trim
from providers import tokens
from retrieval.passages.asked_words import AskedWords, Found
from retrieval.passages.headings import find_heading
from retrieval.recipes import Passages
from retrieval.token_counts import TOKEN_COUNTS

BLANK = re.compile(r"\s+")
LINE_END = re.compile(r"[\r\n]+")
BLOCK = 200  # characters, a sentence or two: how rare a word is within the text is counted by these
AGAIN = 0.1  # what a further place of a word adds, as a share of its first
SUBJECT = 0.25  # what a word of the heading weighs against one that it does not name
FEW_BYTES_A_TOKEN = 3  # prose has more; what has fewer is kept whole a little too long
MOST_CHARACTERS_A_TOKEN = 8  # on average over a text; what has more is blanks
SAMPLE = 400  # characters that tell how many a token has
MARGIN = 0.95
CORE = 0.75  # of a passage for the words that were found; the rest is for what stands around them
TRIES = 3


@dataclass(frozen=True)
class Passage:
    """Characters `start` to `end` of the whole."""

    text: str
    start: int
    end: int
    is_part: bool


class PassageFinder:
    """Made once for a query, used for each of its candidates."""

    def __init__(self, query: str, limits: Passages) -> None:
        self._words = AskedWords(query)
        self._limits = limits

    def find(self, text: str) -> Passage:
        """The passage where the most of the query's words stand, the rarer in this text the better; at sentence ends
        where there are any near; the beginning where none of the words occurs.
        """
        if is_within(text, self._limits.whole):
            return Passage(text, 0, len(text), is_part=False)
        found = self._words.find(text)
        weights = weigh(found, len(text), find_heading(text))
        span = find_span(text, found, weights, estimate_characters(text, found, self._limits.most))
        for _ in range(TRIES):
            counted = tokens.count(span.read(text))
            if counted <= self._limits.most:
                return Passage(span.read(text), span.start, span.end, is_part=True)
            shorter = (span.end - span.start) * self._limits.most / counted * MARGIN
            span = find_span(text, found, weights, int(shorter))
        kept = tokens.truncate(span.read(text), self._limits.most)
        return Passage(kept, span.start, span.start + len(kept), is_part=True)


def is_within(text: str, most: int) -> bool:
    """By counting only where the length leaves it open: most texts are short, and there are hundreds."""
    if len(text) > most * MOST_CHARACTERS_A_TOKEN:
        return False
    if len(text.encode("utf-8", "surrogatepass")) <= most * FEW_BYTES_A_TOKEN:
        return True
    return TOKEN_COUNTS.count(text) <= most


def estimate_characters(text: str, found: Sequence[Found], most_tokens: int) -> int:
    start = max(0, min(found[len(found) // 2].start if found else 0, len(text) - SAMPLE))
    sample = text[start : start + SAMPLE]
    return int(most_tokens * len(sample) / tokens.count(sample) * MARGIN)


def find_span(text: str, found: Sequence[Found], weights: Mapping[str, float], characters: int) -> ChunkSpan:
    """The sentences of the best cluster, and around them as many whole ones as there is room for."""
    first, last = find_cluster(found, int(characters * CORE), weights)
    starts = list_sentence_starts(text, max(0, first - characters), min(len(text), last + characters))
    core_start = max((at for at in starts if at <= first), default=0)
    core_end = min((at for at in starts if at >= last), default=len(text))
    if core_end - core_start > characters:
        return cut_at_words(text, max(0, first - (characters - (last - first)) // 2), characters)
    earliest = max(core_end - characters, core_start - (characters - (core_end - core_start)) // 2)
    start = min(at for at in (*starts, core_start) if earliest <= at <= core_start)
    end = max(at for at in (*starts, core_end) if core_end <= at <= start + characters)
    if end - start < characters * CORE and end < len(text):
        return cut_at_words(text, start, characters)
    return trim(text, start, end)


def cut_at_words(text: str, start: int, characters: int) -> ChunkSpan:
    """For sentences that are too long to be whole."""
    start = max(0, min(start, len(text) - characters))
    end = min(len(text), start + characters)
    blanks = [match.span() for match in BLANK.finditer(text, start, end)]
    if start and not text[start - 1].isspace():
        start = blanks[0][1] if blanks else find_grapheme_cut(text, start)
    if end < len(text) and not text[end].isspace():
        end = blanks[-1][0] if blanks and blanks[-1][0] > start else find_grapheme_cut(text, end)
    return trim(text, start, end)


def list_sentence_starts(text: str, start: int, end: int) -> list[int]:
    """In order, those of the text and of its lines: in messages a line's end stands for a full stop."""
    lines = (match.end() for match in LINE_END.finditer(text, start, end))
    edges = ([0] if start == 0 else []) + ([len(text)] if end == len(text) else [])
    return sorted({*edges, *find_sentence_starts(text, start, end), *lines})


def weigh(found: Sequence[Found], length: int, heading: ChunkSpan) -> dict[str, float]:
    """The idf, with stretches of the text for documents: ln(1 + stretches / those that hold the word). What the heading
    names is what all of the text is about, so it tells less of one place.
    """
    held = Counter(stem for _, stem in {(one.start // BLOCK, one.stem) for one in found})
    subject = {one.stem for one in found if heading.start <= one.start < heading.end}
    return {
        stem: log(1 + (length // BLOCK + 1) / count) * (SUBJECT if stem in subject else 1.0)
        for stem, count in held.items()
    }


def find_cluster(found: Sequence[Found], characters: int, weights: Mapping[str, float]) -> tuple[int, int]:
    """Where the best run of words within so many characters begins and ends; of equals the tightest, then the first."""
    best = (0.0, 0)
    cluster = (0, 0)
    inside: Counter[str] = Counter()
    score, right = 0.0, 0
    for one in found:
        while right < len(found) and found[right].end - one.start <= characters:
            stem = found[right].stem
            score += weights[stem] * (AGAIN if inside[stem] else 1.0)
            inside[stem] += 1
            right += 1
        extent = max(found[right - 1].end, one.end) - one.start
        if (round(score, 6), -extent) > best:
            best, cluster = (round(score, 6), -extent), (one.start, one.start + extent)
        if inside[one.stem]:
            inside[one.stem] -= 1
            score -= weights[one.stem] * (AGAIN if inside[one.stem] else 1.0)
        else:
            right += 1
    return cluster
