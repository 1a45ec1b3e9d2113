"""Whether one sentence denies what another says. In doubt it does not."""

import re

from reflection.opinions.wording.polarity import is_unsure
from reflection.opinions.wording.sense import deny_alike, list_unjudged, name_the_same, turn_each_other_round

PAST = re.compile(r"\b(?:was|were|wasn't|weren't|did|didn't|had|hadn't|used to)\b", re.IGNORECASE)


def deny_each_other(one: str, other: str) -> bool:
    """Of the same ones in the same words, but that only one of them denies it, or that they judge the other way. What
    was so may be otherwise now, and of what nobody is sure both may be.
    """
    if is_unsure(one) or is_unsure(other) or bool(PAST.search(one)) != bool(PAST.search(other)):
        return False
    if turn_each_other_round(one, other):
        return True
    matter = list_unjudged(one)
    is_same = bool(matter) and matter == list_unjudged(other) and name_the_same(one, other)
    return is_same and not deny_alike(one, other)
