"""The wheel: built from the checkout, installed into an environment of its own, started outside of the checkout.

The environment finds the dependencies in the environment of the tests, so that the installation takes seconds.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.embedded.up_process import Up, free_port, person

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["/", "/docs/", "/docs/quickstart/", "/docs/timewords/", "/docs/api/", "/accounts/login/", "/static/app.css"]


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A short path outside of the checkout that the account of Postgres can pass."""
    path = Path(tempfile.mkdtemp(prefix="mp-", dir="/tmp"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path)


@pytest.fixture(scope="module")
def wheel(place: Path) -> Path:
    """Built from a copy: setuptools packs whatever the `*.egg-info` of an earlier build lists."""
    left_out = shutil.ignore_patterns(
        ".*", "*.egg-info", "__pycache__", "build", "dist", "node_modules", "tests", "sdk-ts"
    )
    shutil.copytree(ROOT, place / "source", ignore=left_out)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(place / "dist"), "source", cwd=place)
    (made,) = (place / "dist").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def installed(place: Path, wheel: Path) -> Path:
    """The `bin` folder of an environment with the wheel."""
    run(sys.executable, "-m", "venv", "--without-pip", str(place / "venv"), cwd=place)
    python = place / "venv" / "bin" / "python"
    install = ("-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel))
    run(sys.executable, *install, cwd=place)
    (packages,) = (place / "venv").glob("lib/python*/site-packages")
    ours = [folder for folder in sys.path if folder.endswith("site-packages")]
    (packages / "dependencies.pth").write_text("\n".join([*ours, ""]))
    return python.parent


@pytest.fixture(scope="module")
def service(place: Path, installed: Path) -> Iterator[Up]:
    up = Up(place / "data", place / "output", free_port(), {"PYTHONPATH": ""}, ["--no-demo"])
    up.program, up.working_folder = (str(installed / "memoryplatform"),), place
    up.start()
    yield up
    assert up.interrupt() == 0
    assert up.left_running() == []


def run(*argv: str, cwd: Path, **variables: str) -> str:
    """The output of a program in the environment of a user, who has no PYTHONPATH."""
    environment = {name: value for name, value in person().items() if name != "PYTHONPATH"} | variables
    done = subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_file_of_a_package_is_in_the_wheel(wheel: Path) -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]["find"]["include"]
    found = {
        path.relative_to(ROOT).as_posix()
        for package in listed
        for path in (ROOT / package.removesuffix("*")).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.name != "README.md"
    }
    assert {"banks/migrations/0001_initial.py", "tenants/sql/rights.sql"} <= found
    assert found <= set(zipfile.ZipFile(wheel).namelist())


def test_templates_static_files_and_pages_are_in_the_wheel(wheel: Path) -> None:
    beside = {
        path.relative_to(ROOT).as_posix()
        for folder in ("templates", "static", "docs")
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    names = zipfile.ZipFile(wheel).namelist()
    prefix = "memoryplatform/assets/"
    assert {name.removeprefix(prefix) for name in names if name.startswith(prefix)} >= beside
    assert not [name for name in names if name.startswith(("tests/", "training/", "sdk/"))]


def test_the_installed_service_runs_from_the_wheel_alone(installed: Path, place: Path) -> None:
    found = run(str(installed / "python"), "-c", "import memoryplatform; print(memoryplatform.__file__)", cwd=place)
    assert Path(found.strip()).is_relative_to(place / "venv")


def test_the_command_without_arguments_prints_its_help(installed: Path, place: Path) -> None:
    assert "memoryplatform up" in run(str(installed / "memoryplatform"), cwd=place)


def test_a_memory_is_retained_and_recalled(service: Up) -> None:
    key = re.search(r"API key +(\S+)", service.said())
    assert key is not None
    bank = f"{service.url}/v1/banks/travel/memories"
    with httpx.Client(headers={"Authorization": f"Bearer {key[1]}"}, timeout=60) as client:
        retained = client.post(bank, json={"items": [{"content": "Alice lives in Lisbon."}]})
        assert retained.status_code == 200, retained.text
        recalled = client.post(f"{bank}/recall", json={"query": "Where does Alice live?"})
    assert [result["text"] for result in recalled.json()["results"]] == ["Alice lives in Lisbon."]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_of_the_service_finds_its_files(service: Up, path: str) -> None:
    assert httpx.get(service.url + path, timeout=60).status_code == 200  # the first /docs/api/ builds the document


def test_a_management_command_finds_the_running_service(service: Up, installed: Path) -> None:
    command = (str(installed / "memoryplatform"), "manage", "create_api_key", "demo@example.com")
    key = run(*command, cwd=service.working_folder, MEMORYPLATFORM_DATA_DIR=str(service.folder)).strip()

    answer = httpx.get(f"{service.url}/v1/banks", headers={"Authorization": f"Bearer {key}"})

    assert answer.status_code == 200
