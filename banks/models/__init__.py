from banks.models.answer_purge import AnswerPurge
from banks.models.bank import Bank
from banks.models.cached_answer import CachedAnswer
from banks.models.chunk import Chunk, ChunkPart
from banks.models.document import Document
from banks.models.entity import CoOccurrence, Entity, EntityKey, EntityName, Mention
from banks.models.episode import Episode
from banks.models.label import UnitMetadata, UnitTag
from banks.models.link import Link
from banks.models.message import Message
from banks.models.relationship import Relationship, RelationshipSource
from banks.models.text_index import Corpus, CorpusStatistics, PostingBlock
from banks.models.unit import MemoryUnit
from banks.models.unit_change import UnitChange
from banks.models.unit_source import UnitSource

__all__ = [
    "AnswerPurge",
    "Bank",
    "CachedAnswer",
    "Chunk",
    "ChunkPart",
    "CoOccurrence",
    "Corpus",
    "CorpusStatistics",
    "Document",
    "Entity",
    "EntityKey",
    "EntityName",
    "Episode",
    "Link",
    "MemoryUnit",
    "Mention",
    "Message",
    "PostingBlock",
    "Relationship",
    "RelationshipSource",
    "UnitChange",
    "UnitMetadata",
    "UnitSource",
    "UnitTag",
]
