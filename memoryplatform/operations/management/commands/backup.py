from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.backup import BackupError, back_up, read_passphrase
from tenants.management.reachable import check_databases, needing_database


class Command(BaseCommand):
    help = "Write the whole database into one file, while the service runs. docs/backup.md"
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("target", type=Path, help="The file, or a folder for a file that is named after the time.")
        parser.add_argument("--passphrase-file", type=Path, help="Encrypt the backup with the passphrase in this file.")

    def handle(self, **options: Any) -> None:
        check_databases("owner", "platform")
        try:
            with needing_database():
                path, manifest = back_up(options["target"], read_passphrase(options["passphrase_file"]))
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{path}: {sum(manifest.rows.values())} rows, {path.stat().st_size} bytes.")
        advice = "" if options["passphrase_file"] else " The file holds every tenant's memories and is not encrypted."
        self.stdout.write(f"Keep SECRET_KEY and API_KEY_SECRET elsewhere.{advice}")
