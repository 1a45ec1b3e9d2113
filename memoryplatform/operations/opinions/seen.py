"""What of an opinion's history is seen by who asks under a tag condition: nothing that rests on what does not pass."""

from collections.abc import Collection
from copy import copy
from dataclasses import dataclass, replace
from uuid import UUID

from banks.models import Bank, MemoryUnit
from memoryplatform.operations.memories.memory_filter import MemoryFilter, find_units
from memoryplatform.operations.opinions.revision_evidence import ShownRevision
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.history.revisions import read_revisions
from reflection.opinions.history.turning import FORMATION
from retrieval.filters.types import TagMatch

HIDDEN = ""


@dataclass(frozen=True)
class TagView:
    """The condition that a caller sets. Without one he sees all of the bank."""

    tags: tuple[str, ...] = ()
    tags_match: TagMatch = "any"

    @property
    def is_of_all(self) -> bool:
        return not self.tags and self.tags_match != "exact"

    def find_seen(self, bank: Bank, unit_ids: Collection[UUID]) -> set[UUID]:
        """Call inside a tenant transaction."""
        if self.is_of_all or not unit_ids:
            return set(unit_ids)
        units = find_units(bank, MemoryFilter(tags=self.tags, tags_match=self.tags_match, state="all"))
        return set(units.filter(id__in=unit_ids).values_list("id", flat=True))


OF_ALL = TagView()


@dataclass(frozen=True)
class Hidden:
    """Facts that are not shown, the steps that rest on one of them, and the wordings that came of these."""

    fact_ids: frozenset[UUID] = frozenset()
    revision_ids: frozenset[UUID] = frozenset()
    texts: frozenset[str] = frozenset()

    def leave_out(self, shown: ShownRevision) -> ShownRevision:
        """The step without what is hidden: its numbers stand, for confidence is one truth."""
        evidence = tuple(one for one in shown.evidence if one.unit.id not in self.fact_ids)
        revision = copy(shown.revision)
        revision.text_before, revision.text_after = map(self._show, (revision.text_before, revision.text_after))
        if revision.id in self.revision_ids:
            revision.reasoning = HIDDEN
        if revision.evidence_id in self.fact_ids:
            revision.evidence = None
        return replace(shown, revision=revision, evidence=evidence, hidden=len(shown.evidence) - len(evidence))

    def _show(self, text: str) -> str:
        return HIDDEN if text in self.texts else text


def find_hidden(bank: Bank, opinion: MemoryUnit, view: TagView) -> Hidden:
    """Call inside a tenant transaction, of an opinion that passes: its present text is seen anyway."""
    if view.is_of_all:
        return Hidden()
    revisions = read_revisions(bank, opinion.id)
    rows = RevisionEvidence.objects.of_bank(bank).filter(opinion=opinion, fact__isnull=False)
    pairs = {(revision_id, fact_id) for revision_id, fact_id in rows.values_list("revision_id", "fact_id") if fact_id}
    pairs |= {(one.id, one.evidence_id) for one in revisions if one.evidence_id}
    facts = {fact_id for _, fact_id in pairs}
    hidden = facts - view.find_seen(bank, facts)
    steps = frozenset(revision_id for revision_id, fact_id in pairs if fact_id in hidden)
    texts = find_hidden_texts(revisions, steps) - {opinion.text}
    return Hidden(frozenset(hidden), steps, frozenset(texts))


def find_hidden_texts(revisions: list[OpinionRevision], hidden: Collection[UUID]) -> set[str]:
    """The wordings of these steps, and those that grew out of them."""
    texts: set[str] = set()
    for one in revisions:
        is_worded = one.number == FORMATION or one.text_before != one.text_after
        is_grown = one.text_before in texts and one.cause in OpinionRevision.EVIDENTIAL
        if is_worded and (one.id in hidden or is_grown):
            texts.add(one.text_after)
    return texts
