"""The words that a memory was taken from, as they were said or written."""

from dataclasses import dataclass
from uuid import UUID

from providers import tokens
from reflection.reflect.types import Labelled
from retrieval.filters.types import Filters
from retrieval.includes.chunks import include_chunks
from retrieval.includes.include import find_quotable
from retrieval.includes.messages import include_messages

MOST_TOKENS = 1_000
EVERYTHING = Filters()


@dataclass(frozen=True)
class OpenedSource:
    """`passages` are heading and text."""

    memory: Labelled
    ids: tuple[UUID, ...]
    passages: tuple[tuple[str, str], ...]

    @property
    def tokens(self) -> int:
        return sum(tokens.count(text) for _, text in self.passages)


def open_source(tenant_id: UUID, memory: Labelled, filters: Filters = EVERYTHING) -> OpenedSource:
    """The messages that it quotes; the piece of a document where there is none. Nothing where the filters of the
    question hide it.
    """
    if memory.item.candidate.kind == "chunk":
        text = tokens.truncate(memory.item.candidate.text, MOST_TOKENS)
        return OpenedSource(memory, (memory.id,), ((memory.item.candidate.context, text),))
    quoted = find_quotable([memory.item], filters)
    messages = include_messages(tenant_id, quoted, max_tokens=MOST_TOKENS)
    if messages:
        passages = tuple((f"{one.speaker}, {one.said_at:%Y-%m-%d %H:%M}", one.text) for one in messages)
        return OpenedSource(memory, tuple(one.id for one in messages), passages)
    chunks = include_chunks(tenant_id, quoted, max_tokens=MOST_TOKENS)
    return OpenedSource(memory, tuple(one.id for one in chunks), tuple((one.heading, one.text) for one in chunks))
