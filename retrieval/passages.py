"""The passage of a long text that matters for a query.

Words of the query are found with str.find: the text is never split into words, its sentences are only looked for at the
ends of the passage, and only the passage's tokens are counted. So 2,000 tokens take half a millisecond.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import log

import Stemmer

from banks.chunking.spans import ChunkSpan, find_grapheme_cut, find_sentence_starts, trim
from providers import tokens
from providers.tokens import TOKEN_COUNTS
from retrieval.plan import Passages
from retrieval.query.language import ALL_STOP_WORDS, DEFAULT
from timewords.english.numbers import ORDINAL_VALUES

BLANK = re.compile(r"\s+")
LINE_END = re.compile(r"[\r\n]+")
BLOCK = 200  # characters, a sentence or two: the unit in which a word's rarity within the text is counted
AGAIN = 0.1  # weight of a further occurrence of a word, relative to the first
SUBJECT = 0.25  # weight of a word of the heading
FEW_BYTES_A_TOKEN = 3  # prose has more
MOST_CHARACTERS_A_TOKEN = 8  # on average over a text; more are blanks
SAMPLE = 400  # characters from which the length of a token is estimated
MARGIN = 0.95
CORE = 0.75  # the share of a passage for the words that were found; the rest is context
TRIES = 3
STEMMERS: Mapping[str, str] = {
    "en": "english",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
    "ru": "russian",
}
ROUGH = 6  # shared first letters that make two words forms of one, where the stemmer does not know
SHORT = 3  # a word this short must match whole: "art" is not "article"
LEAST = 2  # letters to look for: "using" and "use" have no more in common
MOST_WORDS = 32
WORD = re.compile(r"[^\W_]+")
UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]")
ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|e|er|eme|º|ª)")
ITEM_END = re.compile(r"[.)](?!\S)")
# Positions must stay, so `timewords.folding` does not serve. str.replace takes a hundredth of str.translate's time.
UNACCENTED = {
    letter: plain
    for letter in map(chr, range(0xE0, 0x100))
    if (plain := unicodedata.normalize("NFD", letter)[0]).isascii() and plain.isalpha()
}
NEAR = 200  # characters: the greatest length of a heading, and of the text before it
ROW = re.compile(r"\s*(?:[-*\u2022\u2013|]|\d+[.)])\s")
UNDERLINE = re.compile(r"[ \t]*[|+]?[-=:|+ ]{3,}\s")
BLANK_LINE = re.compile(r"[ \t\r]*\n")
INTRODUCTION = re.compile(rf"[^\n.!?:]{{1,{NEAR}}}:(?=\s+\S)")
SENTENCE_END = (".", "!", "?")
NO_HEADING = ChunkSpan(0, 0)


@dataclass(frozen=True, slots=True)
class FoundWord:
    """An occurrence of a query word in the text."""

    start: int
    end: int
    stem: str


@dataclass(frozen=True)
class Passage:
    """Characters `start` to `end` of the whole text."""

    text: str
    start: int
    end: int
    is_part: bool


class PassageFinder:
    """One for a query, used for each of its candidates."""

    def __init__(self, query: str, limits: Passages, language: str = DEFAULT) -> None:
        self._words = QueryWords(query, language)
        self._limits = limits

    def find(self, text: str) -> Passage:
        """The passage with the most words of the query, rare ones first, cut at sentence ends if any are near. Without
        such words it is the beginning.
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
    """Counts tokens only if the length does not decide: most texts are short, and there are hundreds."""
    if len(text) > most * MOST_CHARACTERS_A_TOKEN:
        return False
    if len(text.encode("utf-8", "surrogatepass")) <= most * FEW_BYTES_A_TOKEN:
        return True
    return TOKEN_COUNTS.count(text) <= most


