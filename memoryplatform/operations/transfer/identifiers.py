"""Ids of a file, made into ids of a bank: the same every time, different for every bank, out of nobody's control.

The first 96 bits stay, which are the time and the counter of a UUIDv7: rows keep their order. The last 32 come from a
keyed hash of the bank and the whole id, so a file can't name a row that stands elsewhere.
"""

import hashlib
import hmac
from dataclasses import dataclass
from uuid import UUID

from django.conf import settings

KEPT_BYTES = 12
LENGTH = 16


@dataclass(frozen=True)
class Renaming:
    bank_pk: UUID

    def rename(self, old: UUID) -> UUID:
        key = settings.SECRET_KEY.encode()
        digest = hmac.digest(key, b"import:" + self.bank_pk.bytes + old.bytes, hashlib.sha256)
        return UUID(bytes=old.bytes[:KEPT_BYTES] + digest[: LENGTH - KEPT_BYTES])
