"""The report of the doctor on a sound service, and on each thing that can be wrong."""

import json
from typing import Any

import pytest

from memoryplatform.observability import health
from tests.cli.conftest import Cli
from tests.factories import make_key_with_text, make_tenant
from tests.llm_server import ScriptedLLM
from tests.llm_server.fixture import llm
from tests.sdk.conftest import Service

__all__ = ["llm"]


def examine(cli: Cli, *words: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = cli("doctor", "--json", *words)
    told = json.loads(done.out)
    assert told["ok"] == (done.code == 0)
    return done.code, {one["name"]: one for one in told["checks"]}


@pytest.fixture(autouse=True)
def sound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The models of the tests are loaded at their first use."""
    monkeypatch.setitem(health.CHECKS, "models", lambda: "ok")


def test_a_sound_service_passes(cli: Cli) -> None:
    code, checks = examine(cli)
    assert code == 0
    assert list(checks) == [
        "client", "address", "server", "database", "broker", "migrations", "models", "version", "key", "LLM",
    ]  # fmt: skip
    assert {name for name, one in checks.items() if one["state"] != "ok"} == {"LLM"}
    assert checks["version"]["detail"] == "server 0.1.0"
    assert [row[0] for row in cli("doctor").rows] == ["ok"] * 9 + ["warning"]


def test_a_part_that_is_down_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(health.CHECKS, "migrations", lambda: "2 not applied")
    code, checks = examine(cli)
    assert (code, checks["migrations"]["state"], checks["migrations"]["detail"]) == (1, "failed", "2 not applied")
    assert checks["key"]["state"] == "ok"


def test_an_unknown_key_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", "mpk_wrong")
    code, checks = examine(cli)
    assert (code, checks["key"]["state"], "LLM" in checks) == (4, "failed", False)


def test_the_scope_admin_is_named(bare_cli: Cli, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_URL", service.url)
    monkeypatch.setenv("MEMORYPLATFORM_API_KEY", make_key_with_text(make_tenant(), scopes=["admin"])[1])
    assert examine(bare_cli)[1]["key"]["detail"].endswith(", scope admin")


def test_without_a_server_there_is_nothing_more_to_check(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_URL", "http://127.0.0.1:9")
    code, checks = examine(cli)
    assert (code, list(checks)) == (5, ["client", "address", "server"])


def test_another_server_is_recognised(cli: Cli, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORYPLATFORM_URL", f"{service.url}/docs")
    code, checks = examine(cli)
    assert (code, "is not an address of this service" in checks["server"]["detail"]) == (1, True)


def test_a_missing_key_is_a_wrong_use(bare_cli: Cli) -> None:
    code, checks = examine(bare_cli)
    assert (code, list(checks)) == (2, ["client", "access"])


def test_another_version_is_a_warning(cli: Cli, settings: Any) -> None:
    settings.SPECTACULAR_SETTINGS = settings.SPECTACULAR_SETTINGS | {"VERSION": "0.2.0"}
    code, checks = examine(cli)
    assert (code, checks["version"]["state"]) == (0, "warning")


def test_the_language_model_is_named_and_tried(cli: Cli, llm: ScriptedLLM) -> None:
    llm.chat.say("ok")
    assert examine(cli)[1]["LLM"]["state"] == "ok"
    assert " answers in " in examine(cli, "--ask")[1]["LLM"]["detail"]
    assert cli("banks").out == ""
