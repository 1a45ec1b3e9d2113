"""Former wordings of opinions: they go with what they were heard in, and with whom they name. The opinion stays."""

import re
from collections.abc import Collection, Iterable
from uuid import UUID

from django.db.models import Q

from banks.models import Bank, Chunk, MemoryUnit, UnitSource
from banks.models.unit import UnitQuerySet
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.history.covering import is_covered
from reflection.opinions.history.scrubbing import REMOVED, is_worded, remove_texts
from reflection.opinions.history.steps import read_history
from reflection.opinions.naming import read_names
from reflection.opinions.wording.matter import FRAME_STEMS

Cause = OpinionRevision.Cause
HEARD = (Cause.FORMED, Cause.REVISED)


def forget_former_words(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Of those that something else tells too. Call inside the tenant transaction of the deletion, after
    `lock_memory`.

    No step names the words that it was heard in: what is left must have every word of a former wording, the judgement
    too, or it was heard in what went.
    """
    for opinion in MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids, network=Network.OPINION).order_by("id"):
        history = read_history(bank, opinion.id)
        left = read_tellings(bank, opinion)
        heard = [one for one in history.revisions if one.cause in HEARD and is_worded(one)]
        former = {one.text_after for one in heard if not history.list_standing(one)} - {opinion.text}
        removed = {text for text in former if text and not is_covered(text, left, judging=FRAME_STEMS)}
        if removed:
            remove_texts(history, opinion, removed)
            history.save()


def forget_words_naming(bank: Bank, opinions: UnitQuerySet, entity_id: UUID) -> None:
    """Former wordings and reasons that name an entity go with what is told of it, though the opinion names others by
    now. Call inside the tenant transaction of the deletion, before it and after `lock_memory`.
    """
    names = read_names(bank, [entity_id]).get(entity_id, ())
    if not names:
        return
    named = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
    steps = OpinionRevision.objects.of_bank(bank).filter(build_holding(names), opinion_id__in=opinions.values("id"))
    holding = MemoryUnit.objects.of_bank(bank).filter(id__in=steps.values("opinion_id"))
    for opinion in holding.order_by("id"):
        if named.search(opinion.text):
            continue  # it goes itself, or stays with all that it says
        history = read_history(bank, opinion.id)
        for revision in history.revisions:
            revision.reasoning = REMOVED if named.search(revision.reasoning) else revision.reasoning
        texts = {text for one in history.revisions for text in (one.text_before, one.text_after)}
        remove_texts(history, opinion, {text for text in texts if named.search(text)})
        history.save()


def build_holding(names: Iterable[str]) -> Q:
    """Steps with the letters of one of the names; not yet whether they are that word."""
    found = Q()
    for name in names:
        found |= Q(text_before__contains=name) | Q(text_after__contains=name) | Q(reasoning__contains=name)
    return found


def read_tellings(bank: Bank, opinion: MemoryUnit) -> list[str]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=sources.values("chunk_id"))
    messages = sources.filter(message__isnull=False).values_list("message__content", flat=True)
    merged = sources.filter(role=UnitSource.Role.MERGED).values_list("other_unit__text", flat=True)
    return [opinion.text, *chunks.values_list("text", flat=True), *messages, *(text for text in merged if text)]
