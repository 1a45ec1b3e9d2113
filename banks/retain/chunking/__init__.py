"""Sources cut into the archive's retrieval units. Spans are exact, so that every chunk leads back to its source."""

from banks.retain.chunking.content import hash_chunk
from banks.retain.chunking.date_heading import heading
from banks.retain.chunking.spans import ChunkSpan, TurnChunk, TurnPart
from banks.retain.chunking.text import chunk_text
from banks.retain.chunking.turns import chunk_turns

__all__ = ["ChunkSpan", "TurnChunk", "TurnPart", "chunk_text", "chunk_turns", "hash_chunk", "heading"]
