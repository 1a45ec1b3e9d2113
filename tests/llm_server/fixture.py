from collections.abc import Iterator

import pytest
from django.test import override_settings

from providers import registry
from tests.llm_server import ScriptedLLM


@pytest.fixture
def llm_server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server


@pytest.fixture
def llm() -> Iterator[ScriptedLLM]:
    """A scripted language model, configured by the service's settings. The other models stay loaded."""
    with ScriptedLLM() as server:
        with override_settings(LLM_BASE_URL=server.url, LLM_MODEL="scripted", LLM_MAX_RETRIES=0):
            registry.LANGUAGE_MODELS.reset()
            yield server
        registry.LANGUAGE_MODELS.reset()
