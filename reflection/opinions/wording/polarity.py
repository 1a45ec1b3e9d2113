"""Which way a sentence judges, by words that leave little doubt. Where they do, it judges no way.

A lexicon of our own: words that praise or blame whatever they are said of. Words that hang on the thing ("cheap",
"small", "hot") are not in it.
"""

import re
from dataclasses import dataclass
from itertools import pairwise

from banks.english.word_set import word_set
from reflection.opinions.wording.doubt import is_merely_aimed_at, leaves_open, removes

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
SENTENCE_END = re.compile(r"[.;:!?]+(?:\s|$)")
STOP = re.compile(r"[.,;:!?]|\b(?:but|although|though|however|while|whereas|yet)\b", re.IGNORECASE)
JOINS = word_set("and but or so yet because since although though while whereas")  # a clause of its own
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
# Adjectives alone: "a disadvantage" is more than no advantage.
NOT = {
    word: word[len(prefix) :]
    for word in BAD - word_set("disadvantage disadvantages distrust distrusts")
    for prefix in ("un", "in", "im", "dis")
    if word.startswith(prefix) and word[len(prefix) :] in GOOD
}
# What one feels for another: of its two sides it judges the one that is felt for.
FEELS = word_set(
    "love loves loved enjoy enjoys enjoyed admire admires admired praise praises praised trust trusts trusted",
    "recommend recommends recommended hate hates hated dislike dislikes disliked distrust distrusts regret regrets",
    "regretted complain complains complained neglect neglects neglected",
)
DENIALS = word_set(
    "not no never nor neither hardly scarcely barely without isn't aren't wasn't weren't don't doesn't didn't won't",
    "wouldn't can't cannot couldn't shouldn't hasn't haven't hadn't lacks lack lacked lacking nothing nobody none",
)
# Where these words judge nothing.
IDIOMS = re.compile(
    r"\bkinds? of\b|\b(?:what|which|this|that|every|any|some|same|other|another) kind\b|\bat (?:best|worst)\b"
    r"|\b(?:best|worst)[- ]case\b|\bfor good\b|\ba good (?:deal|many|while)\b|\b(?:good|bad) luck\b"
    r"|\bsecond to none\b|,? \bany (?:more|longer)\b(?=\W*$|[.,;:!?])"
    r"|\bgood (?:morning|afternoon|evening|night)\b|\b(?:the|a|book|trade|job|fun|world'?s) fair(?= in| of|[.,;!?]|$)",
    re.IGNORECASE,
)
# who is better than whom hangs on the order of names, which words alone don't settle
COMPARES = re.compile(
    r"\bthan\b|\b(?:prefer|favou?r|choose)\w*\b.*\b(?:to|over)\b|\brather\b|\binstead of\b"
    r"|\bas (?!well|soon|far|long|much)\w+(?: \w+){0,3} as\b",
    re.IGNORECASE,
)
UNSURE = re.compile(
    r"\b(?:if|unless|whether|(?-i:may)|might|could|would|should|perhaps|maybe|possibly|probably|plans?|hopes?|wants?|wishes"
    r"|expects?|wonders?|asks?|asked|says?|said|thinks?|thought|believes?|believed|claims?|claimed|heard|rumou?rs?"
    r"|(?-i:will)|shall|won't|going to|about to|tells?|told|according to|reported(?:ly)?|argues?|argued|insists?"
    r"|insisted|suspects?|suspected|fears?|feared|guess(?:es|ed)?|imagin\w+|dream\w*)\b|'ll\b|\?",
    re.IGNORECASE,
)
DOUBT = r"\bI (?:(?:really|still|very much|strongly) )?doubt(?: that)?(?! (?:it|if|whether|about)\b)"
DENIED_FRAME = re.compile(
    rf"\bI (?:don't|do not|no longer|never) (?:really )?(?:think|believe|feel|find)\b|{DOUBT}(?= \w)", re.IGNORECASE
)
DOUBTED = re.compile(rf"{DOUBT}(?= \w)", re.IGNORECASE)
# "kind to nobody"; of "safe in no weather" it is left open which way it goes
ONTO = word_set("to for by in of at on")
ONTO_NOBODY = word_set("nobody none nothing")


