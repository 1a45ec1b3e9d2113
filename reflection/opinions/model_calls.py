"""Questions about opinions to a model: many in one call, and halved where a model refuses their content."""

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from pydantic import BaseModel

from banks.prompting import answer_all, measure
from providers.llm.errors import MalformedAnswer
from providers.llm.prompting.fence import fence
from providers.llm.prompting.meter import Meter
from providers.llm.protocol import LLM, ChatMessage
from providers.usage import Usage

logger = logging.getLogger(__name__)

PAIRS_A_CALL = 20


class Question(Protocol):
    """A question about one or more pairs of texts. The pairs of one question stay in one call."""

    @property
    def pairs(self) -> int: ...

    def render(self, number: int) -> Iterable[str]: ...


Q = TypeVar("Q", bound=Question)
S = TypeVar("S", bound=BaseModel)
A = TypeVar("A")


def ask_model(
    llm: LLM, rules: tuple[str, str], shape: type[S], questions: Sequence[Q], read: Callable[[S, int, Q], A | None]
) -> tuple[list[A | None], Usage]:
    """One answer a question, None for those that stay without a readable one. Call outside of transactions.

    `rules` stand before and behind the questions. `read` takes the answer of a batch, and a question with its number in
    it. The client repairs a malformed answer once. After that the batch stays unanswered, unless the answer was
    truncated: such a model would cost many calls and answer as before.
    """
    meter = Meter(llm)
    system, closing = rules

    def ask(batch: Sequence[Q]) -> list[A | None]:
        lines = (line for number, question in enumerate(batch, start=1) for line in question.render(number))
        user = f"{fence('beliefs', lines)}\n\n{closing}"
        try:
            answer = meter.ask(shape, [ChatMessage("system", system), ChatMessage("user", user)])
        except MalformedAnswer as failure:
            if failure.truncated:
                raise
            logger.warning("The answer to %d questions about opinions is unreadable: %s", len(batch), failure)
            return [None] * len(batch)
        return [read(answer, number, question) for number, question in enumerate(batch, start=1)]

    answers = answer_all(
        questions,
        ask,
        undecided=None,
        size=PAIRS_A_CALL,
        count_parts=lambda question: question.pairs,
        count_characters=lambda question: measure(question.render(1)),
    )
    return answers, meter.usage
