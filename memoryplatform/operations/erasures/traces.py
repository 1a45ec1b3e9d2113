"""The last traces of erased words: texts that quote them without pointing at their rows.

A word counts as erased if the text index of the bank no longer has it. So a text is touched only where it has a word
that no remaining memory or message has.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import F, Q

from banks.entities.descriptions import empty_descriptions
from banks.entities.recount import rename_after_loss
from banks.models import Bank, Entity, EntityName, Mention, PostingBlock, UnitChange
from memoryplatform.operations.models import Operation, OperationQuerySet
from memoryplatform.operations.running.kind_names import ERASE, RETAIN
from reflection.models import BackgroundRevision, MentalModel, MentalModelRevision, OpinionRevision
from reflection.opinions.scrubbing import content_words
from retrieval.models import Feedback, RecallRecord

BANK_DELETED = "The bank was deleted."
SOURCE_ERASED = "The source was erased."
SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")


@dataclass(frozen=True)
class Trace:
    """Tells whether a text has an erased word. `ids` are those of erased rows."""

    words: frozenset[str]
    ids: frozenset[str]

    def is_in(self, *texts: Any) -> bool:
        return any(not self.words.isdisjoint(content_words(as_text(text))) for text in texts if text)

    def names(self, results: Any) -> bool:
        return any(str(one.get("id")) in self.ids for one in results)


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def erase_traces(bank: Bank, text: str, ids: Collection[UUID]) -> Counter[str]:
    """Returns the numbers of changed or deleted rows by table. Call at the end of the erasure's transaction."""
    words = content_words(text)
    present = PostingBlock.objects.for_tenant(bank.tenant_id).filter(bank=bank, lexeme__in=words)
    trace = Trace(words - set(present.values_list("lexeme", flat=True)), frozenset(map(str, ids)))
    return Counter({name: count for name, step in STEPS.items() if (count := step(bank, trace))})


def erase_recalls(bank: Bank, trace: Trace) -> int:
    rows = RecallRecord.objects.of_bank(bank)
    columns = rows.values_list("id", "query", "results", "trace")
    found = [one for one, query, results, steps in columns if trace.names(results) or trace.is_in(query, steps)]
    rows.filter(id__in=found).delete()
    return len(found)


def erase_comments(bank: Bank, trace: Trace) -> int:
    rows = Feedback.objects.of_bank(bank).exclude(comment="")
    found = [one for one, comment in rows.values_list("id", "comment") if trace.is_in(comment)]
    return rows.filter(id__in=found).update(comment="")


def erase_changes(bank: Bank, trace: Trace) -> int:
    rows = UnitChange.objects.for_tenant(bank.tenant_id).filter(unit__bank_id=bank.id)
    found = [one.id for one in rows if trace.is_in(one.before, one.after, one.reason)]
    rows.filter(id__in=found).delete()
    return len(found)


def erase_opinion_texts(bank: Bank, trace: Trace) -> int:
    rows = OpinionRevision.objects.of_bank(bank)
    return blank_texts(rows, ("text_before", "text_after", "reasoning"), trace)


def blank_texts(rows: Any, columns: tuple[str, ...], trace: Trace) -> int:
    found = [row for row in rows if any(trace.is_in(getattr(row, column)) for column in columns)]
    for row in found:
        for column in columns:
            setattr(row, column, "" if trace.is_in(getattr(row, column)) else getattr(row, column))
    rows.bulk_update(found, columns)
    return len(found)


def erase_background(bank: Bank, trace: Trace) -> int:
    """The background loses the sentences with an erased word, its history the whole texts."""
    count = blank_texts(BackgroundRevision.objects.of_bank(bank), ("before", "after", "snippet"), trace)
    row = Bank.objects.for_tenant(bank.tenant_id).filter(id=bank.id)
    (background,) = row.values_list("background", flat=True)
    if trace.is_in(background):
        kept = (one for one in SENTENCE_END.split(background) if not trace.is_in(one))
        row.update(background=" ".join(kept))
        count += 1
    return count


