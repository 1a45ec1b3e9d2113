"""A posting in eight bytes: which text holds the lexeme, how often, how long the text is, and whether it is retired."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Postings = npt.NDArray[np.void]

# The number comes first and big-endian, so that Postgres can compare the beginning of a posting with int4send(number).
POSTING = np.dtype([("number", ">u4"), ("frequency", "u1"), ("retired", "?"), ("length", ">u2")])
MOST_FREQUENT = 255  # by then a frequency weighs 99 % of what it ever can
LONGEST_TEXT = 65_535

PostingValues = tuple[int, int, bool, int]


def build_postings(values: Iterable[PostingValues]) -> Postings:
    """From (number, frequency, retired, length), in the order of the numbers. What is too large is capped."""
    capped = [
        (number, min(frequency, MOST_FREQUENT), retired, min(length, LONGEST_TEXT))
        for number, frequency, retired, length in values
    ]
    return np.array(capped, dtype=POSTING)


def pack(postings: Postings) -> bytes:
    return postings.tobytes()


def unpack(packed: bytes) -> Postings:
    return np.frombuffer(packed, dtype=POSTING)
