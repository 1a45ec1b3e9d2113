"""Finds the entity that a mention means: formula 2 over the candidates."""

from collections.abc import Sequence
from dataclasses import dataclass

from banks.entities.names.compare import STATED_OTHERWISE, compare_names, compare_stated, is_namesake
from banks.entities.names.likeness import EXACT, FAINT, KNOWN_ALIAS, WEAK
from banks.entities.names.normalise import identity_key
from banks.entities.names.parsed import parse_name
from banks.entities.types import Candidate, Decision, Likeness, MentionOf, Score
from banks.enums import EntityKind

_HALF_LIFE_DAYS = 30.0  # a name in use recurs within weeks
_SECONDS_A_DAY = 86_400.0


def cooccurrence(mention: MentionOf, candidate: Candidate) -> float:
    """The share of the mention's companions that the candidate has been seen with."""
    companions = mention.companions - mention.speakers
    if not companions or not candidate.companions:
        return 0.0
    known = {identity_key(name) for name, count in candidate.companions.items() if count > 0}
    return sum(identity_key(name) in known for name in companions) / len(companions)


def temporal_proximity(mention: MentionOf, candidate: Candidate) -> float:
    """1 at the same moment, half of it after a month, whichever came first."""
    days = abs((mention.seen_at - candidate.last_seen_at).total_seconds()) / _SECONDS_A_DAY
    return float(0.5 ** (days / _HALF_LIFE_DAYS))


def cooccurs_with(mention: MentionOf, candidate: Candidate) -> bool:
    """The two names stand side by side in this fact or an earlier one, so they mean two entities."""
    own = identity_key(mention.name)
    names = {identity_key(name) for name in (candidate.canonical_name, *candidate.aliases)}
    if any(identity_key(name) in names for name in mention.companions):
        return True
    return any(identity_key(name) == own for name, count in candidate.companions.items() if count > 0)


# The name decides. Companions and time can carry a doubtful name over the threshold, but not an unrelated one.
ALPHA = 0.85
BETA = 0.10
GAMMA = 0.05


def score(mention: MentionOf, candidate: Candidate) -> Score:
    """Unrelated names need no further look: companions can't lift them to a question."""
    likeness = _best_likeness(mention, candidate)
    if likeness.value < WEAK:
        return Score(ALPHA * likeness.value, likeness.value, likeness.rule, likeness.veto)
    together = likeness.value < KNOWN_ALIAS and _appear_together(mention, candidate)
    veto = "they appear together" if together else None
    # Lisa and Alice of one firm are colleagues: companions are no evidence if the names suggest two people.
    company = 0.0 if likeness.value == FAINT else cooccurrence(mention, candidate)
    time = temporal_proximity(mention, candidate)
    total = 0.0 if veto else ALPHA * likeness.value + BETA * company + GAMMA * time
    return Score(total, likeness.value, likeness.rule, veto)


def _best_likeness(mention: MentionOf, candidate: Candidate) -> Likeness:
    """Over all names of the candidate. A contradiction with one of them counts, unless the mention equals one of them.

    So an entity with the names Alice and Alice Chen is not Alice Cooper.
    """
    if by_name := _is_known_by_name(mention, candidate):
        return by_name
    canonical = _compare(mention, candidate, candidate.canonical_name)
    if canonical.value == EXACT or canonical.rule == STATED_OTHERWISE:
        return canonical
    if canonical.veto != "kinds disagree" and identity_key(mention.name) in map(identity_key, candidate.aliases):
        return Likeness(KNOWN_ALIAS, "alias")
    all_names = [canonical, *(_compare(mention, candidate, alias) for alias in candidate.aliases)]
    vetoed = next((found for found in all_names if found.veto), None)
    return vetoed or max(all_names, key=lambda found: found.value)


def _is_known_by_name(mention: MentionOf, candidate: Candidate) -> Likeness | None:
    """A guessed kind alone does not separate equal names. Case does: an apple, Apple."""
    own = identity_key(mention.name)
    is_canonical = own == identity_key(candidate.canonical_name)
    if is_canonical and candidate.is_speaker and _is_unsure(mention):
        return Likeness(EXACT, "a speaker's name")
    if not mention.kind_is_guess:
        return None
    same = [name for name in (candidate.canonical_name, *candidate.aliases) if own == identity_key(name)]
    if not any(parse_name(name).is_lower_case is parse_name(mention.name).is_lower_case for name in same):
        return None
    return Likeness(EXACT, "equal, of a guessed kind") if is_canonical else Likeness(KNOWN_ALIAS, "alias")


def _is_unsure(mention: MentionOf) -> bool:
    return mention.kind_is_guess or mention.kind is EntityKind.OTHER


def _compare(mention: MentionOf, candidate: Candidate, name: str) -> Likeness:
    compare = compare_stated if _are_stated(mention, candidate) else compare_names
    return compare(mention.name, mention.kind, name, candidate.kind)


def _are_stated(mention: MentionOf, candidate: Candidate) -> bool:
    """A known kind counts, and OTHER if it was stated. A recogniser's guess never counts."""
    one = mention.kind_is_stated or (mention.kind is not EntityKind.OTHER and not mention.kind_is_guess)
    return one and (candidate.kind_is_stated or candidate.kind is not EntityKind.OTHER)


def _appear_together(mention: MentionOf, candidate: Candidate) -> bool:
    """For people only: "the United Nations (UN)" names one thing twice, "Mel and Melanie" are two people."""
    if {mention.kind, candidate.kind} & {EntityKind.ORGANIZATION, EntityKind.LOCATION, EntityKind.PRODUCT}:
        return False
    return cooccurs_with(mention, candidate)


@dataclass(frozen=True)
class Thresholds:
    """Chosen on the training half of `benchmarks/entity_resolution.py`."""

    same: float = 0.72  # a name at LIKELY passes alone, at DOUBTFUL with agreeing companions
    ask: float = 0.58
    margin: float = 0.05  # the second best must be this far behind, or the name is ambiguous
    speaker_bonus: float = 0.02  # participants of the conversation are mentioned more often


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
    """Independent of the order of `candidates`. Two equally good candidates lead to a question."""
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
    """The only candidate with this exact name, or the only one of these with its kind too."""
    exact = [row for row in scored if row.score.string == EXACT and not row.score.veto]
    if len(exact) > 1:
        exact = [row for row in exact if row.candidate.kind is mention.kind]
    return exact[0] if len(exact) == 1 else None
