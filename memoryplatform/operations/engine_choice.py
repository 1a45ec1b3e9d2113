from uuid import UUID

from banks.retain.answers import TenantAnswers
from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.engines.llm.cache import CachedLLM
from banks.retain.engines.llm.engine import LLMEngine
from banks.retain.engines.protocol import Engine
from providers.registry import find_llm


def choose_engine(tenant_id: UUID) -> Engine:
    """The LLM where one is configured, else the built-in engine."""
    llm = find_llm()
    return BuiltinEngine() if llm is None else LLMEngine(CachedLLM(llm, TenantAnswers(tenant_id)))
