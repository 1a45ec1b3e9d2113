"""Backups in a bucket, against a real server with the S3 protocol."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from pytest_django.fixtures import Settings

from memoryplatform.object_storage import BucketAddress, StorageError, downloaded, parse_address, upload

boto3 = pytest.importorskip("boto3", reason="needs boto3: the extra s3")
moto = pytest.importorskip("moto.server", reason="needs moto: pip install 'moto[server,s3]'")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, settings: Settings) -> Iterator[str]:
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings.S3_ENDPOINT_URL = f"http://{host}:{port}"
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    boto3.client("s3", endpoint_url=settings.S3_ENDPOINT_URL).create_bucket(Bucket="backups")
    yield "backups"
    server.stop()


def test_a_large_file_comes_back_unchanged(bucket: str, tmp_path: Path) -> None:
    """Above 8 MB boto3 sends parts."""
    content = os.urandom(9 * 2**20)
    (tmp_path / "file").write_bytes(content)
    address = BucketAddress(bucket, "folder/file")
    upload(tmp_path / "file", address)
    with downloaded(address) as path:
        assert path.read_bytes() == content
    assert not path.exists()
    with pytest.raises(StorageError, match="exists already"):
        upload(tmp_path / "file", address)


def test_a_backup_goes_to_a_bucket_and_is_restored_from_it(
    bucket: str, committed_db: None, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", f"s3://{bucket}/daily/")
    place = capsys.readouterr().out.split(": ")[0]
    assert place.startswith(f"s3://{bucket}/daily/memoryplatform-")
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", place)  # the file is read; the database of the tests is in use
    with pytest.raises(CommandError, match="can't be used"):
        call_command("restore", f"s3://{bucket}/missing")
    with pytest.raises(CommandError, match="can't be used"):
        call_command("backup", "s3://no-such-bucket/daily/")


def test_addresses() -> None:
    assert parse_address("/var/backups") is None
    assert parse_address("s3://b/one/two") == BucketAddress("b", "one/two")
    assert str(BucketAddress("b", "one/").name_file("x")) == "s3://b/one/x"
    assert str(BucketAddress("b", "").name_file("x")) == "s3://b/x"
    assert str(BucketAddress("b", "one").name_file("x")) == "s3://b/one"
    with pytest.raises(StorageError, match="no bucket"):
        parse_address("s3:///path")
