"""Forming opinions from the claims of an answer: each is new, restates a held opinion, or reverses one."""

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from uuid import UUID

from banks.enums import Network
from banks.facts import PreparedFact
from banks.models import Bank, MemoryUnit
from banks.retain.storing import store_units
from banks.types import ExtractedFact
from providers.embedding.protocol import Embedder
from providers.embedding.vector import Vector
from providers.llm.errors import LLMError
from providers.usage import Usage
from reflection.models import OpinionRevision
from reflection.opinions.claims import (
    CandidateOpinion,
    FormedOpinion,
    Outcome,
    Refusal,
    Verdict,
    clean,
    describe_refused,
)
from reflection.opinions.confidence import choose_step, move
from reflection.opinions.entities import About, find_about, record_about
from reflection.opinions.evidence import add_all_evidence, add_evidence, find_evidence, list_fresh
from reflection.opinions.matching import (
    Claim,
    Compared,
    HeldOpinion,
    MatchedWrite,
    OpinionMatcher,
    Relation,
    Relations,
    find_nearest,
    is_equal,
)
from reflection.opinions.reversals import close_opposed, find_reversed, note_contradiction, revise_opinion
from reflection.opinions.revisions import Author, Before, Step, write_formed, write_step
from reflection.opinions.rewording import set_confidence
from reflection.opinions.tags import UNTAGGED, Shown, Tags, do_all_exist, read_tags, read_view, share_tags
from tenants.transactions import QuotaExceeded

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FormingTools:
    """`write` opens the transaction of the write."""

    matcher: OpinionMatcher
    embedder: Embedder
    write: Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True)
class Claims:
    """The claims of an answer, and everything that its author read. `by_tags`: the question had a tag filter."""

    candidates: Sequence[CandidateOpinion]
    shown: Shown
    question: str = ""
    by_tags: bool = False


@dataclass(frozen=True)
class Formation:
    """The opinions that the claims became, in their order, and the number of refused claims by reason."""

    opinions: tuple[FormedOpinion, ...] = ()
    refused: Mapping[Refusal, int] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def __iter__(self) -> Iterator[FormedOpinion]:
        return iter(self.opinions)


Draft = tuple[CandidateOpinion, Vector]


@dataclass(frozen=True)
class Surveyed:
    """A draft in the bank: its claim, its entities and the nearest held opinions.

    `reasoning` is for the caller. The claim's own is empty where its readers may not see all of it.
    """

    claim: Claim
    vector: Vector
    about: About
    near: list[HeldOpinion]
    reasoning: str = ""

    def describe(
        self, opinion: MemoryUnit | HeldOpinion, outcome: Outcome, before: float | None, new: Sequence[UUID] = ()
    ) -> FormedOpinion:
        """The opinion that it became, with the confidence before and the evidence that was new to it."""
        confidence = opinion.confidence or 0.0
        return FormedOpinion(opinion.id, opinion.text, confidence, outcome, before, self.reasoning, tuple(new))


def form_opinions(bank: Bank, claims: Claims, tools: FormingTools, *, actor: str, now: datetime) -> Formation:
    """Call outside of transactions: the embedder and the model work first.

    One transaction writes all opinions or none. None are written where a memory that the author read is deleted by
    then: any claim may repeat it.
    """
    cleaned = clean(claims.candidates)
    candidates = [one for one in cleaned if isinstance(one, CandidateOpinion)]
    refused = [one for one in cleaned if isinstance(one, Refusal)]
    if not candidates:
        return build_formation(refused)
    vectors = tools.embedder.embed_documents([one.text for one in candidates]).vectors
    drafts = list(zip(candidates, vectors, strict=True))
    author = Author(bank, actor, now)
    write = MatchedWrite(
        survey=lambda: survey(bank, drafts, claims),
        list_pairs=list_pairs,
        write=lambda seen, relations: form_all(author, drafts, claims, relations, seen),
        open=tools.write,
    )
    try:
        formed = write.run(bank, tools.matcher)
    except LLMError as failure:
        logger.warning("%d opinions are not formed, the model can't compare them: %s", len(drafts), failure)
        formed = [Refusal.NO_MODEL for _ in drafts]
    except QuotaExceeded:  # the answer stands without them
        formed = [Refusal.NO_ROOM for _ in drafts]
    return build_formation([*refused, *formed], write.usage)


