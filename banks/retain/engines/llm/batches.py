"""Many small questions in one call, and each alone only where that fails."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from banks.retain.engines.llm.excerpt import CALL_CHARACTERS
from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content

logger = logging.getLogger(__name__)

Q = TypeVar("Q")
A = TypeVar("A")

BATCH = 20


def count_nothing(_: object) -> int:
    """For questions that are short by themselves."""
    return 0


def answer_all(
    questions: Sequence[Q],
    ask: Callable[[Sequence[Q]], list[A]],
    *,
    undecided: A,
    size: int = BATCH,
    count_characters: Callable[[Q], int] = count_nothing,
) -> list[A]:
    """`undecided` where not even the question alone was answered in the form that was asked for.

    It must be what does no harm: keeping two things apart can be mended later, joining them can't.
    """
    answers: list[A] = []
    for batch in build_batches(questions, size, count_characters):
        answers += answer_batch(batch, ask, undecided=undecided)
    return answers


def build_batches(questions: Sequence[Q], size: int, count_characters: Callable[[Q], int]) -> Iterator[list[Q]]:
    """At most so many questions, and so many characters, in one call."""
    batch: list[Q] = []
    filled = 0
    for question in questions:
        characters = count_characters(question)
        if batch and (len(batch) == size or filled + characters > CALL_CHARACTERS):
            yield batch
            batch, filled = [], 0
        batch.append(question)
        filled += characters
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
