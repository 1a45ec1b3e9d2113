"""Errors of recall that a caller sees.

NothingSearched           every channel failed
Overloaded                more recalls wait than can be answered in time
RecallNotFound            no record of this recall in this bank
QueryError
├── QueryWithoutWords     blank, or nothing but punctuation
└── BackwardWindow        the caller's time window ends before it starts
"""

from uuid import UUID


class NothingSearched(Exception):
    """Every channel failed: an empty answer would be wrong."""

    code = "nothing_searched"

    def __init__(self) -> None:
        super().__init__("The memory can't be searched at the moment.")


class Overloaded(Exception):
    code = "overloaded"

    def __init__(self) -> None:
        super().__init__("Too many recalls wait here at the moment. Try again in a while.")


class RecallNotFound(Exception):
    """The recall never happened, belongs to another bank, or is older than the log."""

    code = "recall_not_found"

    def __init__(self, recall_id: UUID) -> None:
        super().__init__(f"Recall {recall_id} not found.")


class QueryError(Exception):
    code = "query_error"


class QueryWithoutWords(QueryError):
    code = "query_without_words"

    def __init__(self) -> None:
        super().__init__("The query has no word in it.")


class BackwardWindow(QueryError):
    code = "backward_window"

    def __init__(self) -> None:
        super().__init__("The time window ends before it starts.")


class NoVector(Exception):
    """The query has no vector that can be compared with the bank's. It costs the channels that need one."""
