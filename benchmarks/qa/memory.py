"""Retaining conversations with the chosen engine, and the tokens that retain took."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from django.utils import timezone

from banks.models import Bank
from benchmarks.qa.record import Record, RecordedLLM
from benchmarks.recall.cases import Case, build_items
from benchmarks.recall.retaining import find_bank, is_whole, retain_case
from benchmarks.tenant import RetainFailed, make_bank, perform_now, retain_now
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import delete_bank_for_good
from memoryplatform.operations.models import Operation
from memoryplatform.operations.running.kind_names import CONSOLIDATE, REFRESH_OBSERVATIONS
from providers import registry
from providers.llm.protocol import LLM, Task
from providers.once import Once
from providers.usage import ModelUsage
from reflection.models import ObservedEntity
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction

NOT_IN_IDS = re.compile(r"[^\w.-]+")
LONGEST_ID = 200
FOLLOW_UPS = (CONSOLIDATE, REFRESH_OBSERVATIONS)
MOST_ROUNDS = 4

Models = Mapping[Task, LLM]


@contextmanager
def serving(models: Models, record: Record, role: str) -> Iterator[None]:
    """Serve these models to retain and recall, and record their prompts. Without models the built-in engine works."""
    configured = registry.LANGUAGE_MODELS
    recorded: dict[Task, LLM] = {task: RecordedLLM(llm, record, f"{role} {task}") for task, llm in models.items()}
    registry.LANGUAGE_MODELS = Once(lambda: recorded)
    try:
        yield
    finally:
        registry.LANGUAGE_MODELS = configured


def retain_conversation(access: BankAccess, case: Case, models: Models) -> Bank:
    """Call while `models` serve. The bank of the built-in engine is that of the recall suites, so that they share
    what `--keep` holds; a language model has banks of its own.
    """
    if not models:
        retain_case(access, case)
        return get_bank(access, case)
    name = NOT_IN_IDS.sub("-", f"{case.name}-{models[Task.EXTRACT].model_id}")[:LONGEST_ID]
    own = replace(case, name=name)
    bank = find_bank(access, own)
    if bank is None or not is_whole(bank, own) or list_waiting(bank, CONSOLIDATE):
        if bank is not None:
            perform_now(access.tenant_id, delete_bank_for_good(access, bank.bank_id).id)
        bank = make_bank(access, own.name)
        for item in build_items(own):
            retain_now(access, bank.bank_id, [item])
            perform_follow_ups(bank)
    return bank


def get_bank(access: BankAccess, case: Case) -> Bank:
    bank = find_bank(access, case)
    if bank is None:
        raise LookupError(f"The bank {case.name} is missing after its retain.")
    return bank


def perform_follow_ups(bank: Bank) -> None:
    """Do at once what workers do after a session, as if the next session came only when all of it was done.

    A refresh of observations that the model refuses is submitted again and again, so the rounds are bounded.
    """
    for _ in range(MOST_ROUNDS):
        with tenant_transaction(bank.tenant_id):
            ObservedEntity.objects.of_bank(bank).stale().update(due_at=timezone.now())
        for waiting in list_waiting(bank, *FOLLOW_UPS):
            operation = perform_now(bank.tenant_id, waiting.id)
            if operation.status != Operation.Status.COMPLETED:
                raise RetainFailed(f"{operation.kind} is {operation.status}: {operation.error_detail}")


def list_waiting(bank: Bank, *kinds: str) -> list[Operation]:
    with tenant_transaction(bank.tenant_id):
        rows = Operation.objects.for_tenant(bank.tenant_id).filter(bank=bank, kind__in=kinds)
        return list(rows.exclude(status=Operation.Status.COMPLETED).order_by("id"))


def read_retain_usage(bank: Bank) -> list[ModelUsage]:
    """Of the retains and what followed from them, since the bank was made: also in an earlier run that kept it."""
    with tenant_transaction(bank.tenant_id):
        rows = UsageRecord.objects.for_tenant(bank.tenant_id).filter(
            bank_id=bank.bank_id,
            at__gte=bank.created_at,
            kind__in=(UsageRecord.Kind.RETAIN, UsageRecord.Kind.CONSOLIDATE),
        )
        return [ModelUsage(**part) for parts in rows.values_list("by_model", flat=True) for part in parts]
