"""What may travel as a header. httpx tells the whole header where one can't be sent, and a key must not be told."""

from memoryplatform_client.errors import UnusableHeader


def check_key(given: object) -> str:
    """Without the white space around it: a file ends in a line break, and a key does not."""
    key = given.strip() if isinstance(given, str) else ""
    if not key or " " in key or not is_sendable(key):
        raise UnusableHeader("API key")
    return key


def check_header(name: str, given: object) -> str:
    if not isinstance(given, str) or not is_sendable(given):
        raise UnusableHeader(name)
    return given


def is_sendable(text: str) -> bool:
    return text.isascii() and text.isprintable() and text == text.strip()
