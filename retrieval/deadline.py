"""The time that a recall may spend on its database, shared out to its statements."""

from dataclasses import dataclass, replace
from time import monotonic


@dataclass(frozen=True)
class Deadline:
    """`at` is when the last statement must have ended, `share` what a single one may take; None where nothing presses.

    Models have limits of their own: what they take comes on top (`shifted`).
    """

    share: float | None = None
    at: float | None = None

    @classmethod
    def after(cls, seconds: float | None, *, share: float | None) -> "Deadline":
        return cls(share, None if seconds is None else monotonic() + seconds)

    def shifted(self, seconds: float) -> "Deadline":
        return self if self.at is None else replace(self, at=self.at + seconds)

    def keeping_a_share(self) -> "Deadline":
        """For the search: what it finds must still be read, in a statement of its own."""
        return self.shifted(-(self.share or 0.0))

    def left(self) -> float | None:
        return None if self.at is None else max(0.0, self.at - monotonic())

    def patience(self) -> float | None:
        """How long to wait for a statement that another thread began."""
        left = self.left()
        return min((seconds for seconds in (self.share, left) if seconds is not None), default=None)

    def next_share(self) -> float | None:
        """What the next statement may take; there is none where the time is over."""
        if self.left() == 0.0:
            raise TimeoutError
        return self.patience()
