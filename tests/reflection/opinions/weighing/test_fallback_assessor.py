"""What the first assessor leaves undecided, the second decides, and the history says who did."""

from collections.abc import Sequence
from uuid import UUID

import pytest

from banks.models import Bank
from providers.usage import Usage
from reflection.opinions.types import Verdict
from reflection.opinions.weighing.assessing import Assessment, Assessments, OpinionQuestion, leave_undecided
from reflection.opinions.weighing.fallback_assessor import FallbackAssessor
from tests.reflection.opinions.believing import Said, believe, check_replay, learn, read_opinion, read_steps, see

GOOD = "Python has the largest ecosystem."
BAD = "Julia outruns Python."


class Halting:
    """Decides on the first fact of each question and on no other; on none of an opinion that it can't read."""

    name = "halting"

    def __init__(self, verdict: Verdict | None) -> None:
        self.verdict = verdict

    def assess(self, questions: Sequence[OpinionQuestion]) -> Assessments:
        return Assessments(tuple(map(self.answer, questions)), Usage(calls=1))

    def answer(self, question: OpinionQuestion) -> Assessment:
        if self.verdict is None:
            return leave_undecided(question)
        rest = len(question.facts) - 1
        verdicts = (self.verdict, *[Verdict.NEUTRAL] * rest)
        return Assessment(verdicts, ("first", *[""] * rest), undecided=tuple(range(1, rest + 1)))


@pytest.fixture
def opinion_id(bank: Bank) -> UUID:
    return believe(bank, "I think Python is the best.", see(bank, "Notebooks are in Python.", "Python")).id


def test_the_second_decides_on_what_the_first_left_and_on_nothing_else(bank: Bank, opinion_id: UUID) -> None:
    facts = see(bank, GOOD, "Python"), see(bank, BAD, "Python")
    said = Said({GOOD: "contradict", BAD: "weaken"})
    done = learn(bank, FallbackAssessor(Halting(Verdict.REINFORCE), said), *facts)
    assert (done.moved, done.undecided, done.by_others, done.calls) == (2, 0, 1, 2)
    assert [fact.text for one in said.asked for fact in one.facts] == [BAD]
    steps = [(step.cause, step.actor, step.evidence_id) for step in read_steps(bank, opinion_id)[1:]]
    assert steps == [("reinforce", "halting", facts[0]), ("weaken", "said", facts[1])]
    check_replay(bank, opinion_id)


def test_evidence_that_the_first_can_not_weigh_moves_the_opinion_all_the_same(
    bank: Bank, opinion_id: UUID, caplog: pytest.LogCaptureFixture
) -> None:
    learn(bank, FallbackAssessor(Halting(None), Said({BAD: "contradict"})), see(bank, BAD, "Python"))
    assert read_opinion(bank, opinion_id).confidence == 0.4
    assert "halting gave no verdict on 1 pairs: said decides." in caplog.messages


def test_what_neither_decides_is_neutral_and_counted(bank: Bank, opinion_id: UUID) -> None:
    done = learn(bank, FallbackAssessor(Halting(None), Halting(None)), see(bank, BAD, "Python"))
    assert (done.moved, done.undecided, done.by_others) == (0, 1, 0)


def test_the_second_is_not_asked_where_the_first_decides(bank: Bank, opinion_id: UUID) -> None:
    said = Said({})
    learn(bank, FallbackAssessor(Halting(Verdict.WEAKEN), said), see(bank, BAD, "Python"))
    assert said.asked == []
