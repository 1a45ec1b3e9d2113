"""Whether two surnames can be one family's."""

from functools import lru_cache

from banks.entities.names.given_names import is_known_surname
from banks.entities.names.likeness import DOUBTFUL, EXACT, LIKELY, STRONG, vetoed
from banks.entities.names.spelling import is_near_slip, is_slip, sounds_like
from banks.entities.types import Likeness


@lru_cache(maxsize=50_000)
def compare_surnames(one: tuple[str, ...], other: tuple[str, ...]) -> Likeness:
    """A surname has several words where it is double or has particles. One part of a double surname is enough."""
    if one == other or "".join(one) == "".join(other):
        return Likeness(EXACT, "equal")
    if set(one) <= set(other) or set(other) <= set(one):
        return Likeness(LIKELY, "part of a double surname")
    return _compare_words(one[-1], other[-1])


def _compare_words(one: str, other: str) -> Likeness:
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) == 1:
        return Likeness(LIKELY, "initial") if longer.startswith(shorter) else vetoed("surnames disagree")
    both_known = is_known_surname(one) and is_known_surname(other)
    if sounds_like(one, other):
        return Likeness(DOUBTFUL if both_known else STRONG, "spelling")
    if both_known or not is_near_slip(one, other):
        return vetoed("surnames disagree")
    return Likeness(STRONG if is_slip(one, other) else DOUBTFUL, "typing error")
