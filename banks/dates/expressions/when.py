from abc import ABC, abstractmethod

from banks.dates.context import Context
from banks.dates.interval import Interval, Period


class Value:
    """Anything that a rule can find."""


class When(Value, ABC):
    """A time that can be resolved against the moment of speaking."""

    @property
    def is_relative(self) -> bool:
        """Whether a reader needs the moment of speaking to understand it."""
        return True

    @abstractmethod
    def resolve(self, ctx: Context) -> Interval | None: ...

    def period(self, ctx: Context) -> Period | None:
        """The interval if it has both ends."""
        found = self.resolve(ctx)
        if found is None or found.start is None or found.end is None or found.start >= found.end:
            return None
        return Period(found.start, found.end, found.grain)
