from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from tenants.rights import grant_rights_on_new_tables, protect_migration_history


class Command(migrate.Command):
    """Django's own, on the connection of the role that owns the tables, with the rights of the others set first."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        grant_rights_on_new_tables(connection)
        super().handle(*args, **options)
        protect_migration_history(connection)
