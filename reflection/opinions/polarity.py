"""Which way a sentence judges, by words that leave little doubt. Where they do, it judges no way.

A lexicon of our own: words that praise or blame whatever they are said of. Words that hang on the thing ("cheap",
"small", "hot") are not in it.
"""

import re
from dataclasses import dataclass

from banks.retain.engines.builtin.word_set import word_set

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
STOP = re.compile(r"[.,;:!?]|\b(?:but|although|though|however|while|whereas|yet)\b", re.IGNORECASE)
REACH = 3  # words that a denial reaches: "not a very good idea"

GOOD = word_set(
    "good great excellent outstanding superb wonderful fantastic amazing brilliant ideal perfect best better superior",
    "reliable dependable robust stable trustworthy honest safe secure effective efficient productive successful",
    "useful helpful valuable beneficial practical convenient comfortable pleasant enjoyable delightful beautiful",
    "impressive remarkable friendly kind generous supportive fair accurate precise consistent smooth intuitive elegant",
    "powerful capable competent skilled talented thriving flourishing positive advantage advantages benefit benefits",
    "love loves loved enjoy enjoys enjoyed admire admires admired praise praises praised trust trusts trusted",
    "recommend recommends recommended improve improves improved improving succeed succeeds succeeded win wins won",
    "excel excels excelled flourish flourishes dominate dominates dominated praised popular beloved punctual",
)
BAD = word_set(
    "bad poor terrible awful horrible dreadful worst worse inferior mediocre disappointing unreliable undependable",
    "unstable fragile untrustworthy dishonest unsafe dangerous insecure ineffective inefficient unproductive useless",
    "unhelpful worthless harmful damaging impractical inconvenient uncomfortable unpleasant ugly unfriendly rude",
    "hostile unfair inaccurate imprecise inconsistent clumsy confusing frustrating annoying incompetent flawed broken",
    "faulty buggy defective negative disadvantage disadvantages drawback drawbacks problem problems failure failures",
    "hate hates hated dislike dislikes disliked distrust distrusts regret regrets regretted complain complains",
    "complained complaint complaints fail fails failed failing lose loses lost crash crashes crashed worsen worsens",
    "worsened worsening decline declines declined declining overrated unpunctual neglect neglects neglected",
)
DENIALS = word_set(
    "not no never nor neither hardly scarcely barely without isn't aren't wasn't weren't don't doesn't didn't won't",
    "wouldn't can't cannot couldn't shouldn't hasn't haven't hadn't lacks lack lacked lacking nothing nobody none",
)
# who is better than whom hangs on the order of names, which words alone don't settle
COMPARES = re.compile(
    r"\bthan\b|\b(?:prefer|favou?r|choose)\w*\b.*\b(?:to|over)\b|\brather\b|\binstead of\b", re.IGNORECASE
)
UNSURE = re.compile(
    r"\b(?:if|unless|whether|(?-i:may)|might|could|would|should|perhaps|maybe|possibly|probably|plans?|hopes?|wants?|wishes"
    r"|expects?|wonders?|asks?|asked|says?|said|thinks?|thought|believes?|believed|claims?|claimed|heard|rumou?rs?)\b|\?",
    re.IGNORECASE,
)
DENIED_FRAME = re.compile(
    r"\bI (?:don't|do not|no longer|doubt|never) (?:really )?(?:think|believe|feel|find|that)\b", re.IGNORECASE
)


@dataclass(frozen=True)
class Judgement:
    """`sign` is 1, -1, or 0 where it is none or both; `praised` and `blamed` are the words that decide, denials in.

    "not reliable" blames with `reliable`.
    """

    praised: frozenset[str]
    blamed: frozenset[str]

    @property
    def sign(self) -> int:
        return bool(self.praised) - bool(self.blamed)

    @property
    def words(self) -> frozenset[str]:
        return self.praised | self.blamed


def read_judgement(text: str) -> Judgement:
    """A denial before the judgement turns all of it: "I don't think that it is good"."""
    own = text.replace("\u2019", "'")
    told = read_words(DENIED_FRAME.sub("", own))
    return Judgement(told.blamed, told.praised) if DENIED_FRAME.search(own) else told


def read_words(text: str) -> Judgement:
    praised: set[str] = set()
    blamed: set[str] = set()
    for clause in STOP.split(text):
        words = [word.casefold() for word in WORD.findall(clause)]
        for place, word in enumerate(words):
            if word in GOOD or word in BAD:
                is_denied = bool(DENIALS & set(words[max(0, place - REACH) : place]))
                (praised if (word in GOOD) != is_denied else blamed).add(word)
    return Judgement(frozenset(praised), frozenset(blamed))


def compares(text: str) -> bool:
    return bool(COMPARES.search(text))


def is_unsure(text: str) -> bool:
    """A plan, a condition, a guess, or what somebody said: nothing that happened."""
    return bool(UNSURE.search(text))


def count_denials(text: str) -> int:
    return sum(word.casefold() in DENIALS for word in WORD.findall(text.replace("\u2019", "'")))
