from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from memoryplatform.operations.worker import serve


class Command(BaseCommand):
    help = "Work on the operations of one group of queues until SIGTERM."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("group", choices=sorted(settings.QUEUE_GROUPS))

    def handle(self, **options: Any) -> None:
        serve(options["group"])