def build_formation(outcomes: Sequence[FormedOpinion | Refusal], usage: Usage | None = None) -> Formation:
    if refused := Counter(one for one in outcomes if isinstance(one, Refusal)):
        logger.info(describe_refused(refused))
    return Formation(tuple(one for one in outcomes if isinstance(one, FormedOpinion)), refused, usage or Usage())


def list_pairs(seen: Sequence[Surveyed]) -> Iterator[tuple[str, Iterator[Compared]]]:
    """Each claim with the held opinions near it, and with the earlier claims near it."""
    for place, one in enumerate(seen):
        earlier = [other.claim.text for other in seen[:place] if one.claim.is_similar(other.claim)]
        yield one.claim.text, chain((held.compared for held in one.near), ((text, ()) for text in earlier))


def form_all(
    author: Author, drafts: Sequence[Draft], claims: Claims, relations: Relations, seen: Sequence[Surveyed]
) -> list[FormedOpinion | Refusal]:
    """In the order of the drafts. Call inside a tenant transaction, after `lock_memory`.

    New opinions wait, to be stored together, until a draft says the same as one of them or the opposite: that draft
    must find it stored. The bank is surveyed again after every write.
    """
    if not do_all_exist(author.bank, claims.shown):
        return [Refusal.DELETED] * len(drafts)
    outcomes: dict[int, FormedOpinion | Refusal] = {}
    waiting: dict[int, Surveyed] = {}
    left = dict(enumerate(seen))
    for place, (candidate, _) in enumerate(drafts):
        if any(relations.find(candidate.text, new.claim.text) is not Relation.UNRELATED for new in waiting.values()):
            outcomes |= zip(waiting, store_opinions(author, list(waiting.values())), strict=True)
            waiting, left = {}, {}
        left = left or dict(enumerate(survey(author.bank, drafts[place:], claims), start=place))
        outcome = form_opinion(author, left[place], relations)
        if outcome is None:
            waiting[place] = left[place]
            continue
        outcomes[place] = outcome
        left = {} if isinstance(outcome, FormedOpinion) else left
    outcomes |= zip(waiting, store_opinions(author, list(waiting.values())), strict=True)
    return [outcomes[place] for place in range(len(drafts))]


def survey(bank: Bank, drafts: Sequence[Draft], claims: Claims) -> list[Surveyed]:
    """For each draft its evidence, entities, tags and the nearest held opinions.

    Ten drafts take as many statements as one.
    """
    candidates = [candidate for candidate, _ in drafts]
    facts = find_evidence(bank, {given for one in candidates for given in one.evidence_ids})
    evidence = [
        tuple(dict.fromkeys(fact for given in one.evidence_ids for fact in facts.get(given, ()))) for one in candidates
    ]
    about = find_about(bank, candidates, evidence)
    scopes = choose_scopes(bank, candidates, evidence, claims)
    made = [
        Claim(one.text, vector, of.entity_ids, tags, one.confidence, known, reasoning, of.given)
        for (one, vector), known, of, (tags, reasoning) in zip(drafts, evidence, about, scopes, strict=True)
    ]
    near = find_nearest(bank, made)
    return [Surveyed(made[at], vector, about[at], near[at], one.reasoning) for at, (one, vector) in enumerate(drafts)]


def choose_scopes(
    bank: Bank, candidates: Sequence[CandidateOpinion], evidence: Sequence[Collection[UUID]], claims: Claims
) -> list[tuple[Tags, str]]:
    """The tags of each candidate, and its reasoning where readers with these tags may see it."""
    view = read_view(bank, claims.shown, question=claims.question, by_tags=claims.by_tags)
    sources = [{*known, *one.evidence_ids} for known, one in zip(evidence, candidates, strict=True)]
    ids = set(chain(*sources))
    tags = read_tags(bank, ids)
    texts = dict(MemoryUnit.objects.of_bank(bank).filter(id__in=ids).values_list("id", "text")) if view.tags else {}
    scopes = []
    for one, unit_ids in zip(candidates, sources, strict=True):
        known = [texts[unit_id] for unit_id in unit_ids if unit_id in texts]
        shared = share_tags(tags.get(unit_id, UNTAGGED) for unit_id in unit_ids)
        own = view.choose_tags(shared, " ".join((one.text, *one.entities)), known)
        scopes.append((own, one.reasoning if view.may_show(own, one.reasoning, known) else ""))
    return scopes


