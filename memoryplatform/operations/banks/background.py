"""Merges statements into a bank's background. Each change leaves a revision."""

from dataclasses import dataclass

from banks.errors import BankBusy
from banks.models import Bank
from memoryplatform.operations.access import BankAccess, check_version, name_of
from memoryplatform.operations.account.own_llm import check_tokens, find_llm
from memoryplatform.operations.banks.profile import bank_transaction, get_bank, read_version
from memoryplatform.operations.protection import screen_fields
from providers.llm.protocol import Task
from providers.usage import Usage
from reflection.background import BackgroundChange, get_number, merge_statements, note_background
from reflection.models import BackgroundRevision
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

ATTEMPTS = 8  # each starts from the background that another writer left


@dataclass(frozen=True)
class MergeOutcome:
    """`revision` is None where the background did not change. `refused` gives the reason where it could not."""

    bank: Bank
    revision: BackgroundRevision | None
    engine: str
    refused: str = ""


def merge_background(
    access: BankAccess, bank_id: str, *statements: str, actor: str = "", expected: frozenset[str] | None = None
) -> MergeOutcome:
    """Merges all statements at once, the newest last, into one revision.

    No transaction is open while a model works. If another writer is faster, the merge starts again from the new text.
    `actor` is named in the history; by default it is the caller. `expected` are the versions of the bank that the
    caller accepts; then a change by another writer is an error.
    """
    llm = find_llm(access.tenant_id, Task.REFLECT, bank_id=bank_id)
    check_tokens(access.tenant_id, Task.REFLECT)
    usage = Usage()
    for _ in range(ATTEMPTS):
        with tenant_transaction(access.tenant_id):
            number = get_number(get_bank(access, bank_id))
            bank = get_bank(access, bank_id)  # after the number, so that a change in between is noticed
            check_version(read_version(bank), expected)
        if not actor:  # a caller's own words; those of a conversation were screened when they came in
            statements = tuple(
                screen_fields(bank, {"content": one}, are_settings=True)["content"] for one in statements
            )
        merged = merge_statements(bank.background, statements, llm, name=bank.name)
        usage += merged.usage
        with bank_transaction(access, bank_id, lock=True) as bank:
            check_version(read_version(bank), expected)
            if get_number(bank) == number:
                change = BackgroundChange(
                    merged.text, actor or name_of(access), snippet="\n".join(statements), engine=merged.engine
                )
                revision = note_background(bank, bank.background, change)
                if revision is not None:
                    bank.background = change.after
                    bank.save(update_fields=["background", "updated_at"])
                    access.record("bank.background_merged", f"bank:{bank_id}")
                key = access.actor.api_key_prefix
                record_usage(access.tenant_id, UsageRecord.Kind.REFLECT, usage, bank_id=bank_id, api_key_prefix=key)
                return MergeOutcome(bank, revision, merged.engine, merged.refused)
    raise BankBusy(bank_id)
