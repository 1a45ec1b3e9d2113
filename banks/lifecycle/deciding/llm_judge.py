from collections.abc import Sequence

from banks.lifecycle.deciding.judge import Action, Decisions, LifecycleQuestion
from banks.lifecycle.deciding.rule_judge import RuleJudge
from banks.retain.engines.llm.lifecycle import decide
from providers.llm.protocol import LLM


class LLMJudge:
    """What the rules are sure of is not asked."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm
        self._rules = RuleJudge()

    @property
    def name(self) -> str:
        return self._llm.model_id

    def judge(self, questions: Sequence[LifecycleQuestion]) -> Decisions:
        sure = self._rules.judge(questions).decisions
        open_places = [place for place, decision in enumerate(sure) if decision.action is Action.ADD]
        asked = decide(self._llm, [questions[place] for place in open_places])
        answered = dict(zip(open_places, asked.decisions, strict=True))
        return Decisions(tuple(answered.get(place, decision) for place, decision in enumerate(sure)), asked.usage)