def form_opinion(author: Author, one: Surveyed, relations: Relations) -> FormedOpinion | Refusal | None:
    """None where the claim matches no held opinion.

    Opposite opinions do not stay beside the claim, whether it restates one or reverses the nearest of them.
    """
    claim = one.claim
    if not claim.evidence:
        return Refusal.NO_EVIDENCE
    opposed = relations.list_opposite(claim.text, one.near)
    if same := relations.find_same(claim.text, one.near, tags=claim.tags):
        outcome = restate(author, one, same)
    elif pinned := [held for held in opposed if held.is_pinned]:
        return keep_pinned(author, one, pinned)
    elif opposed:
        outcome = reverse(author, one, opposed)
    else:
        return None
    if isinstance(outcome, FormedOpinion):
        close_opposed(author, outcome.id, claim, opposed)
    return outcome


def restate(author: Author, one: Surveyed, same: HeldOpinion) -> FormedOpinion | Refusal:
    """New evidence moves the opinion by one step in all. A restatement without new evidence moves nothing."""
    if same.is_retired:
        return Refusal.RETIRED
    new = () if same.is_pinned else tuple(list_fresh(author.bank, same.id, one.claim.evidence))
    if not new:
        return one.describe(same, "pinned" if same.is_pinned else "restated", same.confidence)
    unit = MemoryUnit.objects.of_bank(author.bank).get(id=same.id)
    alpha, before = choose_step(author.bank), Before.of(unit)
    set_confidence(unit, move(before.confidence, Verdict.REINFORCE, step=alpha), now=author.now)
    add_evidence(author.bank, unit.id, new)
    cause = OpinionRevision.Cause.REINFORCE
    step = Step(cause, author.actor, one.claim.reasoning, alpha, new, in_view=one.claim.evidence)
    write_step(author.bank, unit, before, step)
    return one.describe(unit, "restated", before.confidence, new)


def reverse(author: Author, one: Surveyed, opposed: Sequence[HeldOpinion]) -> FormedOpinion:
    """The nearest opposite under the same tags gets the claim's text. Where there is none, the claim is new."""
    reversed_one = find_reversed(one.claim, opposed)
    if reversed_one is None:
        (formed,) = store_opinions(author, [one])
        return formed
    standing = revise_opinion(author, reversed_one.id, one.claim)
    return one.describe(standing, "revised", reversed_one.confidence, one.claim.evidence)


def keep_pinned(author: Author, one: Surveyed, pinned: Sequence[HeldOpinion]) -> FormedOpinion | Refusal:
    """Pinned opinions stay. Their histories show the contradiction to a person.

    The answer names one only where its readers may see it: under the same tags, under none, or in equal words.
    """
    for held in pinned:
        note_contradiction(author, held.id, one.claim)
    readable = (UNTAGGED, one.claim.tags)
    visible = [held for held in pinned if held.tags in readable or is_equal(held.text, one.claim.text)]
    return one.describe(visible[0], "pinned", visible[0].confidence) if visible else Refusal.PINNED


def store_opinions(author: Author, new: Sequence[Surveyed]) -> list[FormedOpinion]:
    """All new opinions of an answer with the same number of statements as one. No two of them may say the same.

    Call inside a tenant transaction, after `lock_memory`.
    """
    if not new:
        return []
    bank, now = author.bank, author.now
    prepared = [
        PreparedFact(
            ExtractedFact(one.claim.text, Network.OPINION, now, confidence=one.claim.confidence),
            one.vector,
            (),
            tags=tuple(sorted(one.claim.tags)),
        )
        for one in new
    ]
    ids = [unit.id for unit in store_units(bank, prepared, now=now)]
    stored = dict(zip(ids, new, strict=True))
    add_all_evidence(bank, {unit_id: one.claim.evidence for unit_id, one in stored.items()})
    record_about(bank, [(unit_id, one.about) for unit_id, one in stored.items()], now=now)
    units = [
        MemoryUnit(id=unit_id, text=one.claim.text, confidence=one.claim.confidence) for unit_id, one in stored.items()
    ]
    formed = OpinionRevision.Cause.FORMED
    steps = {
        unit_id: Step(formed, author.actor, one.claim.reasoning, evidence=one.claim.evidence)
        for unit_id, one in stored.items()
    }
    write_formed(bank, units, steps)
    return [
        one.describe(unit, "formed", None, one.claim.evidence) for unit, one in zip(units, stored.values(), strict=True)
    ]
