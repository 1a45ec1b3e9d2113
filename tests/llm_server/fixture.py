from collections.abc import Iterator

import pytest

from tests.llm_server import ScriptedLLM


@pytest.fixture
def llm_server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM() as server:
        yield server
