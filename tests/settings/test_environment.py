"""A process with an invalid environment refuses to start and names the variable."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
GOOD = {
    "DJANGO_SETTINGS_MODULE": "memoryplatform.settings.production",
    "SECRET_KEY": "kB3v-9fQz_7LxTn2Ww8RrYt5Hh1Jj6Mm4Pp0SsDdGgVvBbNnCcFf",
    "API_KEY_SECRET": "x" * 40,
    "ALLOWED_HOSTS": "memory.example.com, api.example.com",
    "DATABASE_URL": "postgresql://service:s3cret@db/memoryplatform",
    "DATABASE_OWNER_URL": "postgresql://owner:s3cret@db/memoryplatform",
    "DATABASE_PLATFORM_URL": "postgresql://platform:s3cret@db/memoryplatform",
    "REDIS_URL": "redis://redis:6379/0",
}


def run_check(*arguments: str, **changes: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in (GOOD | changes).items() if value is not None}
    command = [sys.executable, "manage.py", "check", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={"PATH": os.environ["PATH"]} | environment, capture_output=True, text=True, check=False
    )


def test_production_settings_pass_the_deployment_check() -> None:
    outcome = run_check("--deploy", "--fail-level", "WARNING")
    assert outcome.returncode == 0, outcome.stderr
    assert "no issues" in outcome.stdout


@pytest.mark.parametrize(("keeps", "threshold"), [("true", "1"), ("false", "None")])
def test_a_pooler_that_keeps_no_statements_is_sent_none(keeps: str, threshold: str) -> None:
    """By default psycopg prepares frequent statements."""
    read = "from django.conf import settings; print(settings.DATABASES['default']['OPTIONS'].get('prepare_threshold'))"
    environment = {"PATH": os.environ["PATH"]} | GOOD | {"DATABASE_PREPARED_STATEMENTS": keeps}
    outcome = subprocess.run([sys.executable, "-c", read], cwd=ROOT, env=environment, capture_output=True, check=True)
    assert outcome.stdout.decode().strip() == threshold


BAD: dict[str, tuple[dict[str, str | None], str]] = {
    "missing": ({"SECRET_KEY": None}, "SECRET_KEY is missing"),
    "empty": ({"DATABASE_URL": ""}, "DATABASE_URL is missing"),
    "short secret": ({"API_KEY_SECRET": "short"}, "API_KEY_SECRET"),
    "wrong scheme": ({"DATABASE_OWNER_URL": "mysql://x"}, "DATABASE_OWNER_URL must start with postgresql://"),
    "wrong broker": ({"REDIS_URL": "amqp://x"}, "REDIS_URL must start with redis://"),
    "no number": ({"WORKER_THREADS": "many"}, "WORKER_THREADS"),
    "out of range": ({"OPERATION_MAX_ATTEMPTS": "0"}, "OPERATION_MAX_ATTEMPTS"),
    "unknown choice": ({"LOG_FORMAT": "xml"}, "LOG_FORMAT"),
    "half a pair": ({"LLM_BASE_URL": "http://llm"}, "LLM_MODEL is missing: LLM_BASE_URL needs it"),
    "task without a default": ({"LLM_EXTRACT_MODEL": "m"}, "LLM_MODEL is missing: LLM_EXTRACT_* needs"),
    "task at another endpoint": (
        {"LLM_BASE_URL": "http://llm", "LLM_MODEL": "m", "LLM_JUDGE_BASE_URL": "http://other"},
        "LLM_JUDGE_MODEL is missing",
    ),
    "number of a task": ({"LLM_JUDGE_TIMEOUT_SECONDS": "long"}, "LLM_JUDGE_TIMEOUT_SECONDS"),
    "endpoint without a place": ({"EMBEDDING_PROVIDER": "openai"}, "EMBEDDING_BASE_URL is missing"),
    "further model without a place": (
        {"EMBEDDING_MODELS": '[{"provider": "openai", "model": "m"}]'},
        "EMBEDDING_MODELS needs a base_url",
    ),
    "reranker without a place": ({"RERANKING_PROVIDER": "http"}, "RERANKING_BASE_URL is missing"),
    "reranker without an LLM": ({"RERANKING_PROVIDER": "llm"}, "LLM_BASE_URL is missing"),
}


@pytest.mark.parametrize(("changes", "sentence"), BAD.values(), ids=BAD.keys())
def test_a_bad_variable_is_named(changes: dict[str, str | None], sentence: str) -> None:
    outcome = run_check(**changes)
    assert outcome.returncode != 0
    assert sentence in outcome.stderr.splitlines()[-1]


def test_every_fault_is_named_at_once_and_no_secret_is_shown() -> None:
    outcome = run_check(SECRET_KEY="hunter2", REDIS_URL="hunter3", DATABASE_URL=None)
    last = outcome.stderr.splitlines()[-1]
    assert all(name in last for name in ("SECRET_KEY", "REDIS_URL", "DATABASE_URL"))
    assert "hunter" not in outcome.stderr


def test_compose_gives_every_required_variable_and_no_unknown_one() -> None:
    from memoryplatform.settings.environment import list_variables

    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    known = {*list_variables(), "DJANGO_SETTINGS_MODULE", "FORWARDED_ALLOW_IPS"}
    required = {name for name, field in list_variables().items() if field.is_required()}
    for name in ("migrate", "web", "worker-ingest", "worker-background"):
        given = set(services[name]["environment"])
        assert required <= given, name
        assert given <= known, name


OTHER_ROLES = {"DATABASE_OWNER_URL", "DATABASE_PLATFORM_URL", "DATABASE_SETUP_URL"}


def test_a_container_has_only_the_database_roles_that_it_needs() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    given = {name: OTHER_ROLES & set(service.get("environment", ())) for name, service in services.items()}
    assert {name: roles for name, roles in given.items() if roles} == {
        "migrate": OTHER_ROLES,
        "web": {"DATABASE_PLATFORM_URL"},
        "worker-background": {"DATABASE_OWNER_URL"},
    }


def test_a_process_starts_with_the_service_role_alone() -> None:
    outcome = run_check(DATABASE_OWNER_URL=None, DATABASE_PLATFORM_URL=None)
    assert outcome.returncode == 0, outcome.stderr


@pytest.mark.parametrize("command", ["migrate", "worker background", "provision_database"])
def test_a_command_that_needs_the_owner_says_so(command: str) -> None:
    environment = {"PATH": os.environ["PATH"]} | GOOD | {"DATABASE_OWNER_URL": ""}
    argv = [sys.executable, "manage.py", *command.split()]
    outcome = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert outcome.returncode != 0
    assert outcome.stderr.splitlines()[-1].endswith("DATABASE_OWNER_URL is missing: this command needs it.")


def test_compose_passes_every_documented_variable() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", page, flags=re.MULTILINE))
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    assert "METRICS_TOKEN" in documented
    assert documented <= set(services["migrate"]["environment"])
    for name in ("web", "worker-ingest", "worker-background", "worker-notify"):
        given = services[name]["environment"]
        assert documented - set(given) <= OTHER_ROLES, name
        optional = {variable for variable, value in given.items() if value == f"${{{variable}:-}}"}
        assert "LLM_API_KEY" in optional  # an empty one has its default


def test_compose_publishes_the_web_port_through_tls_alone() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    published = {name: service.get("ports", []) for name, service in services.items() if service.get("ports")}
    assert published.pop("web") == ["127.0.0.1:8000:8000"]
    assert list(published) == ["caddy"]
    assert services["caddy"]["profiles"] == ["tls"]
    assert services["caddy"]["command"][-2:] == ["--to", "web:8000"]


def test_compose_runs_a_worker_for_every_queue_group() -> None:
    from django.conf import settings

    services = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]
    commands = [service.get("command", [])[:4] for service in services.values()]
    for group in settings.QUEUE_GROUPS:
        assert ["python", "manage.py", "worker", group] in commands


def test_the_forms_of_a_log_in_may_lead_to_its_configured_provider_only() -> None:
    """Browsers apply the policy to the redirect that answers a form."""
    show = "from django.conf import settings; print(settings.CONTENT_SECURITY_POLICY['DIRECTIVES']['form-action'])"
    environment = {"PATH": os.environ["PATH"]} | GOOD | {"GOOGLE_CLIENT_ID": "id", "GOOGLE_CLIENT_SECRET": "secret"}
    command = [sys.executable, "-c", show]
    shown = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert shown.stdout.strip() == str(["'self'", "https://accounts.google.com"]), shown.stderr
