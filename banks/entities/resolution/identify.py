"""Asking about names that rules alone can't place, before the write."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from banks.entities.names.normalise import identity_key
from banks.entities.resolution.batch import resolve_all
from banks.entities.resolution.candidate_index import CandidateIndex
from banks.entities.resolution.identifier import Choice, Identities, NameQuestion
from banks.entities.resolution.known import find_candidates
from banks.entities.resolution.resolve import DEFAULT_THRESHOLDS
from banks.entities.resolution.score import score
from banks.entities.types import Candidate, Decision, MentionOf
from banks.models import Bank, Entity

MOST_CHOICES = 4
LOOKED_AT = 20


def find_questions(bank: Bank, mentions: Sequence[tuple[MentionOf, str]]) -> list[NameQuestion]:
    """One for each name that the rules leave open; `mentions` come with their texts. Call in a tenant transaction."""
    asked = [mention for mention, _ in mentions]
    candidates = find_candidates(bank, {mention.name for mention in asked})
    decisions = resolve_all(asked, candidates)
    open_places = {
        (identity_key(asked[place].name), asked[place].kind): place
        for place, decision in reversed(list(enumerate(decisions)))
        if decision.verdict == "ask"
    }
    if not open_places:
        return []
    index = CandidateIndex(candidates)
    near = {place: choose_near(asked[place], index) for place in open_places.values()}
    summaries = read_summaries(bank, {candidate.id for found in near.values() for candidate in found})
    return [
        NameQuestion(asked[place], mentions[place][1], tuple(build_choice(one, summaries) for one in near[place]))
        for place in open_places.values()
    ]


def choose_near(mention: MentionOf, index: CandidateIndex) -> list[Candidate]:
    """Those that could be meant, the likeliest first."""
    scored = [(score(mention, candidate), candidate) for candidate in index.nearest(mention, limit=LOOKED_AT)]
    likely = [pair for pair in scored if pair[0].total >= DEFAULT_THRESHOLDS.ask and not pair[0].veto]
    ranked = sorted(likely, key=lambda pair: (-pair[0].total, pair[1].id))
    return [candidate for _, candidate in ranked[:MOST_CHOICES]]


def read_summaries(bank: Bank, ids: set[UUID]) -> dict[UUID, str]:
    return dict(Entity.objects.of_bank(bank).filter(id__in=ids).values_list("id", "summary"))


def build_choice(candidate: Candidate, summaries: Mapping[UUID, str]) -> Choice:
    return Choice(
        candidate.id, candidate.canonical_name, candidate.kind, candidate.aliases, summaries.get(candidate.id, "")
    )


def follow_answers(
    mentions: Sequence[MentionOf],
    decisions: Sequence[Decision],
    identities: Identities,
    candidates: Sequence[Candidate],
) -> list[Decision]:
    """An answer counts where the rules still leave the name open and the entity is still there."""
    there = {candidate.id for candidate in candidates}
    return [
        follow_answer(decision, find_answer(mention, identities), there)
        for mention, decision in zip(mentions, decisions, strict=True)
    ]


def find_answer(mention: MentionOf, identities: Identities) -> UUID | None:
    return identities.get((identity_key(mention.name), mention.kind))


def follow_answer(decision: Decision, answer: UUID | None, there: set[UUID]) -> Decision:
    if decision.verdict != "ask" or answer not in there:
        return decision
    return Decision(answer, decision.score, "same")
