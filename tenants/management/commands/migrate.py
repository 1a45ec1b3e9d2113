from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from tenants.management.reachable import check_databases
from tenants.roles import grant_rights_on_new_tables, protect_migration_history

# Each step of these renders every model that is related to a tenant or a user. On a new database they go first, while
# there are few: that saves seconds.
FIRST = ("tenants", "socialaccount")
OWNER = "owner"


class Command(migrate.Command):
    """Django's command on the owner's connection. It sets the rights of the other roles first."""

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
        grant_rights_on_new_tables(connection)
        if not options["app_label"] and not connection.introspection.table_names():
            for label in FIRST:
                super().handle(*args, **options | {"app_label": label})
        super().handle(*args, **options)
        protect_migration_history(connection)
