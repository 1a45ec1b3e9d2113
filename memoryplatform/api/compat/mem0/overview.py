"""`/v1/stats/` and `/v1/summary/`: counts of the project, and a summary of some memories."""

import re
from collections import Counter
from datetime import timedelta
from functools import partial
from typing import Any, ClassVar

from django.utils import timezone
from rest_framework.request import Request

from memoryplatform.api.compat.mem0.entities import KIND_IDS, list_entities
from memoryplatform.api.compat.mem0.filter_conditions import Condition, FieldTest
from memoryplatform.api.compat.mem0.filter_grammar import read_request_filters, without_expired
from memoryplatform.api.compat.mem0.mem0_view import Mem0View, PageRequest
from memoryplatform.api.compat.mem0.memories import list_memories
from memoryplatform.api.compat.mem0.owners import BANKS
from memoryplatform.api.compat.mem0.unit_lookup import find_banks, find_units_of_banks, name_banks
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.account.own_llm import find_llm
from memoryplatform.operations.reflect import reflect
from providers.llm.protocol import Task
from reflection.reflect.types import ReflectQuery
from retrieval.filters.types import list_leaves
from retrieval.types import RecallQuery
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import TooManyGroups, list_usage

STATS_DAYS = 400  # of the ledger
QUESTION = "Summarise what is known: people, places, work, preferences, plans and what has changed."
SUMMARY_TOKENS = 6_000  # of memories that the model reads
MOST_QUOTED = 50  # memories of a summary without a language model
MARK = re.compile(r"\s*\[\d+\]")


class StatsView(Mem0View):
    def get(self, _request: Request) -> object:
        return count_everything(self.access)


def count_everything(access: BankAccess) -> dict[str, int]:
    """Memories and owners of now, and the events of the last 400 days, in the banks that the key reaches."""
    with tenant_transaction(access.tenant_id):
        memories = find_units_of_banks(access.tenant_id, find_banks(access).values("id")).current().count()
        owners = Counter(one.owner.kind for one in list_entities(access))
        events = count_events(access)
    searches = events[UsageRecord.Kind.RECALL]
    return {
        "total_memories": memories,
        "total_retrieval_events": searches,
        "total_api_retrieval_events": searches,
        "total_retrieval_events_limit": 0,  # there is no limit of this kind
        "total_add_events": events[UsageRecord.Kind.RETAIN],
        **{f"total_{kind}s_with_memories": owners[kind] for kind in KIND_IDS},
        **{f"memories_per_{kind}": round(memories / owners[kind]) if owners[kind] else 0 for kind in KIND_IDS},
    }


def count_events(access: BankAccess) -> Counter[str]:
    """Requests by kind. With very many banks, those of the tenant's other banks count too."""
    today = timezone.now().date()
    ledger = partial(list_usage, access.tenant_id, since=today - timedelta(days=STATS_DAYS - 1), until=today)
    events: Counter[str] = Counter()
    try:
        for row in ledger(group_by=("bank", "kind")):
            bank_id, kind = row.group
            if bank_id.startswith(BANKS) and access.reaches(bank_id):
                events[kind] += row.requests
    except TooManyGroups:
        return Counter({row.group[0]: row.requests for row in ledger(group_by=("kind",))})
    return events


class SummaryView(Mem0View):
    scopes: ClassVar[dict[str, str]] = {"POST": "read"}

    def post(self, request: Request) -> object:
        condition = without_expired(read_request_filters(request.data))
        count, memories = list_memories(self.access, condition, PageRequest(1, MOST_QUOTED))
        return {"status": "SUCCEEDED", "summary": summarise(self.access, condition, memories), "count": count}


def summarise(access: BankAccess, condition: Condition, memories: list[dict[str, Any]]) -> str:
    """Written by the language model for all memories of one owner. Otherwise the newest memories, one a line."""
    banks = name_banks(condition)
    if not memories or banks is None or len(banks) != 1 or not names_owner_alone(condition):
        return write_lines(memories)
    (bank_id,) = banks
    if find_llm(access.tenant_id, Task.REFLECT, bank_id=bank_id) is None:
        return write_lines(memories)
    recalled = RecallQuery(QUESTION, timezone.now(), max_tokens=SUMMARY_TOKENS, fills=True)
    answer = reflect(access, bank_id, ReflectQuery(recalled, forms_opinions=False))
    return MARK.sub("", answer.text)


def names_owner_alone(condition: Condition) -> bool:
    """Whether the filter is one user's id, so that the whole bank answers it."""
    tests = [one for one in list_leaves(condition) if isinstance(one, FieldTest) and one.field != "metadata"]
    return len(tests) == 1 and tests[0].field == "tag"


def write_lines(memories: list[dict[str, Any]]) -> str:
    return "\n".join(f"- {one['memory']}" for one in memories)
