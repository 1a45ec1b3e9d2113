"""Structural rules that are checked here, so that no one has to remember them."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from django.apps import apps
from django.db.migrations.loader import MigrationLoader
from pydantic.fields import FieldInfo

from memoryplatform.settings.environment import Environment, list_variables
from tests.api.test_isolation import routes
from tests.architecture.test_layers import MAY_IMPORT, ROOT, files_of

OUR_APPS = {config.label for config in apps.get_app_configs() if Path(config.path).is_relative_to(ROOT)}
READ_BY_DJANGO = {
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "CSRF_TRUSTED_ORIGINS",
    "DATABASE_URL",
    "DATABASE_OWNER_URL",
    "DATABASE_PLATFORM_URL",
    "DATABASE_REPLICA_URL",
    "REDIS_URL",
}
# routes whose POST asks and changes nothing
READ_ONLY_POSTS = {
    "v1/banks/<str:bank_id>/memories/recall",
    "v1/default/banks/<str:bank_id>/memories/dry-run-extract",
    "v1/default/banks/<str:bank_id>/memories/recall",
    "v1/default/banks/<str:bank_id>/prompts/preview",
    "v1/default/recall",
    "v1/exports/get/",
    "v1/memories/search/",
    "v1/recall",
    "v1/summary/",
}
SIGNAL_MODULES = {"django.dispatch", "django.db.models.signals", "django.core.signals", "django.contrib.auth.signals"}


def our_trees(words: Iterable[str]) -> Iterator[tuple[str, ast.Module]]:
    """The files that have one of the words. To parse them all takes seconds."""
    for package in MAY_IMPORT:
        for path in files_of(package):
            source = path.read_text()
            if any(word in source for word in words):
                yield str(path.relative_to(ROOT)), ast.parse(source)


def test_every_app_has_a_single_newest_migration() -> None:
    loader = MigrationLoader(None)
    for label in OUR_APPS & {app for app, _ in loader.graph.nodes}:
        assert len(loader.graph.leaf_nodes(label)) == 1, label


SERIALIZERS = ("Serializer", "Input", "Output")


def is_serializer(base: ast.expr) -> bool:
    return any(word in ast.unparse(base) for word in SERIALIZERS)


def test_serializers_neither_create_nor_update() -> None:
    for path, tree in our_trees(SERIALIZERS):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and any(is_serializer(base) for base in node.bases):
                methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
                assert not methods & {"create", "update", "save"}, f"{path}: {node.name}"


def test_no_module_listens_to_signals() -> None:
    for path, tree in our_trees(("signal", "dispatch")):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in SIGNAL_MODULES, path
            if isinstance(node, ast.Attribute) and node.attr == "connect" and "signal" in ast.unparse(node.value):
                raise AssertionError(f"{path}: connects to a signal")


def test_every_post_that_writes_takes_an_idempotency_key() -> None:
    for route, callback in routes():
        view = getattr(callback, "view_class", None)
        if route.startswith("v1/") and hasattr(view, "post") and route not in READ_ONLY_POSTS:
            assert getattr(callback.view_class.post, "is_idempotent", False), route


def describe_variable(name: str, field: FieldInfo) -> str:
    """The variable's row in the table of docs/configuration.md."""
    default = "required" if field.is_required() else describe_default(field.default)
    return f"| `{name}` | {default} | {field.description} |"


def describe_default(value: object) -> str:
    """The default as it would be written in the environment."""
    if value is None or value == []:
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def test_the_table_of_environment_variables_is_that_of_the_code() -> None:
    text = (ROOT / "docs/configuration.md").read_text()
    table = text.partition("| variable | default | what it is for |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert table.splitlines() == [describe_variable(name, field) for name, field in list_variables().items()]


def test_every_setting_of_ours_is_used() -> None:
    """A setting that no code reads would have no effect."""
    ours = {name.upper() for name in Environment.model_fields} - READ_BY_DJANGO
    readers = "\n".join(path.read_text() for package in MAY_IMPORT for path in files_of(package))
    unused = {name for name in ours if f"settings.{name}" not in readers and f'"{name}")' not in readers}
    where_settings_are_built = {"LOG_LEVEL", "LOG_FORMAT", "DATABASE_POOL_SIZE", "EMAIL_URL", "EMAIL_FROM"}
    providers = {f"{name}_CLIENT_{part}" for name in ("GOOGLE", "GITHUB") for part in ("ID", "SECRET")}
    assert unused == where_settings_are_built | providers


def test_files_are_not_called_after_nothing() -> None:
    empty_words = {"utils", "helpers", "common", "misc", "base_utils"}
    names = {path.stem for package in MAY_IMPORT for path in files_of(package)}
    assert not names & empty_words
