"""Dependencies point down the table of docs/architecture.md only, imports inside functions included."""

import ast
import functools
import re
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[2]

MAY_IMPORT = {
    "memoryplatform": {
        "memoryplatform",
        "rules",
        "reflection",
        "retrieval",
        "banks",
        "tenants",
        "providers",
        "timewords",
        "protection",
    },
    "rules": {"rules", "reflection", "retrieval", "banks", "tenants", "providers", "timewords", "protection"},
    "reflection": {"reflection", "retrieval", "banks", "tenants", "providers", "timewords", "protection"},
    "retrieval": {"retrieval", "banks", "tenants", "providers", "timewords", "protection"},
    "banks": {"banks", "tenants", "providers", "timewords", "protection"},
    "tenants": {"tenants", "providers"},
    "providers": {"providers"},
    "timewords": {"timewords"},
    "protection": {"protection"},
}
OURS = {*MAY_IMPORT, "benchmarks", "memoryplatform_client", "sdk", "tests"}


@functools.cache
def imported_modules(source: str) -> frozenset[str]:
    """Every module that the source imports, also inside functions or by import_module("...")."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.ImportFrom) and node.level:
            found.add(".relative")
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "import_module":
            found |= {str(argument.value) for argument in node.args[:1] if isinstance(argument, ast.Constant)}
    return frozenset(found)


def files_of(package: str) -> list[Path]:
    return sorted((ROOT / package).rglob("*.py"))


def faults_of(package: str, source: str) -> set[str]:
    tops = {module.partition(".")[0] for module in imported_modules(source)}
    return {top or "a relative import" for top in tops if top == "" or (top in OURS and top not in MAY_IMPORT[package])}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_nothing_above_it(package: str) -> None:
    faults = {str(path.relative_to(ROOT)): faults_of(package, path.read_text()) for path in files_of(package)}
    assert {path: names for path, names in faults.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import memoryplatform.api",
        "from reflection import opinions",
        "def f():\n    from retrieval.recall import recall",
        "import_module('tests.factories')",
        "from ..retrieval import recall",
    ],
)
def test_an_import_that_points_up_is_found(source: str) -> None:
    assert faults_of("banks", source)


# The plan for Citus lists the tables that are read before the tenant is known.
TABLES_NAMED_ACROSS = {"tenants/distribution.py": {"operations_dispatch"}}


def list_tables() -> dict[str, str]:
    """The package of each table."""
    models = (model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy)
    return {model._meta.db_table: model.__module__.partition(".")[0] for model in models}


def find_tables_above(package: str, source: str) -> set[str]:
    tables = {table for table, owner in list_tables().items() if owner in OURS and owner not in MAY_IMPORT[package]}
    return tables & set(re.findall(r"\w+", source))


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_sql_of_a_package_names_a_table_of_one_above_it(package: str) -> None:
    files = (path for path in (ROOT / package).rglob("*") if path.suffix in {".py", ".sql"})
    named = {str(path.relative_to(ROOT)): find_tables_above(package, path.read_text()) for path in files}
    assert {path: tables for path, tables in named.items() if tables - TABLES_NAMED_ACROSS.get(path, set())} == {}


def test_a_table_of_a_package_above_is_found() -> None:
    source = "SELECT text_before FROM reflection_opinionrevision AS revision"
    assert find_tables_above("retrieval", source) == {"reflection_opinionrevision"}
    assert find_tables_above("memoryplatform", source) == set()


def test_modules_of_a_package_do_not_import_each_other_in_a_circle() -> None:
    graph = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): imported_modules(
            path.read_text()
        )
        for package in MAY_IMPORT
        for path in files_of(package)
    }
    edges = {
        module: {target for target in targets if target in graph and target != module}
        for module, targets in graph.items()
    }
    assert find_circle({module: drop_own_package(module, targets) for module, targets in edges.items()}) == []


def drop_own_package(module: str, targets: set[str]) -> set[str]:
    """Importing a module also imports its package's __init__, which does not count as a dependency."""
    return {target for target in targets if not module.startswith(f"{target}.")}


def find_circle(edges: dict[str, set[str]]) -> list[str]:
    done: set[str] = set()

    def visit(module: str, path: list[str]) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        for target in sorted(edges.get(module, ())):
            if circle := visit(target, [*path, module]):
                return circle
        done.add(module)
        return []

    return next((circle for module in sorted(edges) if (circle := visit(module, []))), [])


def test_a_circle_is_found() -> None:
    assert find_circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}) == ["a", "b", "c", "a"]
