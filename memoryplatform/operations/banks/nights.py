"""When a bank is tended: once a night, at a minute of its own."""

from datetime import datetime, time, timedelta

from django.utils import timezone

from banks.models import Bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import TEND_BANK
from memoryplatform.operations.running.submit import submit_for_later

NIGHT = time(3)  # UTC
SPREAD_MINUTES = 120  # over which the banks of a night are spread


def ask_for_tending(bank: Bank) -> Operation | None:
    """For the coming night, once. Call inside a tenant transaction."""
    waiting = Operation.objects.for_tenant(bank.tenant_id).filter(kind=TEND_BANK, bank=bank, status="pending")
    if waiting.exists():
        return None
    return submit_for_later(bank, TEND_BANK, payload={}, due_at=find_night(bank, timezone.now()))


def find_night(bank: Bank, now: datetime) -> datetime:
    night = datetime.combine(now.date(), NIGHT, tzinfo=now.tzinfo) + timedelta(minutes=bank.id.int % SPREAD_MINUTES)
    return night if night > now else night + timedelta(days=1)
