"""An entity that the observer can't be asked about: it stays stale, and the others are not kept waiting."""

from datetime import datetime, timedelta

from banks.models import Bank
from reflection.models import ObservedEntity

FIRST_WAIT = timedelta(minutes=10)
LONGEST_WAIT = timedelta(days=1)


def put_off(bank: Bank, state: ObservedEntity, *, now: datetime) -> None:
    """Each time for as long as it lasts already, so the waits double. Call inside a tenant transaction.

    What was altered while the observer was asked may be what it stumbled over: then it stays due.
    """
    since = state.refused_since or now
    wait = min(max(now - since, FIRST_WAIT), LONGEST_WAIT)
    rows = ObservedEntity.objects.of_bank(bank).stale().filter(id=state.id, altered_at=state.altered_at)
    rows.update(refused_since=since, due_at=now + wait)
