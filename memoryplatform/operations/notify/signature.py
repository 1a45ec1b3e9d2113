"""Signatures as Standard Webhooks (1.0) has them, so that its libraries can check ours."""

import base64
import binascii
import hashlib
import hmac
from datetime import datetime

PREFIX = "whsec_"


def read_secret(secret: str) -> bytes:
    """The bytes behind the prefix; a secret of a caller's own making is taken as it is."""
    if secret.startswith(PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
        except binascii.Error:
            return secret.encode()
    return secret.encode()


def sign(secret: str, *, message_id: str, at: datetime, body: bytes) -> dict[str, str]:
    """The headers. The time is signed too, so that nobody can send an old delivery again."""
    seconds = str(int(at.timestamp()))
    signed = b".".join([message_id.encode(), seconds.encode(), body])
    digest = hmac.digest(read_secret(secret), signed, hashlib.sha256)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": seconds,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
