from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.management.reachable import check_databases, needing_database
from tenants.models import Tenant
from tenants.transactions import tenant_transaction
from tenants.usage import add_up_storage, sum_usage_days

OWNER_CONNECTION = "owner"  # may list the tenants, and sees none of their rows


class Command(BaseCommand):
    help = "Add up the usage ledger by day. The nightly maintenance does it; with --since the sums are made again."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="The slug of one tenant; default: all.")
        parser.add_argument("--since", type=date.fromisoformat, help="Make the sums from this day on again.")

    def handle(self, **options: Any) -> None:
        check_databases(OWNER_CONNECTION)
        with needing_database():
            self.add_up(options)

    def add_up(self, options: dict[str, Any]) -> None:
        wanted = {"slug": options["tenant"]} if options["tenant"] else {}
        tenants = list(Tenant.objects.using(OWNER_CONNECTION).filter(**wanted).order_by("id"))
        if not tenants and wanted:
            raise CommandError("There is no such tenant.")
        for tenant in tenants:
            with tenant_transaction(tenant.id):
                sum_usage_days(tenant.id, again_since=options["since"])
                add_up_storage(tenant.id)
            self.stdout.write(f"{tenant.slug}: added up")
