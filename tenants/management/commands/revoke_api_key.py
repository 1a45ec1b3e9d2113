from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from tenants.audit import SYSTEM, record
from tenants.keys import look_up, read_prefix, revoke_key
from tenants.management.reachable import needing_database
from tenants.models import ApiKey
from tenants.transactions import tenant_transaction


class Command(BaseCommand):
    help = "Revoke an API key, at once and for good."
    requires_system_checks = ()  # they load every route

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("key", help="The key, or its first two parts, such as mpk_0123456789ab.")

    def handle(self, **options: Any) -> None:
        with needing_database():
            self.stdout.write(revoke_api_key(options["key"]))


def revoke_api_key(text: str) -> str:
    prefix = read_prefix(text)
    row = look_up(prefix) if prefix else None
    if row is None:
        raise CommandError("There is no such key, or it is revoked already.")
    key_id, tenant_id, *_ = row
    with tenant_transaction(tenant_id):
        key = ApiKey.objects.for_tenant(tenant_id).get(id=key_id)
        revoke_key(key)
        record(tenant_id, actor=SYSTEM, action="api_key.revoked", target=f"api_key:{prefix}")
    return f"The key mpk_{prefix} ('{key.name}') is revoked."
