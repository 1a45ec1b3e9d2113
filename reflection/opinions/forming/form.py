"""Opinions that an answer forms: stored, or taken for what the bank believes already."""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime

from banks.locking import lock_memory
from banks.models import Bank, MemoryUnit
from providers.embedding.protocol import Embedder
from reflection.models import OpinionRevision
from reflection.opinions.evidence import add_evidence, find_evidence
from reflection.opinions.forming.author_view import read_view
from reflection.opinions.forming.cleaning import Refusal, clean, describe_refused
from reflection.opinions.forming.drafting import Draft, draft
from reflection.opinions.forming.overruling import Overruling, overrule
from reflection.opinions.forming.pinned import note_contradiction
from reflection.opinions.forming.revising import Revision, revise
from reflection.opinions.forming.shown import Shown, are_all_there
from reflection.opinions.forming.storing import Author, NewOpinion, store_opinions
from reflection.opinions.forming.surroundings import Ground, Surroundings, look_around
from reflection.opinions.forming.waiting import touches
from reflection.opinions.held import HeldOpinion
from reflection.opinions.history.revisions import Before, Step, write_step
from reflection.opinions.history.rewording import set_confidence
from reflection.opinions.moving import choose_step, move
from reflection.opinions.repeating import list_fresh
from reflection.opinions.tagging import Said
from reflection.opinions.types import CandidateOpinion, FormedOpinion, Outcome, Verdict
from reflection.opinions.wording.sense import (
    find_meant,
    find_opposed,
    find_same,
    list_alike,
    list_seen,
)

logger = logging.getLogger(__name__)

Write = Callable[[], AbstractContextManager[object]]
Cause = OpinionRevision.Cause


@dataclass(frozen=True)
class Claims:
    """What an answer claims to believe.

    `shown` are the ids of all that its author had read when it wrote that, with the texts of memories. `by_tags`: he
    was asked the question under a tag filter.
    """

    candidates: Sequence[CandidateOpinion]
    shown: Shown
    question: str = ""
    by_tags: bool = False


@dataclass(frozen=True)
class Formation:
    """What became of the candidates that can be stored, in their order, and how many can't, by reason."""

    opinions: tuple[FormedOpinion, ...] = ()
    refused: Mapping[Refusal, int] = field(default_factory=dict)

    def __iter__(self) -> Iterator[FormedOpinion]:
        return iter(self.opinions)


def form_opinions(
    bank: Bank,
    claims: Claims,
    *,
    embedder: Embedder,
    write: Write,
    actor: str,
    now: datetime,
) -> Formation:
    """Call outside of transactions: the embedder works first.

    All are written in one transaction, or none; and none where something was deleted that their author had read: its
    words may stand in any of them, and nothing would find them there.
    """
    cleaned = clean(claims.candidates)
    drafts = draft(cleaned.candidates, embedder)
    formed: list[FormedOpinion | Refusal] = list(cleaned.refused)
    if drafts:
        author = Author(bank, actor, now)
        with write():
            lock_memory(bank)
            if are_all_there(bank, claims.shown):
                facts = find_evidence(bank, {given for one in drafts for given in one.candidate.evidence_ids})
                view = read_view(bank, claims.shown, question=claims.question, by_tags=claims.by_tags)
                formed += settle_all(author, drafts, Ground(facts, view))
            else:
                formed += [Refusal.DELETED] * len(drafts)
    if refused := Counter(one for one in formed if isinstance(one, Refusal)):
        logger.info(describe_refused(refused))
    return Formation(tuple(one for one in formed if isinstance(one, FormedOpinion)), refused)


def settle_all(author: Author, drafts: Sequence[Draft], ground: Ground) -> list[FormedOpinion | Refusal]:
    """Call inside a tenant transaction, after `lock_memory`. In the order of the drafts.

    New ones wait, to be stored together, until one comes that says the same as one of them or the opposite: that one
    must find it. What is held is read for all at once, and anew after something was written.
    """
    outcomes: dict[int, FormedOpinion | Refusal] = {}
    waiting: dict[int, NewOpinion] = {}
    seen: dict[int, Surroundings] = {}
    for place, one in enumerate(drafts):
        seen = seen or survey(author.bank, drafts, place, ground)
        if touches(one, seen[place], waiting.values()):
            outcomes |= zip(waiting, store_opinions(author, list(waiting.values())), strict=True)
            waiting, seen = {}, survey(author.bank, drafts, place, ground)
        outcome = settle(author, one, seen[place])
        if isinstance(outcome, NewOpinion):
            waiting[place] = outcome
            continue
        outcomes[place] = outcome
        if isinstance(outcome, FormedOpinion):
            seen = {}
    outcomes |= zip(waiting, store_opinions(author, list(waiting.values())), strict=True)
    return [outcomes[place] for place in range(len(drafts))]


