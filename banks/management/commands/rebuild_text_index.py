from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from banks.models import Bank, Corpus
from banks.text_index.rebuild import rebuild_corpus
from tenants.management.reachable import check_databases
from tenants.models import Tenant
from tenants.transactions import tenant_transaction

OWNER_CONNECTION = "owner"  # may list the tenants, and sees none of their rows


class Command(BaseCommand):
    help = "Rebuild the text index from the rows: after a change of the rules for lexemes, or as a repair."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", help="The slug of one tenant; default: all.")
        parser.add_argument("--bank", help="The id of a bank; default: all.")

    def handle(self, **options: Any) -> None:
        check_databases(OWNER_CONNECTION)
        wanted = {"slug": options["tenant"]} if options["tenant"] else {}
        tenants = Tenant.objects.using(OWNER_CONNECTION).filter(**wanted).order_by("id")
        banks = [bank for tenant in tenants for bank in find_banks(tenant, options["bank"])]
        if not banks and (options["tenant"] or options["bank"]):
            raise CommandError("There is no such bank.")
        for bank in banks:
            rows = sum(rebuild_corpus(bank, corpus) for corpus in Corpus)
            self.stdout.write(f"{bank.bank_id}: {rows} rows")


def find_banks(tenant: Tenant, bank_id: str | None) -> list[Bank]:
    wanted = {"bank_id": bank_id} if bank_id else {}
    with tenant_transaction(tenant.id):
        return list(Bank.objects.for_tenant(tenant.id).filter(**wanted).order_by("id"))
