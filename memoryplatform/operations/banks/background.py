"""Who the agent is: news is merged in, and each change leaves a revision."""

from dataclasses import dataclass

from banks.errors import BankBusy
from banks.models import Bank
from memoryplatform.operations.access import BankAccess, name_of
from memoryplatform.operations.banks.profile import get_bank, read_version
from memoryplatform.operations.versions import check_version
from providers.registry import find_llm
from providers.usage import Usage
from reflection.background.builtin_merger import BuiltinMerger
from reflection.background.first_person import to_first_person
from reflection.background.llm_merger import LLMMerger
from reflection.background.merger import Merger, News
from reflection.background.revisions import BackgroundChange, get_number, note_background
from reflection.models import BackgroundRevision
from tenants.audit import record
from tenants.models import UsageRecord
from tenants.transactions import tenant_transaction
from tenants.usage import record_usage

ATTEMPTS = 8  # each begins anew from what another wrote in between


@dataclass(frozen=True)
class Merged:
    """`revision` is None where the news was known already, or was `refused`, with the reason."""

    bank: Bank
    revision: BackgroundRevision | None
    engine: str
    refused: str = ""


def merge_background(
    access: BankAccess, bank_id: str, *texts: str, actor: str = "", expected: frozenset[str] | None = None
) -> Merged:
    """Of several texts the last is the newest. All of them are one merge, and one revision.

    No transaction is open while the merger works. If somebody else was quicker, his text is merged with too. `actor`
    is whom the history names; the caller where it is empty. With `expected`, versions of the bank, there is no merging
    with what somebody else wrote since.
    """
    merger = choose_merger()
    usage = Usage()
    for _ in range(ATTEMPTS):
        with tenant_transaction(access.tenant_id):
            number = get_number(get_bank(access, bank_id))
            bank = get_bank(access, bank_id)  # after the number: what comes in between is then noticed
            check_version(read_version(bank), expected)
        own = tuple(to_first_person(text, bank.name, is_of_agent=True) for text in texts)
        merged = merger.merge(bank.background, News(own, bank.name))
        engine = merged.engine or merger.name
        usage += merged.usage
        with tenant_transaction(access.tenant_id):
            bank = get_bank(access, bank_id, lock=True)
            check_version(read_version(bank), expected)
            if get_number(bank) == number:
                change = BackgroundChange(
                    merged.text, actor or name_of(access), snippet="\n".join(texts), engine=engine
                )
                revision = write(access, bank, change)
                record_usage(access.tenant_id, UsageRecord.Kind.REFLECT, usage, bank_id=bank_id)
                return Merged(bank, revision, engine, merged.refused)
    raise BankBusy(bank_id)


def choose_merger() -> Merger:
    llm = find_llm()
    return BuiltinMerger() if llm is None else LLMMerger(llm)


def write(access: BankAccess, bank: Bank, change: BackgroundChange) -> BackgroundRevision | None:
    revision = note_background(bank, bank.background, change)
    if revision is not None:
        bank.background = change.after
        bank.save(update_fields=["background", "updated_at"])
        target = f"bank:{bank.bank_id}"
        record(access.tenant_id, actor=access.actor, action="bank.background_merged", target=target)
    return revision
