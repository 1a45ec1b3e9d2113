"""The usage ledger of a tenant's requests and operations, its sums by day, and their cost.

Rows of the ledger are written in the transactions of their requests. Whole days are added up by a background job. A
report reads the days that are added up, and the ledger for those after them, so it is right at any time.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.utils import timezone
from prometheus_client import Counter

from providers.usage import Usage
from tenants.models import UsageDay, UsageRecord
from tenants.plans import find_limits

# By plan: a label for each tenant would have no end, and would tell who the customers are.
PLAN_TOKENS = Counter("memoryplatform_plan_tokens_total", "Tokens in the usage ledger.", ["plan", "service"])
MILLION = 1_000_000
CLOSED_AFTER = timedelta(hours=1)  # no transaction that wrote a row of a day is open any more
DIMENSIONS = {"day": "day", "bank": "bank_id", "key": "api_key_prefix", "kind": "kind", "model": "model"}
AMOUNTS = ("requests", "calls", "input_tokens", "output_tokens", "memories", "stored_bytes")
# Rows from before models were told apart have their tokens in the row without a model.
LEDGER = """
SELECT (at AT TIME ZONE 'utc')::date AS day, bank_id, api_key_prefix, kind, '' AS service, '' AS model,
       count(DISTINCT coalesce(operation_id, id)) AS requests,
       coalesce(sum(calls) FILTER (WHERE by_model = '[]'), 0) AS calls,
       coalesce(sum(input_tokens) FILTER (WHERE by_model = '[]'), 0) AS input_tokens,
       coalesce(sum(output_tokens) FILTER (WHERE by_model = '[]'), 0) AS output_tokens,
       coalesce(sum(memories) FILTER (WHERE kind = 'retain'), 0) AS memories, sum(stored_bytes) AS stored_bytes
FROM tenants_usagerecord WHERE tenant_id = %(tenant_id)s AND at >= %(start)s AND at < %(end)s
GROUP BY 1, 2, 3, 4
UNION ALL
SELECT (at AT TIME ZONE 'utc')::date, bank_id, api_key_prefix, kind, part.service, part.model,
       0, sum(part.calls), sum(part.input_tokens), sum(part.output_tokens), 0, 0
FROM tenants_usagerecord, jsonb_to_recordset(by_model)
     AS part(service text, model text, calls bigint, input_tokens bigint, output_tokens bigint)
