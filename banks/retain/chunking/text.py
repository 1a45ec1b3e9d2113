from collections.abc import Iterable, Iterator

from banks.retain.chunking.boundaries import Boundaries
from banks.retain.chunking.cutting import find_chunk_end, find_chunk_start
from banks.retain.chunking.json_structure import find_json_structure
from banks.retain.chunking.size import CHUNK_SIZE
from banks.retain.chunking.spans import ChunkSpan, trim
from banks.retain.chunking.structure import find_structure


def chunk_text(text: str, *, size: int = CHUNK_SIZE) -> list[ChunkSpan]:
    """Overlapping spans of at most `size` characters, in order, that hold everything but blanks. Linear in time."""
    whole = trim(text, 0, len(text))
    if whole.start == whole.end:
        return []
    if whole.end - whole.start <= size:
        return [whole]
    return drop_contained(span for span in cut_text(text, size) if span.start < span.end)


def drop_contained(spans: Iterable[ChunkSpan]) -> list[ChunkSpan]:
    """Long runs of blanks, once trimmed, leave chunks that lie in their neighbours."""
    chunks: list[ChunkSpan] = []
    for span in spans:
        if chunks and span.end <= chunks[-1].end:
            continue
        if chunks and span.start <= chunks[-1].start:
            chunks.pop()
        chunks.append(span)
    return chunks


def cut_text(text: str, size: int) -> Iterator[ChunkSpan]:
    json_structure = find_json_structure(text)
    boundaries = Boundaries(find_structure(text) if json_structure is None else json_structure)
    start = cut = 0
    while start + size < len(text):
        end = find_chunk_end(text, boundaries, start=start, cut=cut, size=size)
        yield trim(text, start, end)
        start, cut = find_chunk_start(text, boundaries, cut=end, previous=cut, size=size), end
    yield trim(text, start, len(text))
