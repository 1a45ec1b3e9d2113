from dataclasses import dataclass, replace
from math import inf, isfinite
from time import monotonic
from typing import Self


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock by which work must end. Without a limit it never comes.

    `share` is the time of one step of the work, in seconds, such as one statement of a recall.
    """

    at: float = inf
    share: float = inf

    @classmethod
    def after(cls, seconds: float | None, *, share: float | None = None) -> Self:
        return cls(inf if seconds is None else monotonic() + seconds, inf if share is None else share)

    @property
    def is_over(self) -> bool:
        return monotonic() >= self.at

    def remaining(self) -> float:
        """Seconds, never below 0."""
        return max(0.0, self.at - monotonic())

    def left(self) -> float | None:
        """Seconds; None without a limit, as timeouts of the standard library want it."""
        return self.remaining() if isfinite(self.at) else None

    def has_room_for(self, seconds: float) -> bool:
        return monotonic() + seconds < self.at

    def shifted(self, seconds: float) -> Self:
        return replace(self, at=self.at + seconds)

    def without_one_share(self) -> Self:
        """Ends one share earlier, which is kept for a last step."""
        return self.shifted(-self.share) if isfinite(self.share) else self

    def patience(self) -> float | None:
        """How long to wait for a step of another thread; None without a limit."""
        seconds = min(self.share, self.remaining())
        return seconds if isfinite(seconds) else None

    def next_share(self) -> float | None:
        """The time of the next step; None without a limit. TimeoutError if no time is left."""
        if self.is_over:
            raise TimeoutError
        return self.patience()
