from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tenants.management.reachable import check_databases
from tenants.migration_history import describe_missing, find_missing
from tenants.roles import grant_rights_on_new_tables, protect_migration_history

OWNER = "owner"


class Command(migrate.Command):
    """Django's command on the owner's connection. It sets the rights of the other roles first.

    It refuses a database whose version it can't upgrade.
    """

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database=OWNER)

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Before the system checks, which open the connection."""
        if options["database"] == OWNER:
            check_databases(OWNER)
        return super().execute(*args, **options)

    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        missing = find_missing(MigrationLoader(connection), MigrationRecorder(connection).applied_migrations())
        if missing:
            raise CommandError(f"The database is of an earlier version. {describe_missing(missing)}")
        grant_rights_on_new_tables(connection)
        super().handle(*args, **options)
        protect_migration_history(connection)
