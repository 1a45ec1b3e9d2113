from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.backup.back_up import back_up
from memoryplatform.backup.backup_file import BackupError, read_passphrase
from memoryplatform.object_storage import StorageError, parse_address, upload
from tenants.management.reachable import check_databases, needing_database


class Command(BaseCommand):
    help = "Write the whole database into one file, while the service runs. docs/backup.md"
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "target", help="The file, or a folder for a file that is named after the time; also s3://bucket/path."
        )
        parser.add_argument("--passphrase-file", type=Path, help="Encrypt the backup with the passphrase in this file.")

    def handle(self, **options: Any) -> None:
        check_databases("owner", "platform")
        try:
            with needing_database(), TemporaryDirectory() as folder:
                address = parse_address(options["target"])
                path, manifest = back_up(
                    Path(options["target"] if address is None else folder), read_passphrase(options["passphrase_file"])
                )
                size, place = path.stat().st_size, str(path)
                if address is not None:
                    place = str(address.name_file(path.name))
                    upload(path, address.name_file(path.name))
        except (BackupError, StorageError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{place}: {sum(manifest.rows.values())} rows, {size} bytes.")
        advice = "" if options["passphrase_file"] else " The file holds every tenant's memories and is not encrypted."
        self.stdout.write(f"Keep SECRET_KEY and API_KEY_SECRET elsewhere.{advice}")