def erase_mental_models(bank: Bank, trace: Trace) -> int:
    """The next refresh writes a new content."""
    rows = MentalModelRevision.objects.for_tenant(bank.tenant_id).filter(bank=bank)
    columns = rows.values_list("id", "content", "structured")
    found = [one for one, content, structured in columns if trace.is_in(content, structured)]
    rows.filter(id__in=found).update(content="", structured=None, withdrawn=True)
    models = MentalModel.objects.of_bank(bank)
    stale = [one for one, content in models.values_list("id", "content") if trace.is_in(content)]
    emptied = rows.filter(id__in=found, number=F("mental_model__revision")).values("mental_model_id")
    models.filter(Q(id__in=stale) | Q(id__in=emptied)).update(content="")
    return len(found)


def erase_entity_names(bank: Bank, trace: Trace) -> int:
    """Names that nothing mentions any more, and descriptions that tell erased words."""
    names = EntityName.objects.for_tenant(bank.tenant_id).filter(bank_id=bank.id)
    found = [(one.id, one.entity_id) for one in names if trace.is_in(one.name)]
    entities = Entity.objects.of_bank(bank).filter(id__in={entity_id for _, entity_id in found})
    mentioned = set(
        Mention.objects.for_tenant(bank.tenant_id).filter(entity__in=entities).values_list("entity_id", flat=True)
    )
    names.filter(id__in=[name_id for name_id, _ in found]).delete()
    entities.exclude(id__in=mentioned).delete()
    for entity in entities.filter(id__in=mentioned):
        rename_after_loss(bank, entity)
    described = Entity.objects.of_bank(bank).exclude(summary="", attributes={})
    columns = described.values_list("id", "summary", "attributes")
    empty_descriptions(bank, [one for one, summary, attributes in columns if trace.is_in(summary, attributes)])
    return len(found)


def erase_operations(bank: Bank, trace: Trace) -> int:
    """Finished operations. A retain stays without its input, so that its idempotency key is not used again."""
    rows = find_finished(bank.tenant_id).filter(Q(bank=bank) | Q(bank_key__in=[bank.bank_id, ""]))
    found = [one for one in rows if trace.is_in(one.payload, one.result, one.error_detail)]
    empty_retains([one for one in found if one.kind == RETAIN])
    rows.filter(id__in=[one.id for one in found if one.kind != RETAIN]).delete()
    return len(found)


def forget_operations(bank: Bank) -> None:
    """Empties the finished operations of a bank that is erased. Call inside a tenant transaction."""
    rows = find_finished(bank.tenant_id).filter(Q(bank=bank) | Q(bank=None, bank_key=bank.bank_id))
    empty_retains(list(rows.filter(kind=RETAIN)), reason=BANK_DELETED)
    others = rows.exclude(kind__in=[RETAIN, ERASE])
    others.exclude(error_detail="").update(error_detail=BANK_DELETED)
    others.update(payload={}, result=None)


def find_finished(tenant_id: UUID) -> OperationQuerySet:
    rows: OperationQuerySet = Operation.objects.for_tenant(tenant_id).exclude(status__in=Operation.UNFINISHED)
    return rows


def empty_retains(retains: list[Operation], *, reason: str = SOURCE_ERASED) -> None:
    """One that failed has nothing left to try: without its labels it would store the rest of it for everybody.

    `reason` replaces the text of its error, which may quote the source.
    """
    for one in retains:
        digest = {name: value for name, value in one.payload.items() if name == "items_digest"}
        one.payload, one.error_detail = {"sources": [], **digest}, one.error_detail and reason
        one.result = one.result and {**one.result, "errors": [], "notes": []}
    if retains:
        rows = Operation.objects.for_tenant(retains[0].tenant_id)
        rows.bulk_update(retains, ["payload", "result", "error_detail"])


STEPS: dict[str, Callable[[Bank, Trace], int]] = {
    "recall_record": erase_recalls,
    "feedback": erase_comments,
    "unit_change": erase_changes,
    "opinion_revision": erase_opinion_texts,
    "background": erase_background,
    "mental_model_revision": erase_mental_models,
    "entity_name": erase_entity_names,
    "operation": erase_operations,
}
