from banks.models.alias import BankAlias
from banks.models.answers import AnswerPurge, CachedAnswer
from banks.models.archive import Chunk, ChunkPart, Document, Episode, Message
from banks.models.bank import Bank
from banks.models.entity import CoOccurrence, Entity, EntityKey, EntityName, Mention
from banks.models.quarantine import QuarantinedItem
from banks.models.relationship import Relationship, RelationshipSource
from banks.models.text_index import Corpus, CorpusStatistics, PostingBlock
from banks.models.unit import Link, MemoryUnit, UnitChange, UnitMetadata, UnitSource, UnitTag

__all__ = [
    "AnswerPurge",
    "Bank",
    "BankAlias",
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
    "QuarantinedItem",
    "Relationship",
    "RelationshipSource",
    "UnitChange",
    "UnitMetadata",
    "UnitSource",
    "UnitTag",
]
