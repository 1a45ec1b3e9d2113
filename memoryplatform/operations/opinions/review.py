"""Review of an opinion by a person: approve, edit, pin, unpin, retire, restore, with a reason."""

from dataclasses import replace
from uuid import UUID

from banks.errors import MemoryChanged, MemoryInvalid
from banks.lifecycle.editing import UnitEdit, build_edited_text, read_state
from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from memoryplatform.operations.access import BankAccess
from memoryplatform.operations.banks.embedding_model import fill_after_edit
from memoryplatform.operations.banks.profile import bank_transaction
from memoryplatform.operations.memories.single import embed
from memoryplatform.operations.opinion_weighings import submit_catching_up
from memoryplatform.operations.opinions.shown import ShownOpinion, get_opinion, list_opinions, show
from memoryplatform.operations.protection import screen_edit
from reflection.opinions.review import MARKS, Act, Review, review_opinion
from tenants.transactions import tenant_transaction

FREEING = (Act.UNPIN, Act.RESTORE)  # evidence may move the opinion again, unless a restoration brings a pin back
WITHOUT_REASON = frozenset({Act.APPROVE})
LONGEST_REASON = 500
SAY_WHY = "Say why: it is recorded in the history."


def lacks_reason(act: str, reason: str) -> bool:
    return act not in WITHOUT_REASON and not reason.strip()


def find_possible_acts(opinion: MemoryUnit) -> set[Act]:
    """A closed opinion that was not retired gave way to another, and allows none."""
    if opinion.expired_at is not None:
        return {Act.RESTORE} if opinion.review == MemoryUnit.Review.RETIRED else set()
    marks = {act for act, (before, _, _) in MARKS.items() if opinion.review in before}
    return marks - {Act.RESTORE} | {Act.EDIT}


def review(
    access: BankAccess, bank_id: str, opinion_id: UUID, given: Review, *, expected: frozenset[str] | None = None
) -> ShownOpinion:
    """`expected` are the versions that the reviewer may have seen; None accepts any.

    A new text is embedded between two transactions, so a change in between is a conflict in either case.
    """
    if lacks_reason(given.act, given.reason):
        raise MemoryInvalid(SAY_WHY)
    with bank_transaction(access, bank_id) as bank:
        if given.text is not None or given.reason:
            edit, reason, _ = screen_edit(bank, UnitEdit(text=given.text), given.reason)
            given = replace(given, text=edit.text, reason=reason)
        seen = check_version(bank, get_opinion(bank, opinion_id), expected)
        vector_of = build_new_text(bank, get_opinion(bank, opinion_id), given)
    vector = embed(access, bank, [vector_of])[0] if vector_of is not None else None
    with tenant_transaction(access.tenant_id):
        lock_memory(bank)
        opinion = get_opinion(bank, opinion_id)
        check_version(bank, opinion, frozenset({seen}) if vector is not None else expected)
        review_opinion(bank, opinion, given, vector=vector)
        if given.act in FREEING and opinion.review != MemoryUnit.Review.PINNED:
            submit_catching_up(bank, opinion_id)
        note(access, bank_id, opinion_id, given)
        shown = show(bank, opinion)
    fill_after_edit(access, bank, opinion_id)
    return shown


def check_version(bank: Bank, opinion: MemoryUnit, expected: frozenset[str] | None) -> str:
    (listed,) = list_opinions(bank, [opinion])
    if expected is not None and listed.version not in expected:
        raise MemoryChanged(opinion.id)
    return listed.version


def build_new_text(bank: Bank, opinion: MemoryUnit, given: Review) -> str | None:
    if given.act is not Act.EDIT or given.text is None:
        return None
    return build_edited_text(read_state(bank, opinion), UnitEdit(text=given.text))


def note(access: BankAccess, bank_id: str, opinion_id: UUID, given: Review) -> None:
    detail = {"bank_id": bank_id, "act": given.act.value, "reason": given.reason}
    access.record("opinion.reviewed", f"memory:{opinion_id}", detail)
