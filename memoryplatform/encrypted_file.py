"""Files under a passphrase, in the format of age (age-encryption.org/v1): `age --decrypt FILE` reads them too.

The passphrase opens a random file key by scrypt. The content follows in chunks of 64 KiB, each sealed with
ChaCha20-Poly1305 under its number and a mark of the last one, so that a chunk can't be changed, moved or cut off.
"""

import base64
import hmac
import io
import os
import re
from hashlib import sha256
from typing import IO, TYPE_CHECKING

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

VERSION = b"age-encryption.org/v1"
HEADER = re.compile(
    VERSION + rb"\n-> scrypt (?P<salt>[\w+/]{22}) (?P<work>[1-9]\d?)\n(?P<sealed>[\w+/]{43})\n--- (?P<mac>[\w+/]{43})\n"
)
HEADER_BYTES = 256  # more than a header has
WORK = 18  # scrypt's cost: 256 MiB and a second
MOST_WORK = 20  # a foreign file could ask for all the memory of the machine
CHUNK, TAG, NONCE = 64 * 1024, 16, 16


class WrongPassphrase(Exception):
    """The passphrase does not open the file, or the header was changed."""


class DamagedFile(Exception):
    """A part of the file was changed, moved or cut off."""


def is_encrypted(file: IO[bytes]) -> bool:
    file.seek(0)
    return file.read(len(VERSION)) == VERSION


class EncryptedWriter(io.RawIOBase):
    """Encrypts what is written into `file`, which stays open. `close` seals the last chunk."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        super().__init__()
        file_key, salt, nonce = os.urandom(16), os.urandom(16), os.urandom(NONCE)
        wrapped = ChaCha20Poly1305(stretch(passphrase, salt, WORK)).encrypt(bytes(12), file_key, None)
        head = b"\n".join([VERSION, b"-> scrypt %s %d" % (encode(salt), WORK), encode(wrapped), b"---"])
        file.write(head + b" " + encode(sign_header(file_key, head)) + b"\n" + nonce)
        self._file, self._waiting, self._number = file, bytearray(), 0
        self._cipher = ChaCha20Poly1305(derive(file_key, b"payload", nonce))

    def writable(self) -> bool:
        return True

    def write(self, data: "ReadableBuffer") -> int:
        self._waiting += data
        while len(self._waiting) > CHUNK:
            self._seal(CHUNK, is_last=False)
        return memoryview(data).nbytes

    def _seal(self, size: int, *, is_last: bool) -> None:
        content = bytes(self._waiting[:size])
        self._file.write(self._cipher.encrypt(make_nonce(self._number, is_last=is_last), content, None))
        del self._waiting[:size]
        self._number += 1

    def close(self) -> None:
        if not self.closed:
            self._seal(CHUNK, is_last=True)
        super().close()


class EncryptedReader(io.RawIOBase):
    """The content of an encrypted file. Reading may begin anywhere; each chunk is checked before it is returned."""

    def __init__(self, file: IO[bytes], passphrase: str) -> None:
        super().__init__()
        file.seek(0)
        found = HEADER.match(file.read(HEADER_BYTES))
        if found is None or int(found["work"]) > MOST_WORK:
            raise DamagedFile
        key = ChaCha20Poly1305(stretch(passphrase, decode(found["salt"]), int(found["work"])))
        try:
            file_key = key.decrypt(bytes(12), decode(found["sealed"]), None)
        except InvalidTag as error:
            raise WrongPassphrase from error
        signed = found[0][: found.start("mac") - 1]
        if not hmac.compare_digest(sign_header(file_key, signed), decode(found["mac"])):
            raise WrongPassphrase
        file.seek(found.end())
        self._cipher = ChaCha20Poly1305(derive(file_key, b"payload", file.read(NONCE)))
        self._file, self._begin = file, found.end() + NONCE
        sealed = file.seek(0, io.SEEK_END) - self._begin
        self._chunks = -(-sealed // (CHUNK + TAG))
        self._size, self._place, self._opened = sealed - self._chunks * TAG, 0, (-1, b"")
        if not self._chunks:
            raise DamagedFile
        self._open(self._chunks - 1)  # without it, the length of the file would be unproven

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence])
        return self._place

    def tell(self) -> int:
        return self._place

    def readinto(self, buffer: "WriteableBuffer") -> int:
        if self._place >= self._size:
            return 0
        number, begin = divmod(self._place, CHUNK)
        view = memoryview(buffer).cast("B")
        part = self._open(number)[begin : begin + len(view)]
        view[: len(part)] = part
        self._place += len(part)
        return len(part)

    def _open(self, number: int) -> bytes:
        if self._opened[0] != number:
            self._file.seek(self._begin + number * (CHUNK + TAG))
            nonce = make_nonce(number, is_last=number == self._chunks - 1)
            try:
                content = self._cipher.decrypt(nonce, self._file.read(CHUNK + TAG), None)
            except InvalidTag as error:
                raise DamagedFile from error
            self._opened = (number, content)
        return self._opened[1]


def stretch(passphrase: str, salt: bytes, work: int) -> bytes:
    return Scrypt(salt=VERSION + b"/scrypt" + salt, length=32, n=2**work, r=8, p=1).derive(passphrase.encode())


def derive(file_key: bytes, purpose: bytes, salt: bytes | None = None) -> bytes:
    return HKDF(algorithm=SHA256(), length=32, salt=salt, info=purpose).derive(file_key)


def sign_header(file_key: bytes, head: bytes) -> bytes:
    return hmac.digest(derive(file_key, b"header"), head, sha256)


def make_nonce(number: int, *, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes([is_last])


def encode(value: bytes) -> bytes:
    return base64.b64encode(value).rstrip(b"=")


def decode(text: bytes) -> bytes:
    return base64.b64decode(text + b"=" * (-len(text) % 4))
