"""The recipes of docs/frameworks.md, each as a program of its own against the live service.

A recipe runs where its package is installed: in this environment, or in one of the environments whose interpreters
FRAMEWORK_PYTHONS lists, separated as in PATH. The heavy packages are no part of the test extra.
"""

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.adapters.test_examples import completion
from tests.llm_server import ScriptedLLM
from tests.sdk.conftest import Service

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "frameworks.md").read_text()
SECTION = re.compile(r"^## (.+?)\n(.*?)(?=^## |\Z)", flags=re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"^ *print\(.*\)  # (.+)$", flags=re.MULTILINE)
MODULES = {
    "LangMem": "langmem",
    "OpenAI Agents SDK": "agents",
    "LlamaIndex": "llama_index.core",
    "Haystack": "haystack",
    "LiteLLM": "litellm",
    "AutoGen": "autogen_core",
    "AG2": "ag2",
    "CrewAI": "crewai",
}
PROMPTING = {"OpenAI Agents SDK", "LiteLLM"}  # recipes that put memories into the model's prompt themselves
WITH_TOOLS = {"AG2", "CrewAI"}  # recipes whose model calls a tool
SECONDS = 180


@dataclass(frozen=True)
class Recipe:
    name: str
    code: str

    @property
    def printed(self) -> list[str]:
        return PRINTED.findall(self.code)


RECIPES = [Recipe(name, code) for name, text in SECTION.findall(PAGE) for code in BLOCK.findall(text)]


@cache
def find_python(module: str) -> str | None:
    """The first interpreter that finds the package."""
    others = [one for one in os.environ.get("FRAMEWORK_PYTHONS", "").split(os.pathsep) if one]
    script = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module.partition('.')[0]!r}) is None)"
    tried = (
        one for one in (sys.executable, *others) if subprocess.run([one, "-c", script], check=False).returncode == 0
    )
    return next(tried, None)


def test_every_section_is_one_recipe_with_a_known_package() -> None:
    assert [recipe.name for recipe in RECIPES] == list(MODULES)
    assert all(recipe.printed for recipe in RECIPES)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_recipe_prints_the_documented_output(
    recipe: Recipe, service: Service, worker: None, llm_server: ScriptedLLM, tmp_path: Path
) -> None:
    module = MODULES[recipe.name]
    python = find_python(module)
    if python is None:
        pytest.skip(f"{module} is not installed; FRAMEWORK_PYTHONS can name an interpreter that has it")
    if recipe.name in WITH_TOOLS:
        call = {"name": "recall", "arguments": '{"query": "Where does Alice live?"}'}
        calls = [{"id": "t1", "type": "function", "function": call}]
        llm_server.chat.send(completion({"content": None, "tool_calls": calls}, "tool_calls"))
    llm_server.chat.otherwise = lambda _received: "In Lisbon."
    program = tmp_path / "recipe.py"
    program.write_text(recipe.code.replace("http://127.0.0.1:8000", service.url).replace("mpk_...", service.key))
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT / "sdk"),
        "OPENAI_BASE_URL": llm_server.url,
        "OPENAI_API_KEY": "sk-none",
        "OTEL_SDK_DISABLED": "true",
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HAYSTACK_TELEMETRY_ENABLED": "False",
        "LANGSMITH_TRACING": "false",
    }
    done = subprocess.run(
        [python, str(program)],
        cwd=tmp_path,
        env=variables,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    shown = " ".join(done.stdout.split())
    for line in recipe.printed:
        assert line in shown, (done.stdout[-2_000:], done.stderr[-2_000:])
    if recipe.name in PROMPTING:
        assert "Alice lives in Lisbon." in llm_server.chat.received[0].prompt
    if recipe.name in WITH_TOOLS:
        told = llm_server.chat.received[-1].body["messages"]
        assert [one for one in told if one["role"] == "tool" and "Alice lives in Lisbon." in str(one["content"])]
