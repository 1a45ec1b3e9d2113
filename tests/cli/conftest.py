"""The command line in this process, against the service of the client's tests."""

import io
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memoryplatform_client import MemoryClient
from memoryplatform_client.cli.entry import main
from tests.sdk.conftest import Service, server_url, service, worker

__all__ = ["server_url", "service", "worker"]


@dataclass(frozen=True)
class Finished:
    code: int
    out: str
    err: str

    @property
    def rows(self) -> list[list[str]]:
        """The rows of piped output: a row is a line, with tabs between its cells."""
        return [line.split("\t") for line in self.out.splitlines()]


class Stdin(io.TextIOWrapper):
    def __init__(self, text: str | bytes, *, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(text.encode() if isinstance(text, str) else text), encoding="utf-8")
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


Cli = Callable[..., Finished]


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Isolates the tests from the developer's own profiles."""
    for name in ("CONFIG", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    for name in ("MEMORYPLATFORM_URL", "MEMORYPLATFORM_API_KEY", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def bare_cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command without a service or a key."""

    def run(*words: Any, stdin: str | bytes = "", is_terminal: bool = False) -> Finished:
        monkeypatch.setattr(sys, "stdin", Stdin(stdin, is_terminal=is_terminal))
        code = main([str(word) for word in words])
        return Finished(code, *capsys.readouterr())

    return run


@pytest.fixture
def cli(bare_cli: Cli, service: Service, monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("MEMORYPLATFORM_URL", service.url)
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", service.key)
    return bare_cli


@pytest.fixture
def client(service: Service) -> Iterator[MemoryClient]:
    with MemoryClient(service.url, service.key) as client:
        yield client


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes rich believe in a terminal of a fixed width."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "150")
