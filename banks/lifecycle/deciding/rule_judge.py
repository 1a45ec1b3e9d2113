"""Decisions without an LLM."""

from collections.abc import Sequence

from banks.lifecycle.deciding.judge import Action, Decision, Decisions, ExistingFact, LifecycleQuestion
from banks.lifecycle.deciding.sameness import Telling, is_fuller_telling, tell_the_same, tells_all_of
from providers.usage import Usage

ADD = Decision(Action.ADD)


class RuleJudge:
    """NONE and MERGE where the words leave no doubt. What excludes what is not for the words to say.

    Without an LLM a fact is superseded through its relationships, by entity, relation and value.
    """

    name = "rules"

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        return Decisions(tuple(decide(question) for question in questions), Usage())


def decide(question: LifecycleQuestion) -> Decision:
    new = Telling(question.text, question.mentioned_at, question.occurred_start)
    for known in question.similar:
        old = build_telling(known)
        if tell_the_same(old, new) or tells_all_of(old, new):
            return Decision(Action.NONE, (known.id,))
    for known in question.similar:
        if is_fuller_telling(new, build_telling(known)):
            return Decision(Action.MERGE, (known.id,), text=question.text)
    return ADD


def build_telling(known: ExistingFact) -> Telling:
    return Telling(known.text, known.mentioned_at, known.occurred_start)
