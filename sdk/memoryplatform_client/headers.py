"""Checks of header values, made before httpx sees them: its error message would show the API key."""

from memoryplatform_client.errors import UnusableHeader


def check_key(given: object) -> str:
    """Surrounding white space is stripped: a key that was read from a file ends in a line break."""
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
