"""A posting in eight bytes: the number of a text, the frequency of the lexeme, the text's length, and `retired`."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Postings = npt.NDArray[np.void]

# The number comes first and is big-endian, so that Postgres can compare it with int4send(number).
POSTING = np.dtype([("number", ">u4"), ("frequency", "u1"), ("retired", "?"), ("length", ">u2")])
MOST_FREQUENT = 255  # this frequency gives 99 % of the greatest possible weight
LONGEST_TEXT = 65_535

PostingValues = tuple[int, int, bool, int]


def build_postings(values: Iterable[PostingValues]) -> Postings:
    """From (number, frequency, retired, length), in the order of the numbers. Greater values are capped."""
    capped = [
        (number, min(frequency, MOST_FREQUENT), retired, min(length, LONGEST_TEXT))
        for number, frequency, retired, length in values
    ]
    return np.array(capped, dtype=POSTING)


def pack(postings: Postings) -> bytes:
    return postings.tobytes()


def unpack(packed: bytes) -> Postings:
    return np.frombuffer(packed, dtype=POSTING)
