from uuid import UUID

from banks.retain.answers import open_answers
from providers.llm.prompting.cache import CachedLLM
from providers.registry import find_llm
from reflection.opinions.weighing.assessing import Assessor
from reflection.opinions.weighing.fallback_assessor import FallbackAssessor
from reflection.opinions.weighing.llm_assessor import LLMAssessor
from reflection.opinions.weighing.rule_assessor import RuleAssessor


def choose_assessor(tenant_id: UUID) -> Assessor:
    """The LLM where one is configured, and the rules for what it leaves undecided; else the rules alone."""
    llm = find_llm()
    if llm is None:
        return RuleAssessor()
    return FallbackAssessor(LLMAssessor(CachedLLM(llm, open_answers(tenant_id))), RuleAssessor())
