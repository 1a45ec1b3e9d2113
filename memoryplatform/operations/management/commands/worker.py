from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from prometheus_client import start_http_server

from memoryplatform.operations.running.worker import serve
from tenants.management.reachable import check_databases
from tenants.roles import WallIsOpen

BUILDS_INDEXES = "background"  # the group whose operations create and drop vector indexes


class Command(BaseCommand):
    help = "Work on the operations of one group of queues until SIGTERM."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("group", choices=sorted(settings.QUEUE_GROUPS))
        parser.add_argument(
            "--metrics-port", type=int, help="Serve this process's metrics at this port, for Prometheus."
        )

    def handle(self, **options: Any) -> None:
        if options["group"] == BUILDS_INDEXES:
            check_databases("owner")
        if options["metrics_port"]:
            start_http_server(options["metrics_port"])
        try:
            serve(options["group"])
        except WallIsOpen as error:
            raise CommandError(str(error)) from error
