from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.load.options import LoadOptions
from benchmarks.peers.options import PeersOptions
from benchmarks.progress import Progress
from benchmarks.qa.options import QAOptions
from benchmarks.recall.cases import Shape
from benchmarks.scale.options import ScaleOptions


class MissingData(Exception):
    """The suite needs a file that was not given."""


@dataclass(frozen=True)
class Options:
    """`data` is a folder with the evaluation data, or one file of it. `limit` makes a short run.

    With `leave_one_out` the recall suites ask every question again without each channel, instead of in their other
    modes. With `keep` they reuse the haystacks that an earlier run retained. `shape` is how they retain them.
    """

    data: Path
    out: Path
    limit: int | None = None
    leave_one_out: bool = False
    keep: bool = False
    shape: Shape = "messages"
    progress: Progress = field(default_factory=Progress)
    qa: QAOptions = field(default_factory=QAOptions)
    scale: ScaleOptions = field(default_factory=ScaleOptions)
    load: LoadOptions = field(default_factory=LoadOptions)
    peers: PeersOptions = field(default_factory=PeersOptions)

    def find(self, *patterns: str, without: str | None = None) -> Path | None:
        """The first file, by name, that matches a pattern and not `without`; None if the data has no such file."""
        names = [self.data] if self.data.is_file() else sorted(self.data.rglob("*"))
        files = [path for path in names if path.is_file() and not (without and path.match(without))]
        return next((path for pattern in patterns for path in files if path.match(pattern)), None)

    def require(self, *patterns: str, without: str | None = None) -> Path:
        path = self.find(*patterns, without=without)
        if path is None:
            raise MissingData(f"There is no {' or '.join(patterns)} in {self.data}.")
        return path

    def cut(self, count: int) -> int:
        return count if self.limit is None else min(count, self.limit)
