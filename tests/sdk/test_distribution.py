"""The client as a separate package."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

SDK = Path(__file__).resolve().parents[2] / "sdk"
DESCRIBED = tomllib.loads((SDK / "pyproject.toml").read_text())["project"]
IN_EXTRAS = {"cli": {"rich", "platformdirs"}, "adapters": {"langchain_core", "langgraph", "pydantic_ai"}}


def imported(path: Path) -> set[str]:
    tree = ast.parse(path.read_text())
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    from_ = {node.module or "." for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in plain | from_}


def needed_by(*paths: Path) -> set[str]:
    modules = set().union(*(imported(path) for path in paths))
    return modules - sys.stdlib_module_names - {"memoryplatform_client", "httpx", "pydantic"}


def test_it_needs_httpx_and_pydantic_only() -> None:
    package = SDK / "memoryplatform_client"
    extras = {name: set((package / name).rglob("*.py")) for name in IN_EXTRAS}
    assert needed_by(*set(package.rglob("*.py")).difference(*extras.values())) == set()
    assert {name: needed_by(*paths) for name, paths in extras.items()} == IN_EXTRAS
    assert [needed.partition(">")[0] for needed in DESCRIBED["dependencies"]] == ["httpx", "pydantic"]


def test_its_version_is_the_one_that_it_sends() -> None:
    from memoryplatform_client.client import VERSION

    assert DESCRIBED["version"] == VERSION


def test_it_is_imported_without_the_platform() -> None:
    script = "import sys, memoryplatform_client; print([m for m in sys.modules if m.startswith(('django', 'banks'))])"
    done = subprocess.run([sys.executable, "-c", script], cwd=SDK, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
