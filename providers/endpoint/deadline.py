from dataclasses import dataclass
from time import monotonic
from typing import Self


@dataclass(frozen=True)
class Deadline:
    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        return cls(monotonic() + seconds)

    def remaining(self) -> float:
        return max(0.0, self.at - monotonic())
