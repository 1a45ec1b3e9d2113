"""Whether two opinions say the same. Two that are kept apart can be united later; united ones can't be told apart."""

from collections.abc import Sequence
from uuid import UUID

from banks.lifecycle.deciding import NAME, NUMBER
from banks.lifecycle.wording import weighty_words
from banks.retain.engines.builtin.content_words import content_words
from banks.retain.engines.builtin.word_set import word_set
from reflection.opinions.held import HeldOpinion
from reflection.opinions.polarity import compares, count_denials, read_judgement

SAME = 0.9  # cosine; bge puts opposite judgements of one matter there too, so it decides nothing alone
MEANT = 0.75  # cosine from which "I thought that ..." may mean an opinion: it is told in passing, in other words
SHARED_WORDS = 0.75  # of the longer one's content words: a condition more is another opinion
FRAMES = word_set("i think believe feel find consider reckon now still personally really that my opinion view in")
FRAME_STEMS = content_words(" ".join(sorted(FRAMES)))


def find_same(held: Sequence[HeldOpinion], *, text: str, entity_ids: frozenset[UUID]) -> HeldOpinion | None:
    """Of those near to the text: the one in the same words, or else the nearest that says the same."""
    agreeing = (opinion for opinion in held if opinion.cosine >= SAME and agree(opinion, text, entity_ids))
    return find_in_same_words(held, text) or next(agreeing, None)


def find_meant(held: Sequence[HeldOpinion], *, text: str) -> HeldOpinion | None:
    """The opinion that "Previously I thought that ..." refers to: of those near to the words that follow."""
    near = (opinion for opinion in held if opinion.cosine >= MEANT and judge_alike(opinion.text, text))
    return find_in_same_words(held, text) or next(near, None)


def find_opposed(held: Sequence[HeldOpinion], *, text: str, entity_ids: frozenset[UUID]) -> HeldOpinion | None:
    """The nearest one that the text turns round: the same words of the same matter, judged the other way.

    What a person retired is not held: its opposite is an opinion of its own.
    """
    near = (opinion for opinion in held if not opinion.is_retired and opinion.cosine >= MEANT)
    return next((opinion for opinion in near if oppose(opinion, text, entity_ids)), None)


def oppose(opinion: HeldOpinion, text: str, entity_ids: frozenset[UUID]) -> bool:
    if not are_of_the_same(opinion, text, entity_ids):
        return False
    held, said = read_judgement(opinion.text), read_judgement(text)
    judging = content_words(" ".join(sorted(held.words | said.words))) | FRAME_STEMS
    one, other = content_words(opinion.text) - judging, content_words(text) - judging
    shares = len(one & other) >= SHARED_WORDS * max(1, len(one), len(other))
    return shares and held.sign * said.sign == -1


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
    """About the same ones, judged by the same words in the same direction, and hardly more or less in either.

    Where names are compared, their order says who is meant to be better: there only the same words are the same.
    """
    if not are_of_the_same(opinion, text, entity_ids):
        return False
    one, other = content_words(opinion.text) - FRAME_STEMS, content_words(text) - FRAME_STEMS
    shares = len(one & other) >= SHARED_WORDS * max(1, len(one), len(other))
    return shares and read_judgement(opinion.text) == read_judgement(text) and deny_alike(opinion.text, text)


def are_of_the_same(opinion: HeldOpinion, text: str, entity_ids: frozenset[UUID]) -> bool:
    if compares(opinion.text) or compares(text):
        return False
    if opinion.entity_ids and entity_ids and not opinion.entity_ids & entity_ids:
        return False
    return all(set(pattern.findall(opinion.text)) == set(pattern.findall(text)) for pattern in (NUMBER, NAME))


def judge_alike(one: str, other: str) -> bool:
    return read_judgement(one).sign == read_judgement(other).sign and deny_alike(one, other)


def deny_alike(one: str, other: str) -> bool:
    return count_denials(one) % 2 == count_denials(other) % 2
