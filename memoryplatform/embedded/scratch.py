"""Folders outside the data folder, for what can't lie in it; listed, so that those of a killed run are found."""

import shutil
import tempfile
from pathlib import Path

from memoryplatform.embedded.account import Account, can_enter, give
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.private_file import write_private

PREFIX = "memoryplatform-"


class Scratch:
    def __init__(self, folder: Path) -> None:
        self._list = folder / "scratch"

    def make(self, account: Account | None) -> Path:
        """A new folder that the account owns and nobody else may enter."""
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=find_base(account)))
        write_private(self._list, "\n".join([*map(str, self._recorded()), str(path)]))
        give(path, account)
        return path

    def clear(self) -> None:
        for path in self._recorded():
            if path.name.startswith(PREFIX) and path.exists():
                shutil.rmtree(path)
        self._list.unlink(missing_ok=True)

    def _recorded(self) -> list[Path]:
        return [Path(line) for line in self._list.read_text().splitlines()] if self._list.exists() else []


def find_base(account: Account | None) -> Path:
    """`/tmp` before the environment's TMPDIR: that one may be long, or private to root."""
    bases = [Path("/tmp"), Path(tempfile.gettempdir())]  # noqa: S108 - mkdtemp makes a private folder in it
    for base in bases:
        if base.is_dir() and can_enter(account, base):
            return base
    raise StartError(f"No temporary folder can be used: tried {' and '.join(map(str, bases))}.")
