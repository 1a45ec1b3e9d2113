"""Folders of an app point in one direction, and only the composition root knows the built-in engine."""

import ast
from collections import defaultdict
from pathlib import Path

from tests.architecture.test_layers import MAY_IMPORT, ROOT, files_of, imported_modules

# Inside banks a folder imports only folders before it. Files of the app's root are shared values and helpers.
BANKS_ORDER = (
    "models",
    "chunking",
    "text_index",
    "vector_index",
    "links",
    "entities",
    "lifecycle",
    "curation",
    "retain",
    "admin",
    "management",
)
COMPOSITION_ROOT = "memoryplatform/operations/engine_choice.py"


def find_folder(module: str) -> Path | None:
    """The folder of a module, or of the module that defines a name."""
    path = ROOT / module.replace(".", "/")
    while path != ROOT:
        if path.is_dir():
            return path
        if path.with_suffix(".py").is_file():
            return path.parent
        path = path.parent
    return None


def list_edges() -> dict[Path, set[Path]]:
    edges: dict[Path, set[Path]] = defaultdict(set)
    for package in MAY_IMPORT:
        for file in files_of(package):
            for module in imported_modules(file.read_text()):
                target = find_folder(module) if module.partition(".")[0] in MAY_IMPORT else None
                if target is not None and target != file.parent:
                    edges[file.parent].add(target)
    return edges


def contains(one: Path, other: Path) -> bool:
    return one in other.parents or other in one.parents


def test_no_two_folders_import_each_other() -> None:
    edges = list_edges()
    both_ways = {
        tuple(sorted((str(one.relative_to(ROOT)), str(other.relative_to(ROOT)))))
        for one, targets in edges.items()
        for other in targets
        if one in edges.get(other, ()) and not contains(one, other)
    }
    assert both_ways == set()


def test_folders_of_banks_keep_their_order() -> None:
    places = {name: place for place, name in enumerate(BANKS_ORDER)}
    wrong = []
    for file in files_of("banks"):
        own = file.relative_to(ROOT / "banks").parts[0]
        if own not in places:
            continue
        for module in imported_modules(file.read_text()):
            top, _, rest = module.partition(".")
            other = rest.partition(".")[0]
            if top == "banks" and other in places and places[other] > places[own]:
                wrong.append(f"{file.relative_to(ROOT)} imports {module}")
    assert wrong == []


def test_only_the_composition_root_imports_the_built_in_engine() -> None:
    importers = {
        str(file.relative_to(ROOT))
        for package in MAY_IMPORT
        if package != "rules"
        for file in files_of(package)
        if any(module == "rules" or module.startswith("rules.") for module in imported_modules(file.read_text()))
    }
    assert importers == {COMPOSITION_ROOT}


def test_the_server_uses_no_private_attributes_of_others() -> None:
    private = []
    for file in sorted((ROOT / "memoryplatform" / "server").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                is_own = isinstance(node.value, ast.Name) and node.value.id in {"self", "cls"}
                if not is_own:
                    private.append(f"{file.name}:{node.lineno} {node.attr}")
    assert private == []
