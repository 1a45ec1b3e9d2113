from uuid import UUID

from banks.retain.answers import TenantAnswers
from banks.retain.engines.llm.cache import CachedLLM
from providers.registry import find_llm
from reflection.opinions.assessing import Assessor
from reflection.opinions.llm_assessor import LLMAssessor
from reflection.opinions.rule_assessor import RuleAssessor


def choose_assessor(tenant_id: UUID) -> Assessor:
    """The LLM where one is configured, else the rules."""
    llm = find_llm()
    return RuleAssessor() if llm is None else LLMAssessor(CachedLLM(llm, TenantAnswers(tenant_id)))
