"""What can go wrong with banks.

BankError
├── BankNotFound        not there, not yours, or being deleted
├── BankExists
├── BankBusy            others change the same all the time
├── MemoryNotFound
├── MemoryExists        another live memory says the same
├── MemoryChanged       somebody else edited it since it was read
├── MemoryState         it is closed already, or it is not
├── MemoryInvalid       the change would leave it contradicting itself
├── MessageNotFound
├── EpisodeNotFound
├── DocumentNotFound
├── ChunkNotFound
├── EntityNotFound
├── EntityExists        another entity has that name and kind
└── EntityConflict      a merge with itself, a split that leaves nothing
"""

from uuid import UUID


class BankError(Exception):
    code = "bank_error"


class BankNotFound(BankError):
    code = "bank_not_found"

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' not found.")


class BankExists(BankError):
    code = "bank_exists"

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' exists already.")


class BankBusy(BankError):
    code = "bank_busy"

    def __init__(self, bank_id: str) -> None:
        super().__init__(f"Bank '{bank_id}' is being changed by others; try again.")


class MemoryNotFound(BankError):
    code = "memory_not_found"

    def __init__(self, memory_id: UUID) -> None:
        super().__init__(f"Memory {memory_id} not found.")


class MemoryExists(BankError):
    code = "memory_exists"

    def __init__(self, memory_id: UUID) -> None:
        super().__init__(f"Memory {memory_id} says the same.")


class MemoryChanged(BankError):
    code = "memory_changed"

    def __init__(self, memory_id: UUID) -> None:
        super().__init__(f"Memory {memory_id} was changed since it was read.")


class MemoryState(BankError):
    code = "memory_state"


class MemoryInvalid(BankError):
    code = "memory_invalid"


class MessageNotFound(BankError):
    code = "message_not_found"

    def __init__(self, message_id: UUID) -> None:
        super().__init__(f"Message {message_id} not found.")


class EpisodeNotFound(BankError):
    code = "episode_not_found"

    def __init__(self, episode_id: UUID) -> None:
        super().__init__(f"Episode {episode_id} not found.")


class DocumentNotFound(BankError):
    code = "document_not_found"

    def __init__(self, document_id: str) -> None:
        super().__init__(f"Document '{document_id}' not found.")


class ChunkNotFound(BankError):
    code = "chunk_not_found"

    def __init__(self, chunk_id: UUID) -> None:
        super().__init__(f"Chunk {chunk_id} not found.")


class EntityNotFound(BankError):
    code = "entity_not_found"

    def __init__(self, entity_id: UUID) -> None:
        super().__init__(f"Entity {entity_id} not found.")


class EntityExists(BankError):
    code = "entity_exists"

    def __init__(self, entity_id: UUID) -> None:
        super().__init__(f"Entity {entity_id} has that name and kind; merge the two instead.")


class EntityConflict(BankError):
    code = "entity_conflict"
