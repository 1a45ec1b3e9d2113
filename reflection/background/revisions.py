"""The history of a background. Nothing about who the agent is changes without a row."""

from dataclasses import dataclass

from django.db.models import Max

from banks.models import Bank
from reflection.models import BackgroundRevision


@dataclass(frozen=True)
class BackgroundChange:
    """`snippet` and `engine` are empty where somebody set the text outright."""

    after: str
    actor: str
    snippet: str = ""
    engine: str = ""


def note_background(bank: Bank, before: str, change: BackgroundChange) -> BackgroundRevision | None:
    """Call inside the tenant transaction that changes the bank, with its row locked. None where nothing changed."""
    if before == change.after:
        return None
    return BackgroundRevision.objects.for_tenant(bank.tenant_id).create(
        bank=bank, number=get_number(bank) + 1, before=before, **vars(change)
    )


def get_number(bank: Bank) -> int:
    """Of the newest revision; 0 where there is none. Call inside a tenant transaction."""
    newest = BackgroundRevision.objects.of_bank(bank).aggregate(newest=Max("number"))["newest"]
    return newest or 0
