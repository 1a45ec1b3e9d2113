"""The journal of a migration, so that an interrupted migration resumes where it stopped.

Each request has an idempotency key made of the run and its place in the file. The service therefore does not repeat the
request that was in flight at the interruption. The journal of a completed run is deleted, so that the same file can be
migrated again, for example after its bank was deleted.
"""

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import platformdirs

from memoryplatform_client.cli.profiles import APPLICATION

PIECE = 1024 * 1024


@dataclass(frozen=True)
class Journal:
    """`done`: the finished batches, with their number of items and their errors."""

    path: Path
    run: str
    done: int = 0
    items: int = 0
    faults: int = 0

    def key_of(self, place: int) -> str:
        return f"migrate-{self.run}-{place}"

    def with_batch(self, *, items: int, faults: int) -> "Journal":
        after = replace(self, done=self.done + 1, items=self.items + items, faults=self.faults + faults)
        after.write()
        return after

    def write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        beside = self.path.with_suffix(".new")
        kept = {"run": self.run, "done": self.done, "items": self.items, "faults": self.faults}
        beside.write_text(json.dumps(kept), encoding="utf-8")
        beside.replace(self.path)

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def open_journal(file: Path, *task: str, restart: bool) -> Journal:
    """`task`: the options that distinguish this migration from others of the same file."""
    path = journal_path(file, *task)
    kept = {} if restart else find_kept(path)
    journal = Journal(path, **kept) if kept else Journal(path, uuid4().hex)
    journal.write()
    return journal


def journal_path(file: Path, *task: str) -> Path:
    digest = hashlib.sha256("\0".join(task).encode())
    with file.open("rb") as content:
        while piece := content.read(PIECE):
            digest.update(piece)
    return platformdirs.user_state_path(APPLICATION, appauthor=False) / "migrations" / f"{digest.hexdigest()}.json"


def find_kept(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}
