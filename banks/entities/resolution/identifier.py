"""Questions about names that the rules leave open, and their answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from banks.entities.names.normalise import identity_key
from banks.entities.resolution.batch import CandidateIndex, resolve_all
from banks.entities.resolution.known import find_candidates
from banks.entities.resolution.scoring import DEFAULT_THRESHOLDS, score
from banks.entities.types import Candidate, Decision, MentionOf
from banks.enums import EntityKind
from banks.models import Bank, Entity
from providers.usage import Usage

Name = tuple[str, EntityKind]
Identities = Mapping[Name, UUID | None]  # None: none of the choices


@dataclass(frozen=True)
class Choice:
    id: UUID
    name: str
    kind: EntityKind
    aliases: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class NameQuestion:
    """`text` is the fact with the name."""

    mention: MentionOf
    text: str
    choices: tuple[Choice, ...]

    @property
    def name(self) -> Name:
        return identity_key(self.mention.name), self.mention.kind


@dataclass(frozen=True)
class Identified:
    identities: Identities
    usage: Usage


class Identifier(Protocol):
    """Thread-safe. Names and texts are data: nothing in them is an instruction."""

    def identify(self, questions: Sequence[NameQuestion]) -> Identified:
        """Leaves out undecided names. Call outside of transactions: a model may be slow."""
        ...


MOST_CHOICES = 4
LOOKED_AT = 20


def find_questions(bank: Bank, mentions: Sequence[tuple[MentionOf, str]]) -> list[NameQuestion]:
    """One question for each open name. `mentions` come with their texts. Call inside a tenant transaction.

    A concept such as "yoga" is not asked about: it has no identity beyond its words.
    """
    asked = [mention for mention, _ in mentions]
    candidates = find_candidates(bank, {mention.name for mention in asked})
    decisions = resolve_all(asked, candidates)
    open_places = {
        (identity_key(asked[place].name), asked[place].kind): place
        for place, decision in reversed(list(enumerate(decisions)))
        if decision.verdict == "ask" and asked[place].kind is not EntityKind.CONCEPT
    }
    if not open_places:
        return []
    index = CandidateIndex(candidates)
    near = {place: choose_near(asked[place], index) for place in open_places.values()}
    ids = {candidate.id for found in near.values() for candidate in found}
    summaries = dict(Entity.objects.of_bank(bank).filter(id__in=ids).values_list("id", "summary"))
    return [
        NameQuestion(
            asked[place],
            mentions[place][1],
            tuple(
                Choice(one.id, one.canonical_name, one.kind, one.aliases, summaries.get(one.id, ""))
                for one in near[place]
            ),
        )
        for place in open_places.values()
        if near[place]
    ]


def choose_near(mention: MentionOf, index: CandidateIndex) -> list[Candidate]:
    """The possible candidates, the likeliest first. A person or a thing is no concept such as "mental health"."""
    scored = [(score(mention, candidate), candidate) for candidate in index.nearest(mention, limit=LOOKED_AT)]
    likely = [
        (similarity, candidate)
        for similarity, candidate in scored
        if similarity.total >= DEFAULT_THRESHOLDS.ask
        and not similarity.veto
        and candidate.kind is not EntityKind.CONCEPT
    ]
    ranked = sorted(likely, key=lambda pair: (-pair[0].total, pair[1].id))
    return [candidate for _, candidate in ranked[:MOST_CHOICES]]


def follow_answers(
    mentions: Sequence[MentionOf],
    decisions: Sequence[Decision],
    identities: Identities,
    candidates: Sequence[Candidate],
) -> list[Decision]:
    """An answer counts if the rules still leave the name open and the entity still exists."""
    there = {candidate.id for candidate in candidates}
    answers = [identities.get((identity_key(mention.name), mention.kind)) for mention in mentions]
    return [
        Decision(answer, decision.score, "same") if decision.verdict == "ask" and answer in there else decision
        for answer, decision in zip(answers, decisions, strict=True)
    ]
