from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from tenants.management.reachable import check_databases
from tenants.roles import Login, ProvisioningError, provision


class Command(BaseCommand):
    help = "Make the roles and the database that the three database URLs name, as the account of DATABASE_SETUP_URL."
    requires_system_checks = ()

    def handle(self, **options: Any) -> None:
        check_databases("owner", "platform")
        if not settings.DATABASE_SETUP_URL:
            raise CommandError("DATABASE_SETUP_URL is missing: the URL of an account that may create roles.")
        logins = {alias: login_of(alias) for alias in ("owner", "default", "platform")}
        try:
            provision(
                settings.DATABASE_SETUP_URL,
                database=settings.DATABASES["default"]["NAME"],
                owner=logins["owner"],
                service=logins["default"],
                platform=logins["platform"],
            )
        except ProvisioningError as error:
            raise CommandError(str(error)) from error
        self.stdout.write("The roles and the database are ready.")


def login_of(alias: str) -> Login:
    database = settings.DATABASES[alias]
    return Login(name=database["USER"], password=database["PASSWORD"])
