from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.operations.worker import serve
from tenants.wall_check import WallIsOpen


class Command(BaseCommand):
    help = "Work on the operations of one group of queues until SIGTERM."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("group", choices=sorted(settings.QUEUE_GROUPS))

    def handle(self, **options: Any) -> None:
        try:
            serve(options["group"])
        except WallIsOpen as error:
            raise CommandError(str(error)) from error
