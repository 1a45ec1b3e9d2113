"""Whether two opinions say the same. Two that are kept apart can be united later; united ones can't be told apart."""

import re
from collections.abc import Sequence
from functools import lru_cache
from uuid import UUID

from banks.lifecycle.deciding.decide import NUMBER
from banks.lifecycle.deciding.wording import weighty_words
from reflection.opinions.held import HeldOpinion
from reflection.opinions.tagging import Tags
from reflection.opinions.wording.feelings import tell_feeling
from reflection.opinions.wording.matter import FRAMES, list_matter, list_names
from reflection.opinions.wording.polarity import (
    FEELS,
    NOT,
    PLAIN,
    Lexicon,
    compares,
    count_denials,
    read_judgement,
    unfold,
)
from reflection.opinions.wording.scales import ON_THE_WHOLE, OPPOSITES, find_scales, judge_on_one_scale

SAME = 0.9  # cosine; bge puts opposite judgements of one matter there too, so it decides nothing alone
BECAUSE = re.compile(r",? because\b.*$", re.IGNORECASE | re.DOTALL)
BECAUSE_OF = re.compile(r"\bbecause of\b", re.IGNORECASE)
JUDGING = OPPOSITES.good.union(OPPOSITES.bad, *map(weighty_words, OPPOSITES.good | OPPOSITES.bad))
ME = re.compile(r"\b(?:me|myself|us|ourselves)\b", re.IGNORECASE)
MEANT = 0.75  # cosine from which "I thought that ..." may mean an opinion: it is told in passing, in other words


def list_seen(held: Sequence[HeldOpinion], *, text: str, tags: Tags) -> list[HeldOpinion]:
    """Those whose words tell nothing to who may see what is said under these tags: they are said under the same, or
    under none, or they are the words of the text.
    """
    words = own_words(text)
    return [one for one in held if not one.tags or one.tags == tags or own_words(one.text) == words]


def list_alike(held: Sequence[HeldOpinion], *, tags: Tags) -> list[HeldOpinion]:
    """Those under the same tags. What is said under other tags is another opinion: its sources are not for all."""
    return [one for one in held if one.tags == tags]


def find_same(held: Sequence[HeldOpinion], *, text: str, entity_ids: frozenset[UUID]) -> HeldOpinion | None:
    """Of those near to the text: the one in the same words, or else the nearest that says the same."""
    agreeing = (opinion for opinion in held if opinion.cosine >= SAME and agree(opinion, text, entity_ids))
    return find_in_same_words(held, text) or next(agreeing, None)


def find_meant(held: Sequence[HeldOpinion], *, text: str) -> HeldOpinion | None:
    """The opinion that "Previously I thought that ..." refers to: of those near to the words that follow."""
    near = (opinion for opinion in held if opinion.cosine >= MEANT and judge_alike(opinion.text, text))
    return find_in_same_words(held, text) or next(near, None)


def find_opposed(held: Sequence[HeldOpinion], *, text: str, entity_ids: frozenset[UUID]) -> list[HeldOpinion]:
    """Those that the text turns round, the nearest first: the same matter, judged the other way.

    What a person retired is not held: its opposite is an opinion of its own.
    """
    return [opinion for opinion in held if not opinion.is_retired and oppose(opinion, text, entity_ids)]


def oppose(opinion: HeldOpinion, text: str, entity_ids: frozenset[UUID]) -> bool:
    return may_be_of_the_same(opinion, entity_ids) and turn_each_other_round(*call_one_way(opinion, text))


def turn_each_other_round(one: str, other: str) -> bool:
    """Of the same ones and in the same words, in the same order, but for those that judge, on one scale.

    Why it is so is no part of what is judged, unless both judge the whole for something of it.
    """
    held, said = tell_feeling(one), tell_feeling(other)
    if not judge_for_a_part(held) or not judge_for_a_part(said):
        held, said = leave_out_reason(held), leave_out_reason(said)
    if list_unjudged(held) != list_unjudged(said):
        return False
    return judge_otherwise(held, said, PLAIN) or judge_otherwise(held, said, OPPOSITES)


def judge_for_a_part(text: str) -> bool:
    """Such as "I love Python because of its syntax": who hates it because of its packaging may love it too. What is
    reliable because of one thing is not unreliable because of another.
    """
    if not BECAUSE_OF.search(text):
        return False
    return find_scales(read_judgement(leave_out_reason(text), OPPOSITES).words) == {ON_THE_WHOLE}


