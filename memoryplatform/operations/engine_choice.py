from uuid import UUID

from banks.retain.answers import open_answers
from banks.retain.engines.builtin.engine import BuiltinEngine
from banks.retain.engines.llm.engine import LLMEngine
from banks.retain.engines.protocol import Engine
from providers.llm.prompting.cache import CachedLLM
from providers.registry import find_llm, get_embedder


def choose_engine(tenant_id: UUID) -> Engine:
    """The LLM where one is configured, else the built-in engine."""
    llm = find_llm()
    if llm is None:
        return BuiltinEngine(embed=get_embedder().embed_documents)
    return LLMEngine(CachedLLM(llm, open_answers(tenant_id)))
