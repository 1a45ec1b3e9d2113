"""Files in a bucket of S3 or of any server with its protocol: `s3://bucket/path`.

boto3 (the extra `s3`) takes its credentials from AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and its other usual places.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

SCHEME = "s3://"


class StorageError(Exception):
    """The message is for the operator."""


@dataclass(frozen=True)
class BucketAddress:
    bucket: str
    key: str

    def __str__(self) -> str:
        return f"{SCHEME}{self.bucket}/{self.key}"

    def name_file(self, name: str) -> "BucketAddress":
        """The file of this name below the address of a folder; the address of a file stays."""
        return self if self.key and not self.key.endswith("/") else BucketAddress(self.bucket, f"{self.key}{name}")


def parse_address(text: str) -> BucketAddress | None:
    """None for the path of a local file."""
    if not text.startswith(SCHEME):
        return None
    parts = urlsplit(text)
    if not parts.netloc:
        raise StorageError(f"{text} names no bucket: s3://bucket/path.")
    return BucketAddress(parts.netloc, parts.path.lstrip("/"))


def connect() -> Any:
    try:
        import boto3
    except ImportError as error:
        raise StorageError('boto3 is missing: pip install "memoryplatform[s3]".') from error
    return boto3.client("s3", endpoint_url=settings.S3_ENDPOINT_URL)


@contextmanager
def explaining(address: BucketAddress) -> Iterator[Any]:
    """Yields a client. Its errors become one sentence."""
    client = connect()
    from boto3.exceptions import Boto3Error
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield client
    except (Boto3Error, BotoCoreError, ClientError) as error:
        raise StorageError(f"{address} can't be used: {error}") from error


def upload(path: Path, address: BucketAddress) -> None:
    """In parts, each with a checksum. An object of this name is never replaced."""
    with explaining(address) as client:
        found = client.list_objects_v2(Bucket=address.bucket, Prefix=address.key, MaxKeys=1).get("Contents", [])
        if any(one["Key"] == address.key for one in found):
            raise StorageError(f"{address} exists already.")
        client.upload_file(str(path), address.bucket, address.key)


@contextmanager
def downloaded(address: BucketAddress) -> Iterator[Path]:
    """A local copy, removed afterwards."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "object"
        with explaining(address) as client:
            client.download_file(address.bucket, address.key, str(path))
        yield path
