"""Which entity of the bank a mention means."""

from collections.abc import Sequence
from dataclasses import dataclass

from banks.entities.names.compare import is_namesake
from banks.entities.names.likeness import EXACT
from banks.entities.resolution.score import score
from banks.entities.types import Candidate, Decision, MentionOf, Score


@dataclass(frozen=True)
class Thresholds:
    """Chosen on the training half of `benchmarks/entity_resolution.py`."""

    same: float = 0.72  # a name at LIKELY passes alone, at DOUBTFUL with agreeing company
    ask: float = 0.58
    margin: float = 0.05  # the second best must be this far behind, or the name is ambiguous
    speaker_bonus: float = 0.02  # who takes part in the conversation is spoken of more often


DEFAULT_THRESHOLDS = Thresholds()


@dataclass(frozen=True)
class _Scored:
    candidate: Candidate
    score: Score

    def rank(self, thresholds: Thresholds) -> float:
        bonus = thresholds.speaker_bonus if self.candidate.is_speaker and not self.score.veto else 0.0
        return self.score.total + bonus


def resolve(
    mention: MentionOf, candidates: Sequence[Candidate], *, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Decision:
    """Independent of the order of `candidates`. Two that fit equally well are a question, not a choice."""
    namesakes = [candidate for candidate in candidates if is_namesake(mention.name, candidate.canonical_name)]
    if exact := _only_exact(mention, _score_all(mention, namesakes)):
        return Decision(exact.candidate.id, exact.score, "same")
    scored = _score_all(mention, candidates)
    ranked = sorted(scored, key=lambda row: (-row.rank(thresholds), row.candidate.id))
    if not ranked or ranked[0].rank(thresholds) < thresholds.ask:
        return Decision(None, ranked[0].score if ranked else None, "new")
    best, lead = ranked[0], ranked[0].rank(thresholds)
    behind = lead - ranked[1].rank(thresholds) if len(ranked) > 1 else lead
    certain = best.score.total >= thresholds.same and behind >= thresholds.margin
    return Decision(best.candidate.id, best.score, "same" if certain else "ask")


def _score_all(mention: MentionOf, candidates: Sequence[Candidate]) -> list[_Scored]:
    return [_Scored(candidate, score(mention, candidate)) for candidate in candidates]


def _only_exact(mention: MentionOf, scored: Sequence[_Scored]) -> _Scored | None:
    """The one of this very name, or the one of them that has its kind too."""
    exact = [row for row in scored if row.score.string == EXACT and not row.score.veto]
    if len(exact) > 1:
        exact = [row for row in exact if row.candidate.kind is mention.kind]
    return exact[0] if len(exact) == 1 else None
