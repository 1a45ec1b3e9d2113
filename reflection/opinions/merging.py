"""Merging: two opinions that say the same become one. The older one stands, on the evidence of both."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from banks.entities.mentions import read_mentions
from banks.entities.store import store_mentions
from banks.entities.types import Naming, Resolved
from banks.lifecycle.closing import Closing, close_units
from banks.models import Bank, Corpus, MemoryUnit
from banks.text_index.write import retire_texts
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.evidence import add_evidence, copy_sources, find_known
from reflection.opinions.history import find_stance, find_wording_step
from reflection.opinions.matching import Claim
from reflection.opinions.revisions import Author, Before, Step, read_revisions, write_step
from timewords.rendering import write_day_of_week

Cause = OpinionRevision.Cause
RESTATED = "The agent said it again"
JOINED = "Another opinion came to say the same."


def merge_opinions(author: Author, standing: MemoryUnit, other: MemoryUnit) -> None:
    """Call inside a tenant transaction, after `lock_memory`. The confidence stays: a repetition proves nothing.

    The other opinion is closed, not deleted, and keeps its history. Evidence against it, or for a former text of it,
    does not move over: it may be weighed on the standing opinion.
    """
    bank, supporting = author.bank, find_supporting(author.bank, other)
    known = find_known(bank, standing.id)
    copy_sources(bank, source=other.id, target=standing.id, without=find_known(bank, other.id).difference(supporting))
    copy_mentions(bank, standing, other)
    gained = [one for one in supporting if one not in known]
    reasoning = restate(standing, other.mentioned_at)
    note_restatement(author, standing, other, Step(Cause.RESTATED, author.actor, reasoning, evidence=tuple(gained)))


def restate(standing: MemoryUnit, said_at: datetime) -> str:
    """The opinion was said again. Returns the reasoning: the date without the words, which stay in their own memory,
    where a deletion of their source finds them.
    """
    standing.mentioned_at = max(standing.mentioned_at, said_at)
    standing.save(update_fields=["mentioned_at"])
    return f"{RESTATED} on {write_day_of_week(said_at)}."


def find_supporting(bank: Bank, opinion: MemoryUnit) -> list[UUID]:
    """The facts that support the opinion's present text."""
    revisions = read_revisions(bank, opinion.id)
    wording_step = find_wording_step(revisions)
    stances = {revision.id: find_stance(revision, wording_step, text=opinion.text) for revision in revisions}
    rows = RevisionEvidence.objects.of_bank(bank).effective().filter(opinion_id=opinion.id)
    pairs = rows.values_list("fact_id", "revision_id")
    return sorted({fact_id for fact_id, revision_id in pairs if fact_id and stances[revision_id] == "for"})


def replace_opinion(author: Author, standing: MemoryUnit, other: MemoryUnit, claim: Claim | None = None) -> None:
    """The agent gives up the other opinion for one that it already holds, and which `claim` states.

    As `merge_opinions`, without the evidence of the other opinion: it supported something else, and may be weighed.
    """
    if claim is None:
        step = Step(Cause.RESTATED, author.actor, JOINED)
    elif claim.is_statement:
        for statement_id in claim.evidence:
            copy_sources(author.bank, source=statement_id, target=standing.id)
        reasoning = restate(standing, claim.said_at or author.now)
        step = Step(Cause.RESTATED, author.actor, reasoning, evidence=claim.evidence)
    else:
        known = find_known(author.bank, standing.id)
        gained = tuple(fact_id for fact_id in claim.evidence if fact_id not in known)
        add_evidence(author.bank, standing.id, claim.evidence)
        step = Step(Cause.RESTATED, author.actor, claim.reasoning, evidence=gained, in_view=claim.evidence)
    note_restatement(author, standing, other, step)


def note_restatement(author: Author, standing: MemoryUnit, other: MemoryUnit, step: Step) -> None:
    """The evidence of the step is new to the standing opinion. The other opinion comes first."""
    close_into(author, standing, other)
    evidence = tuple(dict.fromkeys((other.id, *step.evidence)))
    write_step(author.bank, standing, Before.of(standing), replace(step, evidence=evidence))


def close_into(author: Author, standing: MemoryUnit, other: MemoryUnit) -> None:
    """As a correction: the other never was an opinion of its own, and the standing one did not begin when it ended."""
    closing = Closing(other.id, standing.id, author.now, reason=MemoryUnit.CloseReason.CORRECTION)
    close_units(author.bank, [closing], now=author.now, actor=author.actor)
    retire_texts(author.bank, Corpus.UNIT, [other.id])


def copy_mentions(bank: Bank, standing: MemoryUnit, other: MemoryUnit) -> None:
    there = {one.entity_id for one in read_mentions(bank, [standing.id])}
    naming = Naming(standing.id, (), standing.mentioned_at)
    missing = [one for one in read_mentions(bank, [other.id]) if one.entity_id not in there]
    store_mentions(bank, [Resolved(naming, one.name, one.kind, one.entity_id) for one in missing])
