"""Wordings that may hold something of a deleted fact are removed, wherever the history of an opinion has them."""

from collections.abc import Collection, Sequence
from typing import Any

from banks.models import Bank, MemoryUnit, UnitChange
from reflection.models import OpinionRevision
from reflection.opinions.history.covering import is_covered
from reflection.opinions.history.steps import History

Cause = OpinionRevision.Cause
REMOVED = ""


def find_removed(history: History, doubtful: Sequence[OpinionRevision], *, vouched: str = "") -> set[str]:
    """The texts that can't stay, in the steps as they are after `take_back`.

    A wording goes with the step that brought it, or if what is left does not cover it; so does one that was made from
    such a wording. What a person wrote is that person's, and so is `vouched`.
    """
    if not doubtful:
        return set()
    facts = history.read_facts()
    removed: set[str] = set()
    kept = {one.text_after for one in history.revisions if one.cause == Cause.EDITED and is_worded(one)} | {vouched}
    for revision in history.revisions:
        is_grown = revision.cause in OpinionRevision.EVIDENTIAL and revision.text_before in removed
        is_open = (revision in doubtful or is_grown) and is_worded(revision) and revision.text_after not in kept
        if is_open and (revision.withdrawn or not is_covered(revision.text_after, facts)):
            removed.add(revision.text_after)
            # a change of mind without its words is none; a verdict counts without the words that came with it
            revision.withdrawn = revision.withdrawn or revision.cause in {Cause.REVISED, Cause.FORMED}
    return removed


def is_worded(revision: OpinionRevision) -> bool:
    return revision.text_before != revision.text_after and revision.cause != Cause.WITHDRAWN


def remove_texts(history: History, opinion: MemoryUnit, removed: Collection[str]) -> None:
    """From the steps, and from what the memory's own history tells of edits."""
    for revision in history.revisions:
        revision.text_before = REMOVED if revision.text_before in removed else revision.text_before
        revision.text_after = REMOVED if revision.text_after in removed else revision.text_after
    if removed:
        remove_from_changes(history.bank, opinion, removed)


def remove_from_changes(bank: Bank, opinion: MemoryUnit, removed: Collection[str]) -> None:
    changes = list(UnitChange.objects.for_tenant(bank.tenant_id).filter(unit=opinion))
    for change in changes:
        change.before, change.after = drop(change.before, removed), drop(change.after, removed)
    UnitChange.objects.for_tenant(bank.tenant_id).bulk_update(changes, ["before", "after"])


def drop(told: dict[str, Any], removed: Collection[str]) -> dict[str, Any]:
    return {name: REMOVED if isinstance(value, str) and value in removed else value for name, value in told.items()}
