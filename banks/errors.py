"""What can go wrong with banks.

BankError
├── BankNotFound    not there, not yours, or being deleted
├── BankExists
└── MemoryNotFound
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


class MemoryNotFound(BankError):
    code = "memory_not_found"

    def __init__(self, memory_id: UUID) -> None:
        super().__init__(f"Memory {memory_id} not found.")
