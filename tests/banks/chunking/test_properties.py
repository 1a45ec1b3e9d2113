"""Invariants of chunking for any text."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from banks.chunking.spans import ChunkSpan, is_between_graphemes
from banks.chunking.text import chunk_text
from tests.banks.chunking.prose import make_paragraphs

PROSE = "\n\n".join(make_paragraphs(60))
PIECES = [
    "word ",
    "Stop. ",
    "\n",
    "\r\n",
    "\n\n",
    "# Title\n",
    "```\n",
    "| a | b |\n",
    "é",
    "👨‍👩‍👧",
    "🇩🇪",
    "。",
    " ",
    "x" * 700,
    " " * 700,
]
ODD_TEXTS = {
    "prose": PROSE,
    "windows line ends": PROSE.replace("\n", "\r\n"),
    "old line ends": PROSE.replace("\n", "\r"),
    "emoji": "😀" * 20_000,
    "right to left": "مرحبا بالعالم. كيف حالك اليوم؟ " * 300,
    "no blanks": "x" * 30_000,
    "no punctuation": "word " * 5_000,
    "far apart": ("a" + " " * 5_000) * 20,
    "open fences": "```\n" * 5_000,
    "rows": "| a | b |\n" * 2_000,
    "brackets": "[" * 20_000,
    "json": json.dumps([{"id": number, "text": "A word. " * 9} for number in range(300)]),
    "json lines": "\n".join(json.dumps({"id": number, "text": "A word."}) for number in range(900)),
    "a long json string": json.dumps({"text": PROSE}),
    "lone surrogates and null bytes": "\ud800" * 3_000 + "\udc00" * 3_000 + "\x00" * 3_000,
}


def assert_sound(text: str, chunks: list[ChunkSpan]) -> None:
    assert all(0 < len(chunk.read(text)) <= 1600 for chunk in chunks)
    assert all(chunk.read(text) == chunk.read(text).strip() for chunk in chunks)
    assert all(before.start < after.start and before.end < after.end for before, after in pairwise(chunks))
    edges = [0, *(edge for chunk in chunks for edge in (chunk.start, chunk.end)), len(text)]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    assert all(not text[start:end].strip() for start, end in gaps)


@pytest.mark.parametrize("name", ODD_TEXTS)
def test_chunks_cover_the_text_in_order_and_within_the_size(name: str) -> None:
    chunks = chunk_text(ODD_TEXTS[name])
    assert len(chunks) > 3
    assert_sound(ODD_TEXTS[name], chunks)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.integers(1, 60)), max_size=40))
def test_chunks_of_mixed_texts_are_sound(pieces: list[tuple[str, int]]) -> None:
    text = "".join(piece * times for piece, times in pieces)
    assert_sound(text, chunk_text(text))


@pytest.mark.parametrize("text", ["", " \n\t\r\n ", "\n" * 10_000])
def test_a_blank_text_has_no_chunk(text: str) -> None:
    assert chunk_text(text) == []


def test_a_short_text_is_one_chunk_without_the_blanks_around_it() -> None:
    assert chunk_text("  \n Hello there. \n") == [ChunkSpan(4, 16)]


def test_chunks_overlap_by_no_more_than_a_fifth() -> None:
    chunks = chunk_text(PROSE)
    overlaps = [before.end - after.start for before, after in pairwise(chunks)]
    assert all(0 < overlap <= 320 for overlap in overlaps)
    assert sum(overlaps) / len(overlaps) > 240


@pytest.mark.parametrize(
    "grapheme", ["👨‍👩‍👧‍👦", "🇩🇪", "e\u0301", "👍🏽", "\r\n", "\u1112\u1161\u11ab", "\ud83d\ude00"]
)
def test_a_grapheme_is_never_torn(grapheme: str) -> None:
    text = "a" + grapheme * 2_000 + "b"
    chunks = chunk_text(text)
    assert all((chunk.start - 1) % len(grapheme) == 0 for chunk in chunks[1:])
    assert all((chunk.end - 1) % len(grapheme) == 0 for chunk in chunks[:-1])


def test_a_letter_under_endless_marks_is_cut_all_the_same() -> None:
    text = "a" + "\u0301" * 5_000
    assert not is_between_graphemes(text, 2_500)
    assert_sound(text, chunk_text(text))
