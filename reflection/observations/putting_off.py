"""What the observer can't be asked about: it stays stale, and nothing else is kept waiting, of whichever entity."""

from datetime import datetime, timedelta

from banks.models import Bank
from reflection.models import ObservedEntity
from reflection.observations.scopes import Scope, keep_scope

FIRST_WAIT = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)


def put_off(bank: Bank, state: ObservedEntity, scope: Scope, *, now: datetime) -> None:
    """Each time for as long as it lasts already, so the waits double. Call inside a tenant transaction.

    What was altered while the observer was asked may be what it stumbled over: then it stays due.
    """
    since = scope.refused_since or now
    wait = min(max(now - since, FIRST_WAIT), LONGEST_WAIT)
    keep_scope(bank, state, scope, refused_since=since, due_at=now + wait)
