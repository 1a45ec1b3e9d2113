"""Spans of a text: exact characters, so that every chunk leads back to its source.

Also the places where a text may be cut: between sentences, in several scripts, and between graphemes, which a reader
sees as one character each.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from timewords.rendering import write_day_of_week

CHUNK_SIZE = 1600  # characters, the overlap included
OVERLAP = 320
# A chunk may end anywhere in the second half of its own part. Among equal places the content decides, not the distance
# from the start. So most cuts stay where they were after an edit.
SHORTEST = (CHUNK_SIZE - OVERLAP) // 2


@dataclass(frozen=True, slots=True)
class ChunkSpan:
    """Characters `start` to `end` of the source are the chunk's own text."""

    start: int
    end: int

    def read(self, source: str) -> str:
        return source[self.start : self.end]


@dataclass(frozen=True, slots=True)
class TurnPart:
    """Characters `turn_start` to `turn_end` of a turn's text stand at `start` to `end` of the chunk's text."""

    turn_index: int
    turn_start: int
    turn_end: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TurnChunk:
    text: str
    parts: tuple[TurnPart, ...]


def trim(text: str, start: int, end: int) -> ChunkSpan:
    """The span without the blanks around it; empty if it has only blanks."""
    inner = text[start:end]
    if not (stripped := inner.strip()):
        return ChunkSpan(start, start)
    start += len(inner) - len(inner.lstrip())
    return ChunkSpan(start, start + len(stripped))


def hash_chunk(text: str) -> str:
    """A chunk with the same hash is not extracted again. Blanks and Unicode forms do not change the hash."""
    normalised = " ".join(unicodedata.normalize("NFC", text).split())
    return hashlib.sha256(normalised.encode("utf-8", "surrogatepass")).hexdigest()


def heading(said_at: datetime) -> str:
    """The line above a chunk in its embedding and on pages. It is no part of the chunk, its spans and its hash."""
    return f"# {write_day_of_week(said_at)}"


# Escaped, because many look alike: Arabic, Devanagari and Urdu marks, double marks, the ellipsis.
SENTENCE_MARKS = r".!?\u2026\u061f\u0964\u06d4\u203c\u2047-\u2049"
CLOSERS = r"\"')\]*_\u2019\u201d\u00bb"
# Chinese and Japanese sentences end without a blank.
WIDE_MARKS = r"\u3002\uff01\uff1f\uff61"
WIDE_CLOSERS = r"\u300d\u300f\u3011\u201d"
# Only one or two characters before a blank decide, so that a row of a million dots takes linear time.
SENTENCE_END = re.compile(
    rf"(?<=[{SENTENCE_MARKS}])\s+|(?<=[{SENTENCE_MARKS}][{CLOSERS}])\s+"
    rf"|(?<=[{WIDE_MARKS}])(?![{WIDE_MARKS}{WIDE_CLOSERS}])\s*|(?<=[{WIDE_MARKS}][{WIDE_CLOSERS}])\s*"
)
LAST_OF_SENTENCE = re.compile(rf"[{SENTENCE_MARKS}{WIDE_MARKS}][{CLOSERS}{WIDE_CLOSERS}]{{0,2}}\Z")
ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|Inc|Ltd|Co|Corp|No|Fig|Vol"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.$"
)
LOOK_BACK = 8  # the longest abbreviation, its full stop and the character before it


def find_sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """The starts of sentences between `start` and `end`, without `start` itself."""
    for match in SENTENCE_END.finditer(text, start, end):
        last, position = match.span()
        if start < position < end and not ends_in_abbreviation(text, last):
            yield position


def ends_in_abbreviation(text: str, end: int) -> bool:
    is_likely = text[end - 1] == "." and text[end - 2 : end - 1].isalpha()
    return is_likely and ABBREVIATION.search(text[max(0, end - LOOK_BACK) : end]) is not None


def ends_sentence(line: str) -> bool:
    return LAST_OF_SENTENCE.search(line.rstrip()[-3:]) is not None


def split_sentences(text: str) -> list[ChunkSpan]:
    """A line break ends a sentence too: in messages it often replaces a full stop."""
    starts = {0, *find_sentence_starts(text, 0, len(text)), *(match.end() for match in re.finditer(r"[\r\n]+", text))}
    spans = (ChunkSpan(first, last) for first, last in pairwise(sorted(starts | {len(text)})))
    return [span for span in spans if span.read(text).strip()]


JOINER = "\u200d"
LONGEST_LOOK_BACK = 64  # no letter of any language has more marks
COMBINING_MARKS = {"Mn", "Mc", "Me"}
CONJOINING_JAMO = range(0x1160, 0x1200)
SKIN_TONES = range(0x1F3FB, 0x1F400)
TAGS = range(0xE0020, 0xE0080)
REGIONAL_INDICATORS = "".join(map(chr, range(0x1F1E6, 0x1F200)))
LONGEST_ROW_OF_FLAGS = 4096  # characters; limits the time for a text of flags
HIGH_SURROGATES = range(0xD800, 0xDC00)
LOW_SURROGATES = range(0xDC00, 0xE000)


def find_grapheme_cut(text: str, wanted: int) -> int:
    """The last place up to `wanted` that breaks no grapheme, or `wanted` itself if none is near."""
    near = range(wanted, max(0, wanted - LONGEST_LOOK_BACK), -1)
    return next((position for position in near if is_between_graphemes(text, position)), wanted)


def is_between_graphemes(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if before.isascii() and after.isascii():
        return not (before == "\r" and after == "\n")
    if JOINER in (before, after) or is_extender(after):
        return False
    if ord(before) in HIGH_SURROGATES and ord(after) in LOW_SURROGATES:
        return False
    return not splits_flag(text, position)


def is_extender(character: str) -> bool:
    code = ord(character)
    is_mark = unicodedata.category(character) in COMBINING_MARKS
    return is_mark or code in CONJOINING_JAMO or code in SKIN_TONES or code in TAGS


def splits_flag(text: str, position: int) -> bool:
    """A flag is two regional indicators, so every second place in a row of them is inside a flag."""
    if text[position] not in REGIONAL_INDICATORS:
        return False
    before = text[max(0, position - LONGEST_ROW_OF_FLAGS) : position]
    return (len(before) - len(before.rstrip(REGIONAL_INDICATORS))) % 2 == 1
