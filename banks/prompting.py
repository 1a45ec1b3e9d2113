"""Facts in prompts: excerpts of limited length, dates in words, and many small questions in one call."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from banks.chunking.spans import find_grapheme_cut
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content
from providers.llm.prompting.fence import BAR, bar
from timewords.rendering import DAY, describe_date, write_day_of_week

logger = logging.getLogger(__name__)

Q = TypeVar("Q")
A = TypeVar("A")

MOST_CHARACTERS = 1_500  # of one text
CALL_CHARACTERS = 40_000  # of all the texts in one call, with their headings
ELLIPSIS = " \u2026"
LONGEST_WORD = 40  # a longer word is cut anywhere: some languages have no spaces
BATCH = 20  # questions in one call


@dataclass(frozen=True)
class Excerpt:
    """`lines` begin with a bar. `is_whole`: nothing but line breaks was left out."""

    lines: tuple[str, ...]
    is_whole: bool


def excerpt(text: str, most: int = MOST_CHARACTERS) -> Excerpt:
    """At most `most` characters, with bars and line breaks: a text of line breaks alone would be three times as long.

    A longer text is put on a single line, and cut only if that is not enough.
    """
    lines = bar(text)
    if measure(lines) <= most:
        return Excerpt(tuple(lines), is_whole=True)
    flat = " ".join(text.split())
    room = most - measure([BAR])
    if len(flat) <= room:
        return Excerpt((f"{BAR}{flat}",), is_whole=True)
    end = find_grapheme_cut(flat, room - len(ELLIPSIS))
    space = flat.rfind(" ", max(1, end - LONGEST_WORD), end + 1)
    return Excerpt((f"{BAR}{flat[: end if space == -1 else space]}{ELLIPSIS}",), is_whole=False)


def measure(lines: Iterable[str]) -> int:
    """The number of characters, with one for the end of each line."""
    return sum(len(line) + 1 for line in lines)


def write_moment(moment: datetime) -> str:
    """The date with weekday and zone, which relative dates depend on; always in English."""
    return f"{write_day_of_week(moment)} at {moment:%H:%M} {write_offset(moment)}"


def write_day_and_zone(moment: datetime) -> str:
    return f"{write_day_of_week(moment)}, {write_offset(moment)}"


def write_offset(moment: datetime) -> str:
    zone = moment.strftime("%z")
    return f"UTC{zone[:3]}:{zone[3:5]}" if zone else "zone unknown"


def describe_occurrence(start: datetime, end: datetime | None) -> str:
    """As precisely as it is known: a day, or a longer span such as a month. `end` is exclusive."""
    is_day = end is None or end - start <= DAY
    return describe_date(start, end or start, "day" if is_day else "range")


def count_nothing(_: object) -> int:
    """For short questions, which need no limit."""
    return 0


def count_one(_: object) -> int:
    return 1


def answer_all(
    questions: Sequence[Q],
    ask: Callable[[Sequence[Q]], list[A]],
    *,
    undecided: A,
    size: int = BATCH,
    count_parts: Callable[[Q], int] = count_one,
    count_characters: Callable[[Q], int] = count_nothing,
) -> list[A]:
    """`undecided` is the answer if the model can't answer a question even alone. It must do no harm."""
    answers: list[A] = []
    for batch in build_batches(questions, size, count_parts, count_characters):
        answers += answer_batch(batch, ask, undecided=undecided)
    return answers


def build_batches(
    questions: Sequence[Q], size: int, count_parts: Callable[[Q], int], count_characters: Callable[[Q], int]
) -> Iterator[list[Q]]:
    """Batches of at most `size` parts of questions and CALL_CHARACTERS characters."""
    batch: list[Q] = []
    filled = held = 0
    for question in questions:
        parts, characters = count_parts(question), count_characters(question)
        if batch and (held + parts > size or filled + characters > CALL_CHARACTERS):
            yield batch
            batch, filled, held = [], 0, 0
        batch.append(question)
        filled, held = filled + characters, held + parts
    if batch:
        yield batch


def answer_batch(batch: Sequence[Q], ask: Callable[[Sequence[Q]], list[A]], *, undecided: A) -> list[A]:
    try:
        return ask(batch)
    except (MalformedAnswer, LLMRefused) as failure:
        if not concerns_content(failure):
            raise
        sentence = str(failure)
    if len(batch) == 1:
        logger.warning("A question stays undecided: %s", sentence)
        return [undecided]
    middle = len(batch) // 2
    return [
        *answer_batch(batch[:middle], ask, undecided=undecided),
        *answer_batch(batch[middle:], ask, undecided=undecided),
    ]
