"""Whether a text can stand without a fact that was deleted."""

from collections.abc import Collection

from banks.english.content_words import content_words
from banks.english.word_set import word_set
from reflection.opinions.wording.matter import FRAME_STEMS
from reflection.opinions.wording.polarity import BAD, GOOD

# How a judgement is limited and joined: words that tell nothing of what happened.
JOINING = word_set(
    "unless except only while although though because since whenever wherever whether despite however therefore often",
    "sometimes always never rarely mostly usually generally quite rather very too enough still yet also even",
)
JUDGING = content_words(" ".join(sorted(GOOD | BAD | JOINING))) | FRAME_STEMS


def is_covered(text: str, facts: Collection[str], *, judging: Collection[str] = JUDGING) -> bool:
    """Every word that says something is in the facts that are left, or merely judges.

    Rather too strict: a word that none of them has may be how the deleted one was retold.
    """
    told = frozenset[str]().union(*map(content_words, facts))
    return content_words(text) - frozenset(judging) <= told
