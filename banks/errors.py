"""The errors of banks.

BankError
├── BankNotFound        missing, of another tenant, or under deletion
├── BankExists          a bank or an alias of one has that id
├── BankAliasNotFound
├── BankIdInvalid       no bank may have such an id
├── BankBusy            too many concurrent changes
├── EmbeddingModelChanged  vectors of a former model can't be stored
├── EmbeddingChangeState   the change of the embedding model is not at that point
├── LegalHold           nothing of the bank may be deleted
├── MemoryNotFound
├── MemoryExists        another current memory says the same
├── MemoryChanged       it was edited since it was read
├── MemoryState         it is closed already, or still open
├── MemoryInvalid       the change would contradict other fields
├── MessageNotFound
├── EpisodeNotFound
├── DocumentNotFound
├── ChunkNotFound
├── EntityNotFound
├── EntityExists        another entity has that name and kind
└── EntityConflict      a merge with itself, a split that moves all mentions or none
"""


class BankError(Exception):
    """`sentence` takes the id of the row, or the whole message."""

    code = "bank_error"
    sentence = "{}"

    def __init__(self, subject: object) -> None:
        super().__init__(self.sentence.format(subject))


class BankNotFound(BankError):
    code = "bank_not_found"
    sentence = "Bank '{}' not found."


class BankExists(BankError):
    code = "bank_exists"
    sentence = "Bank '{}' exists already."


class BankAliasNotFound(BankError):
    code = "bank_alias_not_found"
    sentence = "The bank has no alias '{}'."


class BankIdInvalid(BankError):
    code = "bank_id_invalid"
    sentence = "A bank id has {}."


class BankBusy(BankError):
    code = "bank_busy"
    sentence = "Bank '{}' is being changed by others; try again."


class EmbeddingModelChanged(BankError):
    code = "embedding_model_changed"
    sentence = "Bank '{}' has changed its embedding model; try again."


class EmbeddingChangeState(BankError):
    code = "embedding_change_state"


class LegalHold(BankError):
    code = "legal_hold"
    sentence = "Bank '{}' is under legal hold: nothing of it may be deleted until an admin lifts the hold."


class MemoryNotFound(BankError):
    code = "memory_not_found"
    sentence = "Memory {} not found."


class MemoryExists(BankError):
    code = "memory_exists"
    sentence = "Memory {} says the same."


class MemoryChanged(BankError):
    code = "memory_changed"
    sentence = "Memory {} was changed since it was read."


class MemoryState(BankError):
    code = "memory_state"


class MemoryInvalid(BankError):
    code = "memory_invalid"


class MessageNotFound(BankError):
    code = "message_not_found"
    sentence = "Message {} not found."


class EpisodeNotFound(BankError):
    code = "episode_not_found"
    sentence = "Episode {} not found."


class DocumentNotFound(BankError):
    code = "document_not_found"
    sentence = "Document '{}' not found."


class ChunkNotFound(BankError):
    code = "chunk_not_found"
    sentence = "Chunk {} not found."


class EntityNotFound(BankError):
    code = "entity_not_found"
    sentence = "Entity {} not found."


class EntityExists(BankError):
    code = "entity_exists"
    sentence = "Entity {} has that name and kind; merge the two instead."


class EntityConflict(BankError):
    code = "entity_conflict"
