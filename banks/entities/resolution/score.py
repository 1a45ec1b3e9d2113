"""Formula 2 of the paper: alpha * sim_str + beta * sim_co + gamma * sim_temp."""

from banks.entities.names.compare import STATED_OTHERWISE, compare_names, compare_stated
from banks.entities.names.likeness import EXACT, FAINT, KNOWN_ALIAS, WEAK
from banks.entities.names.normalise import identity_key
from banks.entities.names.parsed import parse_name
from banks.entities.resolution.context import cooccurrence, keeps_company_with, temporal_proximity
from banks.entities.types import Candidate, Likeness, MentionOf, Score
from banks.words import EntityKind

# The name decides; company and time can carry a doubtful name over the threshold, but never make one.
ALPHA = 0.85
BETA = 0.10
GAMMA = 0.05


def score(mention: MentionOf, candidate: Candidate) -> Score:
    """Names that no rule relates are not looked at further: no company could lift them to a question."""
    likeness = _best_likeness(mention, candidate)
    if likeness.value < WEAK:
        return Score(ALPHA * likeness.value, likeness.value, likeness.rule, likeness.veto)
    together = likeness.value < KNOWN_ALIAS and _appear_together(mention, candidate)
    veto = "they appear together" if together else None
    # Lisa and Alice of one firm are colleagues: company is no evidence where the names speak for two.
    company = 0.0 if likeness.value == FAINT else cooccurrence(mention, candidate)
    time = temporal_proximity(mention, candidate)
    total = 0.0 if veto else ALPHA * likeness.value + BETA * company + GAMMA * time
    return Score(total, likeness.value, likeness.rule, veto)


def _best_likeness(mention: MentionOf, candidate: Candidate) -> Likeness:
    """Over all its names. A contradiction with one of them counts, unless the mention is one of them to the letter.

    So an entity that is called both Alice and Alice Chen is no Alice Cooper.
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
    """A guessed kind is no reason to take a name that is known for another's. Small letters are: an apple, Apple."""
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
    """A kind that is told at all counts, OTHER only where it was stated; a recogniser's guess never does."""
    one = mention.kind_is_stated or (mention.kind is not EntityKind.OTHER and not mention.kind_is_guess)
    return one and (candidate.kind_is_stated or candidate.kind is not EntityKind.OTHER)


def _appear_together(mention: MentionOf, candidate: Candidate) -> bool:
    """Only people: a text that says "the United Nations (UN)" names one thing twice, "Mel and Melanie" are two."""
    if {mention.kind, candidate.kind} & {EntityKind.ORGANIZATION, EntityKind.LOCATION, EntityKind.PRODUCT}:
        return False
    return keeps_company_with(mention, candidate)