@dataclass(frozen=True)
class Lexicon:
    good: frozenset[str]
    bad: frozenset[str]


PLAIN = Lexicon(GOOD, BAD)


@dataclass(frozen=True)
class Judgement:
    """`sign` is 1, -1, or 0 where it is none or both; `praised` and `blamed` are the words that decide, denials in.

    "not reliable" blames with `reliable`. A word that leaves open which way it goes stands in both.
    """

    praised: frozenset[str]
    blamed: frozenset[str]

    @property
    def sign(self) -> int:
        return bool(self.praised) - bool(self.blamed)

    @property
    def words(self) -> frozenset[str]:
        return self.praised | self.blamed


def read_judgement(text: str, lexicon: Lexicon = PLAIN) -> Judgement:
    """A denial before the judgement turns all of it: "I don't think that it is good"."""
    own = IDIOMS.sub(" ", text.replace("\u2019", "'"))
    told = read_words(DENIED_FRAME.sub("", own), lexicon)
    return Judgement(told.blamed, told.praised) if DENIED_FRAME.search(own) else told


def unfold(judgement: Judgement) -> Judgement:
    """With "unreliable" told as "not reliable". "not unreliable" stays: it says less than "reliable"."""
    return Judgement(judgement.praised, frozenset(NOT.get(word, word) for word in judgement.blamed))


def read_words(text: str, lexicon: Lexicon) -> Judgement:
    read = [read_sentence(sentence, lexicon) for sentence in SENTENCE_END.split(text)]
    praised = frozenset[str]().union(*(one.praised for one in read))
    return Judgement(praised, frozenset[str]().union(*(one.blamed for one in read)))


def read_sentence(sentence: str, lexicon: Lexicon) -> Judgement:
    """A denial in the clause before reaches over a comma, unless what follows is a clause of its own."""
    praised: set[str] = set()
    blamed: set[str] = set()
    is_open, is_removed = leaves_open(sentence), removes(sentence)
    is_denied = False
    for clause in STOP.split(sentence):
        words = [word.casefold() for word in WORD.findall(clause)]
        is_denied = is_denied and bool(words) and words[0] not in JOINS
        for place, word in enumerate(words):
            if word not in lexicon.good and word not in lexicon.bad:
                continue
            denials = None if is_denied else count_around(words, place)
            in_doubt = is_open or denials is None or is_merely_aimed_at(words[:place])
            in_doubt = in_doubt or (is_removed and word in lexicon.bad)
            is_good = (word in lexicon.good) != bool(denials)
            praised |= {word} if is_good or in_doubt else set()
            blamed |= set() if is_good and not in_doubt else {word}
        is_denied = is_denied or bool(DENIALS & set(words))
    return Judgement(frozenset(praised), frozenset(blamed))


def count_reaching(before: list[str]) -> int | None:
    """How many denials turn the word that follows: one or none. None where that can't be told."""
    denials = sum(word in DENIALS for word in before[-REACH:])
    return None if denials > 1 or DENIALS & set(before[:-REACH]) else denials


def count_around(words: list[str], place: int) -> int | None:
    before, after = count_reaching(words[:place]), count_following(words[place + 1 :])
    return None if before is None or after is None or before + after > 1 else before + after


def count_following(after: list[str]) -> int | None:
    """How many denials behind a word turn it: one or none. None where that can't be told."""
    pairs = enumerate(pairwise(after[: REACH + 1]))
    denied = next((place for place, (one, other) in pairs if one in ONTO and other in {*ONTO_NOBODY, "no"}), None)
    if denied is None:
        return 0
    return 1 if after[denied + 1] in ONTO_NOBODY or after[denied + 1 : denied + 3] == ["no", "one"] else None


def compares(text: str) -> bool:
    return bool(COMPARES.search(text))


def is_unsure(text: str) -> bool:
    """A plan, a condition, a guess, or what somebody said: nothing that happened."""
    return bool(UNSURE.search(text))


def count_denials(text: str) -> int:
    own = text.replace("\u2019", "'")
    return sum(word.casefold() in DENIALS for word in WORD.findall(own)) + len(DOUBTED.findall(own))
