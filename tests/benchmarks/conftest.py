from tests.llm_server.fixture import llm, llm_server

__all__ = ["llm", "llm_server"]
