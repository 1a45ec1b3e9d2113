from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.progress import Progress


class MissingData(Exception):
    """The suite needs a file that was not given."""


@dataclass(frozen=True)
class Options:
    """`data` is a folder with the evaluation data, or one file of it; `limit` makes a short run.

    `leave_one_out` asks the recall suites once more without each channel, in place of their other ways to ask.
    `keep`: haystacks that an earlier run retained are asked as they are.
    """

    data: Path
    out: Path
    limit: int | None = None
    leave_one_out: bool = False
    keep: bool = False
    progress: Progress = field(default_factory=Progress)

    def find(self, *patterns: str) -> Path | None:
        """The first file, by name, that one of the patterns fits; None where the data has none."""
        names = [self.data] if self.data.is_file() else sorted(self.data.rglob("*"))
        fitting = (path for pattern in patterns for path in names if path.is_file() and path.match(pattern))
        return next(fitting, None)

    def require(self, *patterns: str) -> Path:
        path = self.find(*patterns)
        if path is None:
            raise MissingData(f"There is no {' or '.join(patterns)} in {self.data}.")
        return path

    def cut(self, count: int) -> int:
        return count if self.limit is None else min(count, self.limit)
