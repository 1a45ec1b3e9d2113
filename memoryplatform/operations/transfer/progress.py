"""How far an import has come, as its operation's payload tells it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

RECEIVING = "receiving"
ABANDONED = "import_abandoned"
ABANDONED_AFTER = timedelta(days=1)


@dataclass
class Progress:
    """What is known from the parts before.

    `made_bank`, `held` (rows that were there, by type), `former` (the profile that was) and `bank_changed_at` say how
    to undo it: they stand in the transaction that makes the bank, so no bank is ever there without them.
    """

    next_line: int = 1
    header: dict[str, Any] | None = None
    digest: str = ""
    rows: dict[str, int] = field(default_factory=dict)
    is_done: bool = False
    heard_at: str = ""
    made_bank: bool = False
    held: dict[str, int] = field(default_factory=dict)
    former: dict[str, Any] | None = None
    bank_changed_at: str = ""

    def wait_for_more(self, now: datetime) -> timedelta:
        """How long it is still waited for; nothing or less where it has been abandoned."""
        return datetime.fromisoformat(self.heard_at) + ABANDONED_AFTER - now if self.heard_at else timedelta(0)
