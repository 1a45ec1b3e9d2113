"""Text that is stored encrypted, under keys derived from SECRET_KEY and SECRET_KEY_FALLBACKS."""

import base64
from functools import lru_cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import models

PREFIX = "sealed1:"  # older rows have none and are plain text
PURPOSE = b"memoryplatform.tenants.sealed_text"
KEY_BYTES = 32


class SealedText(str):
    """A stored text that none of our keys opens. It is stored again unchanged."""

    __slots__ = ()


def seal(text: str) -> str:
    return text if isinstance(text, SealedText) else PREFIX + get_keys().encrypt(text.encode()).decode()


def unseal(stored: str) -> str:
    if not stored.startswith(PREFIX):
        return stored
    try:
        return get_keys().decrypt(stored.removeprefix(PREFIX)).decode()
    except InvalidToken:
        return SealedText(stored)


def get_keys() -> MultiFernet:
    """The first key encrypts; all of them decrypt."""
    return derive_keys((settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS))


@lru_cache(maxsize=4)
def derive_keys(secrets: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(derive_key(secret)) for secret in secrets])


def derive_key(secret: str) -> bytes:
    derived = HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=PURPOSE).derive(secret.encode())
    return base64.urlsafe_b64encode(derived)


class SealedTextField(models.TextField):  # type: ignore[type-arg]  # generic for the type checker alone
    """Plain text in Python, or a SealedText if its key is gone. A query can find only the empty text."""

    def get_prep_value(self, value: Any) -> Any:
        text = super().get_prep_value(value)
        return seal(text) if text else text

    def from_db_value(self, value: str | None, _expression: object, _connection: object) -> str | None:
        return None if value is None else unseal(value)
