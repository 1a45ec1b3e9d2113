"""Scrubbing: texts that may repeat a deleted memory are removed from opinions and their histories."""

import re
from collections.abc import Collection, Sequence
from typing import Any
from uuid import UUID

from django.db.models import Q

from banks.enums import Network
from banks.lifecycle.deleting import Removed, delete_units
from banks.models import Bank, Chunk, MemoryUnit, UnitChange, UnitSource
from banks.models.unit import UnitQuerySet
from banks.text_index.lexemes import extract_lexemes
from reflection.models import OpinionRevision
from reflection.opinions.entities import read_names
from reflection.opinions.history import FORMATION, History, read_history

Cause = OpinionRevision.Cause


def content_words(text: str) -> frozenset[str]:
    """Stems without stop words, as the text index has them."""
    return frozenset(extract_lexemes(text))


REMOVED = ""
REWORDING = (Cause.FORMED, Cause.REVISED)
FRAMING = content_words("I think believe feel find consider now still personally really my opinion view")
# Words that reveal nothing of a deleted fact. A judgement of the remaining facts may use them.
HARMLESS = FRAMING | content_words(
    "good better best great excellent bad worse worst poor terrible awful reliable unreliable dependable safe unsafe "
    "useful useless helpful practical honest fair kind brave friendly careful careless competent consistent effective "
    "efficient stable robust positive negative love like enjoy trust recommend hate dislike distrust advantage "
    "disadvantage benefit problem unless except only while although though because since whenever wherever whether "
    "despite however therefore often sometimes always never rarely mostly usually generally quite rather very too "
    "enough yet also even"
)


def is_covered(text: str, facts: Collection[str], *, harmless: Collection[str] = HARMLESS) -> bool:
    """Whether every content word of a text occurs in the remaining facts or is harmless.

    Strict on purpose: a word in none of them may repeat the deleted fact.
    """
    known = frozenset[str]().union(*map(content_words, facts))
    return content_words(text) - frozenset(harmless) <= known


def repeats(text: str, former: str, facts: Collection[str]) -> bool:
    """Whether a text has words of a former text that its own facts lack."""
    known = frozenset(HARMLESS).union(*map(content_words, facts))
    return bool((content_words(text) & content_words(former)) - known)


def find_removed(history: History, doubtful: Sequence[OpinionRevision], *, vouched: str = "") -> set[str]:
    """The texts that must go, in the revisions as `withdraw_rows` left them.

    A text goes with its withdrawn revision, or where the remaining facts do not cover it, and so does every text made
    from it. A text that a person wrote, or vouched for, stays.
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
            # without its text a reversal is void; a verdict still counts
            revision.withdrawn = revision.withdrawn or revision.cause in REWORDING
    return removed


def is_worded(revision: OpinionRevision) -> bool:
    return revision.text_before != revision.text_after and revision.cause != Cause.WITHDRAWN


def remove_texts(history: History, opinion: MemoryUnit, removed: Collection[str]) -> None:
    """From the revisions, and from the memory's own change log."""
    for revision in history.revisions:
        revision.text_before = REMOVED if revision.text_before in removed else revision.text_before
        revision.text_after = REMOVED if revision.text_after in removed else revision.text_after
    if not removed:
        return
    changes = list(UnitChange.objects.for_tenant(history.bank.tenant_id).filter(unit=opinion))
    for change in changes:
        change.before, change.after = drop_texts(change.before, removed), drop_texts(change.after, removed)
    UnitChange.objects.for_tenant(history.bank.tenant_id).bulk_update(changes, ["before", "after"])


def drop_texts(values: dict[str, Any], removed: Collection[str]) -> dict[str, Any]:
    return {name: REMOVED if isinstance(value, str) and value in removed else value for name, value in values.items()}


def scrub_former_texts(bank: Bank, unit_ids: Collection[UUID]) -> None:
    """Former texts of opinions that lost one of several sources. Call inside the deletion's transaction, locked.

    No revision names the source of a text that the agent said. So the remaining sources must contain every word of it.
    """
    for opinion in MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids, network=Network.OPINION).order_by("id"):
        history = read_history(bank, opinion.id)
        left = read_source_texts(bank, opinion)
        said = [one for one in history.revisions if one.cause in REWORDING and is_worded(one)]
        former = {one.text_after for one in said if not history.list_standing(one)} - {opinion.text}
        removed = {text for text in former if text and not is_covered(text, left, harmless=FRAMING)}
        if removed:
            remove_texts(history, opinion, removed)
            history.save()


def read_source_texts(bank: Bank, opinion: MemoryUnit) -> list[str]:
    sources = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit=opinion)
    chunks = Chunk.objects.for_tenant(bank.tenant_id).filter(id__in=sources.values("chunk_id"))
    messages = sources.filter(message__isnull=False).values_list("message__content", flat=True)
    merged = sources.filter(role=UnitSource.Role.MERGED).values_list("other_unit__text", flat=True)
    return [opinion.text, *chunks.values_list("text", flat=True), *messages, *(text for text in merged if text)]


def scrub_entity_names(bank: Bank, opinions: UnitQuerySet, entity_id: UUID) -> None:
    """Former texts and reasonings that name an entity whose memories are deleted, in opinions that now name others.

    Call inside the tenant transaction of the deletion, before it and after `lock_memory`.
    """
    names = read_names(bank, [entity_id]).get(entity_id, ())
    if not names:
        return
    named = re.compile("|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in names))
    containing = Q()
    for name in names:
        containing |= Q(text_before__contains=name) | Q(text_after__contains=name) | Q(reasoning__contains=name)
    steps = OpinionRevision.objects.of_bank(bank).filter(containing, opinion_id__in=opinions.values("id"))
    for opinion in MemoryUnit.objects.of_bank(bank).filter(id__in=steps.values("opinion_id")).order_by("id"):
        if named.search(opinion.text):
            continue  # the deletion decides on the opinion itself
        history = read_history(bank, opinion.id)
        for revision in history.revisions:
            revision.reasoning = REMOVED if named.search(revision.reasoning) else revision.reasoning
        texts = {text for one in history.revisions for text in (one.text_before, one.text_after)}
        remove_texts(history, opinion, {text for text in texts if named.search(text)})
        history.save()


def delete_unsourced(bank: Bank, unit_ids: Collection[UUID]) -> Removed:
    """Opinions whose last source text was deleted. A fact that moved an opinion is not its source.

    An opinion that an answer formed stays while a fact supports it or a person pins it. Call inside the tenant
    transaction of the deletion, after `lock_memory`.
    """
    if not unit_ids:
        return Removed()
    opinions = MemoryUnit.objects.of_bank(bank).filter(id__in=unit_ids, network=Network.OPINION)
    first = OpinionRevision.objects.of_bank(bank).filter(
        opinion_id__in=opinions.values_list("id", flat=True), number=FORMATION
    )
    answered = set(
        first.filter(Q(evidence__isnull=False) | Q(grounds__isnull=False)).values_list("opinion_id", flat=True)
    )
    supported = UnitSource.objects.for_tenant(bank.tenant_id).filter(unit_id__in=answered).values("unit_id")
    staying = opinions.filter(id__in=answered).filter(Q(id__in=supported) | Q(review=MemoryUnit.Review.PINNED))
    return delete_units(bank, set(opinions.exclude(id__in=staying.values("id")).values_list("id", flat=True)))
