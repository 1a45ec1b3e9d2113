"""Chunking takes linear time: 2 MB within a generous limit that a quadratic algorithm would far exceed."""

import json
import time

import pytest

from banks.chunking.text import chunk_text
from tests.banks.chunking.prose import make_paragraphs
from tests.clock import holds_to_a_time

SIZE = 2_000_000
MOST_SECONDS = 15
PROSE = "\n\n".join(make_paragraphs(700))
TEXTS = {
    "prose": PROSE * (SIZE // len(PROSE)),
    "one line": "x" * SIZE,
    "emoji": "😀" * 200_000,
    "right to left": "مرحبا بالعالم. " * (SIZE // 15),
    "flags": "🇩🇪" * (SIZE // 2),
    "dots": "." * SIZE,
    "blanks": " " * SIZE + "x",
    "fences": "```\n" * (SIZE // 4),
    "brackets": "[" * SIZE,
    "json": json.dumps([PROSE[:900]] * (SIZE // 904)),
    "a json string": json.dumps([PROSE * (SIZE // len(PROSE))]),
    "quotes": '["' + '\\"' * (SIZE // 2),
}


@holds_to_a_time
@pytest.mark.parametrize("name", TEXTS)
def test_two_megabytes_take_seconds(name: str) -> None:
    started = time.process_time()
    assert chunk_text(TEXTS[name])
    assert time.process_time() - started < MOST_SECONDS