WHERE tenant_id = %(tenant_id)s AND at >= %(start)s AND at < %(end)s
GROUP BY 1, 2, 3, 4, 5, 6
"""
COLUMNS = f"day, bank_id, api_key_prefix, kind, service, model, {', '.join(AMOUNTS)}"
ADD_DAYS = f"""
INSERT INTO tenants_usageday (id, tenant_id, {COLUMNS})
SELECT gen_random_uuid(), %(tenant_id)s, days.* FROM ({LEDGER}) AS days
"""  # noqa: S608  # our own names
STORAGE = """
SELECT day, memories, stored_bytes FROM (
    SELECT day, sum(sum(memories)) OVER (ORDER BY day)::bigint AS memories,
           sum(sum(stored_bytes)) OVER (ORDER BY day)::bigint AS stored_bytes
    FROM tenants_storagechange WHERE tenant_id = %(tenant_id)s AND day <= %(until)s GROUP BY day
) AS days WHERE day >= %(since)s ORDER BY day
"""
REPORT = """
SELECT {names} service, model, {sums} FROM (
    SELECT {columns} FROM tenants_usageday
    WHERE tenant_id = %(tenant_id)s AND day >= %(since)s AND day <= %(until)s
    UNION ALL ({ledger})
) AS days GROUP BY {names} service, model ORDER BY {names} service, model LIMIT %(most)s
"""


@dataclass(frozen=True)
class UsageSum:
    """The usage of one group. `cost` leaves out the models that the price table does not name: `unpriced`."""

    group: tuple[str, ...] = ()
    requests: int = 0
    calls: int = 0
    llm_input_tokens: int = 0
    llm_output_tokens: int = 0
    own_llm_tokens: int = 0
    embedding_tokens: int = 0
    reranking_tokens: int = 0
    memories: int = 0
    stored_bytes: int = 0
    cost: Decimal = Decimal(0)
    unpriced: frozenset[str] = field(default=frozenset())

    @property
    def llm_tokens(self) -> int:
        return self.llm_input_tokens + self.llm_output_tokens

    def __add__(self, other: "UsageSum") -> "UsageSum":
        names = [one.name for one in fields(self) if one.name not in {"group", "unpriced"}]
        added = {name: getattr(self, name) + getattr(other, name) for name in names}
        return UsageSum(self.group, **added, unpriced=self.unpriced | other.unpriced)


class TooManyGroups(Exception):
    """The report has more rows than the caller accepts."""


def record_usage(  # noqa: PLR0913  # the columns of a row
    tenant_id: UUID,
    kind: UsageRecord.Kind,
    usage: Usage,
    *,
    bank_id: str = "",
    api_key_prefix: str = "",
    operation_id: UUID | None = None,
    attempt: int = 0,
    memories: int = 0,
    stored_bytes: int = 0,
) -> None:
    """Call inside a tenant transaction. A repeated attempt of an operation is not written twice."""
    row = build_record(kind, usage, bank_id=bank_id, api_key_prefix=api_key_prefix, memories=memories)
    row.operation_id, row.attempt, row.stored_bytes = operation_id, attempt, stored_bytes
    write_records(tenant_id, [row])


def sum_operation(tenant_id: UUID, operation_id: UUID) -> Usage | None:
    """The usage of all attempts of an operation, failed ones included. None while no model was called.

    Call inside a tenant transaction.
    """
    rows = list(UsageRecord.objects.for_tenant(tenant_id).filter(operation_id=operation_id))
    spent = (Usage(row.input_tokens, row.output_tokens, row.calls, row.estimated) for row in rows)
    return sum(spent, Usage()) if rows else None


def write_records(tenant_id: UUID, rows: Sequence[UsageRecord]) -> None:
    """Call inside a tenant transaction."""
    UsageRecord.objects.for_tenant(tenant_id).bulk_create(rows, ignore_conflicts=True)
    plan = find_limits(tenant_id).plan
    for part in (part for row in rows for part in row.by_model):
        PLAN_TOKENS.labels(plan, part["service"]).inc(part["input_tokens"] + part["output_tokens"])


def build_record(
    kind: UsageRecord.Kind, usage: Usage, *, bank_id: str, api_key_prefix: str, memories: int = 0
) -> UsageRecord:
    return UsageRecord(
        kind=kind,
        bank_id=bank_id,
        api_key_prefix=api_key_prefix,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        calls=usage.calls,
        estimated=usage.estimated,
        by_model=[asdict(part) for part in usage.models],
        memories=memories,
    )


def sum_usage_days(tenant_id: UUID, *, again_since: date | None = None) -> None:
    """Adds up the days that are over. `again_since`: also the days from this one on, from the ledger.

    Call inside a tenant transaction. A second call changes nothing.
    """
    lock_sums(tenant_id)
    days = UsageDay.objects.for_tenant(tenant_id)
    if again_since is not None:
        days.filter(day__gte=again_since).delete()
    end = start_of((timezone.now() - CLOSED_AFTER).astimezone(UTC).date())
    with connection.cursor() as cursor:
        cursor.execute(ADD_DAYS, {"tenant_id": tenant_id, "start": find_open_since(tenant_id), "end": end})


def lock_sums(tenant_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"usage:{tenant_id}"])


def find_open_since(tenant_id: UUID) -> datetime:
    """The start of the first day that is not added up. A day without usage has no sums and needs none."""
    last = UsageDay.objects.for_tenant(tenant_id).order_by("-day").values_list("day", flat=True).first()
    return start_of(last + timedelta(days=1)) if last else datetime.min.replace(tzinfo=UTC)


def start_of(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def list_usage(
    tenant_id: UUID, *, since: date, until: date, group_by: Sequence[str] = (), most: int = 100_000
) -> list[UsageSum]:
    """The usage of the days from `since` to `until`, one row for each group. Call inside a tenant transaction."""
    names = "".join(f"{DIMENSIONS[name]}, " for name in group_by)
    sums = ", ".join(f"sum({name})::bigint" for name in AMOUNTS)
    statement = REPORT.format(names=names, sums=sums, columns=COLUMNS, ledger=LEDGER)
    span: dict[str, UUID | date | datetime | int] = {
        "tenant_id": tenant_id,
        "since": since,
        "until": until,
        "start": max(start_of(since), find_open_since(tenant_id)),
        "end": start_of(until + timedelta(days=1)),
        "most": most + 1,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement, span)
        rows = cursor.fetchall()
    if len(rows) > most:
        raise TooManyGroups
    groups: dict[tuple[str, ...], UsageSum] = {}
    for row in rows:
        part = read_sum(row, len(group_by))
        groups[part.group] = groups[part.group] + part if part.group in groups else part
    return list(groups.values())


def read_sum(row: Sequence[object], grouped: int) -> UsageSum:
    group = tuple(str(value) for value in row[:grouped])
    service, model, *amounts = map(str, row[grouped:])
    requests, calls, read, written, memories, stored_bytes = map(int, amounts)
    tokens = {
        "llm": {"llm_input_tokens": read, "llm_output_tokens": written},
        "own_llm": {"own_llm_tokens": read + written},
        "embedding": {"embedding_tokens": read},
        "reranking": {"reranking_tokens": read},
    }.get(service, {})
    cost = find_cost(service, model, read, written)
    is_unpriced = cost is None and bool(model) and service != "own_llm"
    return UsageSum(
        group,
        requests,
        calls,
        **tokens,
        memories=memories,
        stored_bytes=stored_bytes,
        cost=cost or Decimal(0),
        unpriced=frozenset({model}) if is_unpriced else frozenset(),
    )


def find_cost(service: str, model: str, input_tokens: int, output_tokens: int) -> Decimal | None:
    """None for a model without a price, and for a tenant's own."""
    price = None if service == "own_llm" else settings.MODEL_PRICES.get(model)
    return None if price is None else (input_tokens * price.input + output_tokens * price.output) / MILLION


def count_llm_tokens(tenant_id: UUID, *, since: date) -> int:
    """Call inside a tenant transaction."""
    return sum(one.llm_tokens for one in list_usage(tenant_id, since=since, until=timezone.now().date()))


@dataclass(frozen=True)
class StoredDay:
    """Memories and bytes at the end of a day on which they changed."""

    day: date
    memories: int
    stored_bytes: int


def list_storage(tenant_id: UUID, *, since: date, until: date) -> list[StoredDay]:
    """Call inside a tenant transaction."""
    with connection.cursor() as cursor:
        cursor.execute(STORAGE, {"tenant_id": tenant_id, "since": since, "until": until})
        return [StoredDay(*row) for row in cursor.fetchall()]


def add_up_storage(tenant_id: UUID) -> None:
    """Leaves one row a day of the changes of storage. Call inside a tenant transaction. It may run at any time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT add_up_storage_changes(%s)", [tenant_id])