def leave_out_reason(text: str) -> str:
    return BECAUSE.sub("", text)


@lru_cache(maxsize=2_000)  # an opinion is held against each near it, and few of them are of its matter
def list_unjudged(text: str) -> tuple[str, ...]:
    return list_matter(text, judging=JUDGING)


def judge_otherwise(one: str, other: str, lexicon: Lexicon) -> bool:
    """By words that judge only beside their opposite it takes one in each: any other of them tells what is judged."""
    held, said = read_judgement(one, lexicon), read_judgement(other, lexicon)
    if held.sign * said.sign != -1 or not judge_on_one_scale(held, said):
        return False
    judging = held.words | said.words
    if lexicon is not PLAIN and max(len(held.words), len(said.words)) > 1:
        return False
    spelled = judging.union(*map(weighty_words, judging))
    matter, same = (list_matter(told, judging=spelled) for told in (one, other))
    return bool(matter) and matter == same and name_alike(one, other, matter)


def name_alike(one: str, other: str, matter: Sequence[str]) -> bool:
    """Names that stand among the words of both need no capital in either. "Ana hates me" is not about Ana alone."""
    if not are_comparable(one, other) or bool(ME.search(one)) != bool(ME.search(other)):
        return False
    first, second = ([name for name in list_names(told) if name not in matter] for told in (one, other))
    return first == second


def find_in_same_words(held: Sequence[HeldOpinion], text: str) -> HeldOpinion | None:
    words = own_words(text)
    return next((opinion for opinion in held if own_words(opinion.text) == words), None)


def own_words(text: str) -> tuple[str, ...]:
    """Without "I think that" before them: a judgement is the same with and without it."""
    words = list(weighty_words(text))
    while words and words[0] in FRAMES:
        words.pop(0)
    return tuple(words)


def agree(opinion: HeldOpinion, text: str, entity_ids: frozenset[UUID]) -> bool:
    """About the same ones, judged by the same words in the same direction, with no word more in either.

    Where one feels something for another, the order says who for whom.
    """
    own, text = call_one_way(opinion, text)
    if not may_be_of_the_same(opinion, entity_ids) or not name_the_same(own, text):
        return False
    held, said = read_judgement(own), read_judgement(text)
    if unfold(held) != unfold(said) or not deny_alike(own, text):
        return False
    judging = held.words | said.words
    one, other = (list_matter(told, judging=judging) for told in (own, text))
    return one == other or (set(one) == set(other) and not judging & FEELS)


def call_one_way(opinion: HeldOpinion, text: str) -> tuple[str, str]:
    """The opinion's words and the others, with the same name for each of its entities that has several."""
    own = opinion.text
    for names in opinion.names:
        own, text = call_by_first(names, own), call_by_first(names, text)
    return own, text


def call_by_first(names: Sequence[str], text: str) -> str:
    """The longest are looked for first: "Ann Lee" is not Lee alone."""
    longest_first = sorted(map(re.escape, names), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", lambda _: names[0], text)


def may_be_of_the_same(opinion: HeldOpinion, entity_ids: frozenset[UUID]) -> bool:
    """Where both are known to speak of someone, of one at least in common."""
    return not opinion.entity_ids or not entity_ids or bool(opinion.entity_ids & entity_ids)


def name_the_same(one: str, other: str) -> bool:
    """Who is better than whom, and who does what to whom, hangs on the order of names."""
    return are_comparable(one, other) and list_names(one) == list_names(other)


def are_comparable(one: str, other: str) -> bool:
    return not (compares(one) or compares(other)) and set(NUMBER.findall(one)) == set(NUMBER.findall(other))


def judge_alike(one: str, other: str) -> bool:
    """Whatever the reasons of either deny: they are no part of the verdict."""
    one, other = leave_out_reason(one), leave_out_reason(other)
    return read_judgement(one).sign == read_judgement(other).sign and deny_alike(one, other)


def deny_alike(one: str, other: str) -> bool:
    """One word, as "unreliable", denies as "not reliable" does."""
    return count_all_denials(one) % 2 == count_all_denials(other) % 2


def count_all_denials(text: str) -> int:
    return count_denials(text) + len(read_judgement(text).blamed & NOT.keys())
