"""Evidence that bore on an opinion because two were taken for one: once they are told apart, it bears on it no more."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from banks.models import Bank, Mention
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.history.losses import PARTED
from reflection.opinions.history.retold import take_back
from reflection.opinions.weighing.bearing import count_shared
from reflection.opinions.weighing.bearing_rows import read_facts, read_movable


def take_back_parted(bank: Bank, entity_ids: Collection[UUID], *, now: datetime, actor: str) -> set[UUID]:
    """The facts that moved an opinion of one of these and speak of another: to be weighed anew, for what is near bears
    on an opinion too. What a person pinned stays as it is.

    Call inside the tenant transaction that told them apart, after `lock_memory`.
    """
    speaking = Mention.objects.for_tenant(bank.tenant_id).filter(entity_id__in=entity_ids).values("unit_id")
    moving = (
        RevisionEvidence.objects.of_bank(bank)
        .standing()
        .filter(
            bears=True, revision__cause__in=OpinionRevision.EVIDENTIAL, opinion_id__in=speaking, fact_id__in=speaking
        )
    )
    pairs = {
        row_id: (fact_id, opinion_id)
        for row_id, fact_id, opinion_id in moving.values_list("id", "fact_id", "opinion_id")
    }
    facts = read_facts(bank, {fact_id for fact_id, _ in pairs.values() if fact_id})
    held = {opinion_id for _, opinion_id in pairs.values()}
    opinions = [one for one in read_movable(bank) if one.row.id in held] if facts else []
    shared = count_shared(bank, facts, opinions)
    known, movable = {one.row.id for one in facts}, {one.row.id for one in opinions}
    parted = {
        row_id: fact_id
        for row_id, (fact_id, opinion_id) in pairs.items()
        if fact_id in known and opinion_id in movable and not shared[fact_id, opinion_id]
    }
    take_back(bank, moving.filter(id__in=parted), why=PARTED, now=now, actor=actor)
    return set(parted.values())
