"""Many small questions in one call, and each alone only where that fails."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from providers.llm.errors import LLMRefused, MalformedAnswer, concerns_content

logger = logging.getLogger(__name__)

Q = TypeVar("Q")
A = TypeVar("A")

BATCH = 20


def answer_all(
    questions: Sequence[Q], ask: Callable[[Sequence[Q]], list[A]], *, undecided: A, size: int = BATCH
) -> list[A]:
    """`undecided` where not even the question alone was answered in the form that was asked for.

    It must be what does no harm: keeping two things apart can be mended later, joining them can't.
    """
    answers: list[A] = []
    for start in range(0, len(questions), size):
        answers += answer_batch(questions[start : start + size], ask, undecided=undecided)
    return answers


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
