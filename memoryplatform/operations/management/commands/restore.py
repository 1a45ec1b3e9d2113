from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from memoryplatform.backup.backup_file import BackupError, read_passphrase
from memoryplatform.backup.restore import list_other_secrets, restore
from memoryplatform.object_storage import StorageError, downloaded, parse_address
from tenants.management.reachable import check_databases, needing_database

WARNING = (
    "{} differs from that of the backup. API keys work with the former API_KEY_SECRET only; webhook secrets and own "
    "language models open with the former SECRET_KEY only."
)


@contextmanager
def opened(file: str) -> Iterator[Path]:
    address = parse_address(file)
    if address is None:
        yield Path(file)
        return
    with downloaded(address) as path:
        yield path


class Command(BaseCommand):
    help = "Load a backup into an empty database, or in place of one. Stop web and workers first. docs/backup.md"
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="The file, also as s3://bucket/path.")
        parser.add_argument(
            "--replace", action="store_true", help="Drop all tables of a database that is not empty, with their rows."
        )
        parser.add_argument("--passphrase-file", type=Path, help="The file with the passphrase of the backup.")

    def handle(self, **options: Any) -> None:
        check_databases("owner", "platform")
        try:
            with needing_database(), opened(options["file"]) as path:
                manifest = restore(path, read_passphrase(options["passphrase_file"]), replace=options["replace"])
        except (BackupError, StorageError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored {sum(manifest.rows.values())} rows of {manifest.made_at}.")
        if other := list_other_secrets(manifest):
            self.stderr.write(WARNING.format(" and ".join(other)))
