"""Two opinions that say the same become one: the older stands, and rests on what both rested on."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from banks.entities.named import Naming, Resolved
from banks.entities.spoken_of import read_spoken_of
from banks.entities.store import store_mentions
from banks.lifecycle.close import close_units
from banks.lifecycle.closings import Closing
from banks.models import Bank, Corpus, MemoryUnit
from banks.text_index.write import retire_texts
from reflection.models import OpinionRevision, RevisionEvidence
from reflection.opinions.evidence import add_evidence, copy_sources, find_known
from reflection.opinions.history.revisions import Before, Step, read_revisions, write_step
from reflection.opinions.history.turning import find_stance, find_turn

UNITED = "Said again in other words."


@dataclass(frozen=True)
class Union:
    """Who unites two opinions, and when.

    `facts` and the agent's own `telling` are what it came from, besides what the other rests on.
    """

    actor: str
    now: datetime
    reasoning: str = UNITED
    facts: tuple[UUID, ...] = ()
    telling: tuple[UUID, ...] = ()


def unite(bank: Bank, standing: MemoryUnit, other: MemoryUnit, union: Union) -> None:
    """Call inside a tenant transaction, after `lock_memory`. Its confidence stays: to say it twice proves nothing.

    The other is closed, not deleted: its history stays where it was, and leads on to this one, whose history names it.
    What spoke against the other, or of another text that it had, is not brought along: it is free to be weighed.
    """
    known = find_known(bank, standing.id)
    speaking = find_speaking_for(bank, other)
    gained = [fact_id for fact_id in (*union.facts, *speaking) if fact_id not in known]
    copy_sources(bank, source=other.id, target=standing.id, without=find_known(bank, other.id).difference(speaking))
    copy_mentions(bank, standing, other)
    restate(bank, standing, other, union, gained=gained)


def find_speaking_for(bank: Bank, opinion: MemoryUnit) -> list[UUID]:
    """Of the facts that it was formed on or moved by those that speak for what it says.

    One that no step names came with an old export: it was formed on that.
    """
    revisions = read_revisions(bank, opinion.id)
    turn = find_turn(revisions)
    stances = {revision.id: find_stance(revision, turn, text=opinion.text) for revision in revisions}
    rows = RevisionEvidence.objects.of_bank(bank).standing().filter(opinion_id=opinion.id, bears=True)
    told = [
        *(
            (revision.evidence_id, revision.id)
            for revision in revisions
            if revision.cause in OpinionRevision.EVIDENTIAL and not revision.withdrawn
        ),
        *rows.values_list("fact_id", "revision_id"),
    ]
    explained = {fact_id for fact_id, _ in told}
    speaking = {fact_id for fact_id, revision_id in told if stances[revision_id] == "for"}
    return sorted(one for one in find_known(bank, opinion.id) if one in speaking or one not in explained)


def give_way(bank: Bank, standing: MemoryUnit, other: MemoryUnit, union: Union) -> None:
    """The agent no longer thinks the other, but what this one says already: as `unite`, but for the evidence.

    What the other rested on spoke for something else, perhaps for the opposite: it stays free to be weighed. Only what
    changed the agent's mind speaks for this one.
    """
    known = find_known(bank, standing.id)
    for telling_id in union.telling:
        copy_sources(bank, source=telling_id, target=standing.id)
    restate(bank, standing, other, union, gained=[fact_id for fact_id in union.facts if fact_id not in known])


def restate(bank: Bank, standing: MemoryUnit, other: MemoryUnit, union: Union, *, gained: Sequence[UUID]) -> None:
    """`gained` is what speaks for it by now and did not before."""
    add_evidence(bank, standing.id, union.facts)
    close_into(bank, standing, other, actor=union.actor, now=union.now)
    evidence = tuple(dict.fromkeys((other.id, *union.telling, *gained)))
    step = Step(OpinionRevision.Cause.RESTATED, union.actor, union.reasoning, evidence=evidence, in_view=union.facts)
    write_step(bank, standing, Before.of(standing), step)


def close_into(bank: Bank, standing: MemoryUnit, other: MemoryUnit, *, actor: str, now: datetime) -> None:
    """As a correction: it never was an opinion of its own, and the other did not begin when it ended."""
    closing = Closing(other.id, standing.id, now, reason=MemoryUnit.CloseReason.CORRECTION)
    close_units(bank, [closing], now=now, actor=actor)
    retire_texts(bank, Corpus.UNIT, [other.id])


def copy_mentions(bank: Bank, standing: MemoryUnit, other: MemoryUnit) -> None:
    there = {one.entity_id for one in read_spoken_of(bank, [standing.id])}
    naming = Naming(standing.id, (), standing.mentioned_at)
    store_mentions(
        bank,
        [
            Resolved(naming, one.name, one.kind, one.entity_id)
            for one in read_spoken_of(bank, [other.id])
            if one.entity_id not in there
        ],
    )
