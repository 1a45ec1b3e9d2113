"""A dry run of retain: what a call would store. It costs tokens like a retain, and leaves nothing but its usage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from banks.enums import Mode
from banks.errors import BankNotFound, MemoryInvalid
from banks.models import Bank
from banks.retain.dry_run import DryRun, DryRunTools, try_item
from banks.retain.input import Instructions, RetainItem
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.engine_choice import choose_dry_run_engine
from memoryplatform.operations.protection import screen_fields, screen_items
from memoryplatform.operations.retain import (
    MOST_CHARACTERS_TO_WAIT_FOR,
    MOST_ITEMS_TO_WAIT_FOR,
    is_small,
    refuse_marks,
)
from providers.registry import get_embedder
from providers.usage import Usage, metered
from tenants.models import Quota, UsageRecord
from tenants.quotas import warn_of_quotas
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage


@dataclass(frozen=True)
class TriedItem:
    """`notes` say what the bank's protection would do. An item for quarantine has no facts."""

    run: DryRun
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TriedCall:
    engine: str
    items: tuple[TriedItem, ...]
    usage: Usage


def dry_run(
    access: BankAccess,
    bank_id: str,
    items: Sequence[RetainItem],
    *,
    overrides: Mapping[str, Any] | None = None,
    decides: bool = True,
) -> TriedCall:
    """`overrides` are extraction settings of this call alone, with the names of the bank's columns.

    A missing bank is tried with the defaults, and not created. Raises MemoryInvalid for a call that a retain would not
    wait for.
    """
    if not is_small(items):
        raise MemoryInvalid(
            f"A dry run takes at most {MOST_ITEMS_TO_WAIT_FOR} items and {MOST_CHARACTERS_TO_WAIT_FOR:,} characters."
        )
    refuse_marks(tag for item in items for tag in item.tags)
    bank = find_bank(access, bank_id)
    screen_items(bank, items)  # a refusal names the place in the call
    chosen = screen_fields(bank, overrides or {}, are_settings=True)
    mode = Mode(chosen.get("extraction_mode", bank.extraction_mode))
    with metered() as meter:
        try:
            engine = choose_dry_run_engine(access.tenant_id, bank_id)
            tools = DryRunTools(engine, get_embedder(bank.embedding_model), decides)
            instructions = Instructions(mode, settings=bank.extraction_settings.change(chosen))
            tried = tuple(try_screened(bank, item, instructions, tools) for item in items)
        finally:
            record_spent(access, bank_id, meter.usage)
    return TriedCall(engine.name, tried, meter.usage)


def find_bank(access: BankAccess, bank_id: str) -> Bank:
    try:
        with bank_transaction(access, bank_id) as bank:
            return bank
    except BankNotFound:
        if not access.reaches(bank_id):
            raise
        model = get_embedder().model_id
        return Bank(tenant_id=access.tenant_id, bank_id=bank_id, name=bank_id, embedding_model=model)


def try_screened(bank: Bank, item: RetainItem, usual: Instructions, tools: DryRunTools) -> TriedItem:
    screened = screen_items(bank, [item])
    runs = [
        try_item(bank, one, replace(usual, infer=one.infer, labels=one.labels, entities=one.entities), tools)
        for one in screened.items
    ]
    return TriedItem(runs[0] if runs else DryRun(), screened.notes)


def record_spent(access: BankAccess, bank_id: str, spent: Usage) -> None:
    """Also for a dry run that fails, because its tokens were paid for."""
    if not spent.calls:
        return
    key = access.actor.api_key_prefix
    with tenant_transaction(access.tenant_id):
        record_usage(access.tenant_id, UsageRecord.Kind.RETAIN, spent, bank_id=bank_id, api_key_prefix=key)
    warn_of_quotas(access.tenant_id, Quota.LLM_TOKENS)