def estimate_characters(text: str, found: Sequence[FoundWord], most_tokens: int) -> int:
    start = max(0, min(found[len(found) // 2].start if found else 0, len(text) - SAMPLE))
    sample = text[start : start + SAMPLE]
    return int(most_tokens * len(sample) / tokens.count(sample) * MARGIN)


def find_span(text: str, found: Sequence[FoundWord], weights: Mapping[str, float], characters: int) -> ChunkSpan:
    """The sentences of the best cluster, with as many whole sentences around them as fit."""
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
    """For sentences that are too long to keep whole."""
    start = max(0, min(start, len(text) - characters))
    end = min(len(text), start + characters)
    blanks = [match.span() for match in BLANK.finditer(text, start, end)]
    if start and not text[start - 1].isspace():
        start = blanks[0][1] if blanks else find_grapheme_cut(text, start)
    if end < len(text) and not text[end].isspace():
        end = blanks[-1][0] if blanks and blanks[-1][0] > start else find_grapheme_cut(text, end)
    return trim(text, start, end)


def list_sentence_starts(text: str, start: int, end: int) -> list[int]:
    """Of sentences and lines: in messages the end of a line often replaces the full stop."""
    lines = (match.end() for match in LINE_END.finditer(text, start, end))
    edges = ([0] if start == 0 else []) + ([len(text)] if end == len(text) else [])
    return sorted({*edges, *find_sentence_starts(text, start, end), *lines})


def weigh(found: Sequence[FoundWord], length: int, heading: ChunkSpan) -> dict[str, float]:
    """The idf with blocks of the text as documents: ln(1 + blocks / blocks with the word). The whole text is about the
    words of its heading, so they say less about one place.
    """
    held = Counter(stem for _, stem in {(one.start // BLOCK, one.stem) for one in found})
    subject = {one.stem for one in found if heading.start <= one.start < heading.end}
    return {
        stem: log(1 + (length // BLOCK + 1) / count) * (SUBJECT if stem in subject else 1.0)
        for stem, count in held.items()
    }


def find_cluster(found: Sequence[FoundWord], characters: int, weights: Mapping[str, float]) -> tuple[int, int]:
    """Start and end of the best run of words within so many characters; ties go to the tightest, then the first."""
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


@dataclass(frozen=True, slots=True)
class QueryWord:
    """All forms of the word start with `begin`; every word that starts with `rough` counts as a form."""

    stem: str
    begin: str
    rough: str


@dataclass(frozen=True, slots=True)
class ItemNumber:
    """An ordinal in the query also finds the item of a list: "the eleventh" finds "11."."""

    stem: str


class QueryWords:
    """The words of a query in any form. For one thread only: a stemmer is not thread-safe."""

    def __init__(self, query: str, language: str) -> None:
        stemmer = Stemmer.Stemmer(STEMMERS[language]) if language in STEMMERS else None
        self._stem: Callable[[str], str] = stemmer.stemWord if stemmer else str
        self._stemmed: dict[str, str] = {}
        self._words = list(dict.fromkeys(self._list_words(query.lower())))[:MOST_WORDS]

    def find(self, text: str) -> list[FoundWord]:
        """Occurrences in the order of the text."""
        lowered = lower_in_place(text)
        folded = unaccent(lowered)
        found = (one for word in self._words for one in self._find_word(word, lowered, folded))
        return sorted(found, key=lambda one: one.start)

    def _list_words(self, lowered: str) -> Iterator[QueryWord | ItemNumber]:
        """Without single letters, which an apostrophe leaves."""
        for word in WORD.findall(lowered):
            if unaccent(word) in ALL_STOP_WORDS:
                continue
            if UNSPACED.search(word):
                pairs = [word[start : start + 2] for start in range(len(word) - 1)] or [word]
                yield from (QueryWord(pair, pair, pair) for pair in pairs)
            elif len(word) > 1 or word.isdigit():
                yield self._build_word(word)
            if word in ORDINAL_VALUES:
                yield ItemNumber(str(ORDINAL_VALUES[word]))

    def _build_word(self, word: str) -> QueryWord:
        plain, stem = unaccent(word), self._stem_word(word)
        if stem.isdigit():
            return QueryWord(stem, stem, "")
        begin = find_shared_beginning(plain, stem)[:ROUGH]
        return QueryWord(stem, begin if len(begin) >= LEAST else plain[:ROUGH], plain[:ROUGH])

    def _stem_word(self, word: str) -> str:
        stem = self._stemmed.get(word)
        if stem is None:
            ordinal = ORDINAL.fullmatch(unaccent(word))
            stem = self._stemmed[word] = ordinal[1] if ordinal else unaccent(self._stem(word))
        return stem

    def _find_word(self, word: QueryWord | ItemNumber, lowered: str, folded: str) -> Iterator[FoundWord]:
        if isinstance(word, ItemNumber):
            places = (at for at in find_places(folded, word.stem) if ITEM_END.match(folded, at + len(word.stem)))
            return (FoundWord(at, at + len(word.stem), word.stem) for at in places)
        if UNSPACED.search(word.begin):
            return (
                FoundWord(at, at + len(word.begin), word.stem) for at in find_places(folded, word.begin, inside=True)
            )
        return (
            FoundWord(at, at + len(word.begin), word.stem)
            for at in find_places(folded, word.begin)
            if begins_roughly(word.rough, folded, at) or self._stem_word(read_word(lowered, at)) == word.stem
        )


def find_shared_beginning(word: str, stem: str) -> str:
    """The first letters of all forms. A final "i" of the stem is "y" in other forms: parties and party."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, stem, strict=False)))
    return word[:shared].removesuffix("i")


def read_word(text: str, at: int) -> str:
    word = WORD.match(text, at)
    return word[0] if word else ""


def begins_roughly(rough: str, folded: str, at: int) -> bool:
    if not rough or not folded.startswith(rough, at):
        return False
    end = at + len(rough)
    return len(rough) > SHORT or not folded[end : end + 1].isalnum()


def find_places(folded: str, begin: str, *, inside: bool = False) -> Iterator[int]:
    """Positions of words that start so; in scripts without spaces also `inside` a word."""
    at = folded.find(begin)
    while at >= 0:
        if inside or not folded[at - 1 : at].isalnum():
            yield at
        at = folded.find(begin, at + len(begin))


def lower_in_place(text: str) -> str:
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    # Some capitals become two small letters, and positions must stay.
    return "".join(small if len(small := character.lower()) == 1 else character for character in text)


def unaccent(lowered: str) -> str:
    """Only letters that stay one letter, so that positions stay."""
    if lowered.isascii():
        return lowered
    for letter, plain in UNACCENTED.items():
        lowered = lowered.replace(letter, plain)
    return lowered


def find_heading(text: str) -> ChunkSpan:
    """The line that says what a list, a table or a whole text is about; empty if there is none."""
    start = 0
    while start < NEAR and (end := text.find("\n", start)) >= 0:
        if is_heading(text[start:end].strip(), text[end + 1 : end + 1 + NEAR]):
            return ChunkSpan(start, end)
        start = end + 1
    introduction = INTRODUCTION.match(text)
    is_line_of_its_own = text.find("\n", 0, 2 * NEAR) >= 0
    return NO_HEADING if is_line_of_its_own or not introduction else ChunkSpan(0, introduction.end())


def is_heading(line: str, following: str) -> bool:
    if not line or len(line) > NEAR:
        return False
    if line.endswith(":") or line.startswith("#") or UNDERLINE.match(following):
        return True
    is_sentence = line.endswith(SENTENCE_END) or ROW.match(line)
    return not is_sentence and bool(BLANK_LINE.match(following) or ROW.match(following))
