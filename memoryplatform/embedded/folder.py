"""The data folder: the files of an installation and the environment that its processes share.

The settings import this module before Django is set up.
"""

import fcntl
import json
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memoryplatform.embedded.errors import StartError

DEFAULT = ".memoryplatform"
VARIABLE = "MEMORYPLATFORM_DATA_DIR"
ENVIRONMENT_FILE = "environment.json"
LOCK_FILE = "up.lock"


def find_data_dir(option: str | None) -> Path:
    return Path(option or os.environ.get(VARIABLE) or DEFAULT).absolute()


def read_environment(data_dir: Path) -> dict[str, str]:
    """The stored environment; empty before the first `up`."""
    environment: dict[str, str] = read_file(data_dir / ENVIRONMENT_FILE).get("environment", {})
    return environment


def read_file(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StartError(f"{path} can't be read: {error.strerror}.") from error
    except ValueError as error:
        raise StartError(f"{path} is damaged ({error}): restore it, it holds the keys to the data.") from error
    return content


class DataFolder:
    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.postgres = self.path / "postgres"
        self.redis = self.path / "redis"
        self.metrics = self.path / "metrics"
        self.leases = self.path / "leases"

    def prepare(self) -> None:
        """Make the folder, private to its owner. Under root, the account of Postgres must be able to pass it."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._check_ours()
            self.path.chmod(0o711 if os.geteuid() == 0 else 0o700)
            (self.path / LOCK_FILE).touch(mode=0o600)
        except OSError as error:
            raise StartError(f"The data folder {self.path} can't be written: {error.strerror}.") from error

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder against a second `up`. The kernel releases the lock at every end of this process."""
        with (self.path / LOCK_FILE).open("r+", encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StartError(
                    f"The data folder {self.path} is in use by process {file.read() or 'unknown'}: "
                    "stop that one first, or choose another with --data-dir."
                ) from None
            file.truncate()
            file.write(str(os.getpid()))
            file.flush()
            yield

    def secret(self, name: str) -> str:
        """A random secret, made at the first call and kept."""
        content = self._read()
        kept: dict[str, str] = content.setdefault("secrets", {})
        if name not in kept:
            kept[name] = secrets.token_urlsafe(48)
            self._write(content)
        return kept[name]

    def write_environment(self, environment: Mapping[str, str]) -> None:
        self._write({**self._read(), "environment": dict(environment)})

    def empty_metrics(self) -> None:
        """Remove the counters of earlier processes: `/metrics` would add them to those of the running ones."""
        if self.metrics.exists():
            shutil.rmtree(self.metrics)
        self.metrics.mkdir(mode=0o700)

    def _check_ours(self) -> None:
        if not (self.path / LOCK_FILE).exists() and any(self.path.iterdir()):
            raise StartError(
                f"The data folder {self.path} holds files of something else: choose an empty one with --data-dir."
            )

    def _read(self) -> dict[str, Any]:
        return read_file(self.path / ENVIRONMENT_FILE)

    def _write(self, content: Mapping[str, Any]) -> None:
        write_private(self.path / ENVIRONMENT_FILE, json.dumps(content, indent=2) + "\n")


def write_private(path: Path, text: str) -> None:
    """Write a file that only the owner can read, and that no reader sees half written."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
