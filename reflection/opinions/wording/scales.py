"""On which scale a word judges. Two that judge one matter on different scales don't contradict each other.

"Dana is kind" and "Dana is clumsy" can both be so, and something great can be confusing. Words that judge the whole
("great", "awful"), and what one feels for it, are on one scale, and on no other. Here are also words that judge only
beside their opposite: "fast" and "slow" are neither good nor bad by themselves, and evidence is not weighed by them.
"""

from collections.abc import Iterable

from banks.english.word_set import word_set
from reflection.opinions.wording.polarity import BAD, GOOD, Judgement, Lexicon

FAILING = "inconsistent broken faulty buggy defective fail fails failed failing failure failures crash crashes crashed"
# One end and the other.
SCALES = tuple(
    (word_set(one), word_set(other))
    for one, other in (
        ("reliable dependable robust stable consistent", f"unreliable undependable unstable fragile {FAILING}"),
        ("trustworthy honest sincere trust trusts trusted", "untrustworthy dishonest insincere distrust distrusts"),
        ("fair", "unfair unjust"),
        ("safe secure harmless", "unsafe dangerous insecure harmful damaging"),
        (
            "effective efficient productive successful useful helpful valuable beneficial practical worthwhile",
            "ineffective inefficient unproductive unsuccessful useless unhelpful worthless impractical pointless",
        ),
        ("capable competent skilled talented", "incapable incompetent unskilled clumsy"),
        ("convenient comfortable pleasant enjoyable", "inconvenient uncomfortable unpleasant"),
        ("smooth intuitive clear", "clumsy confusing frustrating annoying unintuitive unclear"),
        ("beautiful elegant", "ugly inelegant"),
        (
            "friendly kind generous supportive polite gentle",
            "unfriendly unkind rude hostile cruel mean impolite stingy",
        ),
        ("accurate precise", "inaccurate imprecise"),
        ("punctual", "unpunctual"),
        ("underrated", "overrated"),
        ("fast quick rapid speedy", "slow sluggish"),
        ("easy simple straightforward", "hard difficult complicated complex"),
        ("cheap inexpensive affordable", "expensive costly pricey overpriced"),
        ("quiet", "loud noisy"),
        ("interesting exciting fascinating entertaining fun", "boring dull tedious monotonous"),
        ("delicious tasty", "disgusting inedible tasteless"),
        ("clean", "dirty filthy"),
        ("smart clever intelligent wise", "stupid dumb foolish unintelligent unwise"),
        ("brave courageous", "cowardly"),
        ("strong powerful", "weak powerless"),
        ("diligent hardworking", "lazy"),
        ("patient", "impatient"),
        ("responsible", "irresponsible"),
        ("mature", "immature"),
        ("healthy", "unhealthy"),
        ("modern", "outdated obsolete"),
        ("important", "unimportant"),
        ("necessary", "unnecessary"),
    )
)
# Of the whole, but too seldom said of it to weigh evidence by.
WHOLE = Lexicon(
    word_set("awesome terrific marvellous marvelous magnificent phenomenal lovely blessing masterpiece gem joy"),
    word_set("disaster nightmare mess catastrophe curse garbage rubbish trash junk lousy atrocious abysmal appalling"),
)
OPPOSITES = Lexicon(
    GOOD.union(WHOLE.good, *(one for one, _ in SCALES)),
    BAD.union(WHOLE.bad, *(other for _, other in SCALES)),
)
ON_THE_WHOLE = -1  # in place of a scale


def judge_on_one_scale(one: Judgement, other: Judgement) -> bool:
    return bool(find_scales(one.words) & find_scales(other.words))


def find_scales(words: Iterable[str]) -> frozenset[int]:
    return frozenset[int]().union(*map(find_scales_of, words))


def find_scales_of(word: str) -> frozenset[int]:
    found = frozenset(place for place, ends in enumerate(SCALES) if word in ends[0] | ends[1])
    return found or frozenset({ON_THE_WHOLE})
