"""Runs the checks over the database, its tenants and their banks, and repairs what is derived."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from django.db import DatabaseError

from banks.errors import BankError
from banks.models import Bank
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CLONE_BANK, IMPORT_BANK
from memoryplatform.verify.check import SHOWN, Check, Finding, S, snapshot
from memoryplatform.verify.checks import BANK_CHECKS, DATABASE_CHECKS, TENANT_CHECKS
from providers.errors import ProviderError
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

log = structlog.get_logger(__name__)
FILLED_BY = (IMPORT_BANK, CLONE_BANK)


@dataclass
class Result:
    """A check over all that it looked at. `found` counts wrong rows before a repair, `left` after it."""

    check: str
    is_repairable: bool
    found: int = 0
    left: int = 0
    first: list[str] = field(default_factory=list)
    failed_repairs: list[str] = field(default_factory=list)

    @property
    def is_repaired(self) -> bool:
        return self.found > 0 and self.left == 0

    def add(self, place: str, finding: Finding, left: Finding) -> None:
        self.found += finding.count
        self.left += left.count
        shown = (left or finding).first
        self.first = [*self.first, *(f"{place} {one}".strip() for one in shown)][:SHOWN]


@dataclass
class Report:
    """`skipped` are the banks that are being filled or deleted: their rows are not complete yet, or any more."""

    results: list[Result] = field(default_factory=list)
    tenants: int = 0
    banks: int = 0
    skipped: list[str] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return not any(result.left for result in self.results)


class Verification:
    """`with_repair` rebuilds derived rows where a check finds some that are wrong, and checks again."""

    def __init__(self, *, with_repair: bool) -> None:
        self.with_repair = with_repair
        every: Sequence[Check[None] | Check[UUID] | Check[Bank]] = [*DATABASE_CHECKS, *TENANT_CHECKS, *BANK_CHECKS]
        self._results = {one.name: Result(one.name, one.repair is not None) for one in every}
        self.report = Report(list(self._results.values()))

    def check_database(self) -> None:
        self._run(DATABASE_CHECKS, None, "", nullcontext)

    def check_tenant(self, tenant: Tenant) -> None:
        self.report.tenants += 1
        self._run(TENANT_CHECKS, tenant.id, tenant.slug, lambda: snapshot(tenant.id))

    def check_bank(self, tenant: Tenant, bank: Bank) -> None:
        place = f"{tenant.slug}/{bank.bank_id}"
        if is_incomplete(bank):
            self.report.skipped.append(place)
            return
        self.report.banks += 1
        self._run(BANK_CHECKS, bank, place, lambda: snapshot(tenant.id))

    def _run(
        self,
        checks: Iterable[Check[S]],
        subject: S,
        place: str,
        read: Callable[[], AbstractContextManager[None]],
    ) -> None:
        """All checks of a subject read one state."""
        with read():
            findings = [(check, check.find(subject)) for check in checks]
        for check, finding in findings:
            left = finding
            if finding and self.with_repair and check.repair is not None and self._repair(check, subject, place):
                with read():
                    left = check.find(subject)
            self._results[check.name].add(place, finding, left)

    def _repair(self, check: Check[S], subject: S, place: str) -> bool:
        """False if it failed: other damage may be in its way. The other repairs go on."""
        try:
            if check.repair is not None:
                check.repair(subject)
        except (DatabaseError, BankError, ProviderError) as error:
            log.exception("verify.repair_failed", check=check.name, place=place)
            self._results[check.name].failed_repairs.append(f"{place} {type(error).__name__}".strip())
            return False
        return True


def is_incomplete(bank: Bank) -> bool:
    if bank.deleted_at is not None:
        return True
    with tenant_transaction(bank.tenant_id):
        rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind__in=FILLED_BY)
        return rows.filter(status__in=Operation.UNFINISHED).exists()


def verify(tenants: Iterable[Tenant], bank_id: str | None = None, *, with_repair: bool = False) -> Report:
    """With a bank's id its checks run alone; otherwise all checks."""
    verification = Verification(with_repair=with_repair)
    if bank_id is None:
        verification.check_database()
    for tenant in tenants:
        if bank_id is None:
            verification.check_tenant(tenant)
        for bank in list_banks(tenant, bank_id):
            verification.check_bank(tenant, bank)
    return verification.report


def list_banks(tenant: Tenant, bank_id: str | None) -> list[Bank]:
    wanted = {"bank_id": bank_id} if bank_id else {}
    with tenant_transaction(tenant.id):
        return list(Bank.objects.for_tenant(tenant.id).filter(**wanted).order_by("id"))
