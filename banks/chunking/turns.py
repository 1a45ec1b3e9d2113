"""Conversations: a chunk is a run of whole turns of one day."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from zlib import crc32

from banks.chunking.spans import CHUNK_SIZE, OVERLAP, SHORTEST, ChunkSpan, TurnChunk, TurnPart
from banks.chunking.text import chunk_text
from banks.types import Turn

LONGEST_LABEL = 80  # longer names of speakers are cut, so that they don't fill a chunk
OVERLAPPING_TURNS = 2
LONGEST_PAUSE = timedelta(minutes=30)  # between two turns of one conversation


@dataclass(frozen=True, slots=True)
class TurnPiece:
    """A turn, or a part of one that is too long for a chunk of its own."""

    turn_index: int
    span: ChunkSpan
    label: str
    said_on: date
    text: str

    @property
    def length(self) -> int:
        return len(self.label) + len(self.text) + 1


def chunk_turns(turns: Sequence[Turn]) -> list[TurnChunk]:
    """Blank turns are in no chunk. A chunk has turns of one day only, because a date heads it."""
    pieces = [piece for index, turn in enumerate(turns) for piece in cut_turn(index, turn)]
    return [build_chunk(pieces[first:last]) for first, last in find_runs(pieces)]


def cut_turn(index: int, turn: Turn) -> Iterator[TurnPiece]:
    label = " ".join(turn.speaker.split())[:LONGEST_LABEL] + ": "
    for span in chunk_text(turn.text, size=CHUNK_SIZE - len(label) - 1):
        yield TurnPiece(index, span, label, turn.said_at.date(), span.read(turn.text))


def find_runs(pieces: Sequence[TurnPiece]) -> Iterator[tuple[int, int]]:
    start = cut = 0
    while cut < len(pieces):
        end = find_run_end(pieces, start=start, cut=cut)
        yield start, end
        start, cut = find_run_start(pieces, cut=end, previous=start), end


def find_run_end(pieces: Sequence[TurnPiece], *, start: int, cut: int) -> int:
    """As many pieces as fit. If more follow, the content decides where the run ends, as in text.py."""
    end, length = cut, sum(piece.length for piece in pieces[start:cut])
    candidates: list[int] = []
    while end < len(pieces) and pieces[end].said_on == pieces[cut].said_on:
        length += pieces[end].length
        if length > CHUNK_SIZE and end > cut:
            return max(candidates, key=lambda place: hash_end(pieces, place), default=end)
        end += 1
        if length >= SHORTEST:
            candidates.append(end)
    return end


def hash_end(pieces: Sequence[TurnPiece], end: int) -> int:
    return crc32(pieces[end - 1].text.encode("utf-8", "surrogatepass"))


def find_run_start(pieces: Sequence[TurnPiece], *, cut: int, previous: int) -> int:
    """Repeat a few short turns before the cut, so that an answer stands with its question."""
    if cut == len(pieces):
        return cut
    room = min(OVERLAP, CHUNK_SIZE - pieces[cut].length)
    start = cut
    for index in range(cut - 1, max(previous, cut - 1 - OVERLAPPING_TURNS), -1):
        room -= pieces[index].length
        if room < 0 or pieces[index].said_on != pieces[cut].said_on:
            break
        start = index
    return start


def build_chunk(pieces: Sequence[TurnPiece]) -> TurnChunk:
    lines: list[str] = []
    parts: list[TurnPart] = []
    position = 0
    for piece in pieces:
        start = position + len(piece.label)
        end = start + len(piece.text)
        parts.append(TurnPart(piece.turn_index, piece.span.start, piece.span.end, start, end))
        lines.append(piece.label + piece.text)
        position = end + 1
    return TurnChunk("\n".join(lines), tuple(parts))
