from tests.llm_server.fixture import llm_server

__all__ = ["llm_server"]
