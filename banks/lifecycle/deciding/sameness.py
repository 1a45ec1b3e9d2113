"""Whether two texts tell the same, by rules that would rather keep two than lose one.

Names, numbers, dates, denials and tenses are words like others: where one of them differs, the texts do. What may
differ are articles and the like, a few synonyms, and where in the sentence one part stands.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from banks.english.detection import FUNCTION_WORDS
from banks.english.word_set import word_set
from banks.lifecycle.deciding.wording import WORD, clause_ends, plain, same_day, weighty_words
from banks.retain.prepared import HANGS_ON_THE_DAY

LEAST_SHARE = 0.5  # of the fuller text: a unit does not grow into a long account
LEAST_WORDS = 3  # "Yes." is said of many things
OPENS_A_PART = word_set("on in at during with for after since until from near by")
SCOPED = word_set(
    "not no never only nor neither without if unless because than all every each don't didn't won't can't"
)


@dataclass(frozen=True)
class Telling:
    text: str
    mentioned_at: datetime
    occurred_start: datetime | None = None

    @cached_property
    def words(self) -> tuple[str, ...]:
        return weighty_words(self.text)


def tell_the_same(one: Telling, other: Telling) -> bool:
    """In the same words, but for what adds nothing, at most one part of the sentence in another place."""
    if not one.words or not same_day(one.occurred_start, other.occurred_start) or not speak_of_one_day(one, other):
        return False
    return one.words == other.words or is_one_part_moved(one, other)


def is_one_part_moved(one: Telling, other: Telling) -> bool:
    """As in "On Monday Ana ran" and "Ana ran on Monday". Names stay in their order: who does what hangs on it."""
    first, second = one.words, other.words
    if len(first) < LEAST_WORDS or sorted(first) != sorted(second) or names_in_order(one) != names_in_order(other):
        return False
    differing = [place for place, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    inner, moved = (words[differing[0] : differing[-1] + 1] for words in (first, second))
    if SCOPED & set(inner):
        return False
    parts = ((inner[at:], inner[:at]) for at in range(1, len(inner)))
    return any(after + before == moved and movable(before, after) for after, before in parts)


def movable(*parts: tuple[str, ...]) -> bool:
    return any(part[0] in OPENS_A_PART for part in parts)


def names_in_order(telling: Telling) -> list[str]:
    words = [word for word in WORD.findall(telling.text) if word[:1].isupper()]
    return [word for word in map(plain, words) if word not in FUNCTION_WORDS]


def speak_of_one_day(one: Telling, other: Telling) -> bool:
    """Two who say "yesterday" must say it on the same day."""
    hangs = HANGS_ON_THE_DAY.search(one.text) or HANGS_ON_THE_DAY.search(other.text)
    return not hangs or same_day(one.mentioned_at, other.mentioned_at)


def tells_all_of(longer: Telling, shorter: Telling) -> bool:
    """It begins with the whole of the other, up to the end of a clause.

    Only what stands at the beginning: "if it rains, Ana stays at home" does not tell that Ana stays at home.
    """
    size = len(shorter.words)
    if size < LEAST_WORDS or longer.words[:size] != shorter.words or not speak_of_one_day(longer, shorter):
        return False
    dated_alike = shorter.occurred_start is None or same_day(longer.occurred_start, shorter.occurred_start)
    return dated_alike and (size == len(longer.words) or size in clause_ends(longer.text))


def is_fuller_telling(new: Telling, old: Telling) -> bool:
    """The new text may take the place of the old one: told on the same day, and not much longer."""
    is_near = len(old.words) >= LEAST_SHARE * len(new.words) and same_day(new.mentioned_at, old.mentioned_at)
    return is_near and tells_all_of(new, old)
