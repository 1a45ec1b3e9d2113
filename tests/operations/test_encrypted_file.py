"""Files under a passphrase: they come back whole or not at all, and the program age reads them."""

import io
import os
import pty
import shutil
from pathlib import Path

import pytest

from memoryplatform import encrypted_file
from memoryplatform.encrypted_file import (
    CHUNK,
    TAG,
    DamagedFile,
    EncryptedReader,
    EncryptedWriter,
    WrongPassphrase,
    is_encrypted,
)

PASSPHRASE = "seven herons at the lake"
SIZES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, 3 * CHUNK + 17]


@pytest.fixture(autouse=True)
def cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encrypted_file, "WORK", 10)


def encrypt(content: bytes) -> bytes:
    file = io.BytesIO()
    with EncryptedWriter(file, PASSPHRASE) as writer:
        for begin in range(0, len(content), 50_000):
            writer.write(content[begin : begin + 50_000])
    return file.getvalue()


def decrypt(sealed: bytes, passphrase: str = PASSPHRASE) -> bytes:
    return io.BufferedReader(EncryptedReader(io.BytesIO(sealed), passphrase)).read()


@pytest.mark.parametrize("size", SIZES)
def test_the_content_comes_back(size: int) -> None:
    content = os.urandom(size)
    sealed = encrypt(content)
    assert is_encrypted(io.BytesIO(sealed))
    assert decrypt(sealed) == content
    reader = io.BufferedReader(EncryptedReader(io.BytesIO(sealed), PASSPHRASE))
    reader.seek(-min(size, 10), io.SEEK_END)
    assert reader.read() == content[size - min(size, 10) :]
    assert reader.seek(size // 2) == size // 2
    assert reader.read(5) == content[size // 2 :][:5]


@pytest.mark.parametrize("size", [0, CHUNK, 3 * CHUNK + 17])
def test_no_changed_moved_or_missing_part_is_returned(size: int) -> None:
    sealed = encrypt(os.urandom(size))
    begin, step = len(encrypt(b"")) - TAG, CHUNK + TAG
    first, second = sealed[begin : begin + step], sealed[begin + step : begin + 2 * step]
    broken = {
        "cut off": sealed[:-1],
        "without content": sealed[:begin],
        "longer": sealed + b"x",
        "changed": sealed[:-1] + bytes([sealed[-1] ^ 1]),
    }
    if second:
        broken["without its last chunk"] = sealed[: begin + step * (size // CHUNK)]
        broken["in another order"] = sealed[:begin] + second + first + sealed[begin + 2 * step :]
    for name, content in broken.items():
        with pytest.raises(DamagedFile):
            assert decrypt(content), name


def test_another_passphrase_or_header_opens_nothing() -> None:
    sealed = encrypt(b"herons")
    with pytest.raises(WrongPassphrase):
        decrypt(sealed, "eight herons at the lake")
    signature = sealed.index(b"--- ") + 4
    other = b"A" if sealed[signature : signature + 1] != b"A" else b"B"
    with pytest.raises(WrongPassphrase):
        decrypt(sealed[:signature] + other + sealed[signature + 1 :])


def test_a_file_that_asks_for_all_the_memory_is_refused() -> None:
    with pytest.raises(DamagedFile):
        decrypt(encrypt(b"herons").replace(b" 10\n", b" 31\n"))


@pytest.mark.skipif(shutil.which("age") is None, reason="the program age is not installed")
def test_age_reads_the_file(tmp_path: Path) -> None:
    """The program asks for the passphrase at a terminal."""
    content = os.urandom(CHUNK + 5)
    (tmp_path / "sealed").write_bytes(encrypt(content))
    command = ["age", "--decrypt", "--output", str(tmp_path / "plain"), str(tmp_path / "sealed")]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("age", command)  # noqa: S606  # a program of the test
    os.read(terminal, 100)
    os.write(terminal, PASSPHRASE.encode() + b"\n")
    os.waitpid(child, 0)
    assert (tmp_path / "plain").read_bytes() == content
