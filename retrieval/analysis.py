"""Query analysis: everything that the words of a query say, before anything is searched."""

import hashlib
import logging
import re
import unicodedata
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from threading import Lock

from banks.text_index.lexemes import extract_lexemes
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.errors import ProviderError
from providers.llm.protocol import LLM
from providers.usage import Usage
from retrieval.errors import QueryWithoutWords
from retrieval.query.language import find_language
from retrieval.query.names import list_name_candidates
from retrieval.query.question_type import find_type
from retrieval.query.time_window import find_query_window, write_time_out
from retrieval.types import Analysis, RecallQuery
from timewords import TimeWindow

logger = logging.getLogger(__name__)

# The embedder reads 512 tokens, some 2,000 characters of English. In a longer text the question stands at the beginning
# or at the end, so both are kept.
MAX_CHARACTERS = 2_000
# The cross-encoder reads 512 tokens of query and passage together: a query that fills them leaves no room to judge.
MAX_CHARACTERS_TO_RERANK = 600
MAX_CHARACTERS_FOR_NAMES = 600
GAP = " … "
DIGEST_BYTES = 16
MOST_VECTORS = 2_000  # 1.5 kB each at 384 dimensions: 3 MB
# The past tense, and words for earlier states. Events in the past match too: that shows a superseded unit too many,
# behind its successor, while a hidden unit can't be found. In other languages the API's `history` asks for the past.
ABOUT_PAST = re.compile(
    r"\b(?:did|was|were|had|ever|before|earlier|past|changed|used to|over (?:time|the years)|history of"
    r"|(?:previous|former|original)(?:ly)?)\b",
    re.IGNORECASE,
)


def analyse(query: RecallQuery, *, llm: LLM | None = None) -> Analysis:
    """Without the vector, see `embed`. Raises QueryWithoutWords and BackwardWindow, and no other error."""
    text = clean_query(query.text)
    found = find_query_window(text, query, llm)
    window = found.window
    return Analysis(
        text=text,
        search_text=write_time_out(text, window),
        type=find_type(text, has_window=window is not None),
        language=find_language(text, time_languages=window.languages if window else ()),
        window=window,
        wants_history=wants_history(text, window, asked_at=query.asked_at),
        names=list_name_candidates(shorten(text, MAX_CHARACTERS_FOR_NAMES)),
        lexemes=tuple(extract_lexemes(text)),
        usage=found.usage,
    )


def wants_history(text: str, window: TimeWindow | None, *, asked_at: datetime) -> bool:
    """Superseded units may answer a question about the past: one that says so, or one about a time that is over."""
    return has_passed(window, asked_at) or ABOUT_PAST.search(text) is not None


def has_passed(window: TimeWindow | None, asked_at: datetime) -> bool:
    return window is not None and window.end is not None and window.end <= asked_at


def clean_query(text: str) -> str:
    """The query on one line, without null bytes and lone surrogates, which models and Postgres refuse.

    At most MAX_CHARACTERS long. Raises QueryWithoutWords if it has no letter, digit or emoji.
    """
    well_formed = text.encode("utf-8", "ignore").decode().replace("\0", " ")
    cleaned = shorten(unicodedata.normalize("NFC", " ".join(well_formed.split())), MAX_CHARACTERS)
    if not any(character.isalnum() for character in cleaned) and not extract_lexemes(cleaned):
        raise QueryWithoutWords
    return cleaned


def shorten(text: str, characters: int) -> str:
    """The beginning and the end, half each, cut between words if possible."""
    if len(text) <= characters:
        return text
    half = (characters - len(GAP)) // 2
    beginning, end = text[:half], text[-half:]
    return f"{drop_last_part(beginning)}{GAP}{drop_first_part(end)}"


def drop_last_part(text: str) -> str:
    return text.rpartition(" ")[0] or text


def drop_first_part(text: str) -> str:
    return text.partition(" ")[2] or text


class QueryVectors:
    """Vectors of earlier queries, by hash: no query is kept. Thread-safe; the least recently used are dropped first."""

    def __init__(self, *, most_vectors: int = MOST_VECTORS) -> None:
        self._most_vectors = most_vectors
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._vectors)

    def clear(self) -> None:
        with self._lock:
            self._vectors.clear()

    def embed(self, text: str, embedder: Embedder) -> tuple[Vector, Usage]:
        """Two threads with the same query both embed it: waiting for each other would take as long."""
        key = build_key(embedder.model_id, text)
        with self._lock:
            known = self._vectors.get(key)
            if known is not None:
                self._vectors.move_to_end(key)
                return known, Usage()
        embedding = embedder.embed_query(text)
        embedding.vector.setflags(write=False)
        with self._lock:
            self._vectors[key] = embedding.vector
            if len(self._vectors) > self._most_vectors:
                self._vectors.popitem(last=False)
        return embedding.vector, embedding.usage


def build_key(model_id: str, text: str) -> bytes:
    content = f"{model_id}\n{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


QUERY_VECTORS = QueryVectors()


@dataclass(frozen=True, eq=False)
class EmbeddedQuery:
    """`vectors` of the query by embedding model. The analysis has the first one."""

    analysis: Analysis
    vectors: Mapping[str, Vector]


def embed(analysis: Analysis, embedders: Mapping[str, Embedder]) -> EmbeddedQuery:
    """Once for each model. An embedder that fails costs the channels that need its vector, not the answer."""
    vectors: dict[str, Vector] = {}
    usage = analysis.usage
    for model, embedder in embedders.items():
        try:
            vectors[model], spent = QUERY_VECTORS.embed(analysis.search_text, embedder)
        except ProviderError:
            logger.warning("The query was not embedded.", exc_info=True)
        else:
            usage += spent
    first = next(iter(vectors.values()), analysis.vector)
    return EmbeddedQuery(replace(analysis, vector=first, usage=usage), vectors)
