"""Company and time, sim_co and sim_temp of formula 2."""

from banks.entities.names.normalise import identity_key
from banks.entities.types import Candidate, MentionOf

_HALF_LIFE_DAYS = 30.0  # names that are spoken of recur within weeks
_SECONDS_A_DAY = 86_400.0


def cooccurrence(mention: MentionOf, candidate: Candidate) -> float:
    """The share of the mention's companions that the candidate has been seen with."""
    if not mention.companions or not candidate.companions:
        return 0.0
    known = {identity_key(name) for name, count in candidate.companions.items() if count > 0}
    shared = sum(identity_key(name) in known for name in mention.companions)
    return shared / len(mention.companions)


def temporal_proximity(mention: MentionOf, candidate: Candidate) -> float:
    """1 at the same moment, half of it after a month, whichever came first."""
    days = abs((mention.seen_at - candidate.last_seen_at).total_seconds()) / _SECONDS_A_DAY
    return float(0.5 ** (days / _HALF_LIFE_DAYS))


def keeps_company_with(mention: MentionOf, candidate: Candidate) -> bool:
    """In this fact or an earlier one the two names stand side by side, so they are two."""
    own = identity_key(mention.name)
    names = {identity_key(name) for name in (candidate.canonical_name, *candidate.aliases)}
    if any(identity_key(name) in names for name in mention.companions):
        return True
    return any(identity_key(name) == own for name, count in candidate.companions.items() if count > 0)
