"""The location of a store's item: its namespace is a bank, its key a document.

Each namespace is a separate bank, so that the memories of different users are never mixed. Characters that an id may
not hold are escaped as in a URL.
"""

from urllib.parse import quote, unquote

BETWEEN = "."  # LangGraph allows no period within a label


def bank_of(prefix: str, namespace: tuple[str, ...]) -> str:
    return BETWEEN.join((prefix, *(escape(label) for label in namespace)))


def namespace_of(prefix: str, bank_id: str) -> tuple[str, ...] | None:
    """None for a bank that does not belong to the store."""
    first, *labels = bank_id.split(BETWEEN)
    return tuple(unquote(label) for label in labels) if first == prefix and labels else None


def document_of(key: str) -> str:
    """The leading mark distinguishes a key from path segments with a meaning, such as `chunks`."""
    return f"={escape(key)}"


def key_of(document_id: str) -> str:
    return unquote(document_id.removeprefix("="))


def escape(text: str) -> str:
    return quote(text, safe=" ").replace(".", "%2E")