def survey(bank: Bank, drafts: Sequence[Draft], place: int, ground: Ground) -> dict[int, Surroundings]:
    """Of the drafts from this place on, by their places."""
    return dict(enumerate(look_around(bank, drafts[place:], ground), start=place))


def settle(author: Author, one: Draft, around: Surroundings) -> FormedOpinion | NewOpinion | Refusal:
    """What opposes the draft does not stay beside it, whether it is told again or takes the place of the nearest."""
    candidate, evidence = one.candidate, around.evidence
    if not evidence:
        return Refusal.NO_EVIDENCE
    opposed = find_opposed(around.near, text=candidate.text, entity_ids=around.entity_ids)
    meant = find_meant(around.near_old, text=one.old)
    alike = list_alike(around.near, tags=around.tags)
    turned = [*([meant] if meant else []), *opposed]
    if not meant and (same := find_same(alike, text=candidate.text, entity_ids=around.entity_ids)):
        outcome = restate(author, candidate, same, around)
    elif pinned := [held for held in turned if held.is_pinned]:
        return contradict(author, candidate, pinned, around)
    elif turned:
        outcome = turn(author, one, turned, around)
    else:
        return build_new(one, around)
    if isinstance(outcome, FormedOpinion):
        said = Said(candidate.text, around.tags)
        overrule(author.bank, outcome.id, turned, Overruling(said, evidence, author.actor, author.now))
    return outcome


def build_new(one: Draft, around: Surroundings) -> NewOpinion:
    return NewOpinion(one.candidate, one.vector, around.evidence, around.named, around.tags, around.reasoning)


def restate(
    author: Author, candidate: CandidateOpinion, same: HeldOpinion, around: Surroundings
) -> FormedOpinion | Refusal:
    """Said again it moves by one step for all the evidence that is new to it, and by none without."""
    if same.is_retired:
        return Refusal.RETIRED
    if same.is_pinned:
        return describe(same, "pinned")
    bank, evidence = author.bank, around.evidence
    new = list_fresh(bank, same.id, evidence)
    unit = MemoryUnit.objects.of_bank(bank).get(id=same.id)
    if not new:
        return replace(describe(same, "restated"), reasoning=candidate.reasoning)
    step, before = choose_step(bank), Before.of(unit)
    set_confidence(unit, move(before.confidence, Verdict.REINFORCE, step=step), now=author.now)
    add_evidence(bank, unit.id, new)
    noted = Step(Cause.REINFORCE, author.actor, around.reasoning, step, tuple(new), in_view=tuple(evidence))
    write_step(bank, unit, before, noted)
    return FormedOpinion(
        unit.id, unit.text, unit.confidence or 0.0, "restated", before.confidence, candidate.reasoning, tuple(new)
    )


def turn(author: Author, one: Draft, turned: Sequence[HeldOpinion], around: Surroundings) -> FormedOpinion | Refusal:
    """The nearest that is held under the same tags goes on with the words; where none is, they stand by themselves."""
    taking = next((held for held in turned if held.tags == around.tags), None)
    if taking is not None:
        return change(author, one, taking, around)
    (formed,) = store_opinions(author, [build_new(one, around)])
    return formed


def change(author: Author, one: Draft, meant: HeldOpinion, around: Surroundings) -> FormedOpinion | Refusal:
    if meant.is_retired:
        return Refusal.RETIRED
    bank, candidate, evidence = author.bank, one.candidate, around.evidence
    unit = MemoryUnit.objects.of_bank(bank).get(id=meant.id)
    revision = Revision(
        candidate.text,
        candidate.confidence,
        one.vector,
        around.reasoning,
        evidence,
        tags=around.tags,
        entities=around.named.given,
    )
    standing = revise(bank, unit, revision, actor=author.actor, now=author.now)
    return FormedOpinion(
        standing.id,
        standing.text,
        standing.confidence or 0.0,
        "revised",
        meant.confidence,
        candidate.reasoning,
        evidence,
    )


def contradict(
    author: Author, candidate: CandidateOpinion, pinned: Sequence[HeldOpinion], around: Surroundings
) -> FormedOpinion | Refusal:
    """What a person pinned stays what the agent believes; that it came to think otherwise is told to that person."""
    said = Said(candidate.text, around.tags)
    for held in pinned:
        note_contradiction(author.bank, held.id, around.evidence, said=said, actor=author.actor)
    seen = list_seen(pinned, text=candidate.text, tags=around.tags)
    return replace(describe(seen[0], "pinned"), reasoning=candidate.reasoning) if seen else Refusal.PINNED


def describe(held: HeldOpinion, outcome: Outcome) -> FormedOpinion:
    """An opinion that stays as it is."""
    return FormedOpinion(held.id, held.text, held.confidence, outcome, held.confidence)
