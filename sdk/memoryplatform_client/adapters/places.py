"""Where an item of a store lies: its namespace is a bank, its key a document.

Namespaces are banks of their own because a bank is one memory: what one user says must not stand beside what another
said. What an id may not hold is escaped as in an address.
"""

from urllib.parse import quote, unquote

BETWEEN = "."  # LangGraph lets no label of a namespace have one


def bank_of(prefix: str, namespace: tuple[str, ...]) -> str:
    return BETWEEN.join((prefix, *(escape(label) for label in namespace)))


def namespace_of(prefix: str, bank_id: str) -> tuple[str, ...] | None:
    """None for a bank that is not the store's."""
    first, *labels = bank_id.split(BETWEEN)
    return tuple(unquote(label) for label in labels) if first == prefix and labels else None


def document_of(key: str) -> str:
    """The mark before it keeps it apart from words that mean something in a path, such as `chunks`."""
    return f"={escape(key)}"


def key_of(document_id: str) -> str:
    return unquote(document_id.removeprefix("="))


def escape(text: str) -> str:
    return quote(text, safe=" ").replace(".", "%2E")
