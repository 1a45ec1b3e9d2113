"""Usage and cost of a tenant, by day, bank, key, kind and model, and the use of its plan."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from django.conf import settings
from django.utils import timezone

from memoryplatform.operations.account.access import Right, TenantAccess
from memoryplatform.operations.account.errors import AccountInvalid
from tenants.plans import PlanLimits, read_limits
from tenants.quotas import QuotaUse, measure_use
from tenants.transactions import tenant_transaction
from tenants.usage import DIMENSIONS, StoredDay, TooManyGroups, UsageSum, list_storage, list_usage

USUAL_DAYS = 30
EARLIEST = date(1970, 1, 31)
LONGEST = timedelta(days=400)
MOST_ROWS = 20_000
COLUMNS = (
    "requests",
    "calls",
    "llm_input_tokens",
    "llm_output_tokens",
    "own_llm_tokens",
    "embedding_tokens",
    "reranking_tokens",
    "memories",
    "stored_bytes",
    "cost",
)
CENTS_OF_CENTS = Decimal("0.000001")


@dataclass(frozen=True)
class UsageRequest:
    """Both days are included. `group_by` names of `DIMENSIONS`."""

    since: date
    until: date
    group_by: tuple[str, ...] = ("day",)

    @classmethod
    def build(
        cls, since: date | None = None, until: date | None = None, group_by: Sequence[str] = ("day",)
    ) -> "UsageRequest":
        """The last 30 days (UTC) if nothing else is asked for. There is no usage before 1970 and after today."""
        today = timezone.now().date()
        until = min(max(until, EARLIEST), today) if until else today
        return cls(since or until - timedelta(days=USUAL_DAYS - 1), until, tuple(dict.fromkeys(group_by)))


@dataclass(frozen=True)
class UsageReport:
    """`storage` has the memories and bytes at the end of each day on which they changed."""

    request: UsageRequest
    rows: tuple[UsageSum, ...]
    total: UsageSum
    storage: tuple[StoredDay, ...]
    currency: str


@dataclass(frozen=True)
class PlanReport:
    limits: PlanLimits
    quotas: tuple[QuotaUse, ...]


def report_usage(access: TenantAccess, request: UsageRequest) -> UsageReport:
    access.require(Right.VIEW)
    check_request(request)
    span = {"since": request.since, "until": request.until}
    with tenant_transaction(access.tenant_id):
        try:
            rows = list_usage(access.tenant_id, **span, group_by=request.group_by, most=MOST_ROWS)
        except TooManyGroups:
            raise AccountInvalid(
                {"group_by": f"This gives more than {MOST_ROWS} rows: ask for fewer days or groups."}
            ) from None
        storage = list_storage(access.tenant_id, **span)
    return UsageReport(request, tuple(rows), sum(rows, UsageSum()), tuple(storage), settings.PRICE_CURRENCY)


def check_request(request: UsageRequest) -> None:
    if request.since > request.until:
        raise AccountInvalid({"since": "The first day must not be after the last one."})
    if request.until - request.since > LONGEST:
        raise AccountInvalid({"since": f"Ask for at most {LONGEST.days} days."})
    if unknown := set(request.group_by) - set(DIMENSIONS):
        raise AccountInvalid({"group_by": f"Unknown: {', '.join(sorted(unknown))}. Known: {', '.join(DIMENSIONS)}."})


def describe_row(request: UsageRequest, row: UsageSum) -> dict[str, object]:
    """The group's values by their names, then the amounts."""
    amounts = {name: getattr(row, name) for name in COLUMNS}
    return dict(zip(request.group_by, row.group, strict=True)) | amounts | {"cost": write_cost(row.cost)}


def write_cost(cost: Decimal) -> str:
    """As a text: a float would round it."""
    return str(cost.quantize(CENTS_OF_CENTS).normalize() + 0) if cost else "0"


def list_table(report: UsageReport) -> Iterator[tuple[object, ...]]:
    """The report as a table, for CSV. The first row has the names."""
    yield (*report.request.group_by, *COLUMNS, "currency")
    for row in report.rows:
        yield (*describe_row(report.request, row).values(), report.currency)


def report_plan(access: TenantAccess) -> PlanReport:
    access.require(Right.VIEW)
    with tenant_transaction(access.tenant_id):
        limits = read_limits(access.tenant_id)
        return PlanReport(limits, tuple(measure_use(access.tenant_id, limits)))
