"""Two assessors: what the first leaves undecided, the second decides. Evidence that came is weighed by somebody."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from reflection.opinions.weighing.assessing import Assessment, Assessments, Assessor, OpinionQuestion

logger = logging.getLogger(__name__)


class FallbackAssessor:
    def __init__(self, first: Assessor, second: Assessor) -> None:
        self._first = first
        self._second = second

    @property
    def name(self) -> str:
        return self._first.name

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        answered = self._first.assess(questions)
        open_pairs = sum(len(one.undecided) for one in answered.assessments)
        if not open_pairs:
            return answered
        logger.warning("%s gave no verdict on %d pairs: %s decides.", self.name, open_pairs, self._second.name)
        left = [
            replace(question, facts=tuple(question.facts[place] for place in one.undecided))
            for question, one in zip(questions, answered.assessments, strict=True)
            if one.undecided
        ]
        decided = self._second.assess(left)
        others = iter(decided.assessments)
        filled = tuple(
            fill(one, next(others), by=self._second.name) if one.undecided else one for one in answered.assessments
        )
        return Assessments(filled, answered.usage + decided.usage)


def fill(one: Assessment, other: Assessment, *, by: str) -> Assessment:
    """The verdicts of both, each with who gave it. The text stays the first one's, who saw all the facts."""
    verdicts, reasons = list(one.verdicts), list(one.reasons)
    for place, verdict, reason in zip(one.undecided, other.verdicts, other.reasons, strict=True):
        verdicts[place], reasons[place] = verdict, reason
    undecided = tuple(one.undecided[place] for place in other.undecided)
    by_others = {place: by for place in one.undecided if place not in undecided}
    return replace(one, verdicts=tuple(verdicts), reasons=tuple(reasons), undecided=undecided, by=by_others)
