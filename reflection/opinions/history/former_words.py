"""Former wordings of opinions that were heard: they go with what they were heard in, though the opinion stays."""

from collections.abc import Collection
from uuid import UUID

from banks.models import Bank, Chunk, MemoryUnit, UnitSource
from banks.words import Network
from reflection.models import OpinionRevision
from reflection.opinions.history.covering import is_covered
from reflection.opinions.history.scrubbing import is_worded, remove_texts
from reflection.opinions.history.steps import read_history
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


def read_tellings(bank: Bank, opinion: MemoryUnit) -> list[str]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=sources.values("chunk_id"))
    messages = sources.filter(message__isnull=False).values_list("message__content", flat=True)
    merged = sources.filter(role=UnitSource.Role.MERGED).values_list("other_unit__text", flat=True)
    return [opinion.text, *chunks.values_list("text", flat=True), *messages, *(text for text in merged if text)]
