"""When what was announced to end is closed: on its day, by an operation that waits for it."""

from datetime import timedelta

from django.utils import timezone

from banks.lifecycle.announced.due import find_next_end
from banks.models import Bank
from memoryplatform.operations.banks.nights import find_night
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLOSE_ANNOUNCED
from memoryplatform.operations.running.submit import submit_once_for_later

LATE_NIGHT = timedelta(hours=1)  # how long after its time a night may begin, and nothing is late yet


def ask_for_closing(bank: Bank) -> Operation | None:
    """For the first end that comes before the bank is tended again; what comes later, that night asks for.

    So none waits for months. Call inside the tenant transaction that may have announced something.
    """
    due_at, now = find_next_end(bank), timezone.now()
    if due_at is None or due_at > find_night(bank, now) + LATE_NIGHT:
        return None
    return submit_once_for_later(bank, CLOSE_ANNOUNCED, due_at=due_at)
