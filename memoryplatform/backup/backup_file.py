"""The file of a backup: its manifest, its encryption, and the checks that it is whole."""

import hashlib
import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.utils.crypto import salted_hmac
from pydantic import BaseModel, ValidationError

from memoryplatform.encrypted_file import DamagedFile, EncryptedReader, EncryptedWriter, WrongPassphrase, is_encrypted

DUMP, MANIFEST = "database.dump", "manifest.json"
FORMAT = 1
BLOCK = 1024 * 1024
SECRETS = ("SECRET_KEY", "API_KEY_SECRET")
SHORTEST_PASSPHRASE = 12

TABLES = """
SELECT c.relname FROM pg_class c
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
  AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY c.relname
"""


class BackupError(Exception):
    """The message is for the operator."""


class Manifest(BaseModel):
    """`owner` is the role that policies name. `secrets` recognise the keys of the installation without showing them."""

    format: int
    made_at: str
    version: str
    server: int
    tool: int
    owner: str
    migrations: dict[str, list[str]]
    rows: dict[str, int]
    secrets: dict[str, str]
    sha256: str
    bytes: int


@contextmanager
def private_file(path: Path) -> Iterator[IO[bytes]]:
    """Readable by its owner only. On the disk when the block ends."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise BackupError(f"{path.parent} can't be written: {error.strerror}.") from error
    with os.fdopen(handle, "w+b") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


def read_passphrase(path: Path | None) -> str:
    """The first line of the file; nothing where no file is given."""
    if path is None:
        return ""
    try:
        passphrase = path.read_text().partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BackupError(f"{path} can't be read.") from error
    if len(passphrase) < SHORTEST_PASSPHRASE:
        raise BackupError(f"The passphrase in {path} must have at least {SHORTEST_PASSPHRASE} characters.")
    return passphrase


@contextmanager
def encrypting(file: IO[bytes], passphrase: str) -> Iterator[IO[bytes]]:
    if not passphrase:
        yield file
        return
    with EncryptedWriter(file, passphrase) as writer:
        yield cast("IO[bytes]", writer)


@contextmanager
def opened(path: Path, passphrase: str) -> Iterator[zipfile.ZipFile]:
    """The ZIP file of a backup, decrypted where it is encrypted."""
    with path.open("rb") as file:
        if not is_encrypted(file):
            with zipfile.ZipFile(file) as archive:
                yield archive
            return
        if not passphrase:
            raise BackupError(f"{path} is encrypted: give its passphrase with --passphrase-file.")
        try:
            reader = EncryptedReader(file, passphrase)
        except WrongPassphrase as error:
            raise BackupError(f"The passphrase does not open {path}.") from error
        with io.BufferedReader(reader, BLOCK) as content, zipfile.ZipFile(cast("IO[bytes]", content)) as archive:
            yield archive


def recognise_secrets() -> dict[str, str]:
    return {
        name: salted_hmac("memoryplatform.backup", name, secret=getattr(settings, name), algorithm="sha256").hexdigest()
        for name in SECRETS
    }


def read_manifest(path: Path, passphrase: str = "") -> Manifest:
    """Checks that the file is whole: both members are there, and the dump has the checksum of the manifest."""
    try:
        with opened(path, passphrase) as archive:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            if manifest.format != FORMAT:
                raise BackupError(f"{path} has the format {manifest.format}, and this version reads {FORMAT}.")
            digest = hashlib.sha256()
            with archive.open(DUMP) as member:
                while block := member.read(BLOCK):
                    digest.update(block)
    except OSError as error:
        raise BackupError(f"{path} can't be read: {error.strerror or error}.") from error
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError, RuntimeError, ValidationError, DamagedFile) as error:
        raise BackupError(f"{path} is no backup, or is damaged or cut off.") from error
    if digest.hexdigest() != manifest.sha256:
        raise BackupError(f"{path} is damaged: the checksum of the dump differs from the manifest.")
    return manifest
