"""What a refresh works on: a scope of an entity, and how far it was read before."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from reflection.observations.scopes import Scope

UNCOMMITTED = timedelta(minutes=1)  # what was altered, and could not be seen yet, when a refresh began


@dataclass(frozen=True)
class Seen:
    """The last refresh read what was recorded until then. `is_altered`: some of it is otherwise by now, or gone."""

    until: datetime | None = None
    is_altered: bool = False

    @property
    def since(self) -> datetime | None:
        """What was touched after it is to be read."""
        return self.until - UNCOMMITTED if self.until and self.is_altered else self.until


@dataclass(frozen=True)
class Told:
    """A scope with the tags that its facts have."""

    scope: Scope
    tags: tuple[str, ...] = ()

    @property
    def seen(self) -> Seen:
        return Seen(self.scope.seen_until, is_altered=self.scope.is_altered)
