import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from memoryplatform.embedded import up
from memoryplatform.embedded.address import Address
from memoryplatform.embedded.console import Console
from memoryplatform.embedded.errors import StartError
from memoryplatform.embedded.folder import DEFAULT, VARIABLE, find_data_dir
from memoryplatform.embedded.services import ExternalServices


class Command(BaseCommand):
    help = "Run the whole service: Postgres, Redis, web and workers, until Ctrl-C."
    requires_system_checks = ()  # they need a database, which does not run yet

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default: %(default)s)")
        parser.add_argument("--data-dir", help=f"where all data lies (default: ${VARIABLE}, or {DEFAULT} here)")
        parser.add_argument("--no-demo", action="store_true", help="leave the demo bank out")

    def handle(self, *_args: object, **options: Any) -> None:
        wanted = up.Options(
            address=Address(options["host"], options["port"]),
            data_dir=find_data_dir(options["data_dir"]),
            external=read_external(),
            queue_groups=tuple(settings.QUEUE_GROUPS),
            with_demo=not options["no_demo"],
        )
        try:
            up.run(wanted, Console(sys.stdout))
        except StartError as error:
            sys.exit(str(error))


def read_external() -> ExternalServices:
    """The embedded settings have these names; other settings don't."""
    return ExternalServices(
        database_url=getattr(settings, "UP_DATABASE_URL", None) or None,
        owner_url=getattr(settings, "UP_DATABASE_OWNER_URL", None) or None,
        platform_url=getattr(settings, "UP_DATABASE_PLATFORM_URL", None) or None,
        redis_url=getattr(settings, "UP_REDIS_URL", None) or None,
    )
