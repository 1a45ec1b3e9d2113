"""Databases of earlier versions, whose migrations the initial ones replace."""

from collections.abc import Collection

from django.db.migrations.loader import MigrationLoader

LAST_UNREPLACED = "fd2808f7e149"  # the commit whose migrations were replaced


def find_missing(loader: MigrationLoader, applied: Collection[tuple[str, str]]) -> list[str]:
    """The replaced migrations that a database of an earlier version lacks.

    Django leaves a migration out of its plan, without an error, if only a part of those that it replaces is applied.
    """
    missing: list[str] = []
    for replacement in loader.replacements.values():
        lacking = [key for key in replacement.replaces if key not in applied and key not in loader.disk_migrations]
        if 0 < len(lacking) < len(replacement.replaces):
            missing += [f"{app}.{name}" for app, name in lacking]
    return missing


def describe_missing(missing: list[str]) -> str:
    return (
        f"It lacks {', '.join(missing[:3])}{' and others' if missing[3:] else ''}, which are no longer a part of this "
        f"version: run `migrate` with the code of commit {LAST_UNREPLACED} first (docs/upgrading.md)."
    )
