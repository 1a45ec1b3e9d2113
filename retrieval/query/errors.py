"""What can be wrong with a query, apart from its fields.

QueryError
├── QueryWithoutWords     blank, or nothing but punctuation and symbols
└── BackwardWindow        a window of the caller's that ends before it starts
"""


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
