"""The Helm chart, the alerts and the dashboard of deploy/."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings

from memoryplatform.settings.environment import Environment
from tests.deployment.chart_templates import render_chart

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm"
VARIANTS: list[dict[str, Any]] = [
    {},
    {"autoscaling__customMetrics": True, "secretEnv": ["LLM_API_KEY"]},
    {"autoscaling__enabled": False, "networkPolicy__enabled": False},
]


def list_pods(objects: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    with_pods = [one for one in objects if one["kind"] in {"Deployment", "Job"}]
    return {one["metadata"]["name"]: one["spec"]["template"]["spec"] for one in with_pods}


def list_variables(pod: dict[str, Any]) -> set[str]:
    return {one["name"] for one in pod["containers"][0]["env"]}


@pytest.mark.parametrize("changes", VARIANTS)
def test_the_objects_have_the_fields_of_kubernetes(changes: dict[str, Any]) -> None:
    validate = pytest.importorskip("kubernetes_validate", reason="needs kubernetes-validate")
    objects = render_chart(CHART, **changes)
    assert len(objects) >= 9
    for one in objects:
        validate.validate(one, "1.31", strict=True)


def test_helm_accepts_the_chart() -> None:
    helm = shutil.which("helm")
    if helm is None:
        pytest.skip("needs helm")
    for command in (["lint", "--strict"], ["template", "memory"]):
        done = subprocess.run([helm, *command, str(CHART)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_there_is_a_worker_for_each_queue_group_with_a_budget_and_a_scaler() -> None:
    objects = render_chart(CHART)
    names = {f"memory-worker-{group}" for group in settings.QUEUE_GROUPS} | {"memory-web"}
    for kind in ("PodDisruptionBudget", "HorizontalPodAutoscaler"):
        assert {one["metadata"]["name"] for one in objects if one["kind"] == kind} == names
    assert set(list_pods(objects)) == names | {"memory-migrate"}


def test_a_container_has_only_the_database_urls_that_it_needs() -> None:
    pods = list_pods(render_chart(CHART))
    urls = {name: {one for one in list_variables(pod) if one.startswith("DATABASE_")} for name, pod in pods.items()}
    assert urls == {
        "memory-web": {"DATABASE_URL", "DATABASE_PLATFORM_URL"},
        "memory-worker-ingest": {"DATABASE_URL"},
        "memory-worker-background": {"DATABASE_URL", "DATABASE_OWNER_URL"},
        "memory-worker-notify": {"DATABASE_URL"},
        "memory-migrate": {"DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_PLATFORM_URL"},
    }


def test_containers_are_unprivileged_and_get_known_variables() -> None:
    known = {name.upper() for name in Environment.model_fields} | {"FORWARDED_ALLOW_IPS"}
    for name, pod in list_pods(render_chart(CHART)).items():
        (container,) = pod["containers"]
        assert list_variables(pod) <= known, name
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert "memory" in container["resources"]["limits"]


def test_secrets_come_from_the_secret_alone() -> None:
    secret = {"SECRET_KEY", "API_KEY_SECRET", "REDIS_URL", "LLM_API_KEY", "DATABASE_URL"}
    for pod in list_pods(render_chart(CHART, secretEnv=["LLM_API_KEY"])).values():
        for one in pod["containers"][0]["env"]:
            assert ("value" in one) != (one["name"] in secret or one["name"].startswith("DATABASE_"))


def test_without_the_scalers_the_chart_sets_the_replicas() -> None:
    by_default, fixed = (
        {one["metadata"]["name"]: one["spec"].get("replicas") for one in objects if one["kind"] == "Deployment"}
        for objects in (render_chart(CHART), render_chart(CHART, autoscaling__enabled=False))
    )
    assert set(by_default.values()) == {None}  # a number would undo the scaler's choice at each upgrade
    assert fixed["memory-web"] == 2


def test_the_migration_runs_before_the_new_processes() -> None:
    (job,) = (one for one in render_chart(CHART) if one["kind"] == "Job")
    assert job["metadata"]["annotations"]["helm.sh/hook"] == "pre-install,pre-upgrade"


def test_alerts_and_dashboard_ask_for_metrics_that_exist() -> None:
    alerts = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yaml").read_text())
    rules = [rule for group in alerts["groups"] for rule in group["rules"]]
    assert all(rule["annotations"]["summary"] for rule in rules)
    adapter = yaml.safe_load((ROOT / "deploy/prometheus/adapter.yaml").read_text())
    dashboard = json.loads((ROOT / "deploy/grafana/memoryplatform.json").read_text())
    asked = [rule["expr"] for rule in rules] + [rule["metricsQuery"] for rule in adapter["externalRules"]]
    asked += [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    names = {name.removesuffix("_bucket") for text in asked for name in re.findall(r"memoryplatform_\w+", text)}
    documented = set(re.findall(r"`(memoryplatform_\w+)`", (ROOT / "docs/operating.md").read_text()))
    assert names <= documented
    scaled = {rule["name"]["as"] for rule in adapter["externalRules"]}
    text = json.dumps(render_chart(CHART, autoscaling__customMetrics=True))
    assert scaled == set(re.findall(r"memoryplatform_\w+", text))
