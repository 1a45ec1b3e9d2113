"""Documents that are transcripts: which items are, how they are cut into chunks, and the turns of each chunk."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile

from banks.chunking.spans import CHUNK_SIZE, ChunkSpan, trim
from banks.chunking.text import chunk_text
from banks.chunking.turns import LONGEST_PAUSE, TurnPiece, find_run_end
from banks.document_pieces import find_written
from banks.models import Bank, Chunk
from banks.retain.input import RetainItem
from banks.retain.transcripts import WrittenTurn, find_turns, list_speakers
from banks.types import Quote, Source, Turn

NEIGHBOURS = 20  # stored documents that may show who speaks
MOST_BEFORE = 10  # chunks, of one turn each if each turn is a document
LONGEST_TALK = 1_000  # characters
OPENING = 200  # characters of a stored document that are read for a label
CONVERSATION = re.compile(r"\b(?:chat|conversation|dialogue|dialog|transcript)s?\b", re.IGNORECASE)


@dataclass(frozen=True)
class ChunkTurn:
    """A turn, or a part of one, at `start` to `end` of a chunk. A quote of escaped JSON is the whole turn."""

    turn: Turn
    start: int
    end: int

    def find_source(self, quote: Quote, chunk: Chunk) -> Source:
        is_verbatim = self.end - self.start == len(self.turn.text)
        start, end = (self.start + quote.start, self.start + quote.end) if is_verbatim else (self.start, self.end)
        return Source(start, end, chunk_id=chunk.id)


def mark_transcripts(bank: Bank, items: Sequence[RetainItem]) -> list[RetainItem]:
    """A text of one turn is a transcript if its context says so, or if other texts of the call or stored texts of that
    half hour have the same speaker and another one. Call inside a tenant transaction.
    """
    speakers = [list_speakers(item.text) if is_read(item) else [] for item in items]
    shows = [is_read(item) and bool(find_turns(item.text)) for item in items]
    counts = Counter(name for names in speakers for name in names)
    if any(names and not is_shown for names, is_shown in zip(speakers, shows, strict=True)):
        counts.update(read_stored_speakers(bank, items))
    return [
        replace(item, is_transcript=is_shown or bool(names and is_one_of_many(item, names, counts)))
        for item, names, is_shown in zip(items, speakers, shows, strict=True)
    ]


def is_one_of_many(item: RetainItem, names: Sequence[str], counts: Mapping[str, int]) -> bool:
    is_repeated = len(counts) > 1 and any(counts[name] > 1 for name in names)
    return is_repeated or CONVERSATION.search(item.context) is not None


def is_read(item: RetainItem) -> bool:
    return bool(item.text) and item.infer and not item.facts


def read_stored_speakers(bank: Bank, items: Sequence[RetainItem]) -> list[str]:
    moments = [item.said_at for item in items]
    rows = Chunk.objects.of_bank(bank).filter(
        document__isnull=False,
        position=0,
        said_at__range=(min(moments) - LONGEST_PAUSE, max(moments) + LONGEST_PAUSE),
    )
    texts = rows.order_by("-said_at", "-id").values_list("text", flat=True)[:NEIGHBOURS]
    return [name for text in texts for name in list_speakers(text[:OPENING])]


def cut_transcript(text: str, said_at: datetime) -> list[ChunkSpan]:
    """Chunks of whole turns of one day. They don't overlap: each turn is read once."""
    pieces = [
        TurnPiece(place, ChunkSpan(turn.block_start + span.start, turn.block_start + span.end), "", day, "")
        for place, turn in enumerate(find_turns(text, is_known=True))
        for day in [date_turn(turn, said_at).date()]
        for span in cut_block(text, turn)
    ]
    pieces = [replace(piece, text=piece.span.read(text)) for piece in pieces]
    spans, cut = [], 0
    while cut < len(pieces):
        end = find_run_end(pieces, start=cut, cut=cut)
        spans.append(trim(text, pieces[cut].span.start, pieces[end - 1].span.end))
        cut = end
    return spans or chunk_text(text)


def cut_block(text: str, turn: WrittenTurn) -> list[ChunkSpan]:
    block = text[turn.block_start : turn.block_end]
    return [ChunkSpan(0, len(block))] if len(block) < CHUNK_SIZE else chunk_text(block)


def date_turn(turn: WrittenTurn, said_at: datetime) -> datetime:
    """A moment without a zone is in the zone of the document."""
    if turn.said_at is None:
        return said_at
    return turn.said_at if turn.said_at.tzinfo else turn.said_at.replace(tzinfo=said_at.tzinfo)


@dataclass(frozen=True)
class Transcript:
    """`turns` are those of the text, in its order. They are found once for all of its chunks."""

    text: str
    turns: Sequence[WrittenTurn]
    said_at: datetime

    @classmethod
    def read(cls, text: str, said_at: datetime) -> "Transcript":
        return cls(text, find_turns(text, is_known=True), said_at)

    def list_turns(self, span: ChunkSpan) -> tuple[list[Turn], list[ChunkTurn]]:
        """The last turn before a chunk, if there is one, and the turns that the chunk holds."""
        first = bisect_right(self.turns, span.start, key=lambda turn: turn.end)
        behind = bisect_left(self.turns, span.end, key=lambda turn: turn.start)
        before = [build_turn(turn, self.said_at) for turn in self.turns[max(0, first - 1) : first]]
        return before, [build_chunk_turn(self.text, turn, span, self.said_at) for turn in self.turns[first:behind]]


def build_turn(turn: WrittenTurn, said_at: datetime) -> Turn:
    return Turn(turn.role, turn.speaker, turn.words, date_turn(turn, said_at))


def build_chunk_turn(text: str, turn: WrittenTurn, span: ChunkSpan, said_at: datetime) -> ChunkTurn:
    start, end = max(turn.start, span.start), min(turn.end, span.end)
    is_whole = (start, end) == (turn.start, turn.end)
    whole = build_turn(turn, said_at)
    return ChunkTurn(whole if is_whole else replace(whole, text=text[start:end]), start - span.start, end - span.start)


def read_chunks_before(bank: Bank, chunk: Chunk, tags: Sequence[str]) -> list[Chunk]:
    """The chunks of transcripts right before this one, the last one first, in other documents or pieces.

    Their words come into what is searched for this chunk, so they have the same tags. Call inside a tenant transaction.
    """
    rows = Chunk.objects.of_bank(bank).filter(
        document__isnull=False, said_at__range=(chunk.said_at - LONGEST_PAUSE, chunk.said_at), id__lt=chunk.id
    )
    newest = rows.select_related("document").only("text", "start", "document__pieces", "document__context")
    return list(takewhile(lambda one: continues(one, tags), newest.order_by("-said_at", "-id")[:MOST_BEFORE]))


def continues(chunk: Chunk, tags: Sequence[str]) -> bool:
    written = find_written(chunk.document, chunk.start) if chunk.document else {}
    return bool(written.get("transcript")) and list(written["labels"]["tags"]) == list(tags)


def read_last_turn(chunk: Chunk, said_at: datetime) -> Turn | None:
    turns = find_turns(chunk.text, is_known=True)
    return build_turn(turns[-1], said_at) if turns else None


def join_turns_before(chunk: Chunk, before: Sequence[Chunk]) -> str:
    """So much of the talk before a short chunk as makes both about as long as a chunk of messages."""
    texts: list[str] = []
    room = LONGEST_TALK - len(chunk.text)
    for one in before:
        room -= len(one.text)
        if room < 0:
            break
        texts.append(one.text)
    return "\n".join(reversed(texts))
