import re
from collections.abc import Iterator
from itertools import pairwise

from banks.retain.chunking.spans import ChunkSpan

# Escaped, because many of them look like another: Arabic, Devanagari and Urdu marks, double marks, the ellipsis.
MARKS = r".!?\u2026\u061f\u0964\u06d4\u203c\u2047-\u2049"
CLOSERS = r"\"')\]*_\u2019\u201d\u00bb"
# Chinese and Japanese sentences end without a blank.
WIDE_MARKS = r"\u3002\uff01\uff1f\uff61"
WIDE_CLOSERS = r"\u300d\u300f\u3011\u201d"
# One or two characters before a blank decide, so that a row of a million dots is read once.
SENTENCE_END = re.compile(
    rf"(?<=[{MARKS}])\s+|(?<=[{MARKS}][{CLOSERS}])\s+"
    rf"|(?<=[{WIDE_MARKS}])(?![{WIDE_MARKS}{WIDE_CLOSERS}])\s*|(?<=[{WIDE_MARKS}][{WIDE_CLOSERS}])\s*"
)
LAST_OF_SENTENCE = re.compile(rf"[{MARKS}{WIDE_MARKS}][{CLOSERS}{WIDE_CLOSERS}]{{0,2}}\Z")
ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|vs|etc|e\.g|i\.e|a\.m|p\.m|approx|Inc|Ltd|Co|Corp|No|Fig|Vol"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)\.$"
)
LOOK_BACK = 8  # the longest abbreviation, its full stop and what stands before it


def find_sentence_starts(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences begin inside the stretch, its own first character left out."""
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
    """Every line break ends a sentence too: in messages it stands for a full stop."""
    starts = {0, *find_sentence_starts(text, 0, len(text)), *(match.end() for match in re.finditer(r"[\r\n]+", text))}
    spans = (ChunkSpan(first, last) for first, last in pairwise(sorted(starts | {len(text)})))
    return [span for span in spans if span.read(text).strip()]
