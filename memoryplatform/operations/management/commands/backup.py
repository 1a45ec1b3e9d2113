from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.backup import BackupError, back_up
from tenants.management.reachable import check_databases, needing_database


class Command(BaseCommand):
    help = "Write the whole database into one file, while the service runs. docs/backup.md"
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="The file, or a folder for a file that is named after the time.")

    def handle(self, **options: Any) -> None:
        check_databases("owner", "platform")
        try:
            with needing_database():
                path, manifest = back_up(options["target"])
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{path}: {sum(manifest.rows.values())} rows, {path.stat().st_size} bytes.")
        self.stdout.write("The file holds every tenant's memories. Keep SECRET_KEY and API_KEY_SECRET elsewhere.")
