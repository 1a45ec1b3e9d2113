"""The start of a command: it loads the models of the database and nothing that only some commands need."""

import os
import subprocess
import sys

HEAVY = [
    "dateparser",
    "drf_spectacular.openapi",
    "mcp",
    "memoryplatform.operations.kinds.retain",
    "memoryplatform.urls",
    "numpy",
    "onnxruntime",
    "openai",
    "phonenumbers",
    "spacy",
    "tiktoken",
    "tokenizers",
]


def list_loaded(code: str) -> set[str]:
    code = f"import django; django.setup(); {code}; import sys; print(*sys.modules)"
    env = os.environ | {"DJANGO_SETTINGS_MODULE": "memoryplatform.settings.test"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    return set(run.stdout.split())


def test_a_command_starts_without_models_routes_and_kinds_of_operations() -> None:
    loaded = list_loaded("pass")
    assert "tenants.models" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_the_routes_load_without_the_libraries_of_models() -> None:
    loaded = list_loaded("import memoryplatform.urls")
    assert "memoryplatform.api.v1.urls" in loaded
    assert loaded.isdisjoint({"mcp", "onnxruntime", "openai", "spacy", "tokenizers"})


def test_the_first_look_up_loads_the_kinds_of_operations() -> None:
    look_up = "from memoryplatform.operations.running.registry import get_kind; assert get_kind('retain').queue"
    assert "memoryplatform.operations.kinds.erase_tenant" in list_loaded(look_up)
